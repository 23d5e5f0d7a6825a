"""Hands of Tichu by rank: a nibble per rank, so that equal ranks and rows are found by shifting.

`by_rank` puts rank r in nibble r - 1: the Mah Jong, rank 1, stands below the 2, and a straight is a
row of nibbles. The Dog, the Phoenix and the Dragon have no rank and are left out. A set of ranks
is written as the lowest bits of their nibbles.
"""

import numpy as np

from kibitz.core.bits import ONE, lowest
from kibitz.core.kernels import inner_kernel
from kibitz.games.tichu.cards import MAH_JONG, RANKED

NONE = np.uint64(0)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NIBBLE = np.uint64(15)
EVERY_RANK = np.uint64(0x1111_1111_1111_1111)
REAL_RANKS = np.uint64(0x0011_1111_1111_1110)  # 2 to 14: what the Phoenix can stand for
S1, S2, S3, S4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)

_UPPER_THREE = np.uint64(0xEEEE_EEEE_EEEE_EEEE)
_UPPER_TWO = np.uint64(0xCCCC_CCCC_CCCC_CCCC)
_UPPER_ONE = np.uint64(0x8888_8888_8888_8888)
_EVERY_OTHER = np.uint64(0x5555_5555_5555_5555)
_LOWER_TWO = np.uint64(0x3333_3333_3333_3333)
_S8, _S12, _S16 = np.uint64(8), np.uint64(12), np.uint64(16)
_TO_MAH_JONG = np.uint64(MAH_JONG)


@inner_kernel
def by_rank(hand: np.uint64) -> np.uint64:
    """Put the cards with a rank in order."""
    return ((hand & RANKED) << S4) | ((hand >> _TO_MAH_JONG) & ONE)


@inner_kernel
def to_cards(ranks: np.uint64) -> np.uint64:
    """Turn cards in the order of `by_rank` into a set of cards again."""
    return (ranks >> S4) | ((ranks & ONE) << _TO_MAH_JONG)


@inner_kernel
def place_of(rank: int) -> np.uint64:
    """Return the place of the nibble of a rank."""
    return np.uint64(4 * (rank - 1))


@inner_kernel
def rank_at(place: int) -> int:
    """Return the rank whose nibble has this place."""
    return 1 + (place >> 2)


@inner_kernel
def first_ranks(count: int) -> np.uint64:
    """Return the nibbles of so many ranks, 0 to 15, from rank 1 on."""
    return (ONE << np.uint64(4 * count)) - ONE


@inner_kernel
def ranks_above(height: int) -> np.uint64:
    """Return the nibbles of all ranks above a height, which is twice a rank."""
    return ALL << np.uint64(4 * (height >> 1))


@inner_kernel
def ranks_in(cards: np.uint64) -> np.uint64:
    """Return the set of ranks that occur."""
    return (cards | (cards >> S1) | (cards >> S2) | (cards >> S3)) & EVERY_RANK


@inner_kernel
def lowest_suits(cards: np.uint64) -> np.uint64:
    """Return the card of the lowest suit of every rank."""
    higher = (cards << S1) & _UPPER_THREE | (cards << S2) & _UPPER_TWO | (cards << S3) & _UPPER_ONE
    return cards & ~higher


@inner_kernel
def count_ranks(cards: np.uint64) -> np.uint64:
    """Return in every nibble the number of its cards."""
    pairs = cards - ((cards >> S1) & _EVERY_OTHER)
    return (pairs & _LOWER_TWO) + ((pairs >> S2) & _LOWER_TWO)


@inner_kernel
def longer_rows(
    whole: np.uint64, gapped: np.uint64, full: np.uint64, partial: np.uint64, size: int
) -> tuple[np.uint64, np.uint64]:
    """Go on from the ranks where size - 1 ranks in a row begin to those where `size` do.

    Args:
        whole: Where all ranks in a row are full.
        gapped: Where all but at most one are full, and that one is partial.
        full: The ranks that need no Phoenix.
        partial: Those that do with it at most; only `full` if there is no Phoenix.
        size: How many in a row.
    """
    place = place_of(size)
    return whole & (full >> place), (gapped & (full >> place)) | (whole & (partial >> place))


@inner_kernel
def row_starts(size: int, height: int, wish: int) -> np.uint64:
    """Return the nibbles where `size` ranks in a row may begin: they end above a height.

    If there is a wish, its rank is among them.
    """
    first = (height >> 1) + 2 - size
    starts = ALL << place_of(first) if first > 1 else ALL
    if wish > 0:
        starts &= first_ranks(wish)
        if wish > size:
            starts &= ~first_ranks(wish - size)
    return starts


# What follows takes and gives sets of cards.


@inner_kernel
def find_quads(hand: np.uint64) -> np.uint64:
    """Return the lowest card of every quad."""
    return hand & (hand >> S1) & (hand >> S2) & (hand >> S3) & EVERY_RANK & RANKED


@inner_kernel
def is_one_suit(cards: np.uint64) -> bool:
    """Whether cards of suits have all the same one."""
    return cards & ~(EVERY_RANK << np.uint64(lowest(cards) & 3)) == 0


@inner_kernel
def straight_flushes(hand: np.uint64) -> np.uint64:
    """Return the lowest card of every straight flush of five cards."""
    cards = hand & RANKED
    two = cards & (cards >> S4)
    return two & (two >> _S8) & (cards >> _S16)


@inner_kernel
def long_flushes(hand: np.uint64, size: int) -> np.uint64:
    """Return the lowest card of every straight flush of `size` cards."""
    cards = hand & RANKED
    starts = cards
    for rank in range(2, size + 1):
        starts &= cards >> place_of(rank)
    return starts


@inner_kernel
def flush_cards(hand: np.uint64) -> np.uint64:
    """Return the cards that are part of a straight flush."""
    starts = straight_flushes(hand)
    return starts | (starts << S4) | (starts << _S8) | (starts << _S12) | (starts << _S16)
