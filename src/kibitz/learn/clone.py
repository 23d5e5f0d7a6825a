"""Behavioural cloning: learn what somebody else does, by cross-entropy over legal actions.

The teacher is a bot that plays against itself, with some random actions so that the clone meets
mistakes, too; or people, from records of their games (`learn.demonstrations`). As the thesis on
Tichu does, one may learn from the winning side alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from kibitz.learn.actors import Actor, log_softmax, means
from kibitz.learn.bags import Ints
from kibitz.learn.reading import Tensor
from kibitz.learn.troupe import Part


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
