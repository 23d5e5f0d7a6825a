"""Who plays at random? What others have played tells, card by card.

Nobody knows the hand that a card was chosen from. But a player with a plan plays cards that a
policy likes more often than a random one does. For a card of weight w, chosen from n cards, the
odds change by n w / (w + (n - 1) m), m being the mean weight of all cards that could be in that
hand. Tables are mostly of one kind, so what one seat does tells something about the others.
"""

import math

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Seat, State, States
from kibitz.core.kernels import inlined_kernel, inner_kernel, wrapping_kernel
from kibitz.games.nimmt.cues import (
    Table,
    Weights,
    card_cues,
    look_at_view,
    next_card,
    rank_ends,
    without,
)
from kibitz.games.nimmt.lookahead import OTHERS, Doubts
from kibitz.games.nimmt.state import CHOOSING, HAND_CARDS

RANDOM_TABLES = 0.1
"""How often a table is one of random players, before anything is seen."""

RARE = 0.03
"""How often somebody at such a table, or another one, is of the other kind."""

MOST_ODDS = 30.0
"""Bound of the logarithm of the odds, either way."""

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined_kernel
def _weight(table: Table, card: int, factors: Weights) -> float:
    """Return how much the policy likes a card, with nothing known of the rest of the hand."""
    bit = _ONE << np.uint64(card & 63)
    low, high = (bit, _ZERO) if card < 64 else (_ZERO, bit)
    own = rank_ends(table.ends, low, high)
    crowd, band, near = card_cues(table, own, card, 0)
    liking = factors[OTHERS, crowd] * factors[OTHERS, band] * factors[OTHERS, near]
    return liking * liking  # factors are those of a policy at temperature 2


@inner_kernel
def _follows(before: State, view: State, seat: Seat) -> bool:
    """Whether a view is the one a turn later: the own hand and the cards seen say so."""
    if view.rounds != before.rounds or view.turn != before.turn + 1 or before.phase != CHOOSING:
        return False
    held = np.int64(0)
    for i in range(HAND_CARDS):
        held += np.int64(before.hand[seat, i]) - np.int64(view.hand[seat, i])
    is_same = before.seen[0] & ~view.seen[0] == _ZERO and before.seen[1] & ~view.seen[1] == _ZERO
    gone = view.last[seat] if view.phase == CHOOSING else 0
    return is_same and gone > 0 and held == gone


@inner_kernel
def _weigh_turn(
    before: State, last: npt.NDArray[np.int8], seat: Seat, factors: Weights, odds: Doubts
) -> None:
    """Add what a turn tells about each seat: the logarithm of the odds of having a plan."""
    table, low, high = look_at_view(before, seat)
    own_low, own_high = low, high
    low, high = table.low & ~own_low, table.high & ~own_high
    total, count = 0.0, 0
    while low != _ZERO or high != _ZERO:
        total += _weight(table, next_card(low, high), factors)
        low, high = without(low, high)
        count += 1
    mean = total / max(count, 1)
    for other in range(before.players):
        if other != seat and last[other] > 0:
            weight = _weight(table, int(last[other]), factors)
            ratio = table.n * weight / (weight + (table.n - 1) * mean)
            odds[other] = min(max(odds[other] + math.log(ratio), -MOST_ODDS), MOST_ODDS)


@inner_kernel
def _write_doubts(odds: Doubts, players: int, seat: Seat, out: Doubts) -> None:
    """Write how probably each seat plays at random, by the odds of all of them."""
    usual, wild = math.log(1 - RANDOM_TABLES), math.log(RANDOM_TABLES)
    for other in range(players):
        if other != seat:
            plan = math.exp(odds[other])
            usual += math.log(RARE + (1 - RARE) * plan)
            wild += math.log(1 - RARE + RARE * plan)
    table = 1 / (1 + math.exp(usual - wild))
    for other in range(players):
        plan = math.exp(odds[other])
        exception = RARE / (RARE + (1 - RARE) * plan)
        member = (1 - RARE) / (1 - RARE + RARE * plan)
        out[other] = 0 if other == seat else (1 - table) * exception + table * member


@wrapping_kernel
def recall(
    before: States, now: States, seat: Seat, factors: Weights, odds: Doubts, out: Doubts
) -> None:
    """Go on from what was thought of others in an earlier view of a game.

    Args:
        before: the view that the seat was asked about last: [1].
        now: the view now: [1].
        seat: who asks.
        factors: of the policies.
        odds: what was found up to `before`, by seat; changed in place.
        out: receives how probably each seat plays at random.
    """
    earlier, view = before[0], now[0]
    if _follows(earlier, view, seat):
        _weigh_turn(earlier, view.last, seat, factors, odds)
    elif view.rounds != earlier.rounds + 1:
        is_same = view.rounds == earlier.rounds and view.turn == earlier.turn
        is_same = is_same and view.seen[0] == earlier.seen[0] and view.seen[1] == earlier.seen[1]
        if not is_same:
            for other in range(len(odds)):
                odds[other] = 0
    _write_doubts(odds, view.players, seat, out)
