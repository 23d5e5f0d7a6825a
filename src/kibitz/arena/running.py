"""Ratings that follow the games one by one, for agents that change while they are rated.

For agents that stay as they are, `kibitz.arena.ratings` says more: it forgets nothing and knows
its errors. Both kinds here depend on the order of the games.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kibitz.arena.statistics import Floats
from kibitz.core.errors import SpecError

ORDINAL_SIGMAS = 3.0
"""How many standard deviations below its mean an agent on the ladder is ranked."""


class RunningElo:
    """Elo for tables of any size, for tournaments like those of the 6 nimmt! learning paper.

    The paper gives no formula. Here every pair at a table counts as one game between the two (1,
    1/2 or 0), which moves both by `k` divided by the number of opponents. All pairs are judged by
    the ratings before the game. What one agent wins another loses, so games never change the sum.

    Attributes:
        k: the most that one game can move a rating; may be changed between games.
    """

    def __init__(self, n_agents: int, k: float = 32.0, start: float = 1600.0) -> None:
        """Start all agents with the same rating."""
        self.k = k
        self._ratings = [float(start)] * n_agents

    @property
    def ratings(self) -> Floats:
        """The ratings now: `[agents]`."""
        return np.array(self._ratings)

    def add(self, rating: float) -> int:
        """Let another agent join, such as a clone with the rating of its parent.

        Returns:
            The number of the new agent.
        """
        self._ratings.append(float(rating))
        return len(self._ratings) - 1

    def update(self, agents: Sequence[int], scores: Sequence[float]) -> None:
        """Count one game, given who played its sides and what they scored, higher is better.

        An agent may play several sides; what those do to each other cancels.
        """
        _check_game(agents, scores, len(self._ratings))
        self._count(agents, scores)

    def history(self, lineup: npt.ArrayLike, scores: npt.ArrayLike) -> Floats:
        """Count many games in order.

        Args:
            lineup: `[games, sides]` agents; -1 pads smaller tables.
            scores: `[games, sides]`, higher is better; ignored for padding.

        Returns:
            The ratings after every game: `[games, agents]`.
        """
        seats, points = np.asarray(lineup, np.int64), np.asarray(scores, np.float64)
        if seats.ndim != 2 or seats.shape != points.shape:
            raise SpecError(
                f"expected agents and scores [games, sides], got {seats.shape} and {points.shape}"
            )
        after = np.empty((len(seats), len(self._ratings)))
        for game, (row, gained) in enumerate(zip(seats.tolist(), points.tolist(), strict=True)):
            sides = [side for side, agent in enumerate(row) if agent != -1]
            self.update([row[side] for side in sides], [gained[side] for side in sides])
            after[game] = self._ratings
        return after

    def _count(self, agents: Sequence[int], scores: Sequence[float]) -> None:
        """Move the ratings of one table."""
        before = [self._ratings[agent] for agent in agents]
        # Plain numbers: for a handful of sides they are quicker than arrays.
        for i in range(len(agents)):
            for j in range(i):
                expected = 1 / (1 + 10 ** ((before[j] - before[i]) / 400))
                result = (scores[i] > scores[j]) + (scores[i] == scores[j]) / 2
                gain = self.k / (len(agents) - 1) * (result - expected)
                self._ratings[agents[i]] += gain
                self._ratings[agents[j]] -= gain


class Ladder:
    """A ladder with Weng and Lin's Plackett-Luce updates, as openskill has them.

    Attributes:
        mu: `[agents]` mean of what is believed about each agent; may be set.
        sigma: `[agents]` standard deviation of it; may be set.
        frozen: anchors, which play and are believed in, but never change.
    """

    def __init__(self, n_agents: int) -> None:
        """Believe the same of all agents to start with."""
        # Imported here because most who import the arena never climb a ladder.
        from openskill.models import PlackettLuce

        self._model = PlackettLuce()
        start = self._model.rating()
        self.mu: Floats = np.full(n_agents, float(start.mu))
        self.sigma: Floats = np.full(n_agents, float(start.sigma))
        self.frozen: set[int] = set()

    @property
    def ordinal(self) -> Floats:
        """What each agent is worth almost certainly: `[agents]`."""
        return self.mu - ORDINAL_SIGMAS * self.sigma

    def update(self, agents: Sequence[int], scores: Sequence[float]) -> None:
        """Count one game, given who played its sides and what they scored, higher is better.

        Equal scores tie. Of an agent at several sides each is rated on its own, from what was
        believed before the game, and the mean of those ratings is believed afterwards. A game of
        an agent with itself alone says nothing.
        """
        _check_game(agents, scores, len(self.mu))
        if len(set(agents)) < 2:
            return
        sides = [
            [self._model.rating(mu=float(self.mu[a]), sigma=float(self.sigma[a]))] for a in agents
        ]
        ranks = [float(sum(other > score for other in scores)) for score in scores]
        rated = self._model.rate(sides, ranks=ranks)
        for agent in set(agents) - self.frozen:
            own = [side[0] for side, a in zip(rated, agents, strict=True) if a == agent]
            self.mu[agent] = np.mean([rating.mu for rating in own])
            self.sigma[agent] = np.mean([rating.sigma for rating in own])


def _check_game(agents: Sequence[int], scores: Sequence[float], n_agents: int) -> None:
    """Check that a game can be counted."""
    if len(agents) != len(scores):
        raise SpecError(f"expected a score for every side, got {len(scores)} for {len(agents)}")
    if any(not 0 <= agent < n_agents for agent in agents):
        raise SpecError(f"a game names agents {list(agents)!r}, but there are only {n_agents}")
    if any(score != score for score in scores):
        raise SpecError("every side needs a score, got one that is not a number")
