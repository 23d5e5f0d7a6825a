"""What a seat knows, and worlds that fit it."""

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.game import Seat, State
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng, below
from kibitz.games.sheephead.cards import ALL_CARDS, POINTS, bit
from kibitz.games.sheephead.state import (
    BLIND_CARDS,
    HAND_CARDS,
    HIDDEN,
    OVER,
    SEATS,
    WAITING,
    wide,
)

_NONE = np.uint64(0)
_ONE = np.uint64(1)

# The free places of five hands and of the pile on the table (the blind, or what is buried) are
# counted in the bytes of a word: byte b has those of the first b + 1 of them together. A place
# drawn at random is compared with all bytes at once: no byte is above 32, so its top bit is free to
# catch the borrow.
PILE = SEATS
_EVERY_BYTE = np.uint64(0x0101010101010101)
_TOP_BITS = np.uint64(0x8080808080808080)


@kernel
def _places_from(pile: int) -> np.uint64:
    """Give one place in the counts of a pile and those after it."""
    return _EVERY_BYTE << np.uint64(8 * pile)


@kernel
def _n_places(places: np.uint64) -> int:
    """Count all free places."""
    return np.int64(places >> np.uint64(56))  # type: ignore[return-value]


@kernel
def _pile_at(places: np.uint64, place: int) -> int:
    """Give the pile that has a place."""
    return popcount(((np.uint64(place) * _EVERY_BYTE | _TOP_BITS) - places) & _TOP_BITS)


@kernel
def deal_all(state: State, rng: Rng) -> None:
    """Deal the whole deck: six cards to every hand and two to the blind."""
    places = np.uint64(BLIND_CARDS) * _places_from(PILE)
    for seat in range(SEATS):
        state.hand[seat] = _NONE
        places += np.uint64(HAND_CARDS) * _places_from(seat)
    blind = _NONE
    cards = ALL_CARDS
    while cards != _NONE:
        card = cards & (~cards + _ONE)
        cards ^= card
        pile = _pile_at(places, below(rng, _n_places(places)))
        places -= _places_from(pile)
        if pile < SEATS:
            state.hand[pile] |= card
        else:
            blind |= card
    state.blind = blind


@kernel
def conceal(state: State, seat: Seat) -> None:
    """Hide what a seat does not know."""
    state.misfits = 0
    if state.phase == WAITING or state.phase == OVER:
        return
    for other in range(SEATS):
        if other != seat:
            state.hand[other] = _NONE
    state.blind = _NONE
    if state.partner != seat + 1 and state.revealed == 0:
        state.partner = 0
    if state.picker != seat + 1:
        state.buried = _NONE
        if state.face_down > 0:
            _hide_unknown(state)


@kernel
def _hide_unknown(state: State) -> None:
    """Turn the unknown card over, wherever it is."""
    card = wide(state.face_down) - 1
    picker = wide(state.picker) - 1
    state.face_down = HIDDEN
    if state.face_down_at == 0:
        return
    state.played[picker] &= ~bit(card)
    if state.laid[picker] == card + 1:
        state.laid[picker] = HIDDEN
    if state.last[picker] == card + 1:
        state.last[picker] = HIDDEN
    if state.face_down_to != 0:
        state.points[wide(state.face_down_to) - 1] -= POINTS[card & 31]


@kernel
def resample(view: State, seat: Seat, rng: Rng) -> None:
    """Fill the blanks of a view."""
