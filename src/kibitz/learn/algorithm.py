"""What a trainer runs: one learning algorithm on one game, one step after the other.

An algorithm owns its networks, buffers, lanes and random streams. The trainer (`learn.trainer`)
knows nothing of these: it calls `step`, writes `state` to a checkpoint now and then, and asks for
`drafts` when there is something to play with.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy.typing as npt

from kibitz.core.table import Game
from kibitz.search.mlp import Layers
from kibitz.search.ngnet import Nets

State = Mapping[str, "npt.NDArray[Any] | State | int | float | str | bool"]
"""All that the next step depends on, as plain data: nothing that has to be unpickled."""

Metrics = Mapping[str, float]
"""What a step tells about itself, by name: losses, returns, entropies."""


@dataclass(frozen=True)
class Draft:
    """A network that could be saved as a model; the trainer adds how it was made.

    Its fields are those of `search.cards.Card`.
    """

    encoding: str
    heads: Mapping[str, int]
    network: Layers | bytes | Nets  # of an mlp, an ONNX file, or normalised Gaussian networks
    inputs: str = "view"
    value: str | None = None
    scale: float = 1.0
    sees: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)


class Algorithm(ABC):
    """One learning algorithm on one game.

    If it counts its steps in `n_steps`, a checkpoint whose number of steps is another is refused.
    """

    Config: ClassVar[type[Any]]  # a frozen dataclass; each field is a key of a recipe

    def __init__(self, game: Game, config: Any, seed: int) -> None:
        """Prepare the first step; everything random derives from the seed."""
        self.game = game
        self.config = config
        self.seed = seed

    @abstractmethod
    def step(self) -> Metrics:
        """Play some and learn from it; return what can be told about this step."""

    @abstractmethod
    def state(self) -> State:
        """Return all that the next step depends on."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Go on from what `state` returned: all steps after it are the same, number by number."""

    @abstractmethod
    def drafts(self) -> dict[str, Draft]:
        """Return what has been learnt so far, by name; the one named `model` is what plays."""
