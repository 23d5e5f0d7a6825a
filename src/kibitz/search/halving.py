"""The selection of Gumbel AlphaZero (Danihelka et al. 2022), made fit for noisy values.

At the root, actions are drawn without replacement (the highest of Gumbel noise plus the logarithm
of the prior) and sequential halving shares the simulations out among them: only the action that is
played in the end counts there. Below, the arm is taken whose visits lag most behind an improved
policy: the prior, shifted by what the values say.

In the paper a value shifts the logarithm of the prior in proportion to the most visits of any arm.
Means of playouts are known only to one over the square root of their visits, so that such a search
makes up its mind before it knows: more simulations hardly help. Here an arm falls behind the best
by `value_scale` times the gap between their means times the square root of its own visits: in
proportion to the standard errors between them. What was tried little never falls far behind.
"""

import math

import numpy as np

from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import Rng, unit
from kibitz.search.selection import Floats, define_rule, inverse_of, is_met, value_range
from kibitz.search.tree import NONE, Arms, Tree

_HALF_STEP = 2.0**-54
"""Keeps draws off zero, whose logarithm there is not."""

UNPLANNED = 2**40
"""Simulations that a search without a plan counts on: more than any has."""

_NEVER = -1e9
"""The preference for what is no longer considered; finite, so that trees can be added."""


@inlined_kernel
def _survey(arms: Arms, decision: np.record) -> tuple[int, float, float]:
    """Return the most visits of an arm, the best mean, and what an arm never tried counts as.

    That is the mean of the tried ones, weighed by prior: the completed value of the paper.
    """
    most = 0
    best = -np.inf
    weights = 0.0
    total = 0.0
    arm = decision.first_arm
    while arm > NONE:
        visits = arms[arm].arm_visits
        if visits > 0:
            mean = arms[arm].value_sum / visits
            most = max(most, visits)
            best = max(best, mean)
            weights += arms[arm].prior
            total += arms[arm].prior * mean
        arm = arms[arm].next_arm
    if most == 0:
        return 0, 0.0, 0.0
    return most, best, total / weights


@inlined_kernel
def _logit(
    arms: Arms, how: np.record, rule: np.record, arm: int, survey: tuple[int, float, float]
) -> float:
    """Return the logarithm of the improved policy of the root, but for a constant.

    All arms count as visited alike. So the policy is a better one than the prior, as the paper
    proves for every shift that grows with the value.
    """
    most, best, completed = survey
    visits = arms[arm].arm_visits
    mean = arms[arm].value_sum / visits if visits > 0 else completed
    gap = (best - mean) / value_range(how)
    return math.log(arms[arm].prior) - rule.value_scale * math.sqrt(most) * gap


@kernel
def select_halving(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Halve at the root, follow the improved policy below."""
    if how.n_path == 0:
        return _select_at_root(arms, decision, how, rule, rng)
    best_mean = -np.inf
    visited = 0
    arm = decision.first_arm
    while arm > NONE:
        visits = arms[arm].arm_visits
        if visits > 0 and is_met(arms, how, arm):
            visited += visits
            best_mean = max(best_mean, arms[arm].value_sum * inverse_of(visits))
        arm = arms[arm].next_arm
    scale = rule.value_scale / value_range(how)
    total = 0.0
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            visits = arms[arm].arm_visits
            weight = np.float64(arms[arm].prior)
            if visits > 0:
                gap = best_mean - arms[arm].value_sum * inverse_of(visits)
                weight *= math.exp(-scale * math.sqrt(visits) * gap)
            arms[arm].second_sum = weight
            total += weight
        arm = arms[arm].next_arm
    share = (1 + visited) / total
    best = NONE
    best_lag = -np.inf
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            lag = share * arms[arm].second_sum - arms[arm].arm_visits
            if lag > best_lag:
                best_lag = lag
                best = arm
        arm = arms[arm].next_arm
    return best


@kernel
def _select_at_root(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Visit what is still considered in turn; halve it when all have had their share."""
    if rule.n_considered == 0:
        _consider(arms, decision, how, rule, rng)
    while True:
        least = NONE
        arm = decision.first_arm
        while arm > NONE:
            if arms[arm].second_count > 0 and (
                least == NONE or arms[arm].arm_visits < arms[least].arm_visits
            ):
                least = arm
            arm = arms[arm].next_arm
        visits = arms[least].arm_visits
        if rule.n_considered <= 1 or visits < rule.visits_before + _share_of_phase(how, rule):
            return least
        rule.visits_before = visits
        half = (rule.n_considered + 1) // 2
        while rule.n_considered > half:
            _drop_worst(arms, decision, how, rule)


@kernel
def _consider(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> None:
    """Draw Gumbel noise for every arm; consider the best few."""
    arm = decision.first_arm
    while arm > NONE:
        drawn = unit(rng) + _HALF_STEP
        arms[arm].second_sum = -math.log(-math.log(drawn)) * rule.noise
        arms[arm].second_count = 1
        rule.n_considered += 1
        arm = arms[arm].next_arm
    while rule.n_considered > rule.most_considered:
        _drop_worst(arms, decision, how, rule)
    rule.n_phases = max(1, math.ceil(math.log2(rule.n_considered)))
    rule.visits_before = 0


@kernel
def _share_of_phase(how: np.record, rule: np.record) -> int:
    """Return how often every arm is visited in a phase, by the plan as it is now.

    By the clock, plans change with what a simulation is found to take. Nothing is halved before
    there is one: all that comes afterwards would go to an arm of which little is known.
    """
    planned = how.n_planned if how.n_planned > 0 else UNPLANNED
    return max(1, int(planned / (rule.n_phases * rule.n_considered)))


@kernel
def _drop_worst(arms: Arms, decision: np.record, how: np.record, rule: np.record) -> None:
    """Stop considering the arm that looks worst."""
    survey = _survey(arms, decision)
    worst = NONE
    worst_value = np.inf
    arm = decision.first_arm
    while arm > NONE:
        if arms[arm].second_count > 0:
            value = arms[arm].second_sum + _logit(arms, how, rule, arm, survey)
            if value < worst_value:
                worst_value = value
                worst = arm
        arm = arms[arm].next_arm
    arms[worst].second_count = 0
    rule.n_considered -= 1


@kernel
def _judge(
    rule: np.record, tree: Tree, how: np.record, decision: int, weights: Floats, preference: Floats
) -> None:
    """Play by the improved policy; of what was considered to the end, the best is preferred."""
    arms, root = tree.arms, tree.decisions[decision]
    survey = _survey(arms, root)
    highest = -np.inf
    arm = root.first_arm
    for i in range(len(weights)):
        weights[i] = _logit(arms, how, rule, arm, survey)
        highest = max(highest, weights[i])
        is_considered = arms[arm].second_count > 0
        preference[i] = arms[arm].second_sum + weights[i] if is_considered else _NEVER
        arm = arms[arm].next_arm
    total = 0.0
    for i in range(len(weights)):
        weights[i] = math.exp(weights[i] - highest)
        total += weights[i]
    for i in range(len(weights)):
        weights[i] /= total


@kernel
def _begin(rule: np.record) -> None:
    rule.n_considered = 0


def halving(most: int, noise: float, value_scale: float) -> np.record:
    """Sequential halving among at most so many actions at the root, an improved policy below."""
    return define_rule(
        select_halving,
        [("n_considered", np.int64), ("n_phases", np.int64), ("visits_before", np.int64)],
        judge=_judge,
        begin=_begin,
        most_considered=most,
        noise=noise,
        value_scale=value_scale,
    )
