"""REINFORCE with a baseline.

Williams (1992), "Simple statistical gradient-following algorithms for connectionist reinforcement
learning"; the baseline as in Sutton and Barto, "Reinforcement learning" (2nd edition, 2018), 13.4.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from kibitz.core.lanes import Turn
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.algorithm import Draft
from kibitz.learn.episodes import Chosen, Episodes
from kibitz.learn.export import layers_of
from kibitz.learn.learner import Learner, LearnerConfig, Stream
from kibitz.learn.networks import Mlp
from kibitz.learn.reading import Tensor, chosen_of
from kibitz.learn.returns import discounted


@dataclass(frozen=True, kw_only=True)
class ReinforceConfig(LearnerConfig):
    """Parameters of REINFORCE; the papers leave the numbers to the task."""

    gamma: float = 1.0  # discount: games are short
    learning_rate: float = 1e-3  # alpha of the policy and of the baseline, both by Adam
    baseline: bool = True  # b(s) is a learnt value; else 0
    entropy: float = 0.0  # weight of the policy's entropy

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        super().__post_init__()
        limits.check_positive(self, limits.MAX_RATE, "learning_rate")
        limits.check_within(self, 0, 1, "gamma")
        limits.check_within(self, 0, limits.MAX_WEIGHT, "entropy")


class Loss(NamedTuple):
    """The parts of the loss, means over decisions."""

    policy: Tensor
    value: Tensor
    entropy: Tensor


def losses(logits: Tensor, values: Tensor, chosen: Tensor, returns: Tensor) -> Loss:
    """Return what is to be made small.

    Args:
        logits: of the columns, [decisions, columns].
        values: b(s), the baseline: [decisions].
        chosen: columns that were chosen: [decisions].
        returns: G, what followed: [decisions].
    """
    log_policy = torch.log_softmax(logits, dim=1)
    advantages = (returns - values).detach()  # delta = G - v(S), S&B p. 330
    gained = advantages * chosen_of(log_policy, chosen)  # Williams: (r - b) times the eligibility
    policy = -gained.mean()
    value = torch.square(returns - values).mean() / 2
    entropy = -(log_policy.exp() * log_policy).sum(dim=1).mean()
    return Loss(policy, value, entropy)


class Reinforce(Learner):
    """Makes actions likelier that were followed by more points than the baseline expects."""

    Config = ReinforceConfig

    def __init__(self, game: Game, config: ReinforceConfig, seed: int) -> None:
        """Draw the first weights."""
        super().__init__(game, config, seed)
        reader, weights = self.reader, self.seed_for(Stream.WEIGHTS)
        self.policy = Mlp(
            reader.n_inputs, config.hidden, {"policy": reader.n_outputs}, seed=weights
        )
        self.value = Mlp(reader.encoding.size, config.hidden, {"value": 1}, seed=weights + 1)
        self.modules = {"policy": self.policy, "value": self.value}
        parameters = [*self.policy.parameters(), *self.value.parameters()]
        self.optimiser = torch.optim.Adam(parameters, lr=config.learning_rate)

    def choose(self, turn: Turn) -> Chosen:
        """Draw actions by the policy."""
        seen = self.reader.read(turn.views, turn.seats, turn.legal)
        logits = self.reader.score(self.policy, seen)["policy"]
        picked = self.reader.pick(turn, seen, logits)
        return Chosen(picked.actions, {"chosen": picked.columns})

    def learn(self, episodes: Episodes, rng: np.random.Generator) -> Mapping[str, float]:
        """Take one step along the gradient of all decisions."""
        kept, config = episodes.kept, self.config
        returns = discounted(episodes.rewards / config.scale, episodes.is_last, config.gamma)
        seen = self.reader.read(kept["views"], kept["seats"])
        logits = self.reader.score(self.policy, seen)["policy"]
        values = self.value(seen.features)["value"][:, 0]
        values = values if config.baseline else torch.zeros_like(values)
        chosen = torch.from_numpy(kept["chosen"])
        loss = losses(logits, values, chosen, torch.from_numpy(returns.astype(np.float32)))
        self.descend(loss.policy + loss.value - config.entropy * loss.entropy)
        return {f"loss/{name}": float(part.detach()) for name, part in loss._asdict().items()}

    def drafts(self) -> dict[str, Draft]:
        """Return the policy."""
        reader = self.reader
        heads, layers = {"policy": reader.n_outputs}, layers_of(self.policy)
        return {"model": Draft(reader.encoding.name, heads, layers, inputs=reader.inputs)}


ALGORITHM = Reinforce
