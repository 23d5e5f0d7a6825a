"""Selection rules of flat searches that have priors: which card the next simulation begins with.

All three are one record, so that searches by them share their compiled code: `by_prior` draws the
card from the priors, `equally` takes each in its turn, and `root_puct` goes by what came of it.

`root_puct` is equation 3.1 of the report "Reinforcement learning for 6 nimmt!": with n simulations
so far, of which n(a) began with the card a, the next one begins with the highest

    q(a) + alpha * P(a) * sqrt(n + 1e-9) / (1 + n(a)),

the first of equals. P is the share of an arm in all priors. What q is, the equation leaves open:

- scaled: the mean return of a card, put between the lowest return met so far (0) and the highest
  (1), as in the program behind the report; a card never tried counts as the mean of all returns
  (there: their median), and 1/2 as long as all returns are the same.
- raw: the mean return itself, as the equation reads; a card never tried counts as 0.
"""

import math

import numpy as np

from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng, unit
from kibitz.search.selection import define_rule, is_met
from kibitz.search.tree import NONE, Arms, Tree

LITTLE = 1e-9
"""Under the root, so that priors alone decide when nothing has been tried yet."""

PUCT, DRAWN, EQUAL = 0, 1, 2
"""How the next card is chosen."""


@inlined_kernel
def _q(rule: np.record, total: float, n: int) -> float:
    """Return what the mean of `n` returns counts; of none, nothing is known."""
    if not rule.scales_q:
        return total / n if n > 0 else 0.0
    span = rule.highest_return - rule.lowest_return
    return (total / n - rule.lowest_return) / span if n > 0 and span > 0 else 0.5


@inner_kernel
def _draw_by_prior(arms: Arms, decision: np.record, how: np.record, rng: Rng) -> int:
    """Draw an arm in proportion to its prior."""
    weights = 0.0
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            weights += arms[arm].prior
        arm = arms[arm].next_arm
    rest = unit(rng) * weights
    drawn = NONE
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            drawn = arm
            rest -= arms[arm].prior
            if rest < 0:
                break
        arm = arms[arm].next_arm
    return drawn


@kernel
def select_at_root(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Equation 3.1: the best q plus alpha * P * sqrt(n + 1e-9) / (1 + visits); or another way."""
    if rule.way == DRAWN:
        return _draw_by_prior(arms, decision, how, rng)
    weights, total, n = 0.0, 0.0, 0
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            weights += arms[arm].prior
            total += arms[arm].value_sum
            n += arms[arm].arm_visits
        arm = arms[arm].next_arm
    untried = _q(rule, total, n) if rule.scales_q else 0.0
    explore = rule.root_alpha * math.sqrt(n + LITTLE) / weights
    best, best_value = NONE, -np.inf
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            visits = arms[arm].arm_visits
            value = _q(rule, arms[arm].value_sum, visits) if visits > 0 else untried
            value += explore * arms[arm].prior / (1 + visits)
            if rule.way == EQUAL:
                value = -visits
            if value > best_value:
                best, best_value = arm, value
        arm = arms[arm].next_arm
    return best


@inlined_kernel
def _credit_returns(rule: np.record, tree: Tree, how: np.record, evaluator: np.record) -> None:
    """Remember the lowest and the highest return of the seat that searches."""
    value = tree.values[how.root_seat]
    rule.lowest_return = min(rule.lowest_return, value)
    rule.highest_return = max(rule.highest_return, value)


@inlined_kernel
def _begin_returns(rule: np.record) -> None:
    rule.lowest_return, rule.highest_return = np.inf, -np.inf


def _define(way: int, alpha: float, *, is_scaled: bool) -> np.record:
    return define_rule(
        select_at_root,
        [("lowest_return", np.float64), ("highest_return", np.float64)],
        credit=_credit_returns,
        begin=_begin_returns,
        way=way,
        root_alpha=alpha,
        scales_q=is_scaled,
    )


def root_puct(alpha: float, *, is_scaled: bool = True) -> np.record:
    """Equation 3.1 with exploration constant alpha; see above for what q is."""
    return _define(PUCT, alpha, is_scaled=is_scaled)


def by_prior() -> np.record:
    """Let simulations begin with what the priors say, whatever came of it before."""
    return _define(DRAWN, 0.0, is_scaled=True)


def equally() -> np.record:
    """Let simulations begin with every card in its turn."""
    return _define(EQUAL, 0.0, is_scaled=True)
