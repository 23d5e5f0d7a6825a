"""What players of 6 nimmt! are judged by: whether they play close cards when they can.

A card is close, at a distance, as the rig `close` means it (`rigs.py`); at distance 0 it is safe.
Decisions are grouped by the number of cards on the four rows. Rows that are taken and the picks of
a draft say nothing about it.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Actions, States
from kibitz.core.habits import Habit, Seen
from kibitz.core.kernels import kernel
from kibitz.core.messages import Message
from kibitz.games.nimmt.rigs import steps_from_safe
from kibitz.games.nimmt.state import CHOOSING, ROWS, hand_size

DISTANCES = (0, 1, 2, 3, 4)
"""As in the paper's table 4.1."""

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@kernel
def _see_close(
    views: States, seats: Ints, actions: Actions, possible: Flags, done: Flags, groups: Ints
) -> None:
    """Write whether a close card could be played at each distance, and whether it was."""
    for k in range(len(views)):
        view, seat = views[k], seats[k]
        groups[k] = 0
        for row in range(ROWS):
            groups[k] += np.int64(view.length[row])
        for distance in range(possible.shape[1]):
            possible[k, distance] = False
            done[k, distance] = False
        if view.phase != CHOOSING:
            continue
        for i in range(hand_size(view)):
            card = int(view.hand[seat, i])
            for distance in range(
                steps_from_safe(view, card), possible.shape[1]
            ):  # none if it is far away
                possible[k, distance] = True
                done[k, distance] |= card == actions[k]


def see_close(views: States, seats: Ints, actions: Actions) -> Seen:
    """Return in which decisions a close card could be played, and in which one was."""
    shape = (len(views), len(DISTANCES))
    seen = Seen(np.empty(shape, np.bool_), np.empty(shape, np.bool_), np.empty(len(views), int))
    _see_close(views, seats, actions, *seen)
    return seen


HABITS = (
    Habit(
        "close",
        Message("nimmt.habit-close"),
        Message("nimmt.habit-by-distance"),
        DISTANCES,
        Message("nimmt.habit-by-table"),
        see_close,
    ),
)
