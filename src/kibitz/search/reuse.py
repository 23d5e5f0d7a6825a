"""Tree reuse: where in a grown tree the game has arrived by now."""

from collections.abc import Iterator
from itertools import product

from kibitz.core.game import Action, State, States, apply
from kibitz.search.tree import NONE, Tree, arms_of, child_of, decisions_at

MAX_TURNS = 3
"""Turns between two decisions of one seat that are looked through, forced ones included."""


def find_node(tree: Tree, how: State, old: State, new: State, action: Action, room: States) -> int:
    """Find the node of the position `new`, after `action` in the root position `old`; or NONE.

    Only trees of games without secrets, whose nodes follow from the actions of everybody, can tell.
    `room` is scratch for a state per turn.
    """
    return _find(tree, how, int(how.root_node), old, new.tobytes(), action, room, 0)


def _find(
    tree: Tree,
    how: State,
    node: int,
    state: State,
    wanted: bytes,
    action: Action | None,
    room: States,
    turn: int,
) -> int:
    deciders = decisions_at(tree, how, node)
    if how.is_sequential:
        deciders = deciders[:1]
    for played in _choices(tree, deciders, int(how.root_seat), action):
        child = child_of(tree, node, played)
        if child == NONE:
            continue
        room[turn] = state
        for (seat, _), one in zip(deciders, played, strict=True):
            apply(room[turn], seat, one)
        if room[turn].tobytes() == wanted:
            return child
        if turn + 1 < len(room):
            found = _find(tree, how, child, room[turn], wanted, None, room, turn + 1)
            if found != NONE:
                return found
    return NONE


def _choices(
    tree: Tree, deciders: list[tuple[int, int]], root_seat: int, action: Action | None
) -> Iterator[tuple[Action, ...]]:
    """Yield all that can be played at a node; the root seat's own action may be known."""
    every = []
    for seat, decision in deciders:
        actions = [int(tree.arms[arm].arm_action) for arm in arms_of(tree, decision)]
        if action is not None and seat == root_seat:
            actions = [one for one in actions if one == action]
        every.append(actions)
    if every:
        yield from product(*every)
