"""Searches of many positions side by side, guided by a network that is still learning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.core.encoding import Encoding
from kibitz.core.lanes import Turn
from kibitz.core.table import Game
from kibitz.learn.residual import folded
from kibitz.search.answers import answer_leaves, wants_all_seats
from kibitz.search.cards import Card
from kibitz.search.forest import Forest, Leaves
from kibitz.search.guided import GuidedAgent
from kibitz.search.models import Model
from kibitz.search.proofs import Proofs
from kibitz.search.roots import Roots, make_roots

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Symmetry = tuple[Ints, Ints]

MOST_REMEMBERED = 1_000_000
"""Positions of which the answer is remembered, until the weights change."""


def symmetries_of(game: Game, encoding: Encoding) -> list[Symmetry]:
    """Return the symmetries that a game names: permutations of features and of actions."""
    known: Mapping[str, Sequence[Symmetry]] = game.symmetries
    return list(known.get(encoding.name, ()))


class Answers:
    """What a network says of rows of features; of those that it has seen before, from memory.

    Positions that are mirror images of each other are one position.
    """

    def __init__(
        self,
        network: nn.Module,
        heads: Mapping[str, int],
        mirrors: Sequence[Symmetry],
        kind: torch.dtype = torch.float32,
    ) -> None:
        """Take a copy of the network as it is, to compute with numbers of a kind."""
        self._kind = kind
        self._network = folded(network).to(kind)
        self._heads = dict(heads)
        self._mirrors = list(mirrors)
        self._known: dict[bytes, Rows] = {}
        self.n_asked = self.n_computed = 0

    def run(self, rows: Rows) -> dict[str, Rows]:
        """Return the outputs of every head: [rows, outputs]."""
        rows, turned = self._upright(rows)
        keys = [row.tobytes() for row in rows]
        fresh = {key: k for k, key in enumerate(keys) if key not in self._known}
        if fresh:
            self._make_room(keys, len(fresh))
            self._known.update(zip(fresh, self.answer(rows[list(fresh.values())]), strict=True))
        self.n_asked += len(rows)
        self.n_computed += len(fresh)
        answers = np.stack([self._known[key] for key in keys])
        policy, value = answers[:, : self._heads["policy"]], answers[:, self._heads["policy"] :]
        for k, (_, actions) in enumerate(self._mirrors, 1):
            policy[turned == k] = policy[turned == k][:, actions]
        return {"policy": policy, "value": value}

    def _upright(self, rows: Rows) -> tuple[Rows, Ints]:
        """Return of every position the image that comes first in the alphabet, and which it is."""
        turned = np.zeros(len(rows), np.int64)
        upright = rows
        for k, (features, _) in enumerate(self._mirrors, 1):
            image = rows[:, features]
            differs = upright != image
            first = differs.argmax(axis=1)
            at = np.arange(len(rows))
            is_before = differs.any(axis=1) & (image[at, first] < upright[at, first])
            upright = np.where(is_before[:, None], image, upright)
            turned[is_before] = k
        return np.ascontiguousarray(upright), turned

    def answer(self, rows: Rows) -> Rows:
        """Return the outputs of all heads side by side, without a look at what is remembered."""
        with torch.inference_mode():
            made = self._network(torch.from_numpy(rows).to(self._kind))
        answers: Rows = torch.cat([made["policy"], made["value"]], dim=1).float().numpy()
        return answers

    def _make_room(self, asked: list[bytes], n_fresh: int) -> None:
        """Forget everything but what is asked now, if there is no room for more."""
        if len(self._known) + n_fresh > MOST_REMEMBERED:
            self._known = {key: self._known[key] for key in asked if key in self._known}


class Searched(NamedTuple):
    """What searches have found: [views], [views, actions] or flat as legal actions are listed."""

    roots: Roots
    weights: Floats  # flat: how much each action is to be played, adding up to 1 for every view
    means: Floats  # [views] what the search expects, as it values games


@dataclass(frozen=True)
class Guidance:
    """How a network guides searches while it learns."""

    alpha: float = 1.0  # of the Dirichlet noise on the priors of roots
    noise: float = 0.0  # its share; 0 leaves them alone
    foresight: int = 0  # moves that the rules look beyond leaves
    kind: torch.dtype = torch.float32  # of the numbers that it computes with


class NetworkSearch:
    """Searches many views with a network that can be exchanged between searches."""

    def __init__(
        self,
        agent: GuidedAgent,
        encoding: Encoding,
        card: Card,
        most: int,
        how: Guidance,
    ) -> None:
        """Make room.

        Args:
            agent: whose rule and budget it searches by.
            encoding: what the network sees.
            card: what its outputs mean.
            most: views at a time.
            how: it is guided.
        """
        self._game, self._encoding, self._card = agent.game, encoding, card
        self._how = how
        self._mirrors = symmetries_of(agent.game, encoding)
        asks_all = wants_all_seats(Model(card, encoding, encoding.size, []), agent.game)
        proves = how.foresight > 0
        self._forest = Forest(agent.make_desk(), agent.tree_size, most, 1, asks_all, proves)

    def use(self, network: nn.Module) -> None:
        """Search by this network from now on, as it is now."""
        self.answers = Answers(network, self._card.sizes, self._mirrors, self._how.kind)
        session: Any = self.answers
        self._model = Model(self._card, self._encoding, self._encoding.size, [], session)

    def search(self, turn: Turn, n_sims: Ints, rng: np.random.Generator) -> Searched:
        """Search every decision of a turn by so many simulations."""
        forest, counts = self._forest, np.diff(turn.legal.offsets)
        forest.begin(turn.views, turn.seats, turn.rngs, n_sims)
        leaves = forest.select()
        assert leaves is not None
        priors, values, proven = self._answer(leaves)
        noise = self._how.alpha, self._how.noise
        forest.absorb(leaves, with_noise(priors, leaves, noise, rng), values, proven)
        while (leaves := forest.select()) is not None:
            forest.absorb(leaves, *self._answer(leaves))
        roots = make_roots(len(turn), int(counts.max()))
        forest.read(roots)
        visits = np.nan_to_num(roots.visits)
        means = (visits * np.nan_to_num(roots.means)).sum(axis=1) / visits.sum(axis=1)
        weights = np.nan_to_num(roots.weights)
        weights /= weights.sum(axis=1, keepdims=True)
        is_listed = np.arange(weights.shape[1]) < counts[:, None]
        return Searched(roots, weights[is_listed], means)

    def _answer(self, leaves: Leaves) -> tuple[Floats, Floats, Proofs]:
        return answer_leaves(self._model, self._game, leaves, self._how.foresight)


def with_noise(
    priors: Floats, leaves: Leaves, noise: tuple[float, float], rng: np.random.Generator
) -> Floats:
    """Mix Dirichlet noise of an alpha and a share into the priors of every leaf, eq. 4.29."""
    alpha, share = noise
    if share == 0:
        return priors
    drawn = rng.standard_gamma(alpha, len(priors)) + 1e-12
    offsets = leaves.legal.offsets
    sums = np.add.reduceat(np.append(drawn, 0.0), offsets[:-1])
    counts = np.diff(offsets)
    mixed = drawn / np.repeat(np.where(counts > 0, sums, 1.0), counts)
    return (1 - share) * priors + share * mixed


def tempered(visits: Floats, temperature: float) -> Floats:
    """Return visits to the power of 1 / temperature, over the largest of each row (eq. 4.28).

    They are computed as logarithms: at low temperatures no number can hold the powers.
    """
    logs = np.log(np.maximum(visits, 1))
    logs -= logs.max(axis=-1, keepdims=True)
    return np.where(visits > 0, np.exp(logs / temperature), 0.0)
