"""AlphaZero's player of Connect 4: a search that the network guides which ships."""

from dataclasses import dataclass

from kibitz.search.gumbel import GumbelAgent, GumbelConfig


@dataclass(frozen=True)
class AlphaZeroConfig(GumbelConfig):
    """Parameters of Gumbel search, with a network unless another one is named."""

    sims: int = 100  # simulations per decision
    model: str = "connect4-alphazero"  # the name of a model, or its folder
    foresight: int = 12  # moves, at most, that the rules look beyond leaves
    value_scale: float = 12.0  # how far values move the prior


class AlphaZeroAgent(GumbelAgent):
    """Searches by what the network says; see docs/alphazero.md."""

    name = "alphazero"
    Config = AlphaZeroConfig
