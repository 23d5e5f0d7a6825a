"""What a seat knows, and worlds that fit it.

**Hidden.** The other hands; the six last cards of everybody until all have answered at eight; what
others answer or give face down until all have; and for ever the cards that two others gave each
other. When a round has ended its hands are open.

**Uniform.** All deals and all exchanges are equally likely beforehand. Whatever the four hands
after the exchange, equally many deals and exchanges lead to them: which of its 14 cards a seat got
from whom can be chosen in 14 * 13 * 12 ways, and the rest follows. So the unseen cards are dealt
uniformly to the hidden hands, those that the seat gave away and that were not played since are
where it gave them, and the cards that two others gave each other are drawn from the receiver's.
Who began the round holds the Mah Jong until it is played.

**Wishes.** A seat that is `lacking` gets no card of the wished rank: those cards are dealt first,
uniformly to the places of the others. Other denials are fulfilled by dealing again, up to
MAX_TRIES times; a world that still contradicts some counts them in `misfits`.

**Pending answers** to the question for a call are yes or no, equally likely. In a bomb window
nobody sees even who has answered: at a table whose forced seats are answered for last, that would
tell who holds a bomb. All others seem to be still to answer.
"""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng, below
from kibitz.games.tichu.cards import ALL_CARDS, CALL, MAH_JONG_BIT, NO_GRAND, NO_TICHU, other_action
from kibitz.games.tichu.state import (
    EXCHANGE,
    FIRST_CARDS,
    GRAND_CALLING,
    HAND_CARDS,
    OVER,
    SEATS,
    UNKNOWN,
    WAITING,
    WINDOW,
    cards_of_rank,
    is_exchanged,
    n_cards,
    wide,
)
from kibitz.games.tichu.wishes import count_misfits

MAX_TRIES = 200
"""How often the unseen cards are dealt for a world that contradicts no denial."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)

# The free places of the four hands and the four stocks are counted in the bytes of a word: byte b
# has those of the first b + 1 of them together. A place drawn at random is compared with all bytes
# at once: no byte is above 56, so its top bit is free to catch the borrow.
_EVERY_BYTE = np.uint64(0x0101010101010101)
_TOP_BITS = np.uint64(0x8080808080808080)


@inner_kernel
def _places_from(pile: int) -> np.uint64:
    """Return one place in the counts of a pile and those after it: hands are 0..3, stocks 4..7."""
    return _EVERY_BYTE << np.uint64(8 * pile)


@inner_kernel
def _n_places(places: np.uint64) -> int:
    """Count all free places."""
    return np.int64(places >> np.uint64(56))  # type: ignore[return-value]


@inner_kernel
def deal_cards(state: State, cards: np.uint64, places: np.uint64, rng: Rng) -> np.uint64:
    """Deal cards uniformly to free places; return the places that are left.

    Where there are too few, which no view of a game has, some cards stay out.
    """
    while cards != _NONE and _n_places(places) > 0:
        card = cards & (~cards + _ONE)
        cards ^= card
        place = np.uint64(below(rng, _n_places(places)))
        pile = popcount(((place * _EVERY_BYTE | _TOP_BITS) - places) & _TOP_BITS)
        places -= _places_from(pile)
        if pile < SEATS:
            state.hand[pile] |= card
        else:
            state.stock[pile - SEATS] |= card
    return places


@inner_kernel
def deal_hands(state: State, rng: Rng) -> None:
    """Deal the whole deck: eight cards to every hand and six to every stock."""
    places = _NONE
    for seat in range(SEATS):
        state.hand[seat] = _NONE
        state.stock[seat] = _NONE
        places += np.uint64(FIRST_CARDS) * _places_from(seat)
        places += np.uint64(HAND_CARDS - FIRST_CARDS) * _places_from(SEATS + seat)
    deal_cards(state, ALL_CARDS, places, rng)


@kernel
def conceal(state: State, seat: Seat) -> None:
    """Hide what a seat does not know."""
    is_open = state.phase == WAITING or state.phase == OVER
    exchanged = is_exchanged(state)
    state.misfits = 0
    for other in range(SEATS):
        state.stock[other] = _NONE
        if other == seat:
            continue
        if not is_open:
            state.hand[other] = _NONE
        if state.pending[other] != 0 and state.phase == WINDOW:
            state.pending[other] = 0
            state.deciding |= 1 << other
        elif state.pending[other] != 0:
            state.pending[other] = UNKNOWN
        for k in range(3):
            to_seat = exchanged and (other + k + 1) & 3 == seat
            if state.given[other, k] != 0 and not to_seat:
                state.given[other, k] = UNKNOWN


@kernel
def resample(view: State, seat: Seat, rng: Rng) -> None:
    """Fill the blanks of a view."""
    if view.phase != WAITING and view.phase != OVER:
        _deal_unseen(view, seat, rng)
    if view.phase == EXCHANGE:
        _draw_giving(view, rng)
    else:
        draw_given(view, rng)
    for other in range(SEATS):
        if view.pending[other] == UNKNOWN:
            view.pending[other] = _draw_answer(view, rng)


@inner_kernel
def _deal_unseen(view: State, seat: Seat, rng: Rng) -> None:
    """Deal the unseen cards until they contradict no denial."""
    _deal_once(view, seat, rng)
    if view.wished == 0:
        return
    misfits = count_misfits(view, seat)
    for _ in range(MAX_TRIES - 1):
        if misfits == 0:
            break
        _deal_once(view, seat, rng)
        misfits = count_misfits(view, seat)
    view.misfits = misfits + view.forgotten


@inner_kernel
def place_known(view: State, seat: Seat) -> np.uint64:
    """Clear the hidden hands but for cards whose place a seat knows; return those it does not."""
    unseen = ALL_CARDS
    for other in range(SEATS):
        unseen &= ~view.played[other]
        view.stock[other] = _NONE
        if other == seat:
            unseen &= ~view.hand[other]
        else:
            view.hand[other] = _NONE
    if seat >= 0 and is_exchanged(view):
        unseen &= ~_put_given(view, seat)
    if view.opener > 0 and unseen & MAH_JONG_BIT != _NONE:
        view.hand[view.opener - 1] |= MAH_JONG_BIT
        unseen &= ~MAH_JONG_BIT
    return unseen


@inner_kernel
def _deal_once(view: State, seat: Seat, rng: Rng) -> None:
    """Deal the unseen cards to the hidden hands and stocks."""
    unseen = place_known(view, seat)
    free, able = _NONE, _NONE  # places of all hidden hands, and of those that are not lacking
    for other in range(SEATS):
        if other != seat:
            n = np.uint64(n_cards(view, other) - popcount(view.hand[other]))
            free += n * _places_from(other)
            if not (view.lacking >> other) & 1:
                able += n * _places_from(other)
    if view.phase == GRAND_CALLING:
        for other in range(SEATS):
            free += np.uint64(HAND_CARDS - FIRST_CARDS) * _places_from(SEATS + other)
    wished = unseen & cards_of_rank(view.wished) if view.lacking else _NONE
    if wished != _NONE and popcount(wished) <= _n_places(able):
        unseen &= ~wished
        free -= able - deal_cards(view, wished, able, rng)
    deal_cards(view, unseen, free, rng)


@inner_kernel
def _put_given(view: State, seat: Seat) -> np.uint64:
    """Put what a seat gave away where it still is; return these cards."""
    put = _NONE
    for k in range(3):
        to_seat = (seat + k + 1) & 3
        card = _ONE << np.uint64(wide(view.given[seat, k]) - 1)
        if view.played[to_seat] & card == _NONE:
            view.hand[to_seat] |= card
            put |= card
    return put


@inner_kernel
def _draw_card(cards: np.uint64, rng: Rng) -> int:
    """Draw one of a set of cards."""
    for _ in range(below(rng, popcount(cards))):
        cards &= cards - _ONE
    return lowest(cards)


@inner_kernel
def _draw_giving(view: State, rng: Rng) -> None:
    """Draw what others are about to give from their hands."""
    for giver in range(SEATS):
        left = view.hand[giver]
        for k in range(3):
            if view.given[giver, k] == UNKNOWN:
                card = _draw_card(left, rng)
                left &= ~(_ONE << np.uint64(card))
                view.given[giver, k] = card + 1


@inner_kernel
def draw_given(view: State, rng: Rng) -> None:
    """Draw what others gave each other from what the receivers had after the exchange."""
    for receiver in range(SEATS):
        left = view.hand[receiver] | view.played[receiver]
        for k in range(3):
            card = wide(view.given[(receiver + 3 - k) & 3, k]) - 1
            if card >= 0:
                left &= ~(_ONE << np.uint64(card))
        for k in range(3):
            giver = (receiver + 3 - k) & 3
            if view.given[giver, k] == UNKNOWN:
                card = _draw_card(left, rng)
                left &= ~(_ONE << np.uint64(card))
                view.given[giver, k] = card + 1


@inner_kernel
def _draw_answer(view: State, rng: Rng) -> int:
    """Draw what a seat has answered face down, when it was asked for a call."""
    if view.phase == GRAND_CALLING:
        return other_action(CALL, NO_GRAND + below(rng, 2))
    return other_action(CALL, NO_TICHU + below(rng, 2))
