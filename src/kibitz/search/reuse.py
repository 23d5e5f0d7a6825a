"""Tree reuse: where in a grown tree the game has arrived by now."""

from collections import deque
from collections.abc import Iterator
from itertools import product

import numpy as np

from kibitz.core.game import Action, State, States, apply
from kibitz.search.tree import NONE, Tree, arms_of, child_of, decisions_at

MAX_TRIED = 1000
"""Turns that are tried before a tree is given up: more would cost as much as growing another."""


def find_node(tree: Tree, how: np.record, old: State, new: State, action: Action) -> int:
    """Find the node of the position `new`, after `action` in the root position `old`; or NONE.

    Only trees of games without secrets, whose nodes follow from the actions of everybody, can tell.
    """
    wanted = new.tobytes()
    first: States = np.empty(1, old.dtype)
    first[0] = old
    waiting: deque[tuple[int, States, Action | None]] = deque([(int(how.root_node), first, action)])
    tried = 0
    while waiting:
        node, states, own = waiting.popleft()
        deciders = decisions_at(tree, how, node)
        if how.is_sequential:
            deciders = deciders[:1]
        for played in _choices(tree, deciders, int(how.root_seat), own):
            tried += 1
            if tried > MAX_TRIED:
                return NONE
            child = child_of(tree, node, played)
            if child == NONE:
                continue
            after = states.copy()
            for (seat, _), one in zip(deciders, played, strict=True):
                apply(after[0], seat, one)
            if after[0].tobytes() == wanted:
                return child
            waiting.append((child, after, None))
    return NONE


def _choices(
    tree: Tree, deciders: list[tuple[int, int]], root_seat: int, action: Action | None
) -> Iterator[tuple[Action, ...]]:
    """Yield all that can be played at a node; the root seat's own action may be known."""
    every = []
    for seat, decision in deciders:
        actions = tree.arms["arm_action"][arms_of(tree, decision)].tolist()
        if action is not None and seat == root_seat:
            actions = [one for one in actions if one == action]
        every.append(actions)
    if every:
        yield from product(*every)
