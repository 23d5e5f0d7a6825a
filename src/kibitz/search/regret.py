"""Regret matching: seats that choose at once mix their actions, as an equilibrium may ask of them.

Every decision keeps the regret of not having played each action, plays in proportion to what is
positive of it, and averages what it played: in a zero-sum game the averages of both sides approach
an equilibrium (Hart and Mas-Colell 2000; in trees Lanctot, Lisy and Winands 2013). What an action
not played would have given is estimated by its mean so far; the one played corrects its own by the
result over its probability, which keeps the estimate unbiased at little variance.
"""

import numpy as np

from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import Rng, random_bits
from kibitz.search.selection import define_rule, is_met, scaled, scaled_mean
from kibitz.search.tree import NONE, Arms, Tree

_S11, _TO_UNIT = np.uint64(11), 2.0**-53


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
    """Give the probability of an arm by its regret; all are equal if nothing is regretted."""
    return max(arms[arm].second_sum, 0.0) / total if total > 0 else 1.0 / n


@kernel
def select_by_regret(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Draw an arm by regret, or any one with probability gamma."""
    n, total = _sums(arms, decision, how)
    rest = np.float64(random_bits(rng) >> _S11) * _TO_UNIT
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


@kernel
def _credit(rule: np.record, tree: Tree, how: np.record, policy: np.record) -> None:
    """Add to the regrets and to the average strategy of every decision on the path."""
    arms = tree.arms
    for step in range(how.n_path):
        decision = tree.decisions[tree.path[step, 0]]
        played = tree.path[step, 1]
        n, total = _sums(arms, decision, how)
        probability = (1 - rule.regret_gamma) * _share(arms, played, n, total)
        probability += rule.regret_gamma / n
        mean = scaled_mean(arms, how, played)
        correction = (scaled(how, tree.values[decision.decider]) - mean) / probability
        expected = _share(arms, played, n, total) * correction
        arm = decision.first_arm
        while arm != NONE:
            if is_met(arms, how, arm):
                known = scaled_mean(arms, how, arm) if arms[arm].arm_visits > 0 else 0.5
                expected += _share(arms, arm, n, total) * known
            arm = arms[arm].next_arm
        arm = decision.first_arm
        while arm != NONE:
            if is_met(arms, how, arm):
                arms[arm].second_count += _share(arms, arm, n, total)
            arm = arms[arm].next_arm
        arm = decision.first_arm
        while arm != NONE:
            if is_met(arms, how, arm):
                gain = scaled_mean(arms, how, arm) if arms[arm].arm_visits > 0 else 0.5
                if arm == played:
                    gain += correction
                arms[arm].second_sum = max(arms[arm].second_sum + gain - expected, 0.0)
            arm = arms[arm].next_arm


def by_regret(gamma: float) -> np.record:
    """Regret matching that explores with probability gamma."""
    return define_rule(select_by_regret, credit=_credit, regret_gamma=gamma)
