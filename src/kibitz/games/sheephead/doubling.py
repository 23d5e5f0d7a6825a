"""What doubles the payments of a hand: queens that are shown, cracks, and 60 to 60 before it.

A blitz shows both black queens, or both red ones, before the first trick. Everybody is asked, also
who can only pass: so the question tells nothing.
"""

import numpy as np

from kibitz.core.game import Action, Actions, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng, below
from kibitz.games.sheephead.cards import (
    BLACK_QUEENS,
    BLITZ_BLACK,
    BLITZ_BOTH,
    CRACK,
    PASS,
    RED_QUEENS,
)
from kibitz.games.sheephead.play import unknown_in_hand
from kibitz.games.sheephead.state import wide

_BLACK, _RED = 1, 2  # pairs of queens, in a bit mask


@kernel
def pairs_held(state: State, seat: Seat) -> int:
    """Return the pairs that a seat could show, as a bit mask; the unknown card is in none."""
    hand = state.hand[seat] & ~unknown_in_hand(state)
    black = _BLACK if hand & BLACK_QUEENS == BLACK_QUEENS else 0
    return black + (_RED if hand & RED_QUEENS == RED_QUEENS else 0)


@inner_kernel
def _pairs_shown_by(action: Action) -> int:
    """Return the pairs that a blitz shows, as a bit mask; none for other actions."""
    return action - BLITZ_BLACK + 1 if BLITZ_BLACK <= action <= BLITZ_BOTH else 0


@kernel
def list_blitzes(state: State, seat: Seat, out: Actions) -> int:
    """List the answers of a seat that is asked for a blitz."""
    out[0] = PASS
    n = 1
    for action in range(BLITZ_BLACK, BLITZ_BOTH + 1):
        if may_blitz(state, seat, action):
            out[n] = action
            n += 1
    return n


@kernel
def may_blitz(state: State, seat: Seat, action: Action) -> bool:
    """Whether a seat may show these queens, or pass."""
    shown = _pairs_shown_by(action)
    return action == PASS or (shown != 0 and shown & ~pairs_held(state, seat) == 0)


@kernel
def random_blitz(state: State, seat: Seat, rng: Rng) -> Action:
    """Draw one of the answers."""
    shown = below(rng, 4) & pairs_held(state, seat)
    return BLITZ_BLACK - 1 + shown if shown != 0 else PASS


@kernel
def blitz(state: State, seat: Seat, action: Action) -> bool:
    """Show queens, or pass; return whether everybody has been asked: the picker is the last."""
    shown = _pairs_shown_by(action)
    if shown & _BLACK:
        state.black = seat + 1
    if shown & _RED:
        state.red = seat + 1
    state.turn = wide(state.left[seat])
    return seat == wide(state.picker) - 1


@kernel
def crack(state: State, seat: Seat, action: Action) -> bool:
    """Crack, or pass; return whether that was all: the others until one does, then the picker."""
    picker = wide(state.picker) - 1
    if action == CRACK:
        state.cracks += 1
    state.turn = picker if action == CRACK else wide(state.left[seat])
    return seat == picker or (action != CRACK and state.turn == picker)


@kernel
def n_doublings(state: State) -> int:
    """Count how often the payments of this hand are doubled."""
    n = wide(state.cracks) + (1 if state.doubled > 0 else 0)
    return n + (1 if state.black != 0 else 0) + (1 if state.red != 0 else 0)


@kernel
def queens_shown(state: State, seat: Seat) -> np.uint64:
    """Return the queens that a seat has shown and still holds."""
    black = BLACK_QUEENS if state.black == seat + 1 else np.uint64(0)
    red = RED_QUEENS if state.red == seat + 1 else np.uint64(0)
    return (black | red) & ~state.played[seat]
