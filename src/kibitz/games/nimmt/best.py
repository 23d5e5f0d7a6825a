"""The player that we ship for the open game of two: at equal time we know none that is stronger.

Where hands are hidden it is flat Monte Carlo, so far: the strongest published one at tables of
five.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.core.agent import Agent
from kibitz.core.errors import SpecError
from kibitz.games.nimmt.exact import ExactAgent
from kibitz.games.nimmt.solver import MAX_CARDS, Objective
from kibitz.search.mcs import McsAgent, McsConfig
from kibitz.search.puct import PuctAgent, PuctConfig

C = 1.5
"""Exploration of PUCT: 0.7, 1.5 and 3 were tried."""


@dataclass(frozen=True)
class BestConfig:
    """Parameters of `best`."""

    sims: int = 1000  # simulations per decision, as long as nothing is solved
    time: float = 0.0  # seconds per decision instead, if above 0
    cards: int = 5  # from so many cards in a hand on it solves

    def __post_init__(self) -> None:
        """Refuse what takes too long."""
        most = min(MAX_CARDS.values())
        if not 1 <= self.cards <= most:
            raise SpecError(f"best:cards={self.cards}: expected 1..{most}")
        PuctConfig(sims=self.sims, time=self.time)  # refuses budgets out of range


class BestAgent(ExactAgent):
    """Open hands of two: PUCT, and endings solved. Other games: flat Monte Carlo."""

    name = "best"
    Config: ClassVar[type[Any]] = BestConfig

    def prepare(self) -> tuple[Objective, Agent]:
        """Play for the win, by PUCT at first."""
        sims, seconds = self.config.sims, self.config.time
        if self.game.n_seats == 2 and not self.game.has_secrets:
            return "win", PuctAgent(self.game, PuctConfig(sims=sims, time=seconds, c=C))
        return "win", McsAgent(self.game, McsConfig(sims=sims, time=seconds))
