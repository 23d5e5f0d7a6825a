"""The selection of Gumbel AlphaZero (Danihelka et al. 2022).

At the root, actions are drawn without replacement (the highest of Gumbel noise plus the logarithm
of the prior) and sequential halving shares the simulations out among them: only the action that is
played in the end counts there. Below, the arm is taken whose visits lag most behind an improved
policy: the prior, shifted by what the values say, with unknown values completed.
"""

import math

import numpy as np
import numpy.typing as npt

from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import Rng, unit
from kibitz.search.selection import define_rule, is_met, scaled_mean
from kibitz.search.tree import NONE, Arms

_HALF_STEP = 2.0**-54
"""Keeps draws off zero, whose logarithm there is not."""


@inlined_kernel
def _most_visits(arms: Arms, decision: np.record) -> int:
    most = 0
    arm = decision.first_arm
    while arm != NONE:
        most = max(most, arms[arm].arm_visits)
        arm = arms[arm].next_arm
    return most


@inlined_kernel
def _completed_value(arms: Arms, decision: np.record, how: np.record) -> float:
    """Give what an arm never tried is taken to be worth: the tried ones, weighed by prior."""
    weights = 0.0
    total = 0.0
    arm = decision.first_arm
    while arm != NONE:
        if arms[arm].arm_visits > 0:
            weights += arms[arm].prior
            total += arms[arm].prior * scaled_mean(arms, how, arm)
        arm = arms[arm].next_arm
    return total / weights if weights > 0 else 0.5


@inlined_kernel
def _logit(arms: Arms, how: np.record, rule: np.record, arm: int, most: int, other: float) -> float:
    """Give the logarithm of the improved policy, but for a constant."""
    value = scaled_mean(arms, how, arm) if arms[arm].arm_visits > 0 else other
    prior = arms[arm].prior
    known = math.log(prior) if prior != 1 else 0.0
    return known + (rule.visit_scale + most) * rule.value_scale * value


@kernel
def select_halving(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Halve at the root, follow the improved policy below."""
    most = _most_visits(arms, decision)
    other = _completed_value(arms, decision, how)
    if how.n_path == 0:
        return _select_at_root(arms, decision, how, rule, rng, most, other)
    highest = -np.inf
    visits = 0
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            logit = _logit(arms, how, rule, arm, most, other)
            arms[arm].second_sum = logit
            highest = max(highest, logit)
            visits += arms[arm].arm_visits
        arm = arms[arm].next_arm
    total = 0.0
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            arms[arm].second_sum = math.exp(arms[arm].second_sum - highest)
            total += arms[arm].second_sum
        arm = arms[arm].next_arm
    best = NONE
    best_lag = -np.inf
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            lag = arms[arm].second_sum / total - arms[arm].arm_visits / (1 + visits)
            if lag > best_lag:
                best_lag = lag
                best = arm
        arm = arms[arm].next_arm
    return best


@kernel
def _select_at_root(
    arms: Arms,
    decision: np.record,
    how: np.record,
    rule: np.record,
    rng: Rng,
    most: int,
    other: float,
) -> int:
    """Visit what is still considered in turn; halve it when all have had their share."""
    if rule.n_considered == 0:
        _consider(arms, decision, how, rule, rng)
    while True:
        least = NONE
        arm = decision.first_arm
        while arm != NONE:
            if arms[arm].second_count > 0 and (
                least == NONE or arms[arm].arm_visits < arms[least].arm_visits
            ):
                least = arm
            arm = arms[arm].next_arm
        if rule.n_considered <= 1 or arms[least].arm_visits < rule.visits_due:
            return least
        half = (rule.n_considered + 1) // 2
        while rule.n_considered > half:
            _drop_worst(arms, decision, how, rule, most, other)
        rule.visits_due += _share_of_phase(how, rule)


@kernel
def _consider(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> None:
    """Draw Gumbel noise for every arm; consider the best few."""
    arm = decision.first_arm
    while arm != NONE:
        drawn = unit(rng) + _HALF_STEP
        arms[arm].second_sum = -math.log(-math.log(drawn)) * rule.noise
        arms[arm].second_count = 1
        rule.n_considered += 1
        arm = arms[arm].next_arm
    while rule.n_considered > rule.most_considered:
        _drop_worst(arms, decision, how, rule, 0, 0.5)
    rule.n_phases = max(1, math.ceil(math.log2(rule.n_considered)))
    rule.visits_due = _share_of_phase(how, rule)


@kernel
def _share_of_phase(how: np.record, rule: np.record) -> int:
    """Give how often every arm is visited in a phase; the clock gives no plan, so little."""
    planned = how.n_planned if how.n_planned > 0 else max(2 * how.n_sims, 16)
    return max(1, int(planned / (rule.n_phases * rule.n_considered)))


@kernel
def _drop_worst(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, most: int, other: float
) -> None:
    """Stop considering the arm that looks worst."""
    worst = NONE
    worst_value = np.inf
    arm = decision.first_arm
    while arm != NONE:
        if arms[arm].second_count > 0:
            value = arms[arm].second_sum + _logit(arms, how, rule, arm, most, other)
            if value < worst_value:
                worst_value = value
                worst = arm
        arm = arms[arm].next_arm
    arms[worst].second_count = 0
    rule.n_considered -= 1


@kernel
def write_root_logits(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, out: npt.NDArray[np.float64]
) -> None:
    """Write the logarithms of the improved policy of the root, but for a constant."""
    most = _most_visits(arms, decision)
    other = _completed_value(arms, decision, how)
    arm = decision.first_arm
    for i in range(len(out)):
        out[i] = _logit(arms, how, rule, arm, most, other)
        arm = arms[arm].next_arm


@kernel
def _begin(rule: np.record) -> None:
    rule.n_considered = 0


def halving(most: int, noise: float, visit_scale: float, value_scale: float) -> np.record:
    """Sequential halving among at most so many actions at the root, completed values below."""
    return define_rule(
        select_halving,
        [("n_considered", np.int64), ("n_phases", np.int64), ("visits_due", np.int64)],
        begin=_begin,
        most_considered=most,
        noise=noise,
        visit_scale=visit_scale,
        value_scale=value_scale,
    )
