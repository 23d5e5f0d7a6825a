"""What a seat can tell of the trick that is played: sides, cards that are out, what beats what.

All functions take views: what a seat does not know is not there.
"""

import numpy as np

from kibitz.core.bits import ONE
from kibitz.core.game import Seat, State
from kibitz.core.kernels import inner_kernel
from kibitz.games.sheephead.cards import (
    ALL_CARDS,
    CARDS,
    FIRST_TRUMP,
    POINTS,
    TRUMPS,
    bit,
    cards_of_suit,
)
from kibitz.games.sheephead.play import power_now, suit_in
from kibitz.games.sheephead.state import HIDDEN, NOLA_PLAYING, SEATS, wide

_NONE = np.uint64(0)


@inner_kernel
def side_of(view: State, seat: Seat, other: Seat) -> int:
    """Return 1 for a friend of a seat, -1 for an enemy, 0 for who may be either.

    It goes by all that is seen, `without` included: who has shown not to hold the called card is a
    friend of the other defenders, and the picker's enemy. `insight.is_with` leaves such seats
    unknown; for the bot `rule` whoever is not known to be with the picker defends.
    """
    if other == seat:
        return 1
    picks, on = view.picker == seat + 1, view.picker == other + 1
    if view.called == 0:
        return -1 if picks or on else 1
    if view.partner != 0:
        own = picks or view.partner == seat + 1
        return 1 if own == (on or view.partner == other + 1) else -1
    if on:
        return -1  # the partner knows that he is: who does not is against the picker
    if view.without >> other & 1:
        return -1 if picks else 1
    return 0


@inner_kernel
def places_to_the_left(view: State, seat: Seat, other: Seat) -> int:
    """Count the places from a seat to another one; 0 to 4."""
    n = 0
    while n < SEATS - 1 and seat != other:
        seat = wide(view.left[seat])
        n += 1
    return n


@inner_kernel
def gone_for(view: State, seat: Seat) -> np.uint64:
    """Return the cards that are out of play as far as a seat knows: played, or buried by itself."""
    cards = view.buried if view.picker == seat + 1 else _NONE
    for other in range(SEATS):
        cards |= view.played[other]
    return cards


@inner_kernel
def unseen_or_buried(view: State, seat: Seat) -> np.uint64:
    """Return the cards that others may hold or have buried: what networks are shown.

    In an open hand, and in a world, the bury of another seat is among them.
    """
    return ALL_CARDS & ~(view.hand[seat] | gone_for(view, seat))


@inner_kernel
def unseen_by(view: State, seat: Seat) -> np.uint64:
    """Return the cards of which a seat does not know where they are; any bury that is shown is."""
    return unseen_or_buried(view, seat) & ~view.buried


@inner_kernel
def stronger(view: State, card: int) -> np.uint64:
    """Return all cards that would beat a card that has been laid in this trick."""
    if view.phase == NOLA_PLAYING or view.called_ten != 0:
        cards, power = _NONE, power_now(view, card)
        for other in range(CARDS):
            if power_now(view, other) > power:
                cards |= bit(other)
        return cards
    if card >= FIRST_TRUMP:
        return TRUMPS & ~((ONE << np.uint64(card + 1)) - ONE)
    if suit_in(view.phase, card) != view.led:
        return TRUMPS | cards_of_suit(view.led)
    return TRUMPS | cards_of_suit(view.led) & ~((ONE << np.uint64(card + 1)) - ONE)


@inner_kernel
def winners(view: State, cards: np.uint64) -> np.uint64:
    """Return those of some cards that would take the trick from who is winning it."""
    laid = wide(view.laid[view.winner])
    if laid == HIDDEN or (view.face_down > 0 and laid == view.face_down):
        return cards & (cards_of_suit(view.led) | TRUMPS)
    return cards & stronger(view, laid - 1)


@inner_kernel
def points_laid(view: State) -> int:
    """Add up the points in the trick."""
    points = 0
    for seat in range(SEATS):
        if view.laid[seat] > 0:
            points += POINTS[wide(view.laid[seat]) - 1]
    return points
