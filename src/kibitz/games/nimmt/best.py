"""The player that we ship: at equal time we know none that is stronger.

In the open game of two it searches and solves the endings. Where hands are hidden, or more than two
play, it looks a few turns ahead in sampled worlds and judges what comes then by what it has learnt.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.agent import Agent
from kibitz.core.decisions import Decisions
from kibitz.core.errors import SpecError
from kibitz.core.rng import Rng
from kibitz.games.nimmt.exact import ExactAgent
from kibitz.games.nimmt.foresight import ForesightAgent, ForesightConfig
from kibitz.games.nimmt.solver import MAX_CARDS, Objective
from kibitz.search.puct import PuctAgent, PuctConfig

C = 1.5
"""Exploration of PUCT: 0.7, 1.5 and 3 were tried."""


@dataclass(frozen=True)
class BestConfig:
    """Parameters of `best`."""

    sims: int = 1000  # simulations per decision, as long as nothing is solved
    time: float = 0.0  # seconds per decision instead, if above 0
    cards: int = 5  # from so many cards in a hand on it solves, in the open game of two
    model: str = "auto"  # what it has learnt of other games: see `kibitz train nimmt-best`

    def __post_init__(self) -> None:
        """Refuse what takes too long."""
        most = min(MAX_CARDS.values())
        if not 1 <= self.cards <= most:
            raise SpecError(f"best:cards={self.cards}: expected 1..{most}")
        PuctConfig(sims=self.sims, time=self.time)  # refuses budgets out of range


class BestAgent(ExactAgent):
    """Open hands of two: PUCT, and endings solved. Other games: a few turns ahead, and judged."""

    name = "best"
    Config: ClassVar[type[Any]] = BestConfig

    def prepare(self) -> tuple[Objective, Agent]:
        """Play for the win where it solves; else for few heads."""
        sims, seconds, model = self.config.sims, self.config.time, self.config.model
        if self.game.n_seats == 2 and not self.game.has_secrets:
            return "win", PuctAgent(self.game, PuctConfig(sims=sims, time=seconds, c=C))
        return "win", ForesightAgent(
            self.game, ForesightConfig(sims=sims, time=seconds, model=model)
        )

    def think(
        self, view: np.record, seat: int, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide for one view, again and again where nothing is to be solved."""
        if self.solves:
            yield from super().think(view, seat, rng, game)
        else:
            yield from self.before.think(view, seat, rng, game)
