"""Self-play of the agents that a network guides at the root, and what they learn from it.

After the report "Reinforcement learning for 6 nimmt!", 5.3: everybody at the table is the agent
with the network as it is; after the games the policy learns what the search has chosen and the
value what came of it. See `search.alpha05` for the agents.

Differences: all seats share one network, and it learns from some games at a time, not from each by
itself. Values are of the rest of the game, because the report's features hold no scores.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from kibitz.core.agent import parse_config
from kibitz.core.errors import SpecError, clip, nearest
from kibitz.core.lanes import Turn
from kibitz.core.listing import list_legal
from kibitz.core.spec import split_spec
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.algorithm import Draft
from kibitz.learn.episodes import SELF, Chosen, Episodes, Tables
from kibitz.learn.learner import Learner, LearnerConfig, Stream
from kibitz.learn.networks import Mlp
from kibitz.learn.reading import NEVER, Seen, Tensor, chosen_of, spread
from kibitz.learn.returns import discounted
from kibitz.learn.standardising import Standardised
from kibitz.search.alpha05 import (
    Alpha05Agent,
    DirqAgent,
    DirvAgent,
    NetworkAgent,
    PolicyMcsAgent,
    SeparateAgent,
)
from kibitz.search.cards import Card
from kibitz.search.models import Model
from kibitz.search.timing import draw_listed

AGENTS: dict[str, type[NetworkAgent]] = {
    kind.name: kind for kind in (Alpha05Agent, PolicyMcsAgent, DirvAgent, DirqAgent, SeparateAgent)
}

GAMES_TO_MEASURE = 64
"""Random games that features are measured in before learning begins."""


@dataclass(frozen=True, kw_only=True)
class Alpha05Config(LearnerConfig):
    """How an agent plays against itself and learns; defaults as in the report where it tells."""

    agent: str = "alpha05:sims=50"  # who plays all seats: a spec without a model
    hidden: tuple[int, ...] = (100, 100)
    games: int = 10  # per step
    scale: float = 10.0  # points that an output of 1 stands for
    gamma: float = 0.99  # discount of what comes later: 1, 0.99 and 0.98 in the report
    target: Literal["move", "visits"] = "move"  # the policy learns what was played, or all visits
    learning_rate: float = 1e-3
    batch: int = 64  # decisions per step of the optimiser
    passes: int = 1  # over the decisions of a step

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        super().__post_init__()
        limits.check_positive(self, limits.MAX_RATE, "learning_rate")
        limits.check_within(self, 0, 1, "gamma")
        limits.check_within(self, 1, limits.MAX_BATCH, "batch")
        limits.check_within(self, 1, limits.MAX_PASSES, "passes")
        if self.opponents != (SELF,):
            raise SpecError(
                f"opponents={clip(self.opponents)}: the agent that learns has every seat, leave "
                "it out"
            )


class Loss(NamedTuple):
    """The parts of the loss, means over decisions."""

    policy: Tensor  # cross entropy
    value: Tensor  # squared error, in units of `scale` points


def losses(logits: Tensor, goal: Tensor, predicted: Tensor | None, returns: Tensor) -> Loss:
    """Return what is to be made small.

    Args:
        logits: of the columns, [decisions, columns].
        goal: how much of each column was played or tried: [decisions, columns], rows add up to 1.
        predicted: what the network expects, [decisions]; None: it has no head for it.
        returns: what followed: [decisions].
    """
    policy = -(goal * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()  # 5.3.2
    if predicted is None:
        return Loss(policy, torch.zeros(()))
    return Loss(policy, torch.square(predicted - returns).mean())  # 5.3.1


class Alpha05(Learner):
    """Lets an agent play against itself, and its network learn what the search finds."""

    Config = Alpha05Config

    def __init__(self, game: Game, config: Alpha05Config, seed: int) -> None:
        """Draw the first weights and seat the agent."""
        super().__init__(game, config, seed)
        kind, parameters = _agent_of(config.agent)
        self.heads = {head: 1 if head == "value" else self.reader.n_outputs for head in kind.heads}
        if "value" in self.heads and not self.reader.by_view:
            raise SpecError(f"agent={config.agent}: a network of candidates has no value, use view")
        inner = Mlp(
            self.reader.n_inputs,
            config.hidden,
            self.heads,
            separate=kind is SeparateAgent,
            seed=self.seed_for(Stream.WEIGHTS),
        )
        self.network = Standardised(inner, self._measure())
        self.modules = {"network": self.network}
        self.optimiser = torch.optim.Adam(inner.parameters(), lr=config.learning_rate)
        self.agent = kind(game, parse_config(kind, parameters), self._model())

    def choose(self, turn: Turn) -> Chosen:
        """Let the agent search every position with the network as it is."""
        found = self.agent.act(turn.views, turn.seats, turn.rngs, turn.games)
        assert found.visits is not None
        visits = np.zeros((len(turn), self.reader.width(self.game)), np.float32)
        visits[:, : found.visits.shape[1]] = np.nan_to_num(found.visits)
        owners = np.repeat(np.arange(len(turn)), np.diff(turn.legal.offsets))
        places = np.flatnonzero(turn.legal.actions == found.actions[owners])
        return Chosen(found.actions, {"places": places - turn.legal.offsets[:-1], "visits": visits})

    def step(self) -> Mapping[str, float]:
        """Play some games by the weights as they are and learn from them."""
        self.agent.use(self.network.layers())
        return super().step()

    def learn(self, episodes: Episodes, rng: np.random.Generator) -> Mapping[str, float]:
        """Go over all decisions in small batches, in any order."""
        kept, config = episodes.kept, self.config
        returns = discounted(episodes.rewards / config.scale, episodes.is_last, config.gamma)
        told = []
        for _ in range(config.passes):
            order = rng.permutation(len(episodes))
            for first in range(0, len(order), config.batch):
                some = order[first : first + config.batch]
                loss = self._loss({name: part[some] for name, part in kept.items()}, returns[some])
                self.descend(loss.policy + loss.value)
                told.append([float(part.detach()) * len(some) for part in loss])
        policy, value = np.sum(told, axis=0) / (config.passes * len(episodes))
        moves = len(episodes) / episodes.is_last.sum()
        return {"loss/policy": policy * moves, "loss/value": value * config.scale**2}

    def drafts(self) -> dict[str, Draft]:
        """Return the network, which the agent and `net` play by."""
        value = "rest" if len(self.heads) > 1 else None
        reader, layers = self.reader, self.network.layers()
        scale = self.config.scale if value else 1.0
        name = reader.encoding.name
        return {"model": Draft(name, self.heads, layers, reader.inputs, value, scale)}

    def _loss(self, kept: Mapping[str, npt.NDArray[Any]], returns: npt.NDArray[Any]) -> Loss:
        """Compare what the network says of some decisions with what was found out."""
        seen = self.reader.read(kept["views"], kept["seats"])
        columns, goal = self._goal(kept, seen)
        made = self._score(seen)
        predicted = made.get("value")
        if "q" in made:
            predicted = chosen_of(made["q"], torch.from_numpy(columns))
        return losses(made["policy"], goal, predicted, torch.from_numpy(returns).float())

    def _score(self, seen: Seen) -> dict[str, Tensor]:
        """Return what the network says of every column, and of positions if it values them."""
        if seen.rows is not None:
            made = self.network(torch.cat([seen.features[seen.owners], seen.rows], dim=1))
            return {name: spread(out[:, 0], seen) for name, out in made.items()}
        made = self.network(seen.features)
        return {
            name: out[:, 0] if name == "value" else out.masked_fill(~seen.mask, NEVER)
            for name, out in made.items()
        }

    def _goal(self, kept: Mapping[str, npt.NDArray[Any]], seen: Seen) -> tuple[Any, Tensor]:
        """Return the columns that were chosen, and how much of each the policy is to play."""
        places, weights = kept["places"], kept["visits"]
        legal = list_legal(kept["views"], kept["seats"])
        columns = places
        if self.reader.by_view:
            indices = self.reader.encoding.indices(kept["views"], kept["seats"], legal)
            columns = indices[legal.offsets[:-1] + places]
        goal = np.zeros(tuple(seen.mask.shape), np.float32)
        if self.config.target == "move":
            goal[np.arange(len(columns)), columns] = 1
            return columns, torch.from_numpy(goal)
        owners = np.repeat(np.arange(len(places)), np.diff(legal.offsets))
        within = np.arange(len(owners)) - legal.offsets[owners]
        np.add.at(
            goal, (owners, indices if self.reader.by_view else within), weights[owners, within]
        )
        return columns, torch.from_numpy(goal / goal.sum(axis=1, keepdims=True))

    def _measure(self) -> npt.NDArray[np.float32]:
        """Return features as the network sees them in random games: [rows, inputs]."""

        def choose(turn: Turn) -> Chosen:
            actions = np.empty(len(turn), np.int64)
            draw_listed(turn.legal, turn.rngs, actions)
            return Chosen(actions, {})

        tables = Tables(self.game, (SELF,), GAMES_TO_MEASURE, by_turns=False)
        kept = tables.play(choose, self.seed_for(Stream.GAMES)).kept
        seen = self.reader.read(kept["views"], kept["seats"])
        if seen.rows is None:
            return np.asarray(seen.features)
        return np.asarray(torch.cat([seen.features[seen.owners], seen.rows], dim=1))

    def _model(self) -> Model:
        """Return the network as the agent takes it."""
        (draft,) = self.drafts().values()
        assert isinstance(draft.network, list)
        sizes = (self.reader.n_inputs, *(len(bias) for _, bias in draft.network))
        facts: dict[str, Any] = {"heads": dict(draft.heads), "layers": sizes}
        facts |= {"inputs": draft.inputs, "value": draft.value, "scale": draft.scale}
        card = Card(
            game=self.game.facts.name,
            version=self.game.facts.version,
            encoding=draft.encoding,
            licence="none",
            recipe="in training",
            strength="in training",
            seed=self.seed,
            **facts,
        )
        return Model(card, self.reader.encoding, self.reader.n_inputs, draft.network)


def _agent_of(spec: str) -> tuple[type[NetworkAgent], dict[str, str]]:
    """Return the class of the agent that plays, and its parameters."""
    name, parameters = split_spec(spec)
    if name not in AGENTS:
        raise SpecError(f"agent={clip(spec)} is guided by no network: {nearest(name, AGENTS)}")
    if "model" in parameters:
        raise SpecError(f"agent={clip(spec)}: the network is what learns, leave model= out")
    return AGENTS[name], parameters


ALGORITHM = Alpha05
