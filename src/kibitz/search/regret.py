"""Regret matching: seats that choose at once mix their actions, as an equilibrium may ask of them.

Every decision keeps the regret of not having played each action, plays in proportion to what is
positive of it, and averages what it played, later mixtures more than earlier ones. In a zero-sum
game such averages of both sides approach an equilibrium (Hart and Mas-Colell 2000; in trees
Lanctot, Lisy and Winands 2013; never below zero and averaged by time, Tammelin 2014). What an
action would have given is estimated by its mean so far: weighing single results by the probability
of the action played would be unbiased, but a thousand simulations drown in its noise.
"""

import numpy as np

from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import Rng, unit
from kibitz.search.selection import Floats, define_rule, is_met, scaled_mean
from kibitz.search.tree import NONE, Arms, Tree


@inlined_kernel
def _sums(arms: Arms, decision: np.record, how: np.record) -> tuple[int, float]:
    """Count the arms there are, and add up their positive regrets."""
    n = 0
    total = 0.0
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            n += 1
            total += max(arms[arm].second_sum, 0.0)
        arm = arms[arm].next_arm
    return n, total


@inlined_kernel
def _share(arms: Arms, arm: int, n: int, total: float) -> float:
    """Return the probability of an arm by its regret; all are equal if nothing is regretted."""
    return max(arms[arm].second_sum, 0.0) / total if total > 0 else 1.0 / n


@kernel
def select_by_regret(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Draw an arm by regret, or any one with probability gamma."""
    n, total = _sums(arms, decision, how)
    rest = unit(rng)
    chosen = NONE
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            chosen = arm
            share = _share(arms, arm, n, total)
            rest -= (1 - rule.regret_gamma) * share + rule.regret_gamma / n
            if rest < 0:
                break
        arm = arms[arm].next_arm
    return chosen


@inlined_kernel
def _estimate(arms: Arms, how: np.record, arm: int) -> float:
    """Return what an arm is worth as far as known, between 0 and 1."""
    return scaled_mean(arms, how, arm) if arms[arm].arm_visits > 0 else 0.5


@kernel
def _credit(rule: np.record, tree: Tree, how: np.record, evaluator: np.record) -> None:
    """Add to the regrets and to the average strategy of every decision on the path."""
    arms = tree.arms
    for step in range(how.n_path):
        decision = tree.decisions[tree.path[step, 0]]
        n, total = _sums(arms, decision, how)
        expected = 0.0
        arm = decision.first_arm
        while arm != NONE:
            if is_met(arms, how, arm):
                share = _share(arms, arm, n, total)
                expected += share * _estimate(arms, how, arm)
                arms[arm].second_count += decision.decision_visits * share
            arm = arms[arm].next_arm
        arm = decision.first_arm
        while arm != NONE:
            if is_met(arms, how, arm):
                regret = arms[arm].second_sum + _estimate(arms, how, arm) - expected
                arms[arm].second_sum = max(regret, 0.0)
            arm = arms[arm].next_arm


@kernel
def _judge(
    rule: np.record, tree: Tree, how: np.record, decision: int, weights: Floats, preference: Floats
) -> None:
    """Play by the average strategy."""
    arm = tree.decisions[decision].first_arm
    for i in range(len(weights)):
        weights[i] = preference[i] = tree.arms[arm].second_count
        arm = tree.arms[arm].next_arm


def by_regret(gamma: float) -> np.record:
    """Regret matching that explores with probability gamma."""
    return define_rule(select_by_regret, credit=_credit, judge=_judge, regret_gamma=gamma)
