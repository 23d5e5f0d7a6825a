"""Gumbel search: sequential halving among a few drawn actions, completed values below."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError
from kibitz.search.agent import Desk, Floats, root_decision
from kibitz.search.halving import halving, write_root_logits
from kibitz.search.puct import GuidedAgent, GuidedConfig

_NEVER = -1e9
"""The preference for what is no longer considered; finite, so that trees can be added."""


@dataclass(frozen=True)
class GumbelConfig(GuidedConfig):
    """Parameters of Gumbel search."""

    considered: int = 16  # actions of the root that are searched at most
    noise: float = 0.0  # of the draw at the root: 0 plays best, 1 explores as training needs
    visit_scale: float = 50.0  # both say how far values move the prior
    value_scale: float = 0.1

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if self.reuse:
            raise SpecError(
                "reuse=true: gumbel counts the visits of a search from nothing, use puct"
            )
        if not 1 <= self.considered <= 10_000:
            raise SpecError(f"considered={self.considered}: expected 1..10000")
        for name in ("noise", "visit_scale", "value_scale"):
            if not 0 <= getattr(self, name) <= 1000:
                raise SpecError(f"{name}={getattr(self, name)}: expected 0 to 1000")


class GumbelAgent(GuidedAgent):
    """Halves the actions of the root again and again, by what simulations of each were worth."""

    name = "gumbel"
    Config = GumbelConfig

    def make_rule(self) -> np.record:
        """Give sequential halving."""
        config = self.config
        return halving(config.considered, config.noise, config.visit_scale, config.value_scale)

    def judge(self, rows: npt.NDArray[np.record], desk: Desk) -> tuple[Floats, Floats]:
        """Give the improved policy; of what was considered to the end, the best is played."""
        decision = desk.tree.decisions[root_decision(desk)]
        logits = np.empty(len(rows))
        write_root_logits(desk.tree.arms, decision, desk.how, desk.rule, logits)
        policy = np.exp(logits - logits.max())
        preference = np.where(rows["second_count"] > 0, rows["second_sum"] + logits, _NEVER)
        return policy / policy.sum(), preference
