"""Flat searches that a network guides, after the report "Reinforcement learning for 6 nimmt!".

All of them sample worlds, try one of their own actions in each, and play what was best on average.
They differ in how that action is chosen and in what a simulation is worth:

| agent | first action by | then |
|---|---|---|
| `policy-mcs` | the policy | everybody plays to the end by the policy |
| `alpha05` | equation 3.1 | the same (the report's PUCTAgent) |
| `dirv` | equation 3.1 | others choose at random, then the head `value` (PUCTAgentModDirV) |
| `dirq` | equation 3.1 | the same, but the mean of the head `q` (Predict Q) |
| `separate` | equation 3.1 | as `dirv`, policy and value sharing no weights |

With `steps=k` the last three play k turns by the policy, the others' part of this one being the
first, before the network values the position.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from kibitz.core.errors import AgentError, SpecError, plain
from kibitz.core.table import Game
from kibitz.search.advice import advised
from kibitz.search.agent import SearchAgent, SearchConfig
from kibitz.search.mlp import Layers, pack, scratch_for
from kibitz.search.models import Model, load_model, model_names
from kibitz.search.network import network_evaluator
from kibitz.search.playouts import UNIFORM
from kibitz.search.root_rules import by_prior, equally, root_puct
from kibitz.search.roots import BY_MEAN, BY_PREFERENCE
from kibitz.search.tree import OWN
from kibitz.search.turns import ALL_TURNS, after_turns
from kibitz.search.values import KINDS


@dataclass(frozen=True)
class NetworkConfig(SearchConfig):
    """Parameters of flat searches by a network."""

    sims: int = 200  # simulations per decision
    model: str = "auto"  # the name of a model, or its folder; auto: the one that ships


@dataclass(frozen=True)
class PolicyMcsConfig(NetworkConfig):
    """Parameters of Monte Carlo with guided playouts."""

    allocation: Literal["policy", "equal"] = "policy"  # first actions drawn, or each in its turn


@dataclass(frozen=True)
class Alpha05Config(NetworkConfig):
    """Parameters of searches by equation 3.1."""

    alpha: float = 2.0  # exploration
    q: Literal["scaled", "raw"] = "scaled"  # mean returns between 0 and 1, or as they are
    play: Literal["mean", "visits"] = "mean"  # what was best on average, or tried most often

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if not 0 <= self.alpha <= 1000:
            raise SpecError(f"alpha={self.alpha}: expected 0 to 1000")


@dataclass(frozen=True)
class DirvConfig(Alpha05Config):
    """Parameters of searches that ask a network for values."""

    steps: int = 0  # turns that the policy plays first; 0: others end this one at random

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if not 0 <= self.steps <= 1000:
            raise SpecError(f"steps={self.steps}: expected 0..1000")


class NetworkAgent(SearchAgent):
    """Base of flat searches that a network guides."""

    Config = NetworkConfig
    is_flat = True
    keys = keys_with_secrets = OWN  # others choose as the evaluator has them, not by a tree
    picks = BY_MEAN
    heads: ClassVar[tuple[str, ...]] = ("policy",)  # that its network must have
    ships: ClassVar[str] = ""  # the agent whose model it plays by, if there is none of its own

    def __init__(self, game: Game, config: Any = None, model: Model | None = None) -> None:
        """Take a network: the one that is given, or the one that the parameters name."""
        super().__init__(game, config)
        self.model = self._load() if model is None else model
        self._check(self.model)
        self.n_scratch = scratch_for(self.model.layers)
        self.n_indices = self.model.encoding.n_actions
        self.use(self.model.layers)
        if self.config.value == "auto":
            self.value = "score"

    def use(self, layers: Layers) -> None:
        """Go on with other weights of the same network: nothing is compiled again."""
        _, self.weights = pack(layers)

    def make_evaluator(self) -> np.record:
        """Return the network as adviser, and what a simulation is worth."""
        model, card = self.model, self.model.card
        network = network_evaluator(
            model.encoding,
            model.layers,
            card.heads,
            inputs=card.inputs,
            value=card.value,
            scale=card.scale,
            takes_mean="q" in self.heads,
        )
        n_turns, n_random = self.plan_turns()
        # Who plays to the end asks for no value: less is compiled.
        afterwards = network if n_turns < ALL_TURNS else UNIFORM
        return advised(network, after_turns(n_turns, network, afterwards, n_random))

    def plan_turns(self) -> tuple[int, int]:
        """Return how many turns a simulation plays, and how many of them at random."""
        return ALL_TURNS, 0

    def _load(self) -> Model:
        """Load the model that the parameters name."""
        name, game = self.config.model, self.game
        if name == "auto":
            name = f"{game.facts.name}-{self.ships or self.name}"
            if name not in model_names(game.facts.name):
                raise AgentError(
                    f"{self.name} has no model of its own for {game.facts.name}: name one, "
                    f"{self.name}:model=NAME or a folder such as ./NAME"
                )
        return load_model(name, game)

    def _check(self, model: Model) -> None:
        """Refuse networks that cannot guide this search."""
        card, name = model.card, plain(self.config.model, 80)
        if model.session is not None or model.nets:
            raise AgentError(
                f"{self.name} runs its network inside of the search, model {name} is {card.kind}: "
                "take one of kind mlp, or puct"
            )
        missing = [head for head in self.heads if head not in card.heads]
        if missing:
            raise AgentError(
                f"{self.name} needs a network with the heads {' and '.join(self.heads)}, "
                f"model {name} has no {missing[0]}"
            )
        kind = KINDS[card.value] if card.value else None
        asks = len(self.heads) > 1
        if asks and kind != KINDS.get(self.config.value, kind):
            raise AgentError(
                f"{self.name}:value={self.config.value}: the model {name} values by {card.value}, "
                "leave value= out"
            )


class PolicyMcsAgent(NetworkAgent):
    """Flat Monte Carlo whose playouts a network plays for everybody."""

    name = "policy-mcs"
    Config = PolicyMcsConfig
    ships = "alpha05"

    def make_rule(self) -> np.record:
        """Return the rule of allocation."""
        return equally() if self.config.allocation == "equal" else by_prior()


class Alpha05Agent(NetworkAgent):
    """Tries cards by PUCT, at the root alone; a network plays on for everybody."""

    name = "alpha05"
    Config = Alpha05Config

    def __init__(self, game: Game, config: Any = None, model: Model | None = None) -> None:
        """Play what the parameters say."""
        super().__init__(game, config, model)
        if self.config.play == "visits":
            self.picks = BY_PREFERENCE

    def make_rule(self) -> np.record:
        """Return equation 3.1."""
        return root_puct(self.config.alpha, is_scaled=self.config.q == "scaled")


class DirvAgent(Alpha05Agent):
    """Tries cards by PUCT, at the root alone; a network values what comes of them."""

    name = "dirv"
    Config = DirvConfig
    heads = ("policy", "value")

    def __init__(self, game: Game, config: Any = None, model: Model | None = None) -> None:
        """Search for what the network values."""
        super().__init__(game, config, model)
        assert self.model.card.value is not None  # cards with such heads say it
        self.value = self.model.card.value

    def plan_turns(self) -> tuple[int, int]:
        """End this turn at random, or play as many by the policy as asked for."""
        return max(self.config.steps, 1), int(self.config.steps == 0)


class DirqAgent(DirvAgent):
    """As `dirv`, but a position is worth the mean of what a network says of each card."""

    name = "dirq"
    heads = ("policy", "q")


class SeparateAgent(DirvAgent):
    """As `dirv`, with a network whose policy and value share no weights."""

    name = "separate"
