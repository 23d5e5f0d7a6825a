"""Rigs: five rules of thumb that lean on the choice of a card (chapter 4 of the paper on learning).

A rig looks at a hand of n cards c_1 < ... < c_n and at the four rows, and says of every card how
much it leans to it: a number l_i that is added to the logarithm of the weight with which the card
would be played, so that a weight w_i becomes w_i * exp(l_i). With the strength t (`tau`):

- **point**: l_i = t * heads(c_i). Above 0 it prefers cards with many heads.
- **close**: a card is *within distance d* if its row has room, and of the cards between the end of
  the row and this one at most room - 1 + d have not been seen on the table. Within 0 it is *safe*:
  whoever places cards between, it is not the sixth. If cards are within the distance, the lowest of
  them is played; if there is none, nothing leans.
- **value**: l_i = -(c_i - centre)^2 / (2 * deviation^2), so weights are multiplied by a normal
  density.
- **scatter**: l_i = -t * m_i / 104, where m_i is the mean distance from c_i to the `neighbours`
  cards of the hand that are closest to it. Below 0 it prefers isolated cards.
- **risk**: with the end e_j, the heads h_j and the room k_j (places that are free) of row j,

      d_ij = 0                        if c_i belongs to row j and is safe there
             1 + (e_j - c_i) / 104    if c_i < e_j
             1 - k_j / 5              otherwise
      p_ij = h_j + heads(c_i) + 1.65 * k_j
      r_ij = alpha * d_ij + p_ij

  l_i = t * min_j r_ij for a strength below 0, which avoids risk, and t * max_j r_ij above 0.

A card is seen if it has lain on the table this round, also if it was swept away since. Cards of the
own hand count as not seen, as in the paper; nobody can place them, so the rule is a little strict.
"""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import popcount
from kibitz.core.game import Action, Seat, State, States, implement
from kibitz.core.kernels import inner_kernel, kernel, record_dtype
from kibitz.core.rng import Rng, unit
from kibitz.games.nimmt.rules import random_action
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    CHOOSING,
    FULL_ROW,
    HIGHEST_CARD,
    ROWS,
    hand_size,
    row_end,
    row_for,
)

Kind = Literal["point", "close", "value", "scatter", "risk"]
POINT, CLOSE, VALUE, SCATTER, RISK = range(5)
KINDS: dict[Kind, int] = {
    "point": POINT,
    "close": CLOSE,
    "value": VALUE,
    "scatter": SCATTER,
    "risk": RISK,
}

RIG = record_dtype(
    [
        ("rig_kind", np.int64),
        ("rig_tau", np.float64),  # strength
        ("rig_distance", np.int64),
        ("rig_centre", np.float64),
        ("rig_deviation", np.float64),
        ("rig_neighbours", np.int64),
        ("rig_alpha", np.float64),
    ]
)
"""A rig and its parameters; by itself it is the policy of a player who would play any card."""

AVERAGE_HEADS = 1.65
"""Heads of an average card, as the paper rounds it: 171 / 104."""

FAR = 1000
"""How far a card is from being safe if it takes a row for certain."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(2**64 - 1)
_LEAST_UNIT = 2.0**-54


@inner_kernel
def _below(card: int, word: int) -> np.uint64:
    """Return the cards below a card, as one of two words of a bit set."""
    if word == 0:
        return _ALL if card >= 64 else (_ONE << np.uint64(card)) - _ONE
    return _ZERO if card < 64 else (_ONE << np.uint64(card - 64)) - _ONE


@inner_kernel
def steps_from_safe(view: State, card: int) -> int:
    """Count how many cards a card is away from being safe on its row: 0 if it is safe.

    A card that takes a row for certain is FAR away.
    """
    row = row_for(view, card)
    if row < 0 or view.length[row] == FULL_ROW:
        return FAR
    end = row_end(view, row)
    inside_low = _below(card, 0) & ~_below(end + 1, 0)
    inside_high = _below(card, 1) & ~_below(end + 1, 1)
    n_seen = popcount(view.seen[0] & inside_low) + popcount(view.seen[1] & inside_high)
    between = card - end - 1 - n_seen
    return max(between - (FULL_ROW - 1 - int(view.length[row])), 0)


@inner_kernel
def lowest_close(view: State, seat: Seat, distance: int) -> int:
    """Return the place in the hand of the lowest card within a distance of being safe, or -1."""
    for i in range(hand_size(view)):
        if steps_from_safe(view, int(view.hand[seat, i])) <= distance:
            return i
    return -1


@inner_kernel
def _mean_distance(view: State, seat: Seat, place: int, neighbours: int) -> float:
    """Return how far the closest cards of the hand are from one of them, on average."""
    n = hand_size(view)
    wanted = min(neighbours, n - 1)
    if wanted == 0:
        return 0.0
    card = int(view.hand[seat, place])
    left, right, total = place - 1, place + 1, 0
    for _ in range(wanted):
        to_left = card - int(view.hand[seat, left]) if left >= 0 else FAR
        to_right = int(view.hand[seat, right]) - card if right < n else FAR
        if to_left <= to_right:
            total += to_left
            left -= 1
        else:
            total += to_right
            right += 1
    return total / wanted


@inner_kernel
def _risk(view: State, card: int, alpha: float, is_highest: bool) -> float:
    """Return the highest or the lowest risk of a card over all rows."""
    target = row_for(view, card)
    is_safe = steps_from_safe(view, card) == 0
    found = 0.0
    for row in range(ROWS):
        end, room = row_end(view, row), FULL_ROW - int(view.length[row])
        if card < end:
            danger = 1 + (end - card) / HIGHEST_CARD
        elif row == target and is_safe:
            danger = 0.0
        else:
            danger = 1 - room / FULL_ROW
        points = int(view.heads[row]) + BULL_HEADS[card & 127] + AVERAGE_HEADS * room
        risk = alpha * danger + points
        if row == 0 or (risk > found) == is_highest:
            found = risk
    return found


@inner_kernel
def leaning(view: State, seat: Seat, rig: np.record, place: int) -> float:
    """Return how much a rig other than `close` leans to the card at a place of the hand."""
    card = int(view.hand[seat, place])
    if rig.rig_kind == POINT:
        return rig.rig_tau * BULL_HEADS[card & 127]
    if rig.rig_kind == VALUE:
        apart = (card - rig.rig_centre) / rig.rig_deviation
        return -0.5 * apart * apart
    if rig.rig_kind == SCATTER:
        mean = _mean_distance(view, seat, place, rig.rig_neighbours)
        return -rig.rig_tau * mean / HIGHEST_CARD
    return rig.rig_tau * _risk(view, card, rig.rig_alpha, rig.rig_tau > 0)


@kernel
def choose_rigged(view: State, seat: Seat, rig: np.record, rng: Rng) -> Action:
    """Play any card, but for what the rig says; take rows and pick cards at random.

    A draw in proportion to exp(l_i) is the highest l_i - log(-log(u_i)), for even draws u_i.
    """
    if view.phase != CHOOSING:
        return random_action(view, seat, rng)
    if rig.rig_kind == CLOSE:
        place = lowest_close(view, seat, rig.rig_distance)
        return int(view.hand[seat, place]) if place >= 0 else random_action(view, seat, rng)
    best, highest = 0, -math.inf
    for i in range(hand_size(view)):
        chance = -math.log(-math.log(max(unit(rng), _LEAST_UNIT)))
        score = leaning(view, seat, rig, i) + chance
        if score > highest:
            best, highest = i, score
    return int(view.hand[seat, best])


implement("choose", RIG, choose_rigged)


@kernel
def add_leanings(views: States, seats: Ints, rig: np.record, logs: Floats) -> None:
    """Add what a rig leans to to the logarithms of weights: [views, places of the hand].

    In all views a card is to be chosen.
    """
    for k in range(len(views)):
        view, seat = views[k], seats[k]
        if rig.rig_kind != CLOSE:
            for i in range(hand_size(view)):
                logs[k, i] += leaning(view, seat, rig, i)
            continue
        place = lowest_close(view, seat, rig.rig_distance)
        if place >= 0:
            for i in range(hand_size(view)):
                logs[k, i] = 0.0 if i == place else -math.inf
