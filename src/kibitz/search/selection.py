"""Selection rules: which arm of a decision the next simulation tries.

A rule is a small record; its dtype picks the kernels. Values are scaled by the range met so far in
the search, so that the constants of a rule mean the same in every game. Most rules only `select`;
one that keeps more than visits and values may also `notice` where a simulation leaves the tree,
`credit` the arms on its path afterwards, and `judge` what to play in the end (`amaf.py`,
`novelty.py`, `regret.py`, `halving.py`).

The loops here, the hottest of a search, go on while `arm > NONE`: the compiler then knows that no
index is negative.
"""

import math

import numpy as np
import numpy.typing as npt

from kibitz.core.game import States, generic, generic_over, implement
from kibitz.core.kernels import F, inlined_kernel, inner_kernel, kernel, record_dtype
from kibitz.core.rng import Rng, below
from kibitz.search.tree import JOINT, NONE, Arms, Tree

Floats = npt.NDArray[np.float64]

LOGS = np.log(np.maximum(np.arange(4096), 1))
"""Logarithms of small numbers of visits, and 0 for none."""

ROOTS_OF_LOGS = np.sqrt(LOGS)
"""Square roots of these logarithms."""

ASKS = -2
"""What `select` returns in place of an arm if somebody outside is to say which."""

INVERSES = 1 / np.maximum(np.arange(4096), 1)
"""Inverses of small numbers of visits, and 1 for none."""

ROOTS_OF_INVERSES = np.sqrt(INVERSES)
"""Square roots of these inverses."""


@generic_over(3)
def select(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> int:
    """Choose an arm that is legal in this simulation."""
    raise AssertionError


@generic
def may_ask(rule: np.record) -> bool:
    """Whether `select` may return ASKS: a constant of the rule's kind."""
    raise AssertionError


@generic
def judge(
    rule: np.record, tree: Tree, how: np.record, decision: int, weights: Floats, preference: Floats
) -> None:
    """Write how much each arm is to be played, and how much it is preferred to the others.

    Of two that are preferred alike, the one with the better mean is played.
    """


@generic
def notice(rule: np.record, states: States, how: np.record) -> None:
    """See the position at which a simulation leaves the tree, in `states[1]`."""


@generic
def credit(rule: np.record, tree: Tree, how: np.record, evaluator: np.record) -> None:
    """Learn from a simulation, after its values are in the tree."""


@generic
def begin_rule(rule: np.record) -> None:
    """Let a rule begin anew: another search begins."""


@inlined_kernel
def _never_asks(rule: np.record) -> bool:
    return False


@inlined_kernel
def always_asks(rule: np.record) -> bool:
    """Let a rule ask outside."""
    return True


@inlined_kernel
def _judge_by_visits(
    rule: np.record, tree: Tree, how: np.record, decision: int, weights: Floats, preference: Floats
) -> None:
    arm = tree.decisions[decision].first_arm
    for i in range(len(weights)):
        weights[i] = preference[i] = tree.arms[arm].arm_visits
        arm = tree.arms[arm].next_arm


@inlined_kernel
def _notice_nothing(rule: np.record, states: States, how: np.record) -> None:
    pass


@inlined_kernel
def _credit_nothing(rule: np.record, tree: Tree, how: np.record, evaluator: np.record) -> None:
    pass


@inlined_kernel
def _begin_nothing(rule: np.record) -> None:
    pass


def define_rule(
    select: F,
    fields: list[tuple[object, ...]] | None = None,
    *,
    notice: F | None = None,
    credit: F | None = None,
    judge: F | None = None,
    begin: F | None = None,
    may_ask: F | None = None,
    **parameters: float,
) -> np.record:
    """Make the record of a rule.

    Args:
        select: its kernel.
        fields: what it keeps beside its parameters.
        notice: see the generic function of that name.
        credit: the same.
        judge: the same.
        begin: the same, of `begin_rule`.
        may_ask: `always_asks` for a rule that asks outside.
        parameters: numbers, whose names must be the rule's own.
    """
    dtype = record_dtype([*((name, np.float64) for name in parameters), *(fields or [])])
    kernels = (select, notice, credit, judge, begin, may_ask)
    if dtype not in _defined:
        _defined[dtype] = kernels
        implement("select", dtype, select)
        implement("notice", dtype, notice or _notice_nothing)
        implement("credit", dtype, credit or _credit_nothing)
        implement("judge", dtype, judge or _judge_by_visits)
        implement("begin_rule", dtype, begin or _begin_nothing)
        implement("may_ask", dtype, may_ask or _never_asks)
    if _defined[dtype] != kernels:
        raise ValueError(f"another rule has the fields {dtype.names}: rename a parameter")
    made: np.record = np.zeros(1, dtype)[0]
    for name, value in parameters.items():
        made[name] = value
    return made


_defined: dict[np.dtype[np.record], tuple[object, ...]] = {}


@inlined_kernel
def is_met(arms: Arms, how: np.record, arm: int) -> bool:
    """Whether an arm is legal in this simulation."""
    return how.keys == JOINT or arms[arm].met_in == how.n_begun


@inlined_kernel
def value_range(how: np.record) -> float:
    """Return the range of values met so far; 1 while there is none.

    A rule that only compares arms scales its bonus by this, instead of every mean by its inverse.
    """
    span = how.highest_value - how.lowest_value
    return span if span > 0 else 1.0


@inlined_kernel
def log_of(n: int) -> float:
    """Return the natural logarithm of a number of visits; 0 of none."""
    return LOGS[n] if n < len(LOGS) else math.log(n)


@inlined_kernel
def root_log_of(n: int) -> float:
    """Return the square root of the logarithm of a number of visits."""
    return ROOTS_OF_LOGS[n] if n < len(ROOTS_OF_LOGS) else math.sqrt(math.log(n))


@inlined_kernel
def inverse_of(n: int) -> float:
    """Return one over a number of visits: a table is faster than the unit that also takes roots."""
    return INVERSES[n] if n < len(INVERSES) else 1 / n


@inlined_kernel
def inverse_root_of(n: int) -> float:
    """Return one over the square root of a number of visits."""
    return ROOTS_OF_INVERSES[n] if n < len(ROOTS_OF_INVERSES) else 1 / math.sqrt(n)


@inlined_kernel
def scaled(how: np.record, value: float) -> float:
    """Return where a value lies between the lowest (0) and the highest (1) met so far."""
    span = how.highest_value - how.lowest_value
    return (value - how.lowest_value) / span if span > 0 else 0.5


@inlined_kernel
def scaled_mean(arms: Arms, how: np.record, arm: int) -> float:
    """Return the mean value of a visited arm between 0 and 1."""
    return scaled(how, arms[arm].value_sum / arms[arm].arm_visits)


@inlined_kernel
def log_chances(arms: Arms, decision: np.record, how: np.record, arm: int) -> float:
    """Return the logarithm of how often an arm could have been chosen."""
    chances = decision.decision_visits if how.keys == JOINT else arms[arm].available
    return log_of(chances)


@inlined_kernel
def draw_untried(arms: Arms, decision: np.record, how: np.record, rng: Rng) -> int:
    """Draw one of the arms that have never been tried, or NONE."""
    found = NONE
    n = 0
    arm = decision.first_arm
    while arm > NONE:
        if arms[arm].arm_visits == 0 and is_met(arms, how, arm):
            n += 1
            if below(rng, n) == 0:
                found = arm
        arm = arms[arm].next_arm
    return found


@inlined_kernel
def _draw_next(arms: Arms, decision: np.record, rng: Rng) -> int:
    """Draw the next arm of a decision that has been visited less often than it has arms.

    Its arms lie side by side, and `available` begins as their order: what has been drawn is
    exchanged to its beginning.
    """
    first = arms[decision.first_arm : decision.first_arm + decision.n_at_first]
    n_tried = decision.decision_visits
    drawn = n_tried + below(rng, len(first) - n_tried)
    place = first[drawn].available
    first[drawn].available = first[n_tried].available
    first[n_tried].available = place
    return decision.first_arm + place


@kernel
def select_ucb(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> int:
    """UCB1: every arm once, then the best mean plus c * sqrt(log n / visits)."""
    if how.keys != JOINT:
        return _select_ucb_met(arms, decision, how, rule, rng)
    if decision.decision_visits < decision.n_at_first:
        return _draw_next(arms, decision, rng)
    width = rule.ucb_c * value_range(how) * root_log_of(decision.decision_visits)
    best = decision.first_arm
    best_value = -np.inf
    for arm in range(decision.first_arm, decision.first_arm + decision.n_at_first):
        visits = arms[arm].arm_visits
        value = arms[arm].value_sum * inverse_of(visits) + width * inverse_root_of(visits)
        if value > best_value:
            best_value = value
            best = arm
    return best


@inner_kernel
def _select_ucb_met(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """UCB1 among the arms that are legal in this simulation."""
    best = NONE
    best_value = -np.inf
    width = rule.ucb_c * value_range(how)
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            visits = arms[arm].arm_visits
            if visits == 0:
                return draw_untried(arms, decision, how, rng)
            chances = log_of(arms[arm].available)
            share = inverse_of(visits)
            value = arms[arm].value_sum * share + width * math.sqrt(chances * share)
            if value > best_value:
                best_value = value
                best = arm
        arm = arms[arm].next_arm
    return best


@kernel
def select_puct(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> int:
    """PUCT: the best mean plus c * prior * n ** tau / (1 + visits).

    An arm never tried counts as worth what all tried ones are worth on average.
    """
    weights = 0.0
    visited = 0
    total = 0.0
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            weights += arms[arm].prior
            visited += arms[arm].arm_visits
            total += arms[arm].value_sum
        arm = arms[arm].next_arm
    first = total * inverse_of(visited)
    power = math.sqrt(visited) if rule.puct_tau == 0.5 else visited**rule.puct_tau
    explore = rule.puct_c * value_range(how) / weights * max(power, 1)
    best = NONE
    best_value = -np.inf
    ties = 0
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            visits = arms[arm].arm_visits
            value = arms[arm].value_sum * inverse_of(visits) if visits > 0 else first
            value += explore * arms[arm].prior * inverse_of(1 + visits)
            if value > best_value:
                best, best_value, ties = arm, value, 1
            elif value == best_value:
                ties += 1
                if below(rng, ties) == 0:
                    best = arm
        arm = arms[arm].next_arm
    return best


def ucb(c: float) -> np.record:
    """UCB1 with exploration constant c (Auer, Cesa-Bianchi and Fischer 2002)."""
    return define_rule(select_ucb, ucb_c=c)


def puct(c: float, tau: float = 0.5) -> np.record:
    """PUCT (Silver et al. 2017); another exponent than 1/2 makes it GPUCT (Cazenave 2021)."""
    return define_rule(select_puct, puct_c=c, puct_tau=tau)
