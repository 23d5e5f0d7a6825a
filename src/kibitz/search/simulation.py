"""The one loop of every search: select down the tree, evaluate the leaf, back its values up."""

from typing import NamedTuple

import numpy as np

from kibitz.core.bits import lowest
from kibitz.core.game import Seat, States, apply, conceal, fingerprint, movers, resample
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.search.evaluation import adapt, enter, evaluate, has_priors, respond, weigh
from kibitz.search.selection import ASKS, credit, may_ask, notice, select
from kibitz.search.tree import (
    EACH,
    FIRST_WORLD,
    JOINT,
    NONE,
    OWN,
    SEEN,
    VIEW,
    Tree,
    find_child,
    find_decision,
    key_after,
    key_of_node,
    open_decision,
)
from kibitz.search.values import write_result
from kibitz.search.worlds import draw_one

_NOBODY = np.uint64(0)
_ONE = np.uint64(1)

EVERYBODY = -1
"""The seat whose view is what all can see."""

LEAF, END, PAUSED = 0, 1, 2
"""How a way down the tree ends: out of the tree, with the game, or with a question."""


class Tools(NamedTuple):
    """What one search works with."""

    tree: Tree  # where what is found is kept
    states: States  # the view, two of scratch, and a pool of worlds if there is one
    how: np.record  # what is searched
    rule: np.record  # which arm is tried
    evaluator: np.record  # what a leaf is worth


@kernel
def search(tools: Tools, rng: Rng, n_sims: int) -> None:
    """Run simulations from the view in `states[0]`, in worlds that fit it.

    Args:
        tools: what the search works with.
        rng: one stream for everything.
        n_sims: how many simulations.
    """
    tree, states, how, rule, evaluator = tools
    for _ in range(n_sims):
        enter_world(tree, states, how, evaluator, rng)
        ended = descend(tree, states, how, rule, evaluator, rng)
        notice(rule, states, how)
        if ended == END:
            write_result(tree, states, how)
        else:
            evaluate(evaluator, tree, states, how, rng)
        back_up(tree, how)
        credit(rule, tree, how, evaluator)
        adapt(evaluator, tree.points, how.n_seats)
        how.n_sims += 1


@inlined_kernel
def enter_world(tree: Tree, states: States, how: np.record, evaluator: np.record, rng: Rng) -> None:
    """Begin a simulation: put a world that fits the view into `states[1]`."""
    if how.n_worlds > 0:
        states[1] = states[FIRST_WORLD + draw_one(tree.shares, how.n_worlds, rng)]
    else:
        states[1] = states[0]
        if how.samples_worlds:
            resample(states[1], how.root_seat, rng)
    enter(evaluator)
    how.n_begun += 1
    how.n_path = 0
    for seat in range(how.n_seats):
        how.reference[seat] = NONE
    if how.keys == EACH:
        for seat in range(how.n_seats):
            how.place_of[seat] = seat  # its root
            how.acted[seat] = 0


@inlined_kernel
def descend(
    tree: Tree, states: States, how: np.record, rule: np.record, evaluator: np.record, rng: Rng
) -> int:
    """Choose down the tree, playing in `states[1]`, until a new node or the end.

    In an open loop (OWN) only the seat that searches chooses by the tree: in every world the others
    hold other cards, of which nothing could be learned. With a tree for each seat (EACH) a seat's
    node follows from what everybody sees and from its own actions, not from its cards.

    A rule may ask outside which arm to try (ASKS): the way down then ends here and goes on from
    there when it is called again, with the answer in `how.answer`.

    Returns:
        LEAF, END or PAUSED.
    """
    keys, root_seat = how.keys, how.root_seat  # what is written to the tree could change `how`
    node = how.root_node
    key = _NOBODY
    begins = how.n_path
    waiting = np.uint64(movers(states[1]))
    is_resumed = False
    if may_ask(rule) and how.is_paused:
        node, key, begins, waiting = how.at_node, how.turn_key, how.turn_begins, how.waiting
        is_resumed = True
        how.is_paused = 0
    while waiting != _NOBODY:
        if not is_resumed:
            if keys != EACH and _is_leaf(tree, states, how, evaluator, node, waiting, rng):
                return LEAF
            key = key_of_node(node)
            begins = how.n_path
        is_resumed = False
        while waiting != _NOBODY:
            seat = next_seat(how, waiting)
            if keys == OWN and seat != root_seat:
                waiting &= ~(_ONE << np.uint64(seat))
                apply(states[1], seat, respond(evaluator, tree, states, seat, rng))
                continue
            if keys == EACH:
                node = how.place_of[seat]
                alone = _ONE << np.uint64(seat)
                if _is_leaf(tree, states, how, evaluator, node, alone, rng):
                    return LEAF
            if has_priors(evaluator):
                decision = find_decision(tree, node, seat)
            else:
                decision = open_decision(tree, how, node, seat, states[1])
            if decision == NONE:
                how.leaf_node = NONE
                return LEAF
            arm = select(tree.arms, tree.decisions[decision], how, rule, rng)
            if may_ask(rule) and arm == ASKS:
                how.at_node, how.turn_key, how.turn_begins, how.waiting = node, key, begins, waiting
                how.is_paused = 1
                return PAUSED
            waiting &= ~(_ONE << np.uint64(seat))
            action = tree.arms[arm].arm_action
            tree.path[how.n_path, 0] = decision
            tree.path[how.n_path, 1] = arm
            how.n_path += 1
            apply(states[1], seat, action)
            if keys != VIEW:
                key = key_after(key, action)
            if keys == EACH:
                how.acted[seat] = action
            if how.is_flat:
                how.leaf_node = NONE
                return LEAF
            if how.is_sequential:
                break
        node = _end_turn(tree, states, how, node, key, begins)
        waiting = np.uint64(movers(states[1]))
    return END


@inlined_kernel
def next_seat(how: np.record, waiting: np.uint64) -> int:
    """Return who chooses next: the seat that searches, then the others in order."""
    seat = how.root_seat
    if how.keys == EACH or not waiting >> np.uint64(seat) & _ONE:
        seat = lowest(waiting)
    return seat


@inlined_kernel
def _is_leaf(
    tree: Tree,
    states: States,
    how: np.record,
    evaluator: np.record,
    node: int,
    waiting: np.uint64,
    rng: Rng,
) -> bool:
    """Arrive at a node: whether the way down ends here, as at one that nobody has met before."""
    if has_priors(evaluator):
        how.leaf_node = NONE
    if node == NONE or how.n_path + how.n_seats > len(tree.path):
        return True
    if has_priors(evaluator) and tree.nodes[node].node_visits < 0:
        how.leaf_node = node  # it was met before, but nobody has valued it yet: see forest.py
        return True
    tree.nodes[node].node_visits += 1
    is_new = tree.nodes[node].node_visits == 1
    if has_priors(evaluator):
        if is_new:
            how.leaf_node = node
        is_known = how.keys == JOINT and tree.nodes[node].first_decision != NONE
        if not is_known:
            open_decisions(tree, states, how, evaluator, node, waiting, rng)
    return is_new


@inner_kernel
def open_decisions(
    tree: Tree,
    states: States,
    how: np.record,
    evaluator: np.record,
    node: int,
    waiting: np.uint64,
    rng: Rng,
) -> None:
    """Open the decisions of all who choose at a node, before any of them has chosen.

    Those of a new leaf get their priors when it is evaluated; others that have new arms, now.
    """
    while waiting != _NOBODY:
        seat = next_seat(how, waiting)
        waiting &= ~(_ONE << np.uint64(seat))
        if how.keys != OWN or seat == how.root_seat:
            n_arms = how.n_arms
            decision = open_decision(tree, how, node, seat, states[1])
            if how.leaf_node == NONE and how.n_arms > n_arms:
                weigh(evaluator, tree, states, how, decision, seat, rng)
            if how.is_sequential:
                return


@inlined_kernel
def _end_turn(
    tree: Tree, states: States, how: np.record, node: int, key: np.uint64, begins: int
) -> int:
    """Return the node that a turn has led to, or NONE if there is no room for a new one.

    Where every seat has a tree of its own, each goes to its next node there, and `node` stays.

    Args:
        tree: all nodes.
        states: `states[1]` is the position after the turn.
        how: what is searched.
        node: where the turn began.
        key: of that node and of what was chosen there, as far as it counts.
        begins: at which step of the path the turn began.
    """
    keys, is_single = how.keys, how.n_path == begins + 1
    if keys == EACH:
        _go_on_each(tree, states, how)
        return node
    if keys == JOINT and is_single:
        return _follow(tree, how, tree.path[begins, 1], key)
    if keys == VIEW:
        key = _absorb_view(states, how.root_seat, key)
    node = find_child(tree, how, key)
    if keys == VIEW and is_single and node != NONE:
        _remember_child(tree, tree.path[begins, 1], node)
    return node


@inlined_kernel
def _follow(tree: Tree, how: np.record, arm: int, key: np.uint64) -> int:
    """Return the node after an arm that alone leads to it: sooner found than by its key."""
    node = tree.arms[arm].arm_child
    if node == NONE:
        node = find_child(tree, how, key)
        tree.arms[arm].arm_child = node
    return node


@inlined_kernel
def _remember_child(tree: Tree, arm: int, node: int) -> None:
    """Keep the most visited of the nodes that an arm led to."""
    most = tree.arms[arm].arm_child
    if most == NONE or tree.nodes[node].node_visits >= tree.nodes[most].node_visits:
        tree.arms[arm].arm_child = node


@inner_kernel
def _go_on_each(tree: Tree, states: States, how: np.record) -> None:
    """Lead every seat to its next node, by what everybody sees and what it has chosen itself."""
    seen = _absorb_view(states, EVERYBODY, _NOBODY)
    for seat in range(how.n_seats):
        if how.place_of[seat] != NONE:
            key = key_after(key_of_node(how.place_of[seat]), how.acted[seat])
            how.place_of[seat] = find_child(tree, how, key_after(key, int(seen)))
        how.acted[seat] = 0


@inlined_kernel
def _absorb_view(states: States, seat: Seat, key: np.uint64) -> np.uint64:
    """Add what a seat (or EVERYBODY) sees in `states[1]` to a key."""
    states[SEEN] = states[1]
    conceal(states[SEEN], seat)
    return key_after(key, int(fingerprint(states, SEEN)))


@inlined_kernel
def back_up(tree: Tree, how: np.record) -> None:
    """Credit every arm on the path with what the leaf is worth to whoever chose it."""
    for seat in range(how.n_seats):
        how.lowest_value = min(how.lowest_value, tree.values[seat])
        how.highest_value = max(how.highest_value, tree.values[seat])
    for step in range(how.n_path):
        decision = tree.decisions[tree.path[step, 0]]
        arm = tree.arms[tree.path[step, 1]]
        value = tree.values[decision.decider]
        decision.decision_visits += 1
        arm.arm_visits += 1
        arm.value_sum += value
        arm.value_squares += value * value
