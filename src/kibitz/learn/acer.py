"""ACER: an actor-critic that learns again from what it played before.

Wang, Bapst, Heess, Mnih, Munos, Kavukcuoglu and de Freitas (2017), "Sample efficient actor-critic
with experience replay"; the discrete version (section 3, Algorithms 1 and 2). Equation numbers are
the paper's. mu is the policy that played, f the one that learns, f_a its moving average.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from kibitz.core.lanes import Turn
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.algorithm import Draft, State
from kibitz.learn.episodes import Chosen, Episodes
from kibitz.learn.export import layers_of
from kibitz.learn.learner import Learner, LearnerConfig, Stream
from kibitz.learn.networks import Mlp
from kibitz.learn.reading import NEVER, Tensor, chosen_of
from kibitz.learn.replay import MAX_ROWS, Kind, SequenceReplay
from kibitz.learn.returns import retrace

LEAST = 1e-8
"""What a probability is divided by at least."""


@dataclass(frozen=True, kw_only=True)
class AcerConfig(LearnerConfig):
    """Parameters of ACER, with the numbers of its experiments on Atari (section 4)."""

    gamma: float = 0.99  # discount
    learning_rate: float = 7e-4  # of Adam; the paper draws those of RMSProp at random
    truncation: float = 10.0  # c: importance weights are cut here, and the rest is corrected
    trust_region: float = 1.0  # delta: how far from the average policy a gradient may lead
    average: float = 0.99  # alpha: what the average policy keeps at every update
    entropy: float = 0.001  # weight of the policy's entropy
    replay_ratio: float = 4.0  # updates from replay for each from play: the mean of a Poisson
    batch: int = 64  # sequences of an update from replay
    capacity: int = 50_000  # decisions that are kept
    warmup: int = 1_000  # decisions before replay begins

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        super().__post_init__()
        limits.check_positive(self, limits.MAX_RATE, "learning_rate")
        limits.check_positive(self, limits.MAX_WEIGHT, "truncation")
        limits.check_within(self, 0, 1, "gamma", "average")
        limits.check_within(self, 0, limits.MAX_WEIGHT, "trust_region", "entropy")
        limits.check_within(self, 0, limits.MAX_PASSES, "replay_ratio")
        limits.check_within(self, 1, limits.MAX_BATCH, "batch")
        limits.check_within(self, 1, MAX_ROWS, "capacity")
        limits.check_within(self, 0, MAX_ROWS, "warmup")


class Told(NamedTuple):
    """What the networks say of some decisions, by columns: [decisions, columns]."""

    logits: Tensor  # phi, the statistics of f
    q: Tensor  # Q
    average: Tensor  # probabilities of f_a
    behaviour: Tensor  # probabilities of mu


class Gradient(NamedTuple):
    """What an update goes by; nothing in it is differentiated."""

    z: Tensor  # [decisions, columns] of the statistics
    q_target: Tensor  # [decisions] Q^ret
    ratio: Tensor  # [decisions] rho of what was chosen
    held_back: Tensor  # [decisions] whether the trust region has cut the gradient


def acer_gradient(
    told: Told, chosen: Tensor, rewards: Any, is_last: Any, config: AcerConfig
) -> Gradient:
    """Return the gradient of the policy's statistics and the targets of Q.

    Args:
        told: what the networks say.
        chosen: columns that were chosen: [decisions].
        rewards: what came after each decision: [decisions].
        is_last: where sequences end: [decisions].
        config: c, delta and gamma.
    """
    c = config.truncation
    f, q = torch.softmax(told.logits, dim=1), told.q
    rho = f / told.behaviour.clamp(min=LEAST)
    v = (f * q).sum(dim=1)
    rho_chosen, q_chosen = chosen_of(rho, chosen), chosen_of(q, chosen)
    said = [t.double().numpy() for t in (q_chosen, v, rho_chosen)]
    q_ret = retrace(rewards, said[0], said[1], said[2], is_last, config.gamma)  # (5)
    target = torch.from_numpy(q_ret).to(f.dtype)
    # (9) with respect to phi, the logits: the gradient of log f(a) is (1 at a) - f
    played = rho_chosen.clamp(max=c) * (target - v)
    rest = (1 - c / rho.clamp(min=LEAST)).clamp(min=0) * f * (q - v[:, None])
    g = rest.scatter_add(1, chosen[:, None], played[:, None])
    g = g - f * g.sum(dim=1, keepdim=True)
    # (11) and (12): the nearest z whose product with k, the gradient of KL(f_a || f), is <= delta
    k = f - told.average
    excess = (k * g).sum(dim=1) - config.trust_region
    cut = excess.clamp(min=0) / torch.square(k).sum(dim=1).clamp(min=LEAST)
    return Gradient(g - cut[:, None] * k, target, rho_chosen, excess > 0)


class Loss(NamedTuple):
    """The parts of the loss, means over decisions."""

    policy: Tensor
    q: Tensor
    entropy: Tensor


def losses(told: Told, gradient: Gradient, chosen: Tensor) -> Loss:
    """Return what is to be made small: its gradient is -z by phi, and that of (6) by Q."""
    legal = told.logits > NEVER / 2
    policy = -(gradient.z * told.logits).where(legal, 0).sum(dim=1).mean()
    q = torch.square(gradient.q_target - chosen_of(told.q, chosen)).mean() / 2
    log_f = torch.log_softmax(told.logits, dim=1)
    entropy = -(log_f.exp() * log_f).sum(dim=1).mean()
    return Loss(policy, q, entropy)


class Acer(Learner):
    """Learns a policy and action values from games just played and from older ones."""

    Config = AcerConfig

    def __init__(self, game: Game, config: AcerConfig, seed: int) -> None:
        """Draw the first weights, and make room for replay."""
        super().__init__(game, config, seed)
        reader, weights = self.reader, self.seed_for(Stream.WEIGHTS)
        heads = {"policy": reader.n_outputs, "q": reader.n_outputs}
        self.network = Mlp(reader.n_inputs, config.hidden, heads, seed=weights)
        self.average = Mlp(reader.n_inputs, config.hidden, heads, seed=weights)
        self.modules = {"network": self.network, "average": self.average}
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.width = reader.width(game)
        fields: dict[str, Kind] = {"views": (game.rules.STATE, ()), "seats": (np.int64, ())}
        fields |= {"chosen": (np.int64, ()), "behaviour": (np.float32, (self.width,))}
        fields |= {"rewards": (np.float64, ()), "is_last": (np.bool_, ())}
        self.replay = SequenceReplay(config.capacity, fields)

    def choose(self, turn: Turn) -> Chosen:
        """Draw actions by the policy, and keep the probabilities of all."""
        seen = self.reader.read(turn.views, turn.seats, turn.legal)
        logits = self.reader.score(self.network, seen)["policy"]
        picked = self.reader.pick(turn, seen, logits)
        behaviour = np.zeros((len(turn), self.width), np.float32)
        behaviour[:, : logits.shape[1]] = picked.probabilities
        return Chosen(picked.actions, {"chosen": picked.columns, "behaviour": behaviour})

    def learn(self, episodes: Episodes, rng: np.random.Generator) -> Mapping[str, float]:
        """Learn from what was played, then from replay (Algorithm 1)."""
        rows = {"rewards": episodes.rewards / self.config.scale, "is_last": episodes.is_last}
        rows |= episodes.kept
        metrics = self._update(rows)
        self.replay.add_sequences(rows, episodes.is_last)
        if len(self.replay) >= self.config.warmup:
            for _ in range(rng.poisson(self.config.replay_ratio)):
                drawn = self.replay.sample(self.config.batch, rng)
                metrics = self._update(self.replay.take(drawn.rows))
        return metrics

    def _update(self, rows: Mapping[str, npt.NDArray[Any]]) -> dict[str, float]:
        """Take one step along the gradient of whole sequences (Algorithm 2)."""
        config = self.config
        seen = self.reader.read(rows["views"], rows["seats"])
        made = self.reader.score(self.network, seen)
        with torch.no_grad():
            average = torch.softmax(self.reader.score(self.average, seen)["policy"], dim=1)
            behaviour = torch.from_numpy(rows["behaviour"][:, : seen.mask.shape[1]])
            told = Told(made["policy"], made["q"], average, behaviour)
            chosen = torch.from_numpy(rows["chosen"])
            gradient = acer_gradient(told, chosen, rows["rewards"], rows["is_last"], config)
        loss = losses(told, gradient, chosen)
        self.descend(loss.policy + loss.q - config.entropy * loss.entropy)
        with torch.no_grad():
            pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
            for slow, fast in pairs:
                slow.mul_(config.average).add_(fast, alpha=1 - config.average)
        told_of = {f"loss/{name}": float(part.detach()) for name, part in loss._asdict().items()}
        told_of["ratio"] = float(gradient.ratio.mean())
        return told_of | {"held_back": float(gradient.held_back.float().mean())}

    def state(self) -> State:
        """Return weights, optimiser, replay and the number of the next step."""
        return {**super().state(), "replay": self.replay.state()}

    def restore(self, state: State) -> None:
        """Go on from what `state` returned."""
        super().restore(state)
        self.replay.restore(state["replay"])  # type: ignore[arg-type]

    def drafts(self) -> dict[str, Draft]:
        """Return the policy; Q tells points still to come, not scores, and stays here."""
        reader = self.reader
        layers = layers_of(self.network)
        weight, bias = layers[-1]
        n = reader.n_outputs
        layers = [*layers[:-1], (np.ascontiguousarray(weight[:, :n]), bias[:n])]
        heads = {"policy": n}
        return {"model": Draft(reader.encoding.name, heads, layers, inputs=reader.inputs)}


ALGORITHM = Acer
