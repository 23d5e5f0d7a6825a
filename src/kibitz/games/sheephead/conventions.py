"""Conventions that players expect of each other: what `best` keeps to where it costs little.

A convention is a habit of `judging` at some of its levels, so that what a player keeps to is what
players are judged by.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Actions, Seat, State
from kibitz.core.habits import FOLLOWED
from kibitz.core.kernels import kernel
from kibitz.games.sheephead.judging import (
    CALLED_LED,
    FIRST,
    KEPT,
    LATER,
    OPEN,
    SCHMEAR,
    SURE,
    look,
)

CONVENTIONS = np.array(
    [
        (CALLED_LED, FIRST),
        (CALLED_LED, LATER),
        (SCHMEAR, SURE),
        (KEPT, SURE),
        (KEPT, OPEN),
    ],
    np.int64,
)
"""Defenders lead the called suit; points go to a trick that is a friend's, and to no enemy's."""


@kernel
def count_conventions(
    view: State, seat: Seat, actions: Actions, out: npt.NDArray[np.float64]
) -> None:
    """Write how many conventions each action follows that a seat could follow here."""
    for i in range(len(actions)):
        out[i] = 0
        for k in range(len(CONVENTIONS)):
            habit, level = CONVENTIONS[k]
            out[i] += look(habit, level, view, seat, actions[i]) == FOLLOWED
