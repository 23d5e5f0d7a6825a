"""PUCT: a tree grown by values and priors, which come from a network or a bot, or are all 1."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.errors import SpecError, plain
from kibitz.core.table import Game
from kibitz.search.guides import NOBODY, asking
from kibitz.search.models import load_policy
from kibitz.search.network import network_guide, scratch_for
from kibitz.search.selection import puct
from kibitz.search.uct import TreeAgent, TreeConfig, bot_policy


@dataclass(frozen=True)
class GuidedConfig(TreeConfig):
    """Parameters of searches with priors."""

    guide: str = "none"  # a bot whose choice is tried first
    weight: float = 5.0  # how much more its choice weighs than another action
    model: str = "none"  # a network instead: the name of a model, or its folder

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if not 0 < self.weight <= 1e6:
            raise SpecError(f"weight={self.weight}: expected above 0, to 1000000")
        if "none" not in (self.guide, self.model):
            raise SpecError(
                f"guide={plain(self.guide, 80)} and model={plain(self.model, 80)} both say what to "
                "try first: leave one of them out"
            )


class GuidedAgent(TreeAgent):
    """Base of searches with priors."""

    Config = GuidedConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Find the guide."""
        super().__init__(game, config)
        self._guide = NOBODY
        if self.config.guide != "none":
            bot = bot_policy(self.name, self.config.guide, game)
            self._guide = asking(bot, self.config.weight)
        if self.config.model != "none":
            policy = load_policy(self.config.model, game)
            self._guide = network_guide(policy.encoding, policy.layers)
            self.n_scratch = scratch_for(policy.layers)

    def make_guide(self) -> np.record:
        """Give the guide."""
        return self._guide


@dataclass(frozen=True)
class PuctConfig(GuidedConfig):
    """Parameters of PUCT."""

    c: float = 1.5  # exploration
    tau: float = 0.5  # its exponent; another than 0.5 makes it GPUCT

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        for name, high in (("c", 100), ("tau", 2)):
            if not 0 <= getattr(self, name) <= high:
                raise SpecError(f"{name}={getattr(self, name)}: expected 0 to {high}")


class PuctAgent(GuidedAgent):
    """Grows a tree by values and priors, and plays out at random."""

    name = "puct"
    Config = PuctConfig

    def make_rule(self) -> np.record:
        """Give PUCT."""
        return puct(self.config.c, self.config.tau)
