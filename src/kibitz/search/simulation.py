"""The one loop of every search: descend, play out, back up."""

import numpy as np

from kibitz.core.bits import lowest
from kibitz.core.game import (
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
from kibitz.core.rng import Rng, absorb
from kibitz.search.playouts import adapt, playout_by, prepare
from kibitz.search.selection import select
from kibitz.search.tree import NONE, OWN, VIEW, Tree, find_child, open_decision
from kibitz.search.values import value_of

_NOBODY = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def search(
    tree: Tree,
    states: States,
    how: np.record,
    rule: np.record,
    policy: np.record,
    rng: Rng,
    n_sims: int,
) -> None:
    """Run simulations from the view in `states[0]`; two more states are scratch."""
    for _ in range(n_sims):
        states[1] = states[0]
        if how.samples_worlds:
            resample(states[1], how.root_seat, rng)
        _descend(tree, states, how, rule, policy, rng)
        prepare(policy, tree.decisions, tree.path, how.n_path)
        playout_by(states[1], policy, rng)
        _back_up(tree, states, how)
        adapt(policy, tree.points, how.n_seats)
        how.n_sims += 1


@inlined_kernel
def _descend(
    tree: Tree, states: States, how: np.record, rule: np.record, policy: np.record, rng: Rng
) -> None:
    """Choose down the tree, playing in `states[1]`, until a new node or the end.

    In an open loop only the seat that searches chooses by the tree: in every world the others hold
    other cards, of which nothing could be learned.
    """
    how.n_path = 0
    node = 0
    waiting = np.uint64(movers(states[1]))
    while waiting != _NOBODY and node != NONE:
        tree.nodes[node].node_visits += 1
        if tree.nodes[node].node_visits == 1 or how.n_path + how.n_seats > len(tree.path):
            return
        key = absorb(np.uint64(node), 0)
        while waiting != _NOBODY:
            seat = how.root_seat
            if not waiting >> np.uint64(seat) & _ONE:
                seat = lowest(waiting)
            waiting &= ~(_ONE << np.uint64(seat))
            if how.keys == OWN and seat != how.root_seat:
                apply(states[1], seat, choose(states[1], seat, policy, rng))
                continue
            decision = open_decision(tree, how, node, seat, states[1])
            if decision == NONE:
                return
            arm = select(tree.arms, tree.decisions[decision], how, rule, rng)
            action = tree.arms[arm].arm_action
            tree.path[how.n_path, 0] = decision
            tree.path[how.n_path, 1] = arm
            how.n_path += 1
            apply(states[1], seat, action)
            if how.keys != VIEW:
                key = absorb(key, action)
            if how.is_flat:
                return
            if how.is_sequential:
                break
        if how.keys == VIEW:
            states[2] = states[1]
            conceal(states[2], how.root_seat)
            key = absorb(key, int(fingerprint(states, 2)))
        node = find_child(tree, how, key)
        waiting = np.uint64(movers(states[1]))


@inlined_kernel
def _back_up(tree: Tree, states: States, how: np.record) -> None:
    """Credit every arm on the path with what the end was worth to whoever chose it."""
    scores(states[1], tree.points)
    for seat in range(how.n_seats):
        value = value_of(tree.points, how.n_seats, seat, how.value_kind)
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
