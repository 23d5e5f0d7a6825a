"""Duel: everybody holds 3 of the cards 0..3n+1; two stay out. A chosen card stays in the hand.

Actions are the cards. Scores are the turns won.
"""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Action, Actions, Scores, Seat, State, register, state_dtype
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng, below

CARDS = 3
UNKNOWN = -1
NONE = -2
ONE = np.uint64(1)

STATE = state_dtype(
    [
        ("hand", np.uint64, (4,)),  # cards of each seat
        ("gone", np.uint64),  # cards played this round
        ("players", np.int64),
        ("rounds", np.int64),
        ("dealt", np.int64),  # rounds begun
        ("left", np.int64),  # turns left in this round
        ("chosen", np.int64, (4,)),  # NONE, UNKNOWN (in a view) or the card
        ("won", np.int64, (4,)),
    ]
)


@kernel
def draw_hand(state: State, seat: Seat, taken: np.uint64, n: int, rng: Rng) -> None:
    """Deal a seat n cards that are not taken."""
    state.hand[seat] = np.uint64(0)
    while popcount(state.hand[seat]) < n:
        bit = ONE << np.uint64(below(rng, CARDS * state.players + 2))
        if (taken | state.hand[seat]) & bit == np.uint64(0):
            state.hand[seat] |= bit


@kernel
def deal(state: State, rng: Rng) -> None:
    """Deal three cards to everybody."""
    state.dealt += 1
    state.left = CARDS
    state.gone = np.uint64(0)
    taken = np.uint64(0)
    for seat in range(state.players):
        draw_hand(state, seat, taken, CARDS, rng)
        taken |= state.hand[seat]
        state.chosen[seat] = NONE


@kernel
def movers(state: State) -> int:
    """Everybody who has not chosen."""
    mask = 0
    if state.left > 0:
        for seat in range(state.players):
            if state.chosen[seat] == NONE:
                mask |= 1 << seat
    return mask


@kernel
def legal(state: State, seat: Seat, out: Actions) -> int:
    """List the hand."""
    cards = state.hand[seat]
    n = 0
    while cards:
        out[n] = lowest(cards)
        cards &= cards - ONE
        n += 1
    return n


@kernel
def apply(state: State, seat: Seat, action: Action) -> None:
    """Choose a card; the highest of a turn scores."""
    state.chosen[seat] = action
    if movers(state) != 0:
        return
    best = 0
    for other in range(state.players):
        if state.chosen[other] > state.chosen[best]:
            best = other
    state.won[best] += 1
    state.left -= 1
    for other in range(state.players):
        bit = ONE << np.uint64(state.chosen[other])
        state.hand[other] &= ~bit
        state.gone |= bit
        state.chosen[other] = NONE


@kernel
def is_over(state: State) -> bool:
    """After the last turn of the last round."""
    return state.left == 0 and state.dealt == state.rounds


@kernel
def scores(state: State, out: Scores) -> None:
    """Turns won."""
    for seat in range(state.players):
        out[seat] = state.won[seat]


@kernel
def conceal(state: State, seat: Seat) -> None:
    """Hide the other hands and choices."""
    for other in range(state.players):
        if other != seat:
            state.hand[other] = np.uint64(0)
            if state.chosen[other] >= 0:
                state.chosen[other] = UNKNOWN


@kernel
def resample(view: State, seat: Seat, rng: Rng) -> None:
    """Deal the unseen cards anew, and choose for those who have chosen."""
    taken = view.gone
    if seat >= 0:
        taken |= view.hand[seat]
    for other in range(view.players):
        if other != seat:
            draw_hand(view, other, taken, view.left, rng)
            taken |= view.hand[other]
            if view.chosen[other] == UNKNOWN:
                cards = view.hand[other]
                for _ in range(below(rng, view.left)):
                    cards &= cards - ONE
                view.chosen[other] = lowest(cards)


@kernel
def max_legal(state: State) -> int:
    """Three cards."""
    return CARDS


register(
    STATE,
    deal=deal,
    movers=movers,
    legal=legal,
    apply=apply,
    is_over=is_over,
    scores=scores,
    conceal=conceal,
    resample=resample,
    max_legal=max_legal,
)
