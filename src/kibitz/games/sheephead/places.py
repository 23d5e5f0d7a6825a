"""Places for cards, counted in the bytes of a word, and cards dealt to them at random.

A card can be in one of five hands, on the table (the blind, or what is buried), or be the unknown
card: seven piles. A set of piles is a bit mask; the free places of all piles together are a uint64,
one byte per pile.
"""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import State
from kibitz.core.kernels import inner_kernel, kernel, wrapping_kernel
from kibitz.core.rng import Rng, below
from kibitz.games.sheephead.cards import CARDS
from kibitz.games.sheephead.state import BLIND_CARDS, HAND_CARDS, SEATS

TABLE, FACE_DOWN = SEATS, SEATS + 1
N_PILES = SEATS + 2
ANYWHERE = (1 << N_PILES) - 1

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_EVERY_BYTE = np.uint64(0x0101010101010101)
_TOP_BITS = np.uint64(0x8080808080808080)
_LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
_DIAGONAL = np.uint64(0x8040201008040201)


@kernel
def places(pile: int, n: int) -> np.uint64:
    """Return so many places of a pile."""
    return np.uint64(n) << np.uint64(8 * pile)


@kernel
def within(free: np.uint64, piles: int) -> np.uint64:
    """Return those of the free places that are in some piles."""
    bits = np.uint64(piles) * _EVERY_BYTE & _DIAGONAL
    chosen = ((bits + _LOW_BITS) & _TOP_BITS) >> np.uint64(7)
    return free & chosen * np.uint64(0xFF)


@wrapping_kernel
def _added_up(free: np.uint64) -> np.uint64:
    """Return in every byte the places of a pile and of those before it."""
    return free * _EVERY_BYTE


@kernel
def n_places(free: np.uint64) -> int:
    """Count all free places."""
    return np.int64(_added_up(free) >> np.uint64(56))  # type: ignore[return-value]


@inner_kernel
def _pile_at(added_up: np.uint64, place: int) -> int:
    """Return the pile that has a place.

    All bytes are compared at once: they are below 128, so the top bit can catch the borrow.
    """
    return popcount(((np.uint64(place) * _EVERY_BYTE | _TOP_BITS) - added_up) & _TOP_BITS)


@kernel
def deal_cards(state: State, cards: np.uint64, free: np.uint64, piles: int, rng: Rng) -> np.uint64:
    """Deal cards uniformly to the free places of some piles; return the places that are left.

    Where there are too few, which no view of a game has, some cards stay out.
    """
    while cards != _NONE and within(free, piles) != _NONE:
        card = cards & (~cards + _ONE)
        cards ^= card
        there = within(free, piles)
        pile = _pile_at(_added_up(there), below(rng, n_places(there)))
        free -= places(pile, 1)
        put_cards(state, pile, card)
    return free


@kernel
def put_cards(state: State, pile: int, cards: np.uint64) -> None:
    """Put cards to a pile; the unknown card is one."""
    if pile < SEATS:
        state.hand[pile] |= cards
    elif pile == FACE_DOWN:
        state.face_down = lowest(cards) + 1
    elif state.picker != 0:
        state.buried |= cards
    else:
        state.blind |= cards


@kernel
def draw_cards(cards: np.uint64, n: int, rng: Rng) -> np.uint64:
    """Draw `n` cards of a set."""
    drawn = _NONE
    for _ in range(n):
        left = cards & ~drawn
        for _ in range(below(rng, popcount(left))):
            left &= left - _ONE
        drawn |= left & (~left + _ONE)
    return drawn


@kernel
def deal_deck(state: State, rng: Rng) -> None:
    """Deal the whole deck: six cards to every hand and two to the blind.

    The places are kept added up, and how many there are is not read from them: so no draw waits for
    the one before.
    """
    free = places(TABLE, BLIND_CARDS)
    for seat in range(SEATS):
        state.hand[seat] = _NONE
        free |= places(seat, HAND_CARDS)
    added_up = _added_up(free)
    blind = _NONE
    for card in range(CARDS):
        pile = _pile_at(added_up, below(rng, CARDS - card))
        added_up -= _EVERY_BYTE << np.uint64(8 * pile)
        if pile < SEATS:
            state.hand[pile] |= _ONE << np.uint64(card)
        else:
            blind |= _ONE << np.uint64(card)
    state.blind = blind
