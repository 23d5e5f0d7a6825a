"""Flat search: in what order the actions of the root are tried, and wins counted beside values."""

from typing import Any

import numpy as np

from kibitz.core.game import F, States, scores
from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import Rng, below
from kibitz.search.selection import define_rule, is_met
from kibitz.search.tree import MAX_SEATS, NONE, Arms, Tree
from kibitz.search.values import share_of_win

NO_WINS, BEST_WINS, GAIN_WINS = 0, 1, 2
"""What is counted as a win: nothing, the best score, or whatever is gained from the root on."""

_SCORED = ("scored_before", np.float64, (MAX_SEATS,))  # by each seat, at the root


@kernel
def select_in_turn(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Try every arm equally often: the one with the fewest visits, first come first served.

    Trees that are added up must not all begin with the same arms: theirs are shuffled.
    """
    best = NONE
    ties = 0
    arm = decision.first_arm
    while arm > NONE:
        if is_met(arms, how, arm):
            if best == NONE or arms[arm].arm_visits < arms[best].arm_visits:
                best, ties = arm, 1
            elif rule.is_shuffled and arms[arm].arm_visits == arms[best].arm_visits:
                ties += 1
                if below(rng, ties) == 0:
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
    while arm > NONE:
        if is_met(arms, how, arm):
            n += 1
            if below(rng, n) == 0:
                found = arm
        arm = arms[arm].next_arm
    return found


@inlined_kernel
def _remember_scores(rule: np.record, states: States, how: np.record) -> None:
    """Note before the first simulation what everybody had at the root."""
    if rule.win_kind == GAIN_WINS and how.n_sims == 0:
        scores(states[0], rule.scored_before)


@inlined_kernel
def _count_win(rule: np.record, tree: Tree, how: np.record, evaluator: np.record) -> None:
    """Add what this simulation is as a win, and its square, to the arm that was tried."""
    if rule.win_kind != NO_WINS:
        seat = how.root_seat
        if rule.win_kind == GAIN_WINS:
            share = 1.0 if tree.points[seat] > rule.scored_before[seat] else 0.0
        else:
            share = share_of_win(tree.points, how, seat)
        arm = tree.arms[tree.path[0, 1]]
        arm.second_sum += share
        arm.second_count += share * share


def _flat_rule(select: F, wins: int, **parameters: Any) -> np.record:
    parameters |= {"notice": _remember_scores, "credit": _count_win}
    return define_rule(select, [_SCORED], win_kind=wins, **parameters)


def in_turn(is_shuffled: bool = False, wins: int = NO_WINS) -> np.record:
    """Equal allocation: every arm in its turn, in the order of the rules or in any."""
    return _flat_rule(select_in_turn, wins, is_shuffled=is_shuffled)


def at_random(wins: int = NO_WINS) -> np.record:
    """Random allocation."""
    return _flat_rule(select_at_random, wins, is_drawn=1)
