"""The one loop of every search: descend, play out, back up."""

import numpy as np

from kibitz.core.bits import lowest
from kibitz.core.game import (
    Seat,
    States,
    apply,
    choose,
    conceal,
    fingerprint,
    movers,
    resample,
    scores,
)
from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.search.guides import advise, arrive
from kibitz.search.playouts import adapt, enter, play_out, prepare
from kibitz.search.selection import credit, notice, select
from kibitz.search.tree import (
    FIRST_WORLD,
    JOINT,
    NONE,
    OWN,
    SEEN,
    VIEW,
    Tree,
    find_child,
    key_after,
    key_of_node,
    open_decision,
)
from kibitz.search.values import value_of
from kibitz.search.worlds import draw_one

_NOBODY = np.uint64(0)
_ONE = np.uint64(1)

EVERYBODY = -1
"""The seat whose view is what all can see."""


@kernel
def search(
    tree: Tree,
    states: States,
    how: np.record,
    rule: np.record,
    policy: np.record,
    guide: np.record,
    rng: Rng,
    n_sims: int,
) -> None:
    """Run simulations from the view in `states[0]`, in worlds that fit it.

    Args:
        tree: where what is found is kept.
        states: the view, three of scratch, and a pool of worlds if there is one.
        how: what is searched.
        rule: which arm is tried.
        policy: how playouts go on.
        guide: who writes the priors of arms.
        rng: one stream for everything.
        n_sims: how many simulations.
    """
    for _ in range(n_sims):
        _enter_world(tree, states, how, policy, rng)
        _descend(tree, states, how, rule, policy, guide, rng)
        _leave_tree(tree, states, how, rule, policy, rng)


@kernel
def search_each(
    tree: Tree,
    states: States,
    how: np.record,
    rule: np.record,
    policy: np.record,
    guide: np.record,
    rng: Rng,
    n_sims: int,
) -> None:
    """Do the same where every seat has a tree of its own (EACH)."""
    for _ in range(n_sims):
        _enter_world(tree, states, how, policy, rng)
        _descend_each(tree, states, how, rule, guide, rng)
        _leave_tree(tree, states, how, rule, policy, rng)


@inlined_kernel
def _enter_world(tree: Tree, states: States, how: np.record, policy: np.record, rng: Rng) -> None:
    """Begin a simulation: put a world that fits the view into `states[1]`."""
    if how.n_worlds > 0:
        states[1] = states[FIRST_WORLD + draw_one(tree.shares, how.n_worlds, rng)]
    else:
        states[1] = states[0]
        if how.samples_worlds:
            resample(states[1], how.root_seat, rng)
    enter(policy)
    how.n_path = 0
    for seat in range(how.n_seats):
        how.reference[seat] = NONE


@inlined_kernel
def _leave_tree(
    tree: Tree, states: States, how: np.record, rule: np.record, policy: np.record, rng: Rng
) -> None:
    """Play the world out, and let everything learn from the end."""
    notice(rule, states, how)
    prepare(policy, tree.decisions, tree.path, how.n_path)
    play_out(policy, states[1], rng)
    _back_up(tree, states, how)
    credit(rule, tree, how, policy)
    adapt(policy, tree.points, how.n_seats)
    how.n_sims += 1


@inlined_kernel
def _descend(
    tree: Tree,
    states: States,
    how: np.record,
    rule: np.record,
    policy: np.record,
    guide: np.record,
    rng: Rng,
) -> None:
    """Choose down the tree, playing in `states[1]`, until a new node or the end.

    What chooses an arm is written out here and below: as a function of its own, even one compiled
    into its callers, it costs a fifth of a search.

    In an open loop only the seat that searches chooses by the tree: in every world the others hold
    other cards, of which nothing could be learned.
    """
    node = how.root_node
    waiting = np.uint64(movers(states[1]))
    while waiting != _NOBODY and node != NONE:
        tree.nodes[node].node_visits += 1
        if tree.nodes[node].node_visits == 1 or how.n_path + how.n_seats > len(tree.path):
            return
        key = key_of_node(node)
        begins = how.n_path
        arrive(guide, states)
        while waiting != _NOBODY:
            seat = how.root_seat
            if not waiting >> np.uint64(seat) & _ONE:
                seat = lowest(waiting)
            waiting &= ~(_ONE << np.uint64(seat))
            if how.keys == OWN and seat != how.root_seat:
                apply(states[1], seat, choose(states[1], seat, policy, rng))
                continue
            n_arms = how.n_arms
            decision = open_decision(tree, how, node, seat, states[1])
            if decision == NONE:
                return
            if how.n_arms > n_arms:
                advise(guide, tree, states, how, decision, seat, rng)
            arm = select(tree.arms, tree.decisions[decision], how, rule, rng)
            action = tree.arms[arm].arm_action
            tree.path[how.n_path, 0] = decision
            tree.path[how.n_path, 1] = arm
            how.n_path += 1
            apply(states[1], seat, action)
            if how.keys != VIEW:
                key = key_after(key, action)
            if how.is_flat:
                return
            if how.is_sequential:
                break
        if how.keys == VIEW:
            key = _absorb_view(states, how.root_seat, key)
        if how.keys == JOINT and how.n_path == begins + 1:
            node = _follow(tree, how, tree.path[begins, 1], key)
        else:
            node = find_child(tree, how, key)
            if how.keys == VIEW and how.n_path == begins + 1 and node != NONE:
                _remember_child(tree, tree.path[begins, 1], node)
        waiting = np.uint64(movers(states[1]))


@inlined_kernel
def _follow(tree: Tree, how: np.record, arm: int, key: np.uint64) -> int:
    """Give the node after an arm that alone leads to it, which is sooner found than by its key."""
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


@inlined_kernel
def _descend_each(
    tree: Tree, states: States, how: np.record, rule: np.record, guide: np.record, rng: Rng
) -> None:
    """Let every seat choose down a tree of its own.

    A seat's node follows from what everybody sees and from its own actions, not from its cards:
    those of the others are new in every world.
    """
    for seat in range(how.n_seats):
        how.place_of[seat] = seat  # its root
    waiting = np.uint64(movers(states[1]))
    while waiting != _NOBODY:
        arrive(guide, states)
        for seat in range(how.n_seats):
            how.acted[seat] = 0
        while waiting != _NOBODY:
            seat = lowest(waiting)
            waiting &= waiting - _ONE
            node = how.place_of[seat]
            if node == NONE or how.n_path == len(tree.path):
                return
            tree.nodes[node].node_visits += 1
            if tree.nodes[node].node_visits == 1:
                return
            n_arms = how.n_arms
            decision = open_decision(tree, how, node, seat, states[1])
            if decision == NONE:
                return
            if how.n_arms > n_arms:
                advise(guide, tree, states, how, decision, seat, rng)
            arm = select(tree.arms, tree.decisions[decision], how, rule, rng)
            tree.path[how.n_path, 0] = decision
            tree.path[how.n_path, 1] = arm
            how.n_path += 1
            how.acted[seat] = tree.arms[arm].arm_action
            apply(states[1], seat, how.acted[seat])
        seen = _absorb_view(states, EVERYBODY, _NOBODY)
        for seat in range(how.n_seats):
            if how.place_of[seat] != NONE:
                key = key_after(key_of_node(how.place_of[seat]), how.acted[seat])
                how.place_of[seat] = find_child(tree, how, key_after(key, int(seen)))
        waiting = np.uint64(movers(states[1]))


@inlined_kernel
def _absorb_view(states: States, seat: Seat, key: np.uint64) -> np.uint64:
    """Add what a seat (or EVERYBODY) sees in `states[1]` to a key."""
    states[SEEN] = states[1]
    conceal(states[SEEN], seat)
    return key_after(key, int(fingerprint(states, SEEN)))


@inlined_kernel
def _back_up(tree: Tree, states: States, how: np.record) -> None:
    """Credit every arm on the path with what the end was worth to whoever chose it."""
    scores(states[1], tree.points)
    for seat in range(how.n_seats):
        value = value_of(tree.points, how, seat)
        tree.values[seat] = value
        how.lowest_value = min(how.lowest_value, value)
        how.highest_value = max(how.highest_value, value)
    for step in range(how.n_path):
        decision = tree.decisions[tree.path[step, 0]]
        arm = tree.arms[tree.path[step, 1]]
        value = tree.values[decision.decider]
        decision.decision_visits += 1
        arm.arm_visits += 1
        arm.value_sum += value
        arm.value_squares += value * value
