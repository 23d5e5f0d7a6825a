"""Gumbel search: sequential halving among a few drawn actions, an improved policy below."""

from dataclasses import dataclass

import numpy as np

from kibitz.core.errors import SpecError
from kibitz.search.guided import GuidedAgent, GuidedConfig
from kibitz.search.halving import halving

PLAYOUT_SCALE, NETWORK_SCALE = 3.0, 6.0
"""How far values move the prior; those of networks carry less noise. Measured: docs/search.md."""


@dataclass(frozen=True)
class GumbelConfig(GuidedConfig):
    """Parameters of Gumbel search."""

    considered: int = 16  # actions of the root that are searched at most
    noise: float = 0.0  # of the draw at the root: 0 plays best, 1 explores as training needs
    value_scale: float = 0.0  # how far values move the prior; 0: 3 for playouts, 6 for networks

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if self.reuse:
            raise SpecError(
                "reuse=true: gumbel counts the visits of a search from nothing, use puct"
            )
        if not 1 <= self.considered <= 10_000:
            raise SpecError(f"considered={self.considered}: expected 1..10000")
        for name in ("noise", "value_scale"):
            if not 0 <= getattr(self, name) <= 1000:
                raise SpecError(f"{name}={getattr(self, name)}: expected 0 to 1000")


class GumbelAgent(GuidedAgent):
    """Halves the actions of the root again and again, by what simulations of each were worth."""

    name = "gumbel"
    Config = GumbelConfig

    def make_rule(self) -> np.record:
        """Return sequential halving."""
        config = self.config
        scale = config.value_scale or (NETWORK_SCALE if self.trusts_network else PLAYOUT_SCALE)
        return halving(config.considered, config.noise, scale)
