"""The strongest player of Tichu that ships: a network that was trained in self-play, no search."""

from dataclasses import dataclass

from kibitz.search.net import NetAgent, NetConfig


@dataclass(frozen=True)
class BestConfig(NetConfig):
    """Parameters of a network that plays, with one that ships unless another is named."""

    model: str = "tichu-best"  # the name of a model, or its folder


class BestAgent(NetAgent):
    """Plays what a network likes best; it began as a clone of `convention`."""

    name = "best"
    Config = BestConfig
