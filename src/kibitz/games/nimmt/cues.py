"""What a good player looks at, as places in tables: of every card in a hand, and of the rows.

A card is safe as long as too few others lie between it and the end of its row. So its cues are how
many cards that row has, how many cards of the others are to be expected in the gap this turn (the
*crowd*), what the row costs, the height of the card, and own cards in the same gap. The stage of
the round is part of every cue: all tables have one part for each number of cards in hand.

Policies and values are sums over tables: one number is looked up for every cue. That is a linear
function of very many features, of which at most 39 are not zero, and takes some nanoseconds a card.

Hands are sets of bits here, and rows lie as in `finish`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Seat, State, States
from kibitz.core.kernels import inlined_kernel, inner_kernel, wrapping_kernel
from kibitz.games.nimmt.finish import cheapest_place, lay_out, n_ends_upto
from kibitz.games.nimmt.state import (
    CHOOSING,
    FULL_ROW,
    HAND_CARDS,
    ROWS,
    deck,
    hand_size,
    held,
)

Word = np.uint64
Places = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]

CROWDS = 16
COSTS = 4
BANDS = 13
BAND = 8
"""Cards of one band of values."""

_LENGTHS = FULL_ROW + 1  # 0 stands for a card below all rows
_NEAR = 3  # none, one, or more own cards on that side of a card in its gap
_HELD = 4  # none, one, two, or more own cards in the gap of a row
_PRICES = 8
_LOW_PRICES = 6

N_CROWD = HAND_CARDS * _LENGTHS * CROWDS * COSTS
N_BAND = HAND_CARDS * _LENGTHS * BANDS
N_NEAR = HAND_CARDS * _LENGTHS * _NEAR * _NEAR
N_CARD = N_CROWD + N_BAND + N_NEAR
"""Places of the cues of cards; those of rows follow."""

N_GAP = HAND_CARDS * FULL_ROW * _HELD * CROWDS
N_PRICE = HAND_CARDS * FULL_ROW * _HELD * _PRICES
N_LOW = HAND_CARDS * CROWDS * _HELD * _LOW_PRICES
N_CUES = N_CARD + N_GAP + N_PRICE + N_LOW
"""Places of all cues."""

CARD_CUES = 3
ROW_CUES = 2 * ROWS + 1
VALUE_CUES = CARD_CUES * HAND_CARDS + ROW_CUES
"""Cues of a position at most."""

NO_CUE = -1
"""Fills the rest of a row of places."""

FINE = 20
"""Steps per expected card in which crowds are measured before they are put into classes."""

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BYTE, _LANE, _TWO = np.uint64(8), np.uint64(16), np.uint64(2)
_HEADS, _WHOLE_LANE, _LOW_BYTE = np.uint64(63), np.uint64(0xFFFF), np.uint64(255)


def _below() -> npt.NDArray[np.uint64]:
    """Make the sets of all cards below a card, as two words each: [cards, 2]."""
    sets = np.zeros((128, 2), np.uint64)
    for card in range(128):
        bits = ((1 << card) - 1) & ~1
        sets[card] = bits & (2**64 - 1), bits >> 64
    return sets


def _crowd_classes() -> npt.NDArray[np.int64]:
    """Put crowds, in steps of 1/FINE of a card, into classes; 0 stands for an empty gap."""
    bounds = [0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.25, 1.5, 1.8, 2.2, 2.7, 3.4, 4.5]
    steps = np.arange(256)
    classes = 1 + np.searchsorted(bounds, (steps - 1) / FINE, "right")
    classes[0] = 0
    return classes.astype(np.int64)


def _cost_classes() -> npt.NDArray[np.int64]:
    """Put the heads of rows of each length into classes: [lengths, heads]."""
    bounds = [(2, 3, 5), (2, 3, 6), (3, 4, 6), (5, 7, 9), (6, 8, 11), (7, 9, 12)]
    heads = np.arange(64)
    return np.array([np.searchsorted(row, heads, "right") for row in bounds], np.int64)


BELOW = _below()
CROWD_CLASSES = _crowd_classes()
COST_CLASSES = _cost_classes()
PRICE_CLASSES = np.searchsorted((2, 3, 4, 6, 8, 11, 14), np.arange(64), "right").astype(np.int64)
LOW_CLASSES = np.searchsorted((2, 3, 4, 6, 8), np.arange(64), "right").astype(np.int64)


class Table(NamedTuple):
    """What all see, in a turn in which everybody has the same number of cards."""

    ends: Word  # of the rows, lowest first, as `finish` has them
    rows: Word
    low: Word  # cards up to 63 that have not lain on the table
    high: Word  # those from 64 on
    ranks: Word  # byte p: how many of these are below the p-th end; byte 0 is 0, byte 5 all
    pace: int  # what one unseen card adds to a crowd, in FINE steps, times 65536
    n: int  # cards in every hand
    lowest_cost: int  # heads of the cheapest row


@inlined_kernel
def number(word: Word) -> int:
    """Return a part of a word as a number that can be negative after arithmetic."""
    return np.int64(word)  # type: ignore[return-value]


@inlined_kernel
def rank(low: Word, high: Word, card: int) -> int:
    """Count the members of a set that are below a card."""
    return popcount(low & BELOW[card, 0]) + popcount(high & BELOW[card, 1])


@inlined_kernel
def rank_ends(ends: Word, low: Word, high: Word) -> Word:
    """Count the members of a set below each end: bytes 1 to 4, and all of them in byte 5."""
    ranks = np.uint64(popcount(low) + popcount(high)) << np.uint64(40)
    for row in range(ROWS):
        end = number(ends >> np.uint64(16 * row) & _WHOLE_LANE)
        ranks |= np.uint64(rank(low, high, end)) << np.uint64(8 * row + 8)
    return ranks


@inlined_kernel
def look(ends: Word, rows: Word, low: Word, high: Word, n: int, players: int) -> Table:
    """Look at rows and unseen cards, where everybody has `n` cards."""
    ranks = rank_ends(ends, low, high)
    hidden = number(ranks >> np.uint64(40)) - n
    pace = (players - 1) * FINE * 65536 // max(hidden, 1)
    cost = number(rows >> cheapest_place(rows) >> _TWO & _HEADS)
    return Table(ends, rows, low, high, ranks, pace, n, cost)


@inlined_kernel
def crowd_of(table: Table, unseen: int) -> int:
    """Return the class of the crowd in a gap with so many unseen cards."""
    step = (unseen * table.pace >> 16) + 1 if unseen > 0 else 0
    return int(CROWD_CLASSES[step & 255])


@inlined_kernel
def card_cues(table: Table, own: Word, card: int, i: int) -> tuple[int, int, int]:
    """Return the places of a card's cues: of its crowd, its band and own cards near it.

    It is number `i` of the hand, ascending, from 0; `own` are the ranks of the ends in the hand.
    """
    place = n_ends_upto(np.uint64(card), table.ends)
    shift = np.uint64(8 * place)
    before = i - number(own >> shift & _LOW_BYTE)
    after = number(own >> shift + _BYTE & _LOW_BYTE) - 1 - i
    unseen = rank(table.low, table.high, card) - number(table.ranks >> shift & _LOW_BYTE)
    length, heads = 0, table.lowest_cost
    if place > 0:
        lane = table.rows >> np.uint64(16 * (place - 1)) & _WHOLE_LANE
        length, heads = number(lane >> _BYTE), number(lane >> _TWO & _HEADS)
    at = (table.n - 1) * _LENGTHS + length
    crowd = crowd_of(table, unseen - before)
    return (
        (at * CROWDS + crowd) * COSTS + int(COST_CLASSES[length, heads]),
        N_CROWD + at * BANDS + (card - 1) // BAND,
        N_CROWD + N_BAND + (at * _NEAR + min(before, 2)) * _NEAR + min(after, 2),
    )


@inlined_kernel
def row_cues(table: Table, own: Word, row: int) -> tuple[int, int]:
    """Return the places of the cues of a row, by its place: of its gap and of its price."""
    shift = np.uint64(8 * row + 8)
    mine = number(own >> shift + _BYTE & _LOW_BYTE) - number(own >> shift & _LOW_BYTE)
    unseen = number(table.ranks >> shift + _BYTE & _LOW_BYTE) - number(
        table.ranks >> shift & _LOW_BYTE
    )
    lane = table.rows >> np.uint64(16 * row) & _WHOLE_LANE
    length, heads = number(lane >> _BYTE), number(lane >> _TWO & _HEADS)
    at = ((table.n - 1) * FULL_ROW + length - 1) * _HELD + min(mine, 3)
    return (
        N_CARD + at * CROWDS + crowd_of(table, unseen - mine),
        N_CARD + N_GAP + at * _PRICES + int(PRICE_CLASSES[heads]),
    )


@inlined_kernel
def low_cue(table: Table, own: Word) -> int:
    """Return the place of the cue of what lies below all rows."""
    mine = number(own >> _BYTE & _LOW_BYTE)
    unseen = number(table.ranks >> _BYTE & _LOW_BYTE)
    at = ((table.n - 1) * CROWDS + crowd_of(table, unseen - mine)) * _HELD + min(mine, 3)
    return N_CARD + N_GAP + N_PRICE + at * _LOW_PRICES + int(LOW_CLASSES[table.lowest_cost])


@inlined_kernel
def next_card(low: Word, high: Word) -> int:
    """Return the lowest card of a set that is not empty."""
    return lowest(low) if low != _ZERO else 64 + lowest(high)


@inlined_kernel
def without(low: Word, high: Word) -> tuple[Word, Word]:
    """Return a set without its lowest card."""
    if low != _ZERO:
        return low & (low - _ONE), high
    return low, high & (high - _ONE)


@inlined_kernel
def worth(table: Table, low: Word, high: Word, weights: Weights) -> float:
    """Add up the weights of all cues of a position."""
    own = rank_ends(table.ends, low, high)
    total = np.float32(weights[low_cue(table, own)])
    for row in range(ROWS):
        gap, price = row_cues(table, own, row)
        total += weights[gap] + weights[price]
    for i in range(table.n):
        crowd, band, near = card_cues(table, own, next_card(low, high), i)
        total += weights[crowd] + weights[band] + weights[near]
        low, high = without(low, high)
    return total  # type: ignore[return-value]


@inlined_kernel
def look_at_view(view: State, seat: Seat) -> tuple[Table, Word, Word]:
    """Look at a view with the hand of a seat; rows must have been laid out."""
    ends, rows = lay_out(view)
    low, high = deck(view, 0) & ~view.seen[0], deck(view, 1) & ~view.seen[1]
    own_low, own_high = held(view, seat, 0), held(view, seat, 1)
    table = look(ends, rows, low, high, hand_size(view), int(view.players))
    return table, own_low, own_high


@inner_kernel
def write_cues(table: Table, low: Word, high: Word, out: Places) -> int:
    """Write the places of all cues of a position; return how many.

    Those of the hand come first, three for each card, ascending.
    """
    own = rank_ends(table.ends, low, high)
    k = 0
    for i in range(table.n):
        out[k], out[k + 1], out[k + 2] = card_cues(table, own, next_card(low, high), i)
        low, high = without(low, high)
        k += CARD_CUES
    for row in range(ROWS):
        out[k], out[k + 1] = row_cues(table, own, row)
        k += 2
    out[k] = low_cue(table, own)
    return k + 1


@wrapping_kernel
def write_all_cues(views: States, seats: npt.NDArray[np.int64], out: Places) -> None:
    """Write the cues of many views in which cards are chosen, each with -1 behind them."""
    for k in range(len(views)):
        n = 0
        if views[k].phase == CHOOSING:
            table, low, high = look_at_view(views[k], seats[k])
            n = write_cues(table, low, high, out[k])
        for i in range(n, out.shape[1]):
            out[k, i] = NO_CUE
