"""Behavioural cloning: learn what somebody else does, by cross-entropy over legal actions.

The teacher is a bot that plays against itself, with some random actions so that the clone meets
mistakes, too; or people, from records of their games (`learn.demonstrations`). As the thesis on
Tichu does, one may learn from the winning side alone. The critic learns what follows.

Accuracy, how often the clone likes best what the teacher chose, is of games that are never learnt
from: of records a share at the end, of bots games of their own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from kibitz.core.errors import SpecError
from kibitz.core.registry import load_agent
from kibitz.core.table import Game
from kibitz.learn import limits
from kibitz.learn.actors import Actor, ActorConfig, advantages, log_softmax, means
from kibitz.learn.algorithm import Metrics
from kibitz.learn.bags import Ints
from kibitz.learn.demonstrations import Demonstrations
from kibitz.learn.learner import Stream, seed_of
from kibitz.learn.reading import Tensor
from kibitz.learn.troupe import Manner, Part, Shown

HELD_OUT = 0
"""The number of the step that games to be measured by belong to: learning begins at 1."""


@dataclass(frozen=True, kw_only=True)
class CloneConfig(ActorConfig):
    """Parameters of cloning."""

    teacher: str = ""  # a bot that is one compiled policy
    records: tuple[str, ...] = ()  # or files of records
    noise: float = 0.05  # share of random actions while a bot teaches
    losers: float = 1.0  # how much decisions of losing sides count; the thesis: 0
    epochs: int = (
        1  # passes over the games of a step; all steps over all records: the thesis has 10
    )
    held_out: float = 0.05  # share of the records that are only measured by
    test_games: int = 50  # games that accuracy is measured by at every step
    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        super().__post_init__()
        if bool(self.teacher) == bool(self.records):
            raise SpecError("name a teacher, such as convention, or files of records, not both")
        limits.check_within(self, 0, 1, "losers", "noise")
        limits.check_positive(self, 0.99, "held_out")
        limits.check_within(self, 1, limits.MAX_GAMES, "test_games")
        limits.check_within(self, 1, limits.MAX_PASSES, "epochs")


def weights_of(part: Part, losers: float) -> Any:
    """Return how much every decision counts: 1 for winners and in a tie, `losers` for others."""
    won = part.scores[part.games, part.seats] >= part.scores[part.games].mean(axis=1)
    return np.where(won, 1.0, losers).astype(np.float32)


def cross_entropy(
    scores: Tensor, owners: Tensor, chosen: Tensor, weights: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the weighted sum of -log pi(chosen), and how many are what the policy likes best."""
    n = len(chosen)
    log_policy = log_softmax(scores, owners, n)
    picked = log_policy[chosen]
    highest = torch.full((n,), -torch.inf).scatter_reduce(0, owners, scores.detach(), "amax")
    right = (scores.detach()[chosen] >= highest).sum()
    return -(weights * picked).sum(), right


def imitate(
    actor: Actor,
    parts: Sequence[Part],
    rng: np.random.Generator,
    *,
    rate: float,
    losers: float = 1.0,
    epochs: int = 1,
) -> dict[str, float]:
    """Let a policy learn what was chosen; return loss and accuracy in the mean.

    Args:
        actor: whose policy learns.
        parts: what was noted of the teacher.
        rng: what batches are drawn from.
        rate: the learning rate.
        losers: how much decisions of the losing side count.
        epochs: passes over all of it.
    """
    counts = [weights_of(part, losers) for part in parts]
    rows = [np.flatnonzero(weights) for weights in counts]
    actor.optimisers["policy"].param_groups[0]["lr"] = rate

    def loss(k: int, some: Ints) -> tuple[Tensor, dict[str, float]]:
        return clone_loss(actor, parts[k], some, counts[k])

    found = [
        actor.descend("policy", batch, loss)
        for _ in range(epochs)
        for batch in actor.batches(rows, actor.config.batch, rng)
    ]
    return means(found)


def clone_loss(
    actor: Actor, part: Part, rows: Ints, weights: Any
) -> tuple[Tensor, dict[str, float]]:
    """Return the loss of some decisions of a part, summed, and what is told about it."""
    scores, owners = actor.scores_of(part, rows)
    sizes = part.first[rows + 1] - part.first[rows]
    chosen = torch.from_numpy(np.cumsum(sizes) - sizes + part.chosen[rows])
    total, right = cross_entropy(scores, owners, chosen, torch.from_numpy(weights[rows]))
    told = {"loss/clone": float(total.detach()), "accuracy": float(right)}
    return total, {name: number / len(rows) for name, number in told.items()}


def accuracy(actor: Actor, parts: Sequence[Part]) -> tuple[float, float]:
    """Return how often a policy likes best what was chosen, and the mean of -log pi."""
    right = total = 0.0
    n = 0
    with torch.no_grad():
        for part in parts:
            for rows in np.array_split(np.arange(len(part)), 1 + len(part) // 4096):
                told = clone_loss(actor, part, rows, np.ones(len(part), np.float32))[1]
                right += told["accuracy"] * len(rows)
                total += told["loss/clone"] * len(rows)
                n += len(rows)
    return right / max(1, n), total / max(1, n)


class Clone(Actor):
    """Learns to choose what a teacher chooses."""

    Config = CloneConfig

    def __init__(self, game: Game, config: CloneConfig, seed: int) -> None:
        """Find the teacher, or the records."""
        super().__init__(game, config, seed)
        self._teachers = [load_agent(config.teacher, game)] if config.teacher else []
        self._shown = Demonstrations(game, config.records) if config.records else None

    def step(self) -> Metrics:
        """Measure accuracy on games that are never learnt from, then learn from others."""
        self.set_rates()
        rate = self.optimisers["policy"].param_groups[0]["lr"]
        right, total = accuracy(self, self._teach(self.config.test_games, held_out=True))
        parts = self._teach(self.config.games, held_out=False)
        config, rng = self.config, self.rng()
        metrics = imitate(self, parts, rng, rate=rate, losers=config.losers, epochs=config.epochs)
        targets = [
            advantages(part, self.values(part), self.game.sides, config)[1] for part in parts
        ]
        metrics["loss/value"] = self.fit_critic(parts, targets, rng)
        self.n_decisions += sum(map(len, parts))
        self.n_steps += 1
        return metrics | {"held_out/accuracy": right, "held_out/loss": total}

    def learn(self, parts: Sequence[Part], rng: np.random.Generator) -> Mapping[str, float]:
        """Learn what was chosen."""
        return imitate(self, parts, rng, rate=self.config.learning_rate)

    def _teach(self, n: int, *, held_out: bool) -> list[Part]:
        """Return games of the teacher."""
        if self._shown is not None:
            return self.troupe.note(self.policy.layers(), self._draw_shown(n, held_out))
        lineup = np.zeros((n, self.game.n_seats), np.int64)
        manner = Manner(noise=0.0 if held_out else self.config.noise, teaches=True)
        number = HELD_OUT if held_out else 1 + self.n_steps
        seed = seed_of(self.seed, number, Stream.GAMES)
        return self.troupe.play(self.policy.layers(), self._teachers, lineup, seed, manner)

    def _draw_shown(self, n: int, held_out: bool) -> list[Shown]:
        """Read records: the last ones to measure, of the others as many as a step takes in turn.

        All are learnt from once, in a random order, before one is learnt from again.
        """
        assert self._shown is not None
        total = len(self._shown)
        n_test = min(max(1, round(self.config.held_out * total)), total - 1)
        if total < 2:
            raise SpecError("there is one record only: some are learnt from, others measured by")
        if held_out:
            numbers = np.arange(total - n_test, total)[:n]
        else:
            places = self.n_steps * n + np.arange(n)
            passes, within = np.divmod(places, total - n_test)
            orders = {
                k: np.random.default_rng((self.seed, k)).permutation(total - n_test)
                for k in np.unique(passes).tolist()
            }
            numbers = np.array([orders[int(k)][i] for k, i in zip(passes, within, strict=True)])
        found = [self._shown.read(int(number)) for number in numbers]
        fitting = [one for one in found if one is not None]
        if not fitting:
            raise SpecError(f"none of {len(found)} records is a finished game of {self.game.spec}")
        return fitting


ALGORITHM = Clone
