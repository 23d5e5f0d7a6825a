"""Information set tree search: one tree over sampled worlds (Cowling, Powley, Whitehouse 2012)."""

from dataclasses import dataclass
from typing import Any, Literal

from kibitz.core.errors import SpecError
from kibitz.core.table import Game
from kibitz.search.agent import MAX_WORLDS
from kibitz.search.pimc import refuse_without_secrets
from kibitz.search.tree import EACH, VIEW
from kibitz.search.uct import UctAgent, UctConfig
from kibitz.search.weighing import NO_BELIEF, find_weigher


@dataclass(frozen=True)
class IsmctsConfig(UctConfig):
    """Parameters of information set tree search."""

    observers: Literal["single", "multiple"] = "single"  # whose views make nodes
    worlds: int = 0  # drawn once and used again; 0: a new one for every simulation
    belief: str = NO_BELIEF  # a model by which the game weighs them

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if not 0 <= self.worlds <= MAX_WORLDS:
            raise SpecError(f"worlds={self.worlds}: expected 0..{MAX_WORLDS}")
        if self.belief != NO_BELIEF and not self.worlds:
            raise SpecError("belief weighs worlds that are used again: say how many by worlds=")
        if self.tree != "auto":
            raise SpecError(f"tree={self.tree}: ismcts has trees of information sets only, use uct")


class IsmctsAgent(UctAgent):
    """Grows one tree over sampled worlds; for games with secrets."""

    name = "ismcts"
    Config = IsmctsConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Choose whose views make nodes."""
        super().__init__(game, config)
        refuse_without_secrets(self)
        self.keys_with_secrets = EACH if self.config.observers == "multiple" else VIEW
        self.n_worlds = self.config.worlds
        self.weigher = find_weigher(self, self.config.belief)
