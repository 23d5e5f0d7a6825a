"""Playouts: play a game on without thinking."""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.game import (
    State,
    States,
    apply,
    deal,
    is_over,
    movers,
    random_action,
    scores,
)
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng

_NOBODY = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def playout(state: State, rng: Rng) -> None:
    """Play uniformly random actions, in place, until the game is over or waits for cards."""
    waiting = np.uint64(movers(state))
    while waiting != _NOBODY:
        while waiting != _NOBODY:
            seat = lowest(waiting)
            apply(state, seat, random_action(state, seat, rng))
            waiting &= waiting - _ONE
        waiting = np.uint64(movers(state))


@kernel
def random_games(blank: States, n: int, rng: Rng, out: npt.NDArray[np.float64]) -> None:
    """Deal and play `n` games at random, one after the other, adding up the scores of all seats.

    Args:
        blank: two states: the first one waits for its first deal, the second is scratch.
        n: how many games.
        rng: one stream for everything.
        out: receives the sum of scores per seat.
    """
    one = np.zeros_like(out)
    for _ in range(n):
        blank[1] = blank[0]
        state = blank[1]
        while not is_over(state):
            deal(state, rng)
            playout(state, rng)
        scores(state, one)
        out += one
