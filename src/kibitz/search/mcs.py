"""MCS: flat Monte Carlo, every action tried in sampled worlds with random playouts."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kibitz.search.agent import SearchAgent, SearchConfig
from kibitz.search.roots import BY_MEAN
from kibitz.search.selection import at_random, in_turn


@dataclass(frozen=True)
class McsConfig(SearchConfig):
    """Parameters of flat Monte Carlo."""

    allocation: Literal["equal", "random"] = "equal"  # every action in its turn, or drawn
    # For n actions: sims, min(sims, 10 n!), or n times sims.
    budget: Literal["fixed", "factorial", "per-action"] = "fixed"


class McsAgent(SearchAgent):
    """Tries every action in many sampled worlds, plays on at random, takes the best on average."""

    name = "mcs"
    Config = McsConfig
    is_flat = True
    picks = BY_MEAN  # visits say nothing here

    def make_rule(self) -> np.record:
        """Return the rule of allocation."""
        if self.config.allocation == "random":
            return at_random()
        return in_turn(is_shuffled=self.config.threads > 1)

    def n_sims(self, n_actions: int) -> int:
        """Return the budget, which the factorial rule cuts near the end."""
        sims = int(self.config.sims)
        if self.config.budget == "factorial":
            return min(sims, 10 * math.factorial(min(n_actions, 20)))
        return sims * n_actions if self.config.budget == "per-action" else sims
