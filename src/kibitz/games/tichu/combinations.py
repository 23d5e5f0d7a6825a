"""Combinations of Tichu: what cards are, and what beats what.

Everything here works on sets of cards in one word, without a state.
"""

import numpy as np

from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Action
from kibitz.core.kernels import inner_kernel
from kibitz.games.tichu.cards import (
    ACE,
    DOG_BIT,
    DRAGON_BIT,
    LOWEST_RANK,
    PHOENIX_BIT,
    PLAY,
    RANKED,
    cards_of,
    kind_of,
    phoenix_of,
)
from kibitz.games.tichu.ranks import (
    EVERY_RANK,
    NIBBLE,
    S1,
    S4,
    by_rank,
    count_ranks,
    first_ranks,
    is_one_suit,
    place_of,
    rank_at,
)

# What cards can be.
NOTHING = 0  # no combination; as the table: nothing to beat
SINGLE = 1
PAIR = 2
TRIO = 3
FULL_HOUSE = 4
STRAIGHT = 5
STEPS = 6  # two or more pairs in a row
BOMB = 7  # four cards: a quad; more: a straight flush
DOG = 8  # no combination that anything could beat

PHOENIX_LED = 3  # heights are twice the rank: between Mah Jong and 2
DRAGON_HEIGHT = 30
SHORTEST_STRAIGHT = 5
QUAD = 4  # cards in a bomb of one rank

_DOG_OR_DRAGON = DOG_BIT | DRAGON_BIT


@inner_kernel
def classify(
    cards: np.uint64, phoenix_rank: int, on_height: int, flush: bool
) -> tuple[int, int, int]:
    """Return what cards are: kind, number of cards and height.

    Args:
        cards: A set that is not empty.
        phoenix_rank: What the Phoenix stands for; 0 if it is alone or absent.
        on_height: Height of the single that lies on the table, 0 if there is none.
        flush: Whether a straight of one suit is a bomb.
    """
    length = popcount(cards)
    has_phoenix = cards & PHOENIX_BIT != 0
    if length == 1:
        return _classify_single(cards, phoenix_rank, on_height)
    if cards & _DOG_OR_DRAGON != 0 or has_phoenix != (phoenix_rank != 0) or length > ACE:
        return NOTHING, 0, 0
    counts = count_ranks(by_rank(cards))
    if has_phoenix:
        if phoenix_rank < LOWEST_RANK or phoenix_rank > ACE:
            return NOTHING, 0, 0
        counts += ONE << place_of(phoenix_rank)
    bottom = rank_at(lowest(counts))
    shape = counts >> place_of(bottom)
    if length <= QUAD and shape == np.uint64(length):
        if length < QUAD:
            return length, length, 2 * bottom  # PAIR and TRIO are the numbers of their cards
        return (NOTHING, 0, 0) if has_phoenix else (BOMB, QUAD, 2 * bottom)
    if length >= SHORTEST_STRAIGHT and shape == EVERY_RANK & first_ranks(length):
        is_bomb = flush and cards & ~RANKED == 0 and is_one_suit(cards)
        return (BOMB if is_bomb else STRAIGHT), length, 2 * (bottom + length - 1)
    if length & 1 == 0 and shape == (EVERY_RANK & first_ranks(length >> 1)) << S1:
        return STEPS, length, 2 * (bottom + (length >> 1) - 1)
    if length == 5 and shape >> S4 != 0:
        other = bottom + rank_at(lowest(shape >> S4))
        low, high = shape & NIBBLE, counts >> place_of(other)
        if low * high == 6:  # 2 + 3 or 3 + 2, not 1 + 4
            return FULL_HOUSE, 5, 2 * (bottom if low == 3 else other)
    return NOTHING, 0, 0


@inner_kernel
def _classify_single(cards: np.uint64, phoenix_rank: int, on_height: int) -> tuple[int, int, int]:
    """Return what one card is."""
    if phoenix_rank != 0:
        return NOTHING, 0, 0
    if cards == PHOENIX_BIT:
        return SINGLE, 1, on_height + 1 if on_height > 0 else PHOENIX_LED
    if cards == DOG_BIT:
        return DOG, 1, 0
    if cards == DRAGON_BIT:
        return SINGLE, 1, DRAGON_HEIGHT
    return SINGLE, 1, 2 * rank_at(lowest(by_rank(cards)))


@inner_kernel
def beats(
    kind: int, length: int, height: int, table_kind: int, table_length: int, table_height: int
) -> bool:
    """Whether a combination may be laid on what lies on the table (NOTHING: it is led)."""
    if table_kind == NOTHING:
        return kind != NOTHING
    if kind in (NOTHING, DOG) or table_kind == DOG:
        return False
    if kind == BOMB and (table_kind != BOMB or length != table_length):
        return table_kind != BOMB or length > table_length
    if kind != table_kind or length != table_length:
        return False
    return height > table_height and (kind != SINGLE or table_height < DRAGON_HEIGHT)


@inner_kernel
def is_play(
    hand: np.uint64,
    action: Action,
    table_kind: int,
    table_length: int,
    table_height: int,
    flush: bool,
) -> bool:
    """Whether an action lays cards of the hand that may be laid, whichever it chooses."""
    cards = cards_of(action)
    if kind_of(action) != PLAY or cards == 0 or cards & ~hand != 0:
        return False
    on_height = table_height if table_kind == SINGLE else 0
    kind, length, height = classify(cards, phoenix_of(action), on_height, flush)
    return beats(kind, length, height, table_kind, table_length, table_height)
