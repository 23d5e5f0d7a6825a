"""What a wish binds, and what a turn without the wished rank tells about a hand.

While a wish stands, whoever can play a natural card of its rank in a regular turn must. So a turn
that does not fulfil it is a denial: this seat could not, with the cards it held then. As any card
of the rank ends the wish, a seat has played none of them since the wish was made. Two things are
kept of all denials.

A seat that leads, or could have laid the card as a single, holds none of the rank: it is `lacking`
from then on, and nothing else needs to be kept of it. Every other denial is kept with the table it
was made on and what the seat had played by then, unless an earlier one implies it.
"""

import numpy as np

from kibitz.core.game import Seat, State
from kibitz.core.kernels import inner_kernel
from kibitz.games.tichu.combinations import NOTHING, PAIR, SINGLE, TRIO
from kibitz.games.tichu.plays import can_fulfil
from kibitz.games.tichu.state import MAX_DENIALS, SEATS, cards_of_rank, flushes, table_of, wide

MAX_FORGOTTEN = 100  # so that the sum with those that are kept fits the field

_NONE = np.uint64(0)


@inner_kernel
def must_fulfil(state: State, seat: Seat) -> bool:
    """Whether a seat on turn is bound by the wish."""
    if state.wish == 0 or state.hand[seat] & cards_of_rank(state.wish) == _NONE:
        return False
    kind, length, height = table_of(state)
    return can_fulfil(state.hand[seat], kind, length, height, state.wish, flushes(state))


@inner_kernel
def note_denial(state: State, seat: Seat) -> None:
    """Keep what a turn without the wished rank tells about the hand before it."""
    if (state.lacking >> seat) & 1:
        return
    kind, length, height = table_of(state)
    wished = 2 * state.wish
    if kind == NOTHING or (kind == SINGLE and height < wished):
        state.lacking |= 1 << seat
        _forget_denials(state, seat)
        return
    if kind == SINGLE or (kind in (PAIR, TRIO) and height >= wished):
        kind, length, height = SINGLE, 1, wished  # only a bomb can fulfil it: all these are alike
    elif kind in (PAIR, TRIO):
        height = 0  # the equals of that rank would do: all lower tables are alike
    _keep_denial(state, seat, kind, length, height)


@inner_kernel
def _keep_denial(state: State, seat: Seat, kind: int, length: int, height: int) -> None:
    """Keep a denial unless one is there that says as much; what finds no room is counted."""
    n = state.n_denials
    for i in range(n):
        if (
            state.denial_seat[i] == seat
            and state.denial_kind[i] == kind
            and state.denial_length[i] == length
        ):
            if state.denial_height[i] <= height:
                return
            if state.denial_played[i] == state.played[seat]:
                state.denial_height[i] = height
                return
    if n < MAX_DENIALS:
        state.denial_seat[n] = seat
        state.denial_kind[n] = kind
        state.denial_length[n] = length
        state.denial_height[n] = height
        state.denial_played[n] = state.played[seat]
        state.n_denials = n + 1
    elif state.forgotten < MAX_FORGOTTEN:
        state.forgotten += 1


@inner_kernel
def _forget_denials(state: State, seat: Seat) -> None:
    """Drop the denials of a seat; the others move up."""
    n = 0
    for i in range(state.n_denials):
        if state.denial_seat[i] != seat:
            state.denial_seat[n] = state.denial_seat[i]
            state.denial_kind[n] = state.denial_kind[i]
            state.denial_length[n] = state.denial_length[i]
            state.denial_height[n] = state.denial_height[i]
            state.denial_played[n] = state.denial_played[i]
            n += 1
    _clear_denials(state, n)


@inner_kernel
def _clear_denials(state: State, begin: int) -> None:
    for i in range(begin, state.n_denials):
        state.denial_seat[i] = 0
        state.denial_kind[i] = 0
        state.denial_length[i] = 0
        state.denial_height[i] = 0
        state.denial_played[i] = _NONE
    state.n_denials = begin


@inner_kernel
def clear_wish(state: State) -> None:
    """Begin a round without a wish."""
    state.wish = 0
    state.wished = 0
    state.lacking = 0
    state.forgotten = 0
    _clear_denials(state, 0)


@inner_kernel
def count_misfits(state: State, known: Seat) -> int:
    """Count the denials that the hands of a world contradict; the seat `known` is not looked at."""
    n = 0
    for seat in range(SEATS):
        is_lacking = (state.lacking >> seat) & 1 and seat != known
        if is_lacking and state.hand[seat] & cards_of_rank(state.wished) != _NONE:
            n += 1
    for i in range(state.n_denials):
        seat = wide(state.denial_seat[i])
        if seat == known:
            continue
        held = (state.hand[seat] | state.played[seat]) & ~state.denial_played[i]
        kind, length = wide(state.denial_kind[i]), wide(state.denial_length[i])
        height = wide(state.denial_height[i])
        if can_fulfil(held, kind, length, height, state.wished, flushes(state)):
            n += 1
    return n
