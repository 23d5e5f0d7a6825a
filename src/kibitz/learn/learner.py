"""What learners without a model of the game share: play a batch of whole games, then learn from it.

A step depends on the weights, the optimiser, what is kept for replay and on (seed, number of the
step) alone, from which every random stream of the step derives. So `state` has no streams in it.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import torch
from torch import nn

from kibitz.core.lanes import MAX_LANES, Turn
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.algorithm import Algorithm, Metrics, State
from kibitz.learn.episodes import Chosen, Episodes, Tables
from kibitz.learn.reading import Inputs, Reader, Tensor
from kibitz.learn.states import (
    module_state,
    optimiser_state,
    restore_module,
    restore_optimiser,
)


class Stream(IntEnum):
    """What a seed is for: equal steps have unrelated streams for different uses."""

    WEIGHTS = 1
    GAMES = 2
    REPLAY = 3
    NOISE = 4


def seed_of(seed: int, step: int, stream: Stream) -> int:
    """Return the seed of one use in one step."""
    words = np.random.SeedSequence((seed, step, int(stream))).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


@dataclass(frozen=True, kw_only=True)
class LearnerConfig:
    """Where and how an algorithm learns; each adds fields of its own."""

    encoding: str = ""  # what networks see of the game; empty: its first encoding
    inputs: Inputs = "view"  # an output per action index, or a row per legal action
    hidden: tuple[int, ...] = (128,)  # outputs of the hidden layers
    opponents: tuple[str, ...] = ("self",)  # who is met, deal by deal: specs, or self
    games: int = 64  # whole games per step
    by_turns: bool = True  # points count when they are made, not only at the end of a round
    scale: float = 1.0  # points that a reward of 1 stands for
    max_norm: float = 0.0  # gradients are cut to this norm; 0: never

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        limits.check_within(self, 1, MAX_LANES, "games")
        limits.check_within(self, 0, limits.MAX_WEIGHT, "max_norm")
        limits.check_positive(self, limits.MAX_WEIGHT, "scale")


class Learner(Algorithm):
    """An algorithm that plays whole games on lanes and learns from what happened."""

    def __init__(self, game: Game, config: Any, seed: int) -> None:
        """Seat everybody; whoever derives from it makes networks and optimiser."""
        super().__init__(game, config, seed)
        self.reader = Reader(game, config.encoding, config.inputs)
        self.tables = Tables(game, config.opponents, config.games, by_turns=config.by_turns)
        self.n_steps = 0
        self.modules: dict[str, nn.Module] = {}
        self.optimiser: Any = None

    def seed_for(self, stream: Stream) -> int:
        """Return the seed of a use in this step."""
        return seed_of(self.seed, self.n_steps, stream)

    def step(self) -> Metrics:
        """Play some games and learn from them."""
        with torch.no_grad():
            episodes = self.tables.play(self.choose, self.seed_for(Stream.GAMES))
        rng = np.random.default_rng(self.seed_for(Stream.REPLAY))
        metrics = {"score": float(episodes.scores[episodes.is_last].mean())}
        metrics |= self.learn(episodes, rng)
        self.n_steps += 1
        return metrics

    @abstractmethod
    def choose(self, turn: Turn) -> Chosen:
        """Choose actions in play, without gradients."""

    @abstractmethod
    def learn(self, episodes: Episodes, rng: np.random.Generator) -> Mapping[str, float]:
        """Learn from a batch of games; return what can be told about it."""

    def descend(self, loss: Tensor) -> None:
        """Take one step of the optimiser."""
        self.optimiser.zero_grad()
        loss.backward()
        if self.config.max_norm:
            parameters = self.optimiser.param_groups[0]["params"]
            nn.utils.clip_grad_norm_(parameters, self.config.max_norm)
        self.optimiser.step()

    def state(self) -> State:
        """Return weights, optimiser and the number of the next step."""
        networks = {name: module_state(module) for name, module in self.modules.items()}
        optimiser = optimiser_state(self.optimiser)
        return {"step": self.n_steps, "networks": networks, "optimiser": optimiser}

    def restore(self, state: State) -> None:
        """Go on from what `state` returned."""
        saved: Any = state
        for name, module in self.modules.items():
            restore_module(module, saved["networks"][name])
        restore_optimiser(self.optimiser, saved["optimiser"])
        self.n_steps = int(saved["step"])
