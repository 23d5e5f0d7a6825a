"""RAVE and GRAVE: an action is also judged by simulations in which its seat played it later.

Such all-moves-as-first statistics (AMAF) are poor but come fast. RAVE (Gelly and Silver 2011) lets
them fade as real visits come in; GRAVE (Cazenave 2015) takes them from the nearest decision above
that has been visited often enough.
"""

import math

import numpy as np

from kibitz.core.game import Action, Listed, Seat, State, implement, random_action
from kibitz.core.kernels import inlined_kernel, kernel, record_dtype, wrapping_kernel
from kibitz.core.rng import Rng, below, mix
from kibitz.search.playouts import plays_out
from kibitz.search.selection import define_rule, is_met, log_chances, scaled
from kibitz.search.tree import NONE, Arms, Tree

SIZE = 1 << 14
"""Moves that are told apart: seat and action, hashed."""

MAX_MOVES = 1024
"""Moves of a playout that are remembered; later ones are not."""

_MASK = np.uint64(SIZE - 1)
_SEATS = np.uint64(16)


@wrapping_kernel
def _code(seat: Seat, action: Action) -> int:
    return np.int64(mix(np.uint64(action) * _SEATS + np.uint64(seat)) & _MASK)  # type: ignore[return-value]


@inlined_kernel
def _remember(policy: np.record, seat: Seat, action: Action) -> None:
    if policy.n_remembered < MAX_MOVES:
        policy.remembered[policy.n_remembered] = _code(seat, action)
        policy.n_remembered += 1


@kernel
def choose_and_remember(state: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Choose uniformly among the legal actions, and write the choice down."""
    action = random_action(state, seat, rng)
    _remember(policy, seat, action)
    return action


@inlined_kernel
def choose_any_and_remember(
    policy: np.record, seat: Seat, actions: Listed, n: int, rng: Rng
) -> int:
    """Choose uniformly among the listed actions, and write the choice down."""
    chosen = below(rng, n)
    _remember(policy, seat, actions[chosen])
    return chosen


@kernel
def _forget(policy: np.record) -> None:
    policy.playout = 0
    for code in range(SIZE):
        policy.played_in[code] = 0


@kernel
def _enter(policy: np.record) -> None:
    policy.n_remembered = 0


_POLICY = record_dtype(
    [
        ("playout", np.int64),
        ("n_remembered", np.int64),
        ("remembered", np.int32, (MAX_MOVES,)),
        ("played_in", np.int32, (SIZE,)),  # the last playout in which a move was played
    ]
)
implement("choose", _POLICY, choose_and_remember)
plays_out(_POLICY, choose_listed=choose_any_and_remember, forget=_forget, enter=_enter)


def remembering() -> np.record:
    """Make a policy that plays at random and remembers what it played."""
    policy: np.record = np.zeros(1, _POLICY)[0]
    return policy


@kernel
def _credit(rule: np.record, tree: Tree, how: np.record, policy: np.record) -> None:
    """Credit, at every decision on the path, all arms that the same seat played from there on."""
    policy.playout += 1
    for i in range(policy.n_remembered):
        policy.played_in[policy.remembered[i]] = policy.playout
    for back in range(how.n_path):
        step = how.n_path - 1 - back
        decision = tree.decisions[tree.path[step, 0]]
        seat = decision.decider
        policy.played_in[_code(seat, tree.arms[tree.path[step, 1]].arm_action)] = policy.playout
        arm = decision.first_arm
        while arm != NONE:
            if policy.played_in[_code(seat, tree.arms[arm].arm_action)] == policy.playout:
                tree.arms[arm].second_sum += tree.values[seat]
                tree.arms[arm].second_count += 1
            arm = tree.arms[arm].next_arm


@inlined_kernel
def _find(arms: Arms, first: int, action: Action) -> int:
    """Find the arm of an action in the list that begins with `first`, or NONE."""
    arm = first
    while arm != NONE and arms[arm].arm_action != action:
        arm = arms[arm].next_arm
    return arm


@kernel
def select_grave(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> int:
    """Take the best mixture of mean and AMAF plus UCB's bonus; what neither knows comes first.

    Without the bonus one arm gets all visits in games where AMAF says nothing: in 6 nimmt! every
    card is played in every simulation.
    """
    seat = decision.decider
    if how.reference[seat] == NONE or decision.decision_visits >= rule.grave_ref:
        how.reference[seat] = decision.first_arm
    best = NONE
    best_value = -np.inf
    ties = 0
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            visits = np.float64(arms[arm].arm_visits)
            known = _find(arms, how.reference[seat], arms[arm].arm_action)
            amaf_visits = 0.0
            amaf = 0.0
            if known != NONE and arms[known].second_count > 0:
                amaf_visits = np.float64(arms[known].second_count)
                amaf = scaled(how, arms[known].second_sum / amaf_visits)
            value = np.inf
            if amaf_visits + visits > 0:
                weight = amaf_visits / (
                    amaf_visits + visits + rule.grave_bias * amaf_visits * visits
                )
                mean = scaled(how, arms[arm].value_sum / visits) if visits > 0 else amaf
                value = (1 - weight) * mean + weight * amaf
                value += rule.grave_c * math.sqrt(
                    log_chances(arms, decision, how, arm) / (visits + 1)
                )
            if value > best_value:
                ties = 0
            if value >= best_value:
                ties += 1
                if below(rng, ties) == 0:
                    best = arm
                best_value = value
        arm = arms[arm].next_arm
    return best


def grave(c: float, ref: int, bias: float) -> np.record:
    """GRAVE; with ref=0 every decision uses its own statistics, which is RAVE."""
    return define_rule(select_grave, credit=_credit, grave_c=c, grave_ref=ref, grave_bias=bias)
