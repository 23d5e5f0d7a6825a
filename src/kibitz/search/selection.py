"""Selection rules: which arm of a decision the next simulation tries.

A rule is a small record; its dtype picks the kernel. Values are scaled by the range met so far in
the search, so that the constants of a rule mean the same in every game.
"""

import math

import numpy as np

from kibitz.core.game import generic_over, implement
from kibitz.core.kernels import F, inlined_kernel, kernel, record_dtype
from kibitz.core.rng import Rng, below
from kibitz.search.tree import JOINT, NONE, Arms


@generic_over(3)
def select(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> int:
    """Choose an arm that is legal in this simulation."""
    raise AssertionError


def define_rule(rule: F, **parameters: float) -> np.record:
    """Make the record of a rule from its parameters, whose names must be its own."""
    dtype = record_dtype([(name, np.float64) for name in parameters])
    if dtype not in _defined:
        implement("select", dtype, rule)
        _defined.add(dtype)
    made: np.record = np.zeros(1, dtype)[0]
    for name, value in parameters.items():
        made[name] = value
    return made


_defined: set[np.dtype[np.record]] = set()


@inlined_kernel
def is_met(arms: Arms, how: np.record, arm: int) -> bool:
    """Tell whether an arm is legal in this simulation."""
    return how.keys == JOINT or arms[arm].met_in == how.n_sims


@inlined_kernel
def scaled_mean(arms: Arms, how: np.record, arm: int) -> float:
    """Give the mean value of a visited arm between 0 and 1."""
    span = how.highest_value - how.lowest_value
    mean = arms[arm].value_sum / arms[arm].arm_visits
    return (mean - how.lowest_value) / span if span > 0 else 0.5


@inlined_kernel
def _untried(arms: Arms, decision: np.record, how: np.record, rng: Rng) -> int:
    """Draw one of the arms that have never been tried, or NONE."""
    found = NONE
    n = 0
    arm = decision.first_arm
    while arm != NONE:
        if arms[arm].arm_visits == 0 and is_met(arms, how, arm):
            n += 1
            if below(rng, n) == 0:
                found = arm
        arm = arms[arm].next_arm
    return found


@kernel
def select_ucb(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> int:
    """UCB1: every arm once, then the best mean plus c * sqrt(log n / visits)."""
    best = NONE
    best_value = -np.inf
    n = decision.decision_visits
    log_n = math.log(max(n, 1))
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            visits = arms[arm].arm_visits
            if visits == 0:
                return _untried(arms, decision, how, rng)
            if how.keys != JOINT:
                log_n = math.log(max(arms[arm].available, 1))
            value = scaled_mean(arms, how, arm) + rule.ucb_c * math.sqrt(log_n / visits)
            if value > best_value:
                best_value = value
                best = arm
        arm = arms[arm].next_arm
    return best


@kernel
def select_in_turn(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Try every arm equally often: the one with the fewest visits, first come first served."""
    best = NONE
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm) and (
            best == NONE or arms[arm].arm_visits < arms[best].arm_visits
        ):
            best = arm
        arm = arms[arm].next_arm
    return best


@kernel
def select_at_random(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Try any arm with the same probability."""
    found = NONE
    n = 0
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            n += 1
            if below(rng, n) == 0:
                found = arm
        arm = arms[arm].next_arm
    return found


def ucb(c: float) -> np.record:
    """UCB1 with exploration constant c (Auer, Cesa-Bianchi and Fischer 2002)."""
    return define_rule(select_ucb, ucb_c=c)


def in_turn() -> np.record:
    """Equal allocation: every arm in its turn."""
    return define_rule(select_in_turn, in_turn=0)


def at_random() -> np.record:
    """Random allocation."""
    return define_rule(select_at_random, at_random=0)
