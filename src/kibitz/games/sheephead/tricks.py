"""What positions leave out because it follows: the suit led, who wins a trick, what is hidden."""

import numpy as np

from kibitz.core.game import Seat
from kibitz.games.sheephead.cards import FAIL_CARDS, FIRST_TRUMP, NOLA_RANK, TEN, TRUMP
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    HAND_CARDS,
    HIDDEN,
    LEASTER_PLAYING,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    SEATS,
    WAITING,
)
from kibitz.games.sheephead.words import is_nola, suit_in

ENDED = (WAITING, OVER)
WITH_BLIND = (BIDDING, NOLA_PLAYING, LEASTER_PLAYING)
WITH_BURY = (DECLARING, BLITZING, CRACKING, PLAYING)


def order_from(state: np.record, seat: Seat) -> list[Seat]:
    """List the seats from one to the left."""
    order = [seat]
    while len(order) < SEATS:
        order.append(int(state.left[order[-1]]))
    return order


def winner_of(state: np.record, number: int) -> tuple[int, Seat]:
    """Return the suit that is led in a trick, and who wins it.

    Args:
        state: the state that the trick is part of.
        number: of the trick, counted from 1: the one that is being played, or the one before.
    """
    is_last = number == state.tricks_played
    cards = state.last if is_last else state.laid
    leader = int(state.last_leader if is_last else state.leader)
    led, winner = suit_laid(state, int(cards[leader])), leader
    ten_is_top = bool(state.called_ten and number == state.called_led)
    best = -1.0
    for seat in order_from(state, leader):
        strength = _strength(state, int(cards[seat]), led, ten_is_top)
        if cards[seat] and strength > best:
            winner, best = seat, strength
    return led, winner


def is_unknown(state: np.record, card: int) -> bool:
    """Whether a card, plus one, is the unknown one."""
    return card == HIDDEN or (card > 0 and card == state.face_down)


def suit_laid(state: np.record, card: int) -> int:
    """Return the suit for which a card, plus one, counts in a trick."""
    if is_unknown(state, card):
        return max(int(state.called) - 1, 0) // FAIL_CARDS
    return suit_in(state, card - 1)


def _strength(state: np.record, card: int, led: int, ten_is_top: bool) -> float:
    """Rank a card in a trick; 0 = it cannot win, unless it was led."""
    if is_unknown(state, card) or not card:
        return 0
    card -= 1
    suit = suit_in(state, card)
    if is_nola(state):
        return 1 + int(NOLA_RANK[card]) if suit == led else 0
    if ten_is_top and state.called == card + 1 and card % FAIL_CARDS == TEN:
        return FIRST_TRUMP + 0.5
    return 1 + card if suit in (led, TRUMP) else 0


def n_held(state: np.record, seat: Seat) -> int:
    """Count the cards that a seat holds, hidden or not."""
    if state.dealt == 0:
        return 0
    if state.phase == BURYING and state.picker == seat + 1:
        return HAND_CARDS + 2
    return HAND_CARDS - int(state.tricks_played) - bool(state.laid[seat])


def hand_is_hidden(state: np.record, seat: Seat) -> bool:
    """Whether a seat has cards that are not shown."""
    return bool(state.hand[seat] == 0 and n_held(state, seat) > 0 and state.phase not in ENDED)


def blind_is_hidden(state: np.record) -> bool:
    """Whether there is a blind that is not shown."""
    return bool(state.blind == 0 and state.phase in WITH_BLIND)


def bury_is_hidden(state: np.record) -> bool:
    """Whether cards are buried that are not shown."""
    return bool(state.buried == 0 and state.phase in WITH_BURY)
