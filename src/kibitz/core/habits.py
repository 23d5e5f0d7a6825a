"""Habits: what a game's players might do whenever they can, so that an agent can be judged by it.

A game lists its habits as `HABITS` in a module `judging` beside its rules. A game that is solved
may have a `GRADING` there, too: its players are then judged by perfect play.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Actions, States
from kibitz.core.messages import Message
from kibitz.core.table import Game

Ints = npt.NDArray[np.int64]

IMPOSSIBLE, POSSIBLE, FOLLOWED = 0, 1, 2
"""What is seen of a habit in a decision."""


class Seen(NamedTuple):
    """What is seen of a habit in some decisions."""

    possible: npt.NDArray[np.bool_]  # whether it could have been followed: [views, levels]
    done: npt.NDArray[np.bool_]  # whether it was: [views, levels]
    groups: Ints  # the stage of the game, from 0: [views]


Look = Callable[[States, Ints, Actions], Seen]
"""Looks at views, the seats that decided there, and what they did.

Of an outcome: at views of rounds that have ended, and seats; nobody does anything there.
"""

Watch = Callable[[int, Ints, States, Ints, Actions, Ints], None]
"""Looks for one habit, by its code, at some levels: views, seats and actions; writes what is seen
of it, and the stage of the game after that [views, levels + 1]."""


@dataclass(frozen=True)
class Habit:
    """Something that can be done or left, more or less strictly understood.

    An outcome is what comes of it: no decision shows it, but the end of a round does.
    """

    name: str  # one word
    title: Message | str  # what is counted, such as "plays a close card when it can"
    level: Message | str  # what makes it more or less strict, such as "distance"
    levels: tuple[int, ...]
    group: Message | str  # what decisions are grouped by, such as "cards on the table"
    look: Look
    is_outcome: bool = False

    def level_name(self, at: int) -> Message | str:
        """Return what a level is called where catalogues have words for it: `habit-by-LEVEL-AT`."""
        return Message(f"{self.level.code}-{at}") if isinstance(self.level, Message) else str(at)


@dataclass(frozen=True)
class Battery:
    """Habits that one kernel looks for, and that the catalogues of a game have words for."""

    game: str
    group: str  # what decisions are grouped by
    watch: Watch

    def habit(self, code: int, name: str, level: str, *levels: int) -> Habit:
        """Return the habit of a code: its title is `habit-NAME`, its level `habit-by-LEVEL`."""
        said = (f"{self.game}.habit-{one}" for one in (name, f"by-{level}", f"by-{self.group}"))
        title, by_level, by_group = map(Message, said)
        return Habit(name, title, by_level, levels, by_group, partial(self._see, code, levels))

    def outcome(self, code: int, name: str, level: str, *levels: int) -> Habit:
        """Return the outcome of a code, named like a habit."""
        return replace(self.habit(code, name, level, *levels), is_outcome=True)

    def _see(
        self, code: int, levels: tuple[int, ...], views: States, seats: Ints, actions: Actions
    ) -> Seen:
        found = np.zeros((len(views), len(levels) + 1), np.int64)
        self.watch(code, np.array(levels), views, seats, actions, found)
        seen = found[:, : len(levels)]
        return Seen(seen >= POSSIBLE, seen == FOLLOWED, found[:, len(levels)])


class Grades(NamedTuple):
    """What some decisions are worth beside perfect play."""

    good: npt.NDArray[np.bool_]  # whether the result of perfect play is kept: [views]
    perfect: npt.NDArray[np.bool_]  # whether there is no better action: [views]
    chance: npt.NDArray[np.float64]  # the share of legal actions that are good: [views]


@dataclass(frozen=True)
class Grading:
    """How decisions of a solved game are graded, stage by stage."""

    stage: Message | str  # what makes a stage, such as "discs on the board"
    stages: tuple[tuple[int, int], ...]  # the first and the last of each
    draw: Callable[[Game, int, int, int], tuple[States, npt.NDArray[np.int64]]]
    """Draw positions with a choice, and who decides: of the game, stage, how many, and seed."""
    grade: Callable[[States, npt.NDArray[np.int64], Actions], Grades]
    """Grade what was done in views, by the seats that decided."""
