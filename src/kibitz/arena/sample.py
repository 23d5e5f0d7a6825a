"""Who scored what on which deal, and what that says.

Every statistic first averages the games of a deal into one sample, because they share their cards
and are not independent of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kibitz.arena import statistics
from kibitz.arena.ratings import Ratings, fit
from kibitz.arena.statistics import Counts, Differing, Estimate, mean_of, share_of
from kibitz.core.errors import SpecError

Floats = npt.NDArray[np.float64]
Lineup = npt.NDArray[np.int16]

NOBODY = -1
"""At sides that a smaller table, or a deal with fewer games, does not have."""


@dataclass(frozen=True)
class Sample:
    """Scores by deal, game and side: team mates share a side, and whoever is alone is one."""

    n_agents: int
    lineup: Lineup  # the agent at each side: [deals, games, sides]
    scores: Floats  # higher is better, no matter what where nobody sits: [deals, games, sides]

    @staticmethod
    def of_seats(
        sides: npt.NDArray[np.int64], n_agents: int, lineup: Lineup, scores: Floats
    ) -> "Sample":
        """Take one seat for every side from arrays [deals, games, seats]."""
        _, first = np.unique(sides, return_index=True)
        if len(first) == len(sides):
            return Sample(n_agents, lineup, scores)
        return Sample(n_agents, lineup[:, :, first], scores[:, :, first])

    @cached_property
    def per_deal(self) -> Floats:
        """Each agent's mean score on each deal, NaN where it did not play: [deals, agents]."""
        columns = []
        for agent in range(self.n_agents):
            sits = self.lineup == agent
            total = np.einsum("dgs,dgs->d", self.scores, sits)
            columns.append(_mean(total, sits.sum(axis=(1, 2))))
        return np.stack(columns, axis=1)

    def played(self, agent: int) -> Floats:
        """Return an agent's mean score on each deal that it played: [its deals]."""
        return _known(self.per_deal[:, agent])

    def games_so_far(self, agent: int) -> npt.NDArray[np.int64]:
        """Count the games an agent has played up to each deal that it played: [its deals]."""
        counts = (self.lineup == agent).any(axis=2).sum(axis=1)
        return np.cumsum(counts)[counts > 0]

    def score(self, agent: int) -> Estimate:
        """Estimate an agent's points per game."""
        return mean_of(self.played(agent))

    def wins(self, agent: int) -> Estimate:
        """Estimate the share of games that an agent wins, ties split."""
        return self._rank_shares(agent, 1)[0]

    def ranks(self, agent: int) -> list[Estimate]:
        """Estimate how often an agent comes first, second, and so on, ties split."""
        return self._rank_shares(agent, self.lineup.shape[2])

    def paired(self, a: int, b: int) -> Estimate:
        """Estimate how much more a scores than b on the same deals, whoever they meet."""
        return mean_of(_known(self.per_deal[:, a] - self.per_deal[:, b]))

    def lead(self, a: int, b: int) -> Estimate:
        """Estimate how many points a is ahead of b in games where they meet."""
        apart = self._per_game(a) - self._per_game(b)
        met = ~np.isnan(apart)
        counts = met.sum(axis=1)
        sums = np.where(met, apart, 0).sum(axis=1)
        return mean_of(sums[counts > 0] / counts[counts > 0])

    def differing(self, a: int, b: int, defender: int) -> Differing:
        """Compare a and b by the deals on which exactly one of them beats the same defender.

        Each plays the defender with the same cards from either side: the duplicate scoring of the
        Monte Carlo paper on 6 nimmt!.
        """
        return statistics.differing_deals(self._beats(a, defender), self._beats(b, defender))

    def ratings(self, fixed: dict[int, float] | None = None) -> Ratings:
        """Fit ratings to all games, as one model of who comes before whom."""
        flat = (-1, self.lineup.shape[2])
        lineup, scores = self.lineup.reshape(flat).astype(np.int64), self.scores.reshape(flat)
        deals = np.repeat(np.arange(len(self.scores)), self.lineup.shape[1])
        real = (lineup != NOBODY).any(axis=1)
        return fit(lineup[real], scores[real], deals[real], self.n_agents, fixed=fixed)

    def game_scores(self, agent: int) -> Floats:
        """Return all scores of an agent, one for each game and side it played."""
        return self.scores[self.lineup == agent]

    def n_games(self, agent: int) -> int:
        """Count the games an agent took part in."""
        return int((self.lineup == agent).any(axis=2).sum())

    @cached_property
    def _places(self) -> tuple[Counts, Counts]:
        """How many sides are ahead of and level with each, nobody behind everybody."""
        nobody = self.lineup == NOBODY
        return statistics.places(np.where(nobody, -np.inf, self.scores))

    def _rank_shares(self, agent: int, n_ranks: int) -> list[Estimate]:
        """Estimate how often an agent has each of the best ranks."""
        n, games, sides = self.lineup.shape
        sits = np.flatnonzero(self.lineup == agent)
        deal = sits // (games * sides)
        ahead, level = (counts.ravel()[sits] for counts in self._places)
        trials = np.bincount(deal, minlength=n)
        return [
            share_of(np.bincount(deal, statistics.rank_share(rank, ahead, level), n), trials)
            for rank in range(n_ranks)
        ]

    def _per_game(self, agent: int) -> Floats:
        """Return an agent's mean score in each game, NaN where it did not play: [deals, games]."""
        sits = self.lineup == agent
        return _mean((self.scores * sits).sum(axis=2), sits.sum(axis=2))

    def _beats(self, agent: int, defender: int) -> npt.NDArray[np.bool_]:
        """Return on which deals and from which side an agent beats the defender: [deals, 2]."""
        if self.lineup.shape[2] != 2:
            raise SpecError(
                f"differing deals compare games of two sides, these have {self.lineup.shape[2]}"
            )
        columns = []
        for side in (0, 1):
            met = (self.lineup[:, :, side] == agent) & (self.lineup[:, :, 1 - side] == defender)
            if not met.any(axis=1).all():
                raise SpecError("differing deals need every deal played from both sides")
            wins = self.scores[:, :, side] > self.scores[:, :, 1 - side]
            columns.append(wins[np.arange(len(wins)), met.argmax(axis=1)])
        return np.stack(columns, axis=1)


def join(samples: Sequence[Sample], agents: Sequence[Sequence[int]], n_agents: int) -> Sample:
    """Put samples of different deals together.

    Args:
        samples: tables may differ in size, and deals in the number of games.
        agents: for every sample, what its agents are called in the whole.
        n_agents: agents of the whole.
    """
    games, sides = (max(sample.lineup.shape[axis] for sample in samples) for axis in (1, 2))
    n = sum(len(sample.scores) for sample in samples)
    lineup = np.full((n, games, sides), NOBODY, np.int16)
    scores = np.zeros((n, games, sides))
    begin = 0
    for sample, names in zip(samples, agents, strict=True):
        m, g, s = sample.lineup.shape
        called = np.array([*names, NOBODY], np.int16)  # nobody stays nobody
        lineup[begin : begin + m, :g, :s] = called[sample.lineup]
        scores[begin : begin + m, :g, :s] = sample.scores
        begin += m
    return Sample(n_agents, lineup, scores)


def _mean(total: Floats, count: npt.NDArray[np.int64]) -> Floats:
    """Divide, giving NaN where there is nothing."""
    return np.divide(total, count, np.full(count.shape, np.nan), where=count > 0)


def _known(samples: Floats) -> Floats:
    return samples[~np.isnan(samples)]
