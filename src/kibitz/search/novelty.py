"""UCB that also looks for positions unlike those seen before (Baier and Kaisers 2021).

A position is as novel as its bytes: each byte of the state that has a value met n times at that
place counts 1 / sqrt(n), and the average over all bytes is the novelty, between 0 and 1.
"""

import math

import numpy as np

from kibitz.core.game import States
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng
from kibitz.search.selection import define_rule, draw_untried, is_met, log_chances, scaled_mean
from kibitz.search.tree import NONE, Arms, Tree

VALUES = 256  # of a byte


@kernel
def select_novel(arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng) -> int:
    """UCB1 whose mean is b * novelty + (1 - b) * value, b = sqrt(beta / (3 visits + beta))."""
    best = NONE
    best_value = -np.inf
    arm = decision.first_arm
    while arm != NONE:
        if is_met(arms, how, arm):
            visits = arms[arm].arm_visits
            if visits == 0:
                return draw_untried(arms, decision, how, rng)
            b = math.sqrt(rule.novelty_beta / (3 * visits + rule.novelty_beta))
            value = b * arms[arm].second_sum / visits + (1 - b) * scaled_mean(arms, how, arm)
            log_n = log_chances(arms, decision, how, arm)
            value += rule.novelty_c * math.sqrt(log_n / visits)
            if value > best_value:
                best_value = value
                best = arm
        arm = arms[arm].next_arm
    return best


@kernel
def _notice(rule: np.record, states: States, how: np.record) -> None:
    """Count the bytes of the position."""
    position = states[1:2].view(np.uint8)
    novelty = 0.0
    for i in range(len(position)):
        place = i * VALUES + position[i]
        rule.times_met[place] += 1
        novelty += 1 / math.sqrt(rule.times_met[place])
    how.leaf_novelty = novelty / len(position)


@kernel
def _credit(rule: np.record, tree: Tree, how: np.record, evaluator: np.record) -> None:
    for step in range(how.n_path):
        tree.arms[tree.path[step, 1]].second_sum += how.leaf_novelty


@kernel
def _begin(rule: np.record) -> None:
    for place in range(len(rule.times_met)):
        rule.times_met[place] = 0


def novel(c: float, beta: float, n_bytes: int) -> np.record:
    """UCB1 with novelty, for states of so many bytes."""
    return define_rule(
        select_novel,
        [("times_met", np.int32, (n_bytes * VALUES,))],
        notice=_notice,
        credit=_credit,
        begin=_begin,
        novelty_c=c,
        novelty_beta=beta,
    )
