"""Agents that fail, and one that counts what it has seen: registered as another package would."""

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.game import States
from kibitz.core.rng import Rngs
from kibitz.games.tichu.state import WINDOW

LINGERS = 8.0
"""Seconds that one thinks about a bomb."""


@dataclass(frozen=True)
class FaultyConfig:
    """What it does wrong."""

    how: Literal["nothing", "crash", "exit", "hang", "illegal", "raise", "linger"] = "nothing"


class FaultyAgent(Agent):
    """Plays the first legal action, unless it is told to fail; at table 0 it rehearses."""

    name = "faulty"
    Config: ClassVar[type[Any]] = FaultyConfig

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Fail, or play what is legal."""
        first = [self.game.legal(view, seat)[0] for view, seat in zip(views, seats, strict=True)]
        how = self.config.how if games[0] else "nothing"
        if how == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "exit":
            raise SystemExit(3)
        if how == "hang":
            time.sleep(60)
        if how == "linger" and "phase" in (views.dtype.names or ()) and views["phase"][0] == WINDOW:
            time.sleep(LINGERS)
        if how == "raise":
            raise ValueError("no idea")
        return Decisions(np.array(first) + 1000 * (how == "illegal"))


class CountingAgent(Agent):
    """Plays the action whose number is that of the changes that its seat has seen."""

    name = "counting"

    def __init__(self, game: Any, config: Any = None) -> None:
        """Have seen nothing."""
        super().__init__(game, config)
        self._seen: Counter[tuple[int, int]] = Counter()

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Count."""
        self._seen.update(zip(games.tolist(), seats.tolist(), strict=True))

    def end(self, games: Games) -> None:
        """Forget tables."""
        for who in [who for who in self._seen if who[0] in games.tolist()]:
            del self._seen[who]

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Play by what was counted."""
        actions = []
        for view, seat, table in zip(views, seats.tolist(), games.tolist(), strict=True):
            legal = self.game.legal(view, seat)
            actions.append(legal[self._seen[table, seat] % len(legal)])
        return Decisions(np.array(actions))
