"""Habits: what a game's players might do whenever they can, so that an agent can be judged by it.

A game lists its habits as `HABITS` in a module `judging` beside its rules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Actions, States


class Seen(NamedTuple):
    """What is seen of a habit in some decisions."""

    possible: npt.NDArray[np.bool_]  # whether it could have been followed: [views, levels]
    done: npt.NDArray[np.bool_]  # whether it was: [views, levels]
    groups: npt.NDArray[np.int64]  # the stage of the game, from 0: [views]


Look = Callable[[States, npt.NDArray[np.int64], Actions], Seen]
"""Looks at views, the seats that decided there, and what they did."""


@dataclass(frozen=True)
class Habit:
    """Something that can be done or left, more or less strictly understood."""

    name: str  # one word
    title: str  # what is counted, such as "plays a close card when it can"
    level: str  # what makes it more or less strict, such as "distance"
    levels: tuple[int, ...]
    group: str  # what decisions are grouped by, such as "cards on the table"
    look: Look
