"""MCS: flat Monte Carlo, every action tried in sampled worlds and played out."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kibitz.core.errors import SpecError
from kibitz.core.table import Game
from kibitz.search.agent import SearchAgent, SearchConfig
from kibitz.search.flat import BEST_WINS, GAIN_WINS, NO_WINS, at_random, in_turn
from kibitz.search.playouts import UNIFORM, epsilon_greedy
from kibitz.search.roots import BY_MEAN
from kibitz.search.uct import bot_policy


@dataclass(frozen=True)
class McsConfig(SearchConfig):
    """Parameters of flat Monte Carlo."""

    allocation: Literal["equal", "random"] = "equal"  # every action in its turn, or drawn
    # For n actions: sims, min(sims, 10 n!), or n times sims.
    budget: Literal["fixed", "factorial", "per-action"] = "fixed"
    playout: str = "random"  # or the name of one of the game's own bots
    epsilon: float = 0.1  # share of random moves in a bot's playouts
    wins: bool = False  # count wins beside scores, for people who look

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if not 0 <= self.epsilon <= 1:
            raise SpecError(f"epsilon={self.epsilon}: expected 0 to 1")


class McsAgent(SearchAgent):
    """Tries every action in many sampled worlds, plays on at random, takes the best on average.

    A bot of the game may play on instead.
    """

    name = "mcs"
    Config = McsConfig
    is_flat = True
    picks = BY_MEAN  # visits say nothing here

    def __init__(self, game: Game, config: Any = None) -> None:
        """Find the bot that plays out."""
        super().__init__(game, config)
        self._bot = bot_policy(self.name, self.config.playout, game)
        self.counts_wins = self.config.wins and self.value == "score"

    def make_evaluator(self) -> np.record:
        """Return random playouts, or those of a bot."""
        if self.config.playout == "random":
            return UNIFORM
        return epsilon_greedy(self._bot, self.config.epsilon)

    def make_rule(self) -> np.record:
        """Return the rule of allocation."""
        wins = NO_WINS
        if self.counts_wins:
            wins = GAIN_WINS if self.game.facts.wins_by_gain else BEST_WINS
        if self.config.allocation == "random":
            return at_random(wins)
        return in_turn(self.config.threads > 1, wins)

    def n_sims(self, n_actions: int) -> int:
        """Return the budget, which the factorial rule cuts near the end."""
        sims = int(self.config.sims)
        if self.config.budget == "factorial":
            return min(sims, 10 * math.factorial(min(n_actions, 20)))
        return sims * n_actions if self.config.budget == "per-action" else sims
