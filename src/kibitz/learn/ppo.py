"""PPO: proximal policy optimisation, with a critic that may see all hands.

Schulman, Wolski, Dhariwal, Radford and Klimov (2017), "Proximal policy optimization algorithms";
advantages as in Schulman et al. (2016). Equation numbers are the former's. A policy scores legal
actions one by one, or has an output for every action index of which illegal ones are masked.

It may begin by cloning a bot (`clone`): the first `teacher_steps` steps learn what the teacher
does, and let the critic see what follows. Or it begins with a model that was trained before, and
lets the critic alone learn in its first steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from kibitz.core.errors import SpecError, clip
from kibitz.core.registry import load_agent
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.actors import Actor, ActorConfig, advantages, log_softmax, means
from kibitz.learn.algorithm import Metrics
from kibitz.learn.bags import Ints
from kibitz.learn.reading import Tensor
from kibitz.learn.troupe import Manner, Part
from kibitz.search.models import load_model


@dataclass(frozen=True, kw_only=True)
class PpoConfig(ActorConfig):
    """Parameters of PPO."""

    clip: float = 0.2  # epsilon: how far the ratio may go before it gains nothing more
    epochs: int = 1  # K: passes over the games of a step
    entropy: float = 0.01  # c2, weight of the policy's entropy
    skip: float = 0.99  # decisions more probable than this are not learnt from; 1: all are
    floor: float = 0.02  # what is tried on purpose and fails is not made rarer than this
    teacher: str = ""  # a bot that is cloned first
    teacher_steps: int = 0
    teacher_games: int = 1000  # whole games of each of these steps
    teacher_noise: float = 0.05  # share of random actions there, so that mistakes are met, too
    teacher_rate: float = 1e-3
    begin: str = ""  # a model of the same size to begin with, by its name or folder
    begin_steps: int = 0  # steps in which the critic alone learns what this model is worth

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        super().__post_init__()
        if self.teacher_steps and not self.teacher:
            raise SpecError("teacher_steps need a teacher: name a bot, such as teacher=convention")
        limits.check_within(self, 0, limits.MAX_STEPS, "begin_steps", "teacher_steps")
        limits.check_within(self, 1, limits.MAX_GAMES, "teacher_games")
        limits.check_within(self, 0, 1, "teacher_noise", "floor")
        limits.check_positive(self, limits.MAX_RATE, "teacher_rate")
        limits.check_positive(self, limits.MAX_WEIGHT, "clip")
        limits.check_positive(self, 1, "skip")
        limits.check_within(self, 1, limits.MAX_PASSES, "epochs")
        limits.check_within(self, 0, limits.MAX_WEIGHT, "entropy")
        if self.begin_steps and not self.begin:
            raise SpecError("begin_steps need a model to begin with, such as begin=tichu-best")
        if self.begin and self.teacher:
            raise SpecError("there is a model to begin with, so nobody is cloned: drop the teacher")


class Batch(NamedTuple):
    """Decisions that are learnt from: [decisions], and their candidates: [all]."""

    scores: Tensor  # [all] what the policy says
    owners: Tensor  # [all] whose candidate each is
    chosen: Tensor  # [decisions] place of what was chosen among all
    old: Tensor  # [decisions] its log-probability when it was played
    advantages: Tensor  # [decisions]
    forced: Tensor  # [decisions] whether it was tried on purpose


class Loss(NamedTuple):
    """What is made small, summed over decisions, and what is told about it."""

    policy: Tensor
    entropy: Tensor
    divergence: Tensor  # KL of the old policy and the new one, estimated from what was chosen
    clipped: Tensor  # share of decisions whose ratio is beyond the clip


def losses(batch: Batch, config: PpoConfig) -> Loss:
    """Return the clipped objective, and the entropy.

    What was tried on purpose did not come from the policy, so a ratio says nothing of it: such a
    decision has the plain gradient of A log pi, and if it failed, none below the floor.
    """
    n = len(batch.old)
    log_policy = log_softmax(batch.scores, batch.owners, n)
    chosen, gained = log_policy[batch.chosen], batch.advantages
    ratio = torch.exp(chosen - batch.old)  # r(theta), p. 3
    cut = ratio.clamp(1 - config.clip, 1 + config.clip)
    clipped = torch.minimum(ratio * gained, cut * gained)  # (7)
    counts = (gained > 0) | (chosen.detach() > np.log(config.floor))
    plain = torch.where(counts, gained * chosen, 0.0 * chosen)
    policy = -torch.where(batch.forced, plain, clipped).sum()
    entropy = -(log_policy.exp() * log_policy).sum()
    own = ~batch.forced
    divergence = ((batch.old - chosen) * own).sum()
    beyond = (((ratio - 1).abs() > config.clip) & own).sum()
    return Loss(policy, entropy, divergence, beyond)


class Ppo(Actor):
    """Makes actions likelier that turned out better than the critic expected."""

    Config = PpoConfig

    def __init__(self, game: Game, config: PpoConfig, seed: int) -> None:
        """Draw the first weights, and load the teacher."""
        super().__init__(game, config, seed)
        self._teachers = [load_agent(config.teacher, game)] if config.teacher else []
        if config.begin:
            model = load_model(config.begin, game)
            if list(model.card.heads) != [self.head]:
                raise SpecError(
                    f"model {clip(config.begin, 200)} has {', '.join(model.card.heads)}, and PPO "
                    "begins with a policy: name another one"
                )
            if model.encoding.name != self.reader.encoding.name:
                raise SpecError(
                    f"model {clip(config.begin, 200)} sees {model.encoding.name}, and the recipe "
                    f"{self.reader.encoding.name}: change encoding"
                )
            self.policy.set_layers(model.layers)

    def step(self) -> Metrics:
        """Clone the teacher in the first steps, then play and learn."""
        if self.n_steps >= self.config.teacher_steps:
            return super().step()
        from kibitz.learn.clone import imitate

        config = self.config
        lineup = np.zeros((config.teacher_games, self.game.n_seats), np.int64)
        manner = Manner(noise=config.teacher_noise, teaches=True)
        parts = self.perform(lineup, self._teachers, manner)
        rng = self.rng()
        metrics = imitate(self, parts, rng, rate=config.teacher_rate)
        targets = [self.judge(part)[1] for part in parts]
        metrics["loss/value"] = self.fit_critic(parts, targets, rng)
        self.n_steps += 1
        return metrics

    def judge(self, part: Part) -> tuple[Any, Any]:
        """Return advantages and targets of a part."""
        return advantages(part, self.values(part), self.game.sides, self.config)

    def learn(self, parts: Sequence[Part], rng: np.random.Generator) -> Mapping[str, float]:
        """Let the critic learn, then take K passes over all decisions that were open."""
        config = self.config
        values = self.troupe.map(lambda k: self.values(parts[k]))
        judged = [
            advantages(part, said, self.game.sides, config)
            for part, said in zip(parts, values, strict=True)
        ]
        gained, targets = [one for one, _ in judged], [one for _, one in judged]
        every, aims = np.concatenate(gained), np.concatenate(targets)
        spread = float(every.std()) + 1e-6
        scaled = [((one - every.mean()) / spread).astype(np.float32) for one in gained]
        told = _explained(aims, np.concatenate(values)) | _of_tried(parts, gained)
        told["loss/value"] = self.fit_critic(parts, targets, rng)
        if self.n_steps < config.begin_steps:
            return told
        open_rows = [_open_rows(part, config.skip) for part in parts]
        told["open"] = sum(map(len, open_rows)) / max(1, len(every))

        def loss(k: int, rows: Ints) -> tuple[Tensor, dict[str, float]]:
            return self._loss(parts[k], scaled[k], rows)

        found = [
            self.descend("policy", batch, loss)
            for _ in range(config.epochs)
            for batch in self.batches(open_rows, config.batch, rng)
        ]
        return told | means(found)

    def _loss(self, part: Part, scaled: Any, rows: Ints) -> tuple[Tensor, dict[str, float]]:
        """Return the loss of some decisions of a part, summed."""
        scores, owners = self.scores_of(part, rows)
        counts = part.first[rows + 1] - part.first[rows]
        chosen = np.cumsum(counts) - counts + part.chosen[rows]
        old, forced = part.log_probs[rows], part.forced[rows]
        given = map(torch.from_numpy, (chosen, old, scaled[rows], forced))
        found = losses(Batch(scores, owners, *given), self.config)
        names = ("loss/policy", "entropy", "divergence", "clipped")
        told = {
            name: float(one.detach()) / len(rows) for name, one in zip(names, found, strict=True)
        }
        return found.policy - self.config.entropy * found.entropy, told


def _open_rows(part: Part, skip: float) -> Ints:
    """Return the decisions that are learnt from: those that were not all but certain."""
    is_open = part.forced | (part.log_probs < np.log(skip)) | (skip == 1)
    return np.flatnonzero(is_open)


def _explained(aims: Any, said: Any) -> dict[str, float]:
    """Return the share of the targets' variance that the critic explains."""
    variance = float(aims.var())
    errors = float(np.square(aims - said).mean())
    return {"explained": 1 - errors / variance if variance else 0.0}


def _of_tried(parts: Sequence[Part], gained: Sequence[Any]) -> dict[str, float]:
    """Return how many decisions were tried on purpose, and what they gained in the mean."""
    tried = np.concatenate([one[part.forced] for part, one in zip(parts, gained, strict=True)])
    if not len(tried):
        return {}
    return {"tried": float(len(tried)), "tried/gain": float(tried.mean())}


ALGORITHM = Ppo
