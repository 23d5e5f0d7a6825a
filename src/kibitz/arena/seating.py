"""Who sits where: on every deal, every agent gets the same cards from every seat.

A seating fills sides, not seats: where seats form teams, an agent plays for its whole team, and
turning the table hands its cards to the other side. The games of one deal are numbered from 0;
that number is the game's rotation in records and random streams.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError
from kibitz.core.rng import Purpose, derive, random_bits
from kibitz.core.table import Game

Lineup = npt.NDArray[np.int64]

MAX_GAMES_PER_DEAL = 1000
"""A round robin with more games on one deal is refused: random tables are the better form."""


class Seating(Protocol):
    """A rule that seats agents on any deal."""

    @property
    def n_games(self) -> int:
        """How many games each deal is played in."""

    def lineup(self, deals: npt.NDArray[np.int64]) -> Lineup:
        """Return the agent at each seat of each game: [deals, games, seats]."""


@dataclass(frozen=True)
class SameTables:
    """The same tables on every deal, given as the agent at each seat of each game."""

    tables: tuple[tuple[int, ...], ...]

    @property
    def n_games(self) -> int:
        """How many games each deal is played in."""
        return len(self.tables)

    def lineup(self, deals: npt.NDArray[np.int64]) -> Lineup:
        """Return the agent at each seat of each game: [deals, games, seats]."""
        tables = np.array(self.tables)
        return np.broadcast_to(tables, (len(deals), *tables.shape))


def round_robin(game: Game, n_agents: int) -> SameTables:
    """Let every choice of agents play every deal, turned through all sides.

    With fewer agents than sides there is one table, and the last agent fills the sides left.
    """
    n_sides = game.n_sides
    if n_agents < n_sides:
        chosen: Sequence[Sequence[int]] = [np.minimum(np.arange(n_sides), n_agents - 1).tolist()]
    else:
        n_games = math.comb(n_agents, n_sides) * n_sides
        if n_games > MAX_GAMES_PER_DEAL:
            raise SpecError(
                f"a round robin of {n_agents} agents at tables of {n_sides} takes {n_games:,} "
                f"games per deal, more than {MAX_GAMES_PER_DEAL:,}: name fewer agents or play "
                "random tables"
            )
        chosen = list(combinations(range(n_agents), n_sides))
    turned = [np.roll(table, turn) for table in chosen for turn in range(n_sides)]
    return SameTables(tuple(tuple(int(row[side]) for side in game.sides) for row in turned))


@dataclass(frozen=True)
class RandomTables:
    """Every deal seats the agents in a random circle; each run of neighbours makes a table.

    With n agents a deal has n games, in which everybody sits on every side exactly once: balanced
    on each deal in seats and games, and in the long run in who meets whom.
    """

    n_agents: int
    sides: tuple[int, ...]  # of each seat
    seed: int

    @property
    def n_games(self) -> int:
        """How many games each deal is played in."""
        return self.n_agents

    def lineup(self, deals: npt.NDArray[np.int64]) -> Lineup:
        """Return the agent at each seat of each game: [deals, games, seats]."""
        circle = _circles(self.seed, deals, self.n_agents)
        place = np.arange(self.n_agents)[:, None] + np.array(self.sides)
        return circle[:, place % self.n_agents]


@dataclass(frozen=True)
class LadderTables:
    """One candidate, agent 0, meets anchors drawn anew on every deal, and plays every side."""

    n_anchors: int
    sides: tuple[int, ...]  # of each seat
    seed: int

    @property
    def n_games(self) -> int:
        """How many games each deal is played in."""
        return max(self.sides) + 1

    def lineup(self, deals: npt.NDArray[np.int64]) -> Lineup:
        """Return the agent at each seat of each game: [deals, games, seats]."""
        n_sides = self.n_games
        drawn = 1 + _circles(self.seed, deals, self.n_anchors)
        fill = np.arange(n_sides - 1) % self.n_anchors
        table = np.concatenate([np.zeros((len(deals), 1), np.int64), drawn[:, fill]], axis=1)
        turned = np.stack([np.roll(table, turn, axis=1) for turn in range(n_sides)], axis=1)
        return turned[:, :, np.array(self.sides)]


def _circles(seed: int, deals: npt.NDArray[np.int64], n: int) -> Lineup:
    """Shuffle n agents for each deal, by the seed and the number of the deal alone."""
    lots = np.empty((len(deals), n), np.uint64)
    for row, deal in zip(lots, deals.tolist(), strict=True):
        rng = derive(seed, Purpose.SEATING, deal)
        row[:] = [random_bits(rng) for _ in range(n)]
    return np.argsort(lots, axis=1)
