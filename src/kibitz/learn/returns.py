"""Rewards, returns and targets: what learners are told about their decisions, in NumPy.

All arrays have one number per decision, in the order of `Finished.decisions`: by game, seat and
number, so that the decisions of one seat in one game stand in sequence. `is_last` marks the last of
each sequence; whatever follows it belongs to somebody else.

Symbols are those of the papers: r is the reward between a decision and the next of the same seat, G
a return, gamma the discount, V and Q values, rho the ratio of two policies' probabilities.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError
from kibitz.core.game import Scores, States, scores
from kibitz.core.kernels import kernel
from kibitz.core.lanes import Finished

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Steps(NamedTuple):
    """What n steps bring: the target of a decision is `rewards + discounts * V(row + ahead)`."""

    rewards: Floats  # the discounted sum of at most n rewards
    ahead: Ints  # rows to the decision whose value follows; 0 if the game ends before
    discounts: Floats  # of that value; 0 if the game ends before


def running_scores(views: States, seats: Ints, n_seats: int) -> Floats:
    """Return what each seat would score if the game ended now, as far as it can see: [views]."""
    out, everybody = np.empty(len(views)), np.empty(n_seats)
    write_running_scores(views, seats, everybody, out)
    return out


def rewards_of(finished: Finished, running: Floats | None = None) -> Floats:
    """Return what the deciding seat gains from each decision to its next one, or to the end.

    The rewards of a seat in a game add up to its score, less what it had before it first decided.

    Args:
        finished: games that have ended.
        running: the score at every decision, as `running_scores` has it. Without it only rounds
            count: the last decision of a round is rewarded with what the round brought.
    """
    if running is None:
        running = _score_before_round(finished)
    _check(running, finished.is_last)
    rewards = finished.returns - running
    rewards[:-1] = np.where(finished.is_last[:-1], rewards[:-1], np.diff(running))
    return rewards


def _score_before_round(finished: Finished) -> Floats:
    """Return the score of the deciding seat when the round of each decision began."""
    before = np.zeros_like(finished.rounds)
    np.cumsum(finished.rounds[:-1], axis=0, out=before[1:])
    decided = finished.decisions
    first = finished.round_offsets[decided.games]
    rows = first + decided.rounds
    return before[rows, decided.seats] - before[first, decided.seats]


def discounted(rewards: Floats, is_last: Bools, gamma: float) -> Floats:
    """Return G_t = r_t + gamma G_{t+1}: what follows each decision until the end."""
    return gae(rewards, np.zeros(len(rewards)), is_last, gamma, 1.0)


def n_step(rewards: Floats, is_last: Bools, gamma: float, n: int) -> Steps:
    """Return the rewards of the next n steps, and what comes after them."""
    _check(rewards, is_last)
    if n < 1:
        raise SpecError(f"a target looks one step or more ahead, got n_step={n}")
    steps = Steps(np.empty(len(rewards)), np.empty(len(rewards), np.int64), np.empty(len(rewards)))
    write_n_step(rewards, is_last, gamma, n, steps)
    return steps


def gae(rewards: Floats, values: Floats, is_last: Bools, gamma: float, lam: float) -> Floats:
    """Return generalised advantages (Schulman et al. 2016, eq. 16).

    A_t = d_t + gamma lam A_{t+1} with d_t = r_t + gamma V_{t+1} - V_t; after the end both are 0.
    """
    _check(rewards, is_last)
    _check(values, is_last)
    out = np.empty(len(rewards))
    write_gae(rewards, values, is_last, gamma, lam, out)
    return out


def retrace_coefficients(ratios: Floats, lam: float = 1.0) -> Floats:
    """Return c_t = lam min(1, rho_t) (Munos et al. 2016, section 3)."""
    return lam * np.minimum(1.0, ratios)


def retrace(
    rewards: Floats, q: Floats, values: Floats, ratios: Floats, is_last: Bools, gamma: float
) -> Floats:
    """Return the targets of action values (Wang et al. 2017, eq. 5).

    Q^ret_t = r_t + gamma c_{t+1} (Q^ret_{t+1} - Q_{t+1}) + gamma V_{t+1}; after the end all are 0.

    Args:
        rewards: r.
        q: Q of the actions that were chosen.
        values: V of the positions, under the policy that learns.
        ratios: rho of the actions that were chosen: learning policy over the one that played.
        is_last: where sequences end.
        gamma: the discount.
    """
    for array in (rewards, q, values, ratios):
        _check(array, is_last)
    out = np.empty(len(rewards))
    write_retrace(rewards, q, values, retrace_coefficients(ratios), is_last, gamma, out)
    return out


def _check(array: Floats, is_last: Bools) -> None:
    """Refuse arrays that do not belong to the same decisions."""
    if array.shape != is_last.shape or (len(is_last) and not is_last[-1]):
        raise SpecError(
            f"expected one number for each of {len(is_last)} decisions, the last of which ends a "
            f"sequence, got shape {array.shape}"
        )


@kernel
def write_running_scores(views: States, seats: Ints, everybody: Scores, out: Floats) -> None:
    """Write the score of `seats[i]` in `views[i]`; `everybody` is scratch for all seats."""
    for i in range(len(views)):
        scores(views[i], everybody)
        out[i] = everybody[seats[i]]


@kernel
def write_n_step(rewards: Floats, is_last: Bools, gamma: float, n: int, out: Steps) -> None:
    """Write what n steps bring from every decision on."""
    for t in range(len(rewards)):
        total, discount, row, ended = 0.0, 1.0, t, False
        while row < t + n and not ended:
            total += discount * rewards[row]
            discount *= gamma
            ended = is_last[row]
            row += 1
        out.rewards[t] = total
        out.ahead[t] = 0 if ended else row - t
        out.discounts[t] = 0.0 if ended else discount


@kernel
def write_gae(
    rewards: Floats, values: Floats, is_last: Bools, gamma: float, lam: float, out: Floats
) -> None:
    """Write generalised advantages, from the end of every sequence backwards."""
    advantage = value = 0.0
    for t in range(len(rewards) - 1, -1, -1):
        if is_last[t]:
            advantage = value = 0.0
        advantage = rewards[t] + gamma * value - values[t] + gamma * lam * advantage
        value = values[t]
        out[t] = advantage


@kernel
def write_retrace(
    rewards: Floats,
    q: Floats,
    values: Floats,
    coefficients: Floats,
    is_last: Bools,
    gamma: float,
    out: Floats,
) -> None:
    """Write the targets of Retrace, from the end of every sequence backwards."""
    following = 0.0  # what stands for the return from the next decision on
    for t in range(len(rewards) - 1, -1, -1):
        if is_last[t]:
            following = 0.0
        out[t] = rewards[t] + gamma * following
        following = coefficients[t] * (out[t] - q[t]) + values[t]
