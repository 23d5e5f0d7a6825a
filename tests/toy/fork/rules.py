"""Fork: at every turn one seat chooses a way, in turns; or both choose one at once.

Actions are the ways, from 0. All choices, written one after the other, are the number of the road:
at a turn of both, that of seat 0 comes first. In the end seat 0 scores this number and seat 1 what
is missing to the highest.
"""

import numpy as np

from kibitz.core.game import Action, Actions, Scores, Seat, State, register, state_dtype
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng, below

NONE, UNKNOWN = 0, 4

STATE = state_dtype(
    [
        ("ways", np.int64),
        ("turns", np.int64),
        ("together", np.int64),
        ("begun", np.int64),
        ("forks", np.int64),  # behind us
        ("road", np.int64),
        ("picked", np.int64, (2,)),  # NONE, the way + 1, or in a view UNKNOWN
    ]
)


@kernel
def deal(state: State, rng: Rng) -> None:
    """Begin: there is nothing to deal."""
    state.begun = 1


@kernel
def movers(state: State) -> int:
    """Whoever has to choose a way."""
    if not state.begun or state.forks == state.turns:
        return 0
    if not state.together:
        return 1 << (state.forks % 2)
    return (state.picked[0] == NONE) + 2 * (state.picked[1] == NONE)


@kernel
def legal(state: State, seat: Seat, out: Actions) -> int:
    """List the ways."""
    for way in range(state.ways):
        out[way] = way
    return state.ways


@kernel
def apply(state: State, seat: Seat, action: Action) -> None:
    """Choose a way; when all have, the road goes on."""
    if not state.together:
        state.road = state.road * state.ways + action
        state.forks += 1
        return
    state.picked[seat] = action + 1
    if state.picked[0] != NONE and state.picked[1] != NONE:
        state.road = (state.road * state.ways + state.picked[0] - 1) * state.ways
        state.road += state.picked[1] - 1
        state.forks += 1
        state.picked[0] = state.picked[1] = NONE


@kernel
def is_over(state: State) -> bool:
    """After the last fork."""
    return state.begun == 1 and state.forks == state.turns


@kernel
def scores(state: State, out: Scores) -> None:
    """Seat 0 scores the number of the road, seat 1 what is missing to the highest."""
    highest = 1
    for _ in range(state.forks * (2 if state.together else 1)):
        highest *= state.ways
    out[0] = state.road
    out[1] = highest - 1 - state.road


@kernel
def conceal(state: State, seat: Seat) -> None:
    """Hide what the other has chosen at this turn."""
    for other in range(2):
        if other != seat and state.picked[other] != NONE:
            state.picked[other] = UNKNOWN


@kernel
def resample(view: State, seat: Seat, rng: Rng) -> None:
    """Choose for whoever has chosen."""
    for other in range(2):
        if view.picked[other] == UNKNOWN:
            view.picked[other] = 1 + below(rng, view.ways)


@kernel
def max_legal(state: State) -> int:
    """Three ways."""
    return 3


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
