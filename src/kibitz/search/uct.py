"""UCT and its relatives: a tree grown by upper confidence bounds, playouts below it.

The members differ by their playouts alone: `uct` plays at random, `mast` and `ppa` learn on the way
which moves win.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kibitz.core.errors import AgentError
from kibitz.core.game import max_legal
from kibitz.core.table import Game
from kibitz.search.agent import SearchAgent, SearchConfig
from kibitz.search.learned import mast, ppa
from kibitz.search.selection import ucb
from kibitz.search.tree import JOINT, OWN, VIEW

TREES = {
    "decoupled": (JOINT, False),
    "sequential": (JOINT, True),
    "open-loop": (OWN, False),
    "information-set": (VIEW, False),
}
"""Kinds of trees: what leads from node to node, and whether choices are made one by one."""

Feature = Literal["none", "depth"]


@dataclass(frozen=True)
class UctConfig(SearchConfig):
    """Parameters of UCT."""

    c: float = 0.7  # exploration
    tree: Literal["auto", "decoupled", "sequential", "open-loop", "information-set"] = "auto"


class UctAgent(SearchAgent):
    """Grows a tree by UCB1 and plays out at random."""

    name = "uct"
    Config = UctConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Choose the kind of tree that suits the game."""
        super().__init__(game, config)
        # Outcomes of simultaneous choices are too many to be met twice.
        self.keys_with_secrets = OWN if game.facts.simultaneous else VIEW
        if self.config.tree == "auto":
            return
        self.keys, self.is_sequential = TREES[self.config.tree]
        if self.keys != JOINT:
            self.keys_with_secrets = self.keys
        elif game.has_secrets:
            raise AgentError(
                f"{self.name}:tree={self.config.tree} needs a game without secrets, which "
                f"{game.spec} is not: use tree=open-loop or tree=information-set"
            )

    def make_rule(self) -> np.record:
        """Give UCB1."""
        return ucb(self.config.c)


@dataclass(frozen=True)
class MastConfig(UctConfig):
    """Parameters of UCT with MAST playouts."""

    k: float = 3.5  # how sharply playouts prefer what has won
    feature: Feature = "depth"  # what tells moves apart beside seat and action


class MastAgent(UctAgent):
    """Grows a tree by UCB1; playouts prefer moves that won before."""

    name = "mast"
    Config = MastConfig

    def make_policy(self) -> np.record:
        """Give MAST."""
        return mast(self.config.k, self.config.feature == "depth", _most(self.game))


@dataclass(frozen=True)
class PpaConfig(UctConfig):
    """Parameters of UCT with playout policy adaptation."""

    alpha: float = 0.4  # how quickly playouts learn
    feature: Feature = "depth"  # what tells moves apart beside seat and action


class PpaAgent(UctAgent):
    """Grows a tree by UCB1; playouts adapt to the moves of winners."""

    name = "ppa"
    Config = PpaConfig

    def make_policy(self) -> np.record:
        """Give PPA."""
        return ppa(self.config.alpha, self.config.feature == "depth", _most(self.game))


def _most(game: Game) -> int:
    return int(max_legal(game.blank(1)[0]))
