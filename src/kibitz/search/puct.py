"""PUCT: a tree grown by values and priors, which come from a network or a bot, or are all 1."""

from dataclasses import dataclass

import numpy as np

from kibitz.core.errors import SpecError
from kibitz.search.guided import GuidedAgent, GuidedConfig
from kibitz.search.selection import puct


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
    """Grows a tree by values and priors; without a network, it plays out at random."""

    name = "puct"
    Config = PuctConfig

    def make_rule(self) -> np.record:
        """Return PUCT."""
        return puct(self.config.c, self.config.tau)
