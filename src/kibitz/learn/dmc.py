"""Deep Monte Carlo: values of actions, learnt from what games brought.

Zha, Xie, Ma, Zhang, Lian, Hu and Liu (2021), "DouZero: mastering DouDizhu with self-play deep
reinforcement learning". Q(s, a) goes towards the result of the game; whoever plays takes the best
action but for a share of random ones. No bootstrapping: nothing is believed but results.

With `lam` below 1 a critic's values stand for a part of what follows, which makes targets less
noisy: the lambda return of the critic from the next decision on, in place of the result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from kibitz.learn import limits
from kibitz.learn.actors import Actor, ActorConfig, advantages, means
from kibitz.learn.algorithm import Draft
from kibitz.learn.bags import Ints
from kibitz.learn.export import layers_of
from kibitz.learn.reading import Tensor
from kibitz.learn.troupe import Manner, Part, one_kind


@dataclass(frozen=True, kw_only=True)
class DmcConfig(ActorConfig):
    """Parameters of deep Monte Carlo; the paper's where it has them."""

    epsilon: float = 0.01  # share of random actions
    lam: float = 1.0  # 1: results alone; below, with a critic's values
    learning_rate: float = 1e-4
    epochs: int = 1  # passes over the games of a step
    batch: int = 1024

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        super().__post_init__()
        limits.check_within(self, 0, 1, "epsilon")
        limits.check_within(self, 1, limits.MAX_PASSES, "epochs")


class Dmc(Actor):
    """Learns what every action is worth by playing what it thinks is best."""

    head = "q"
    Config = DmcConfig

    def play(self) -> list[Part]:
        """Play the games of a step: the best action but for a share of random ones."""
        deals = self.n_steps * self.config.games + np.arange(self.config.games)
        lineup = one_kind(self.league.lineup(deals))
        manner = Manner(explorer=self.explorer, noise=self.config.epsilon, greedy=1.0)
        return self.perform(lineup, self.league.agents, manner)

    def learn(self, parts: Sequence[Part], rng: np.random.Generator) -> Mapping[str, float]:
        """Bring the values of what was chosen nearer to what followed."""
        told: dict[str, float] = {}
        if self.config.lam < 1:
            judged = [
                advantages(part, self.values(part), self.game.sides, self.config) for part in parts
            ]
            # A + V is the lambda return: of Q too, as its first step is the action that was chosen.
            goals = [
                (gained + self.values(part)).astype(np.float32)
                for part, (gained, _) in zip(parts, judged, strict=True)
            ]
            told["loss/value"] = self.fit_critic(parts, [aims for _, aims in judged], rng)
        else:
            nothing = [np.zeros(len(part)) for part in parts]
            goals = [
                advantages(part, zeros, self.game.sides, self.config)[0]
                for part, zeros in zip(parts, nothing, strict=True)
            ]
        rows = [np.arange(len(part)) for part in parts]

        def loss(k: int, some: Ints) -> tuple[Tensor, dict[str, float]]:
            errors = self.chosen_scores(parts[k], some) - torch.from_numpy(goals[k][some])
            squares = torch.square(errors)
            return squares.sum(), {"loss/q": float(squares.detach().mean())}

        found = [
            self.descend("policy", batch, loss)
            for _ in range(self.config.epochs)
            for batch in self.batches(rows, self.config.batch, rng)
        ]
        return told | means(found)

    def drafts(self) -> dict[str, Draft]:
        """Return the values, which play what is worth most; a critic may not have learnt."""
        return {"model": self.policy_draft()}

    def policy_draft(self) -> Draft:
        """Return the values of actions in place of a policy."""
        reader, scale = self.reader, self.config.scale
        value = "rest" if self.config.by_turns else "score"
        heads, layers = {self.head: reader.n_outputs}, layers_of(self.policy)
        name = reader.encoding.name
        return Draft(name, heads, layers, reader.inputs, value, scale)


ALGORITHM = Dmc
