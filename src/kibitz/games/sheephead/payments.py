"""Who pays whom when a hand has ended.

In a picked hand everything is a multiple of what one opponent pays or gets: the picker alone gets
it four times, a picker with a partner twice, and the partner once.
"""

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.game import Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.sheephead.cards import CARDS, POINTS
from kibitz.games.sheephead.doubling import n_doublings
from kibitz.games.sheephead.state import (
    DOUBLED_HANDS,
    OVER,
    SEATS,
    TRICKS,
    WAITING,
    wide,
)

# Cents per opponent, by how high the picker's side wins or loses.
PLAIN, SCHNEIDER, SCHWARZ = 0, 1, 2  # 61 to 90 or 31 to 60 points; more; all tricks or none
WON_ALONE, LOST_ALONE = np.array([15, 20, 25]), np.array([20, 25, 30])
WON_TOGETHER, LOST_TOGETHER = np.array([5, 10, 15]), np.array([10, 15, 20])
NOLA_CENTS = 5  # per other player, also in a leaster

POINTS_TO_WIN, POINTS_FOR_SCHNEIDER, POINTS_OUT_OF_SCHNEIDER = 61, 91, 31
EVEN = 60


def _worth(points: int) -> np.uint64:
    """Return the cards that count so many points."""
    return np.uint64(sum(1 << card for card in range(CARDS) if POINTS[card] == points))


_ACES, _TENS, _KINGS, _QUEENS, _JACKS = (_worth(points) for points in (11, 10, 4, 3, 2))


@kernel
def card_points(cards: np.uint64) -> int:
    """Add up the points of a set of cards."""
    return (
        11 * popcount(cards & _ACES)
        + 10 * popcount(cards & _TENS)
        + 4 * popcount(cards & _KINGS)
        + 3 * popcount(cards & _QUEENS)
        + 2 * popcount(cards & _JACKS)
    )


@kernel
def points_of_side(state: State) -> int:
    """Return the points of the picker's side: its tricks and the bury."""
    points = card_points(state.buried)
    for seat in range(SEATS):
        if is_on_side(state, seat):
            points += wide(state.points[seat])
    return points


@kernel
def is_on_side(state: State, seat: Seat) -> bool:
    """Whether a seat is the picker or his partner."""
    return state.picker == seat + 1 or state.partner == seat + 1


@kernel
def cents_per_opponent(state: State) -> int:
    """Return what each opponent pays to the picker's side; negative = gets."""
    points = points_of_side(state)
    tricks = 0
    for seat in range(SEATS):
        if is_on_side(state, seat):
            tricks += wide(state.tricks[seat])
    alone = state.called == 0
    if tricks == TRICKS or (tricks > 0 and points >= POINTS_TO_WIN):
        height = PLAIN if points < POINTS_FOR_SCHNEIDER else SCHNEIDER
        height = SCHWARZ if tricks == TRICKS else height
        return WON_ALONE[height] if alone else WON_TOGETHER[height]
    height = PLAIN if points >= POINTS_OUT_OF_SCHNEIDER else SCHNEIDER
    height = SCHWARZ if tricks == 0 else height
    if state.bump != 0:
        return -2 * (WON_ALONE[height] if alone else WON_TOGETHER[height])
    return -(LOST_ALONE[height] if alone else LOST_TOGETHER[height])


@kernel
def pay_picked(state: State) -> None:
    """Pay a hand that somebody picked."""
    cents = cents_per_opponent(state)
    is_even = points_of_side(state) == EVEN
    for seat in range(SEATS):
        if state.picker == seat + 1:
            share = 4 if state.called == 0 else 2
        else:
            share = 1 if state.partner == seat + 1 else -1
        _pay(state, seat, share * cents)
    _end_hand(state)
    if is_even:
        state.doubled = DOUBLED_HANDS + (state.doubled if state.stack != 0 else 0)


@kernel
def pay_nola(state: State) -> None:
    """Pay a Nola: who takes the last trick loses, unless he has taken all."""
    taker = wide(state.last_winner) - 1
    _pay_one(state, taker, NOLA_CENTS if state.tricks[taker] == TRICKS else -NOLA_CENTS)
    _end_hand(state)


@kernel
def pay_leaster(state: State) -> None:
    """Pay a leaster: who has the fewest points, and a trick, wins."""
    best, fewest, shared = -1, 0, False
    for seat in range(SEATS):
        if state.tricks[seat] > 0:
            points = wide(state.points[seat])
            if state.last_winner == seat + 1:
                points += card_points(state.blind)
            if best < 0 or points < fewest:
                best, fewest, shared = seat, points, False
            elif points == fewest:
                shared = True
    _pay_one(state, best, 0 if shared else NOLA_CENTS)
    _end_hand(state)


@kernel
def pay_doubler(state: State) -> None:
    """Let nobody pay, and the next hand pay double."""
    _pay_one(state, 0, 0)
    _end_hand(state)
    state.doubled = max(wide(state.doubled), 1)


@inner_kernel
def _pay_one(state: State, seat: Seat, cents: int) -> None:
    """Let everybody else pay so many cents to a seat."""
    for other in range(SEATS):
        _pay(state, other, (SEATS - 1) * cents if other == seat else -cents)


@inner_kernel
def _pay(state: State, seat: Seat, cents: int) -> None:
    """Pay a seat, as often doubled as this hand is."""
    cents <<= n_doublings(state)
    state.paid[seat] = cents
    state.money[seat] += cents


@inner_kernel
def _end_hand(state: State) -> None:
    """Wait for the next hand, or end the session."""
    state.doubled -= 1 if state.doubled > 0 else 0
    state.redeals = 0
    state.turn = 0
    state.leader = 0
    state.phase = OVER if state.dealt >= state.hands else WAITING
