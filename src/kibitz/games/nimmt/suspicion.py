"""What others have played tells: who plays at random, and which cards they hold.

Nobody knows the hand that a card was chosen from. But a player with a plan plays cards that a
policy likes more often than a random one does. For a card of weight w, chosen from n cards, the
odds change by n w / (w + (n - 1) m), m being the mean weight of all cards that could be in that
hand. Tables are mostly of one kind, so what one seat does tells something about the others.

And who had held a card that the policy likes would probably have played it: what is left in a hand
are cards that were liked less. In a turn in which a hand had the weight W beside a card of weight
w, the card was kept with a probability in proportion to 1 / (1 + w / W). Of W, what the seat played
since is known, and the mean weight stands for what it still holds.
"""

import math

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Seat, State, States
from kibitz.core.kernels import inlined_kernel, inner_kernel, record_dtype, wrapping_kernel
from kibitz.games.nimmt.cues import (
    Table,
    Weights,
    Word,
    card_cues,
    look_at_view,
    next_card,
    rank_ends,
    without,
)
from kibitz.games.nimmt.lookahead import OTHERS, Notions
from kibitz.games.nimmt.state import CHOOSING, HAND_CARDS, HIGHEST_CARD, MAX_SEATS

RANDOM_TABLES = 0.1
"""How often a table is one of random players, before anything is seen."""

RARE = 0.03
"""How often somebody at such a table, or another one, is of the other kind."""

MOST_ODDS = 30.0
"""Bound of the logarithm of the odds, either way."""

LEAST_TILT = 0.02
"""No card is less probable than that, beside the most probable one: policies may be wrong."""

MEMORY = record_dtype(
    [
        ("odds", np.float64, (MAX_SEATS,)),  # logarithm of the odds that a seat has a plan
        ("first", np.int64),  # turns from this one on are remembered,
        ("end", np.int64),  # up to this one
        ("likes", np.float32, (HAND_CARDS, HIGHEST_CARD + 1)),  # weights of hidden cards, by turn
        ("played", np.int8, (HAND_CARDS, MAX_SEATS)),
    ]
)

Memories = npt.NDArray[np.record]
Odds = npt.NDArray[np.float64]

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@inlined_kernel
def _weight(table: Table, card: int, factors: Weights) -> float:
    """Return how much the policy likes a card, with nothing known of the rest of the hand."""
    bit = _ONE << np.uint64(card & 63)
    low, high = (bit, _ZERO) if card < 64 else (_ZERO, bit)
    own = rank_ends(table.ends, low, high)
    crowd, band, near = card_cues(table, own, card, 0)
    return factors[OTHERS, crowd] * factors[OTHERS, band] * factors[OTHERS, near]


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


@inlined_kernel
def _hidden(view: State, seat: Seat) -> tuple[Table, Word, Word]:
    """Return the table, and the cards that others may hold or that are in no hand."""
    table, low, high = look_at_view(view, seat)
    return table, table.low & ~low, table.high & ~high


@inner_kernel
def _note_turn(
    before: State, last: npt.NDArray[np.int8], seat: Seat, factors: Weights, memory: np.record
) -> None:
    """Remember a turn: what was played, and what the policy would have liked to be played."""
    table, low, high = _hidden(before, seat)
    turn = before.turn
    total, count = 0.0, 0
    while low != _ZERO or high != _ZERO:
        card = next_card(low, high)
        low, high = without(low, high)
        memory.likes[turn, card] = _weight(table, card, factors)
        total += memory.likes[turn, card]
        count += 1
    mean = total / max(count, 1)
    for other in range(before.players):
        memory.played[turn, other] = last[other]
        if other != seat and last[other] > 0:
            weight = memory.likes[turn, last[other]]
            ratio = table.n * weight / (weight + (table.n - 1) * mean)
            odds = memory.odds[other] + math.log(ratio)
            memory.odds[other] = min(max(odds, -MOST_ODDS), MOST_ODDS)
    memory.end = turn + 1


@inner_kernel
def _write_doubts(odds: Odds, players: int, seat: Seat, out: Odds) -> None:
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


@inner_kernel
def _write_tilts(view: State, seat: Seat, other: Seat, memory: np.record, tilts: Weights) -> None:
    """Write how probable hidden cards are in the hand of another seat; the most probable has 1."""
    table, low, high = _hidden(view, seat)
    for turn in range(memory.first, memory.end):
        known = 0.0
        for later in range(turn, memory.end):
            known += memory.likes[turn, memory.played[later, other]]
        total, weight = 0.0, 0.0
        some, more = low, high
        while some != _ZERO or more != _ZERO:
            card = next_card(some, more)
            some, more = without(some, more)
            total += tilts[card]
            weight += tilts[card] * memory.likes[turn, card]
        beside = known + (table.n - 1) * weight / max(total, 1e-9)
        most = 0.0
        some, more = low, high
        while some != _ZERO or more != _ZERO:
            card = next_card(some, more)
            some, more = without(some, more)
            tilts[card] *= beside / (beside + memory.likes[turn, card])
            most = max(most, tilts[card])
        for card in range(len(tilts)):
            tilts[card] /= max(most, 1e-30)
    for card in range(len(tilts)):
        tilts[card] = max(tilts[card], LEAST_TILT)


@inner_kernel
def _go_on(before: State, view: State, seat: Seat, factors: Weights, memory: np.record) -> None:
    """Bring a memory from an earlier view up to a view, or begin it anew."""
    if _follows(before, view, seat):
        _note_turn(before, view.last, seat, factors, memory)
        return
    is_same = view.rounds == before.rounds and view.turn == before.turn
    for word in range(2):
        is_same = is_same and before.seen[word] & ~view.seen[word] == _ZERO
        is_same = is_same and (view.phase != CHOOSING or view.seen[word] == before.seen[word])
    if is_same and memory.end == view.turn:
        return
    memory.first, memory.end = view.turn, view.turn
    if view.rounds != before.rounds + 1:
        for other in range(MAX_SEATS):
            memory.odds[other] = 0


@wrapping_kernel
def recall(
    before: States, now: States, seat: Seat, factors: Weights, memories: Memories, out: Notions
) -> None:
    """Go on from what was thought of others in an earlier view of a game.

    Args:
        before: the view that the seat was asked about last: [1].
        now: the view now: [1].
        seat: who asks.
        factors: of the policies.
        memories: what was found up to `before`: [1]; changed in place.
        out: receives what is thought of the others; its tilts are 1: [1].
    """
    view, memory = now[0], memories[0]
    _go_on(before[0], view, seat, factors, memory)
    _write_doubts(memory.odds, view.players, seat, out[0].doubts)
    if memory.end > memory.first:
        for other in range(view.players):
            if other != seat:
                _write_tilts(view, seat, other, memory, out[0].tilts[other])
