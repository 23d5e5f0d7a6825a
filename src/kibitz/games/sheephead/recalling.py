"""In which order cards were played.

A view shows two tricks, and of those before only who played what.

`recall` finds an order of all cards that the rules allow and that leads to what is seen: sides,
tricks, points, leaders and suits that seats are out of. Up to the third trick there is only one. It
is found by trying: in a world, which has all cards, everything that does not fit the rules falls
away early.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.game import State, States
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.sheephead.cards import CARDS, bit
from kibitz.games.sheephead.play import lay, playable
from kibitz.games.sheephead.state import PLAYING, SEATS, TRICKS, wide

N_PLAYS = SEATS * TRICKS
N_STATES = N_PLAYS + 1
"""States that `recall` needs: before every card, and after the last."""

MOST_TRIED = 20_000
"""Cards that are tried before `recall` gives up."""

FACE_DOWN = CARDS
"""In an order: the unknown card, whichever it is."""

Order = npt.NDArray[np.int64]

_NONE = np.uint64(0)


@kernel
def take_back(world: State, start: State) -> None:
    """Write to `start` what a world was when everybody held the cards that were dealt or kept."""
    for seat in range(SEATS):
        start.hand[seat] = world.hand[seat] | world.played[seat]
        start.played[seat] = _NONE
        start.points[seat] = 0
        start.tricks[seat] = 0
        start.void[seat] = 0
        start.laid[seat] = 0
        start.last[seat] = 0
    start.tricks_played = 0
    start.n_laid = 0
    start.led = 0
    start.winner = 0
    start.face_down_at = 0
    start.face_down_to = 0
    start.called_led = 0
    start.without = 1 << (wide(world.picker) - 1) if world.called > 0 else 0
    start.revealed = 0
    start.last_leader = 0
    start.last_winner = 0
    start.leader = wide(world.left[world.dealer])
    start.turn = start.leader


@inner_kernel
def _known(world: State, seat: int, trick: int) -> int:
    """Return the card of a seat in a trick that can be seen, or -1."""
    if trick == world.tricks_played:
        return wide(world.laid[seat]) - 1
    if trick == world.tricks_played - 1:
        return wide(world.last[seat]) - 1
    return -1


@inner_kernel
def _choices(world: State, state: State) -> np.uint64:
    """Return the cards that may have come next."""
    seat, trick = state.turn, state.tricks_played
    if world.picker == seat + 1 and world.face_down > 0 and world.face_down_at == trick + 1:
        return playable(state, seat) & bit(wide(world.face_down) - 1)
    if trick >= world.tricks_played - 1:
        return playable(state, seat) & bit(_known(world, seat, trick))
    cards = playable(state, seat) & world.played[seat]
    for k in range(2):
        later = _known(world, seat, wide(world.tricks_played) - k)
        if later >= 0:
            cards &= ~bit(later)
    if world.picker == seat + 1 and world.face_down > 0:
        cards &= ~bit(wide(world.face_down) - 1)
    return cards


@inner_kernel
def _can_lead_to(world: State, state: State) -> bool:
    """Whether what has happened so far is no more than what is seen in the end."""
    for seat in range(SEATS):
        if state.void[seat] & ~world.void[seat] != 0:
            return False
        if state.tricks[seat] > world.tricks[seat] or state.points[seat] > world.points[seat]:
            return False
    if state.n_laid == 0 and not _leads(world, state):
        return False
    if state.called_led != 0:
        return state.called_led == world.called_led
    return world.called_led == 0 or state.tricks_played < world.called_led


@inner_kernel
def _leads(world: State, state: State) -> bool:
    """Whether the trick that begins is led by who is seen to lead it, if that can be seen."""
    if state.tricks_played == world.tricks_played - 1:
        return state.leader == world.last_leader
    return state.tricks_played < world.tricks_played or state.leader == world.leader


@inner_kernel
def _is_there(world: State, state: State) -> bool:
    """Whether everything is as it is seen."""
    for seat in range(SEATS):
        if state.void[seat] != world.void[seat] or state.tricks[seat] != world.tricks[seat]:
            return False
        if state.points[seat] != world.points[seat]:
            return False
    if state.called_led != world.called_led or state.without != world.without:
        return False
    return state.turn == world.turn and state.leader == world.leader


@kernel
def recall(world: State, states: States, order: Order) -> int:
    """Find an order of the cards that have been played in a hand.

    Args:
        world: all cards, as they are now.
        states: scratch, N_STATES of them; the first becomes the beginning of the play.
        order: gets the cards [N_PLAYS], FACE_DOWN for the unknown one.

    Returns:
        How many cards there are, or -1 if none was found.
    """
    n_all = SEATS * wide(world.tricks_played) + world.n_laid
    states[0] = world
    take_back(world, states[0])
    at, tried, before = 0, 0, -1
    while at < n_all:
        cards = _choices(world, states[at])
        if before >= 0:  # only those that have not been tried yet
            cards &= ~((bit(before) << np.uint64(1)) - np.uint64(1))
        if cards == _NONE or tried > MOST_TRIED:
            if at == 0 or tried > MOST_TRIED:
                return -1
            at -= 1
            before = order[at]
            continue
        card = lowest(cards)
        tried += 1
        order[at] = card
        states[at + 1] = states[at]
        lay(states[at + 1], states[at].turn, card)
        fits = _can_lead_to(world, states[at + 1])
        if at + 1 == n_all:
            fits = fits and _is_there(world, states[n_all])
        before = -1 if fits else card
        at += 1 if fits else 0
    if world.phase == PLAYING and world.face_down > 0:
        for k in range(n_all):
            order[k] = FACE_DOWN if order[k] == world.face_down - 1 else order[k]
    return n_all
