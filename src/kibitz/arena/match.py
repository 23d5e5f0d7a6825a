"""Matches on duplicate deals: every agent plays the same cards from every seat.

The unit of all statistics is the deal. All games that share a deal (the rotations of one table,
and the tables of a round robin) are averaged into one sample before anything is estimated, because
they are not independent of each other.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from kibitz.core import driver
from kibitz.core.agent import Agent
from kibitz.core.driver import Progress, Schedule
from kibitz.core.errors import SpecError
from kibitz.core.game import Scores
from kibitz.core.kernels import seconds_compiling
from kibitz.core.record import Record
from kibitz.core.table import Game, check_seed

MAX_TABLES = 10_000
"""Most tables (choices of agents) per deal before a round robin is refused."""

MAX_GAMES = 20_000_000
"""Most games of one match: all results are held in memory."""


@dataclass(frozen=True)
class Estimate:
    """A mean over deals and half the width of its 95 % interval (NaN for fewer than two deals)."""

    mean: float
    margin: float
    least: float = -math.inf  # what is possible: the interval is cut there
    most: float = math.inf

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return max(self.mean - self.margin, self.least)

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return min(self.mean + self.margin, self.most)


@dataclass(frozen=True)
class Standing:
    """How one agent did."""

    spec: str
    score: Estimate  # points per game, higher is better
    wins: Estimate  # share of games won, ties split
    seconds_per_move: float


@dataclass(frozen=True)
class Result:
    """All games of a match, and what they say."""

    game: Game
    agents: tuple[str, ...]
    schedule: Schedule
    scores: Scores  # [games, seats]
    seconds: float  # wall time, without compiling
    seconds_per_move: npt.NDArray[np.float64]  # [agents]
    records: list[Record]

    def standings(self) -> list[Standing]:
        """Rank the agents by mean score, best first."""
        wins = _win_shares(self.scores)
        rows = [
            Standing(
                spec,
                _estimate(self._per_deal(self.scores, a), *self.game.score_range),
                _estimate(self._per_deal(wins, a), 0, 1),
                float(self.seconds_per_move[a]),
            )
            for a, spec in enumerate(self.agents)
        ]
        return sorted(rows, key=lambda row: -row.score.mean)

    def _per_deal(self, points: Scores, agent: int) -> npt.NDArray[np.float64]:
        """Average what an agent got over all games and seats of each deal: [deals]."""
        sits = self.schedule.lineup == agent
        deals = self.schedule.deals - self.schedule.deals.min()
        total = np.bincount(deals, np.where(sits, points, 0).sum(axis=1))
        count = np.bincount(deals, sits.sum(axis=1))
        return total / count


def _win_shares(scores: Scores) -> Scores:
    """Give one point per game to the best seat, split between ties: [games, seats]."""
    best = scores == scores.max(axis=1, keepdims=True)
    return best / best.sum(axis=1, keepdims=True)


def _estimate(
    samples: npt.NDArray[np.float64], least: float = -math.inf, most: float = math.inf
) -> Estimate:
    """Estimate a mean from independent samples, with Student's 95 % interval."""
    n = len(samples)
    if n < 2:
        return Estimate(float(samples.mean()), math.nan, least, most)
    margin = float(stdtrit(n - 1, 0.975) * samples.std(ddof=1) / math.sqrt(n))
    return Estimate(float(samples.mean()), margin, least, most)


def schedule(n_agents: int, n_seats: int, deals: int, seed: int) -> Schedule:
    """Seat agents for duplicate play: every table of every deal is played in every rotation.

    With more agents than seats every choice of agents makes a table; with fewer, the last one
    fills the seats that are left.
    """
    if n_agents >= n_seats:
        n_tables = math.comb(n_agents, n_seats)
        if n_tables > MAX_TABLES:
            raise SpecError(
                f"{n_agents} agents at tables of {n_seats} make {n_tables} tables per deal, "
                f"at most {MAX_TABLES} are played: name fewer agents"
            )
        tables = np.array(list(combinations(range(n_agents), n_seats)))
    else:
        tables = np.minimum(np.arange(n_seats), n_agents - 1).reshape(1, n_seats)
    turned = np.stack([np.roll(tables, turn, axis=1) for turn in range(n_seats)], axis=1)
    lineup = turned.reshape(-1, n_seats)
    games = len(lineup)
    if games * deals > MAX_GAMES:
        raise SpecError(
            f"{deals} deals of {games} games are more than {MAX_GAMES:,} games: play fewer deals"
        )
    return Schedule(
        seed,
        deals=np.repeat(np.arange(deals), games),
        # Tables of one deal must not draw alike either, so they count as rotations too.
        rotations=np.tile(np.arange(games), deals),
        lineup=np.tile(lineup, (deals, 1)),
    )


def _rehearse(game: Game, agents: Sequence[Agent]) -> None:
    """Let every agent decide once, so that nobody is charged for loading what all use."""
    table = game.deal(seed=0)
    seat = table.seat_to_move
    if seat is not None:
        for agent in agents:
            agent.decide(table.view(seat), seat)
            agent.end(np.zeros(1, np.int64))


def play(
    game: Game,
    agents: Sequence[Agent],
    deals: int,
    seed: int,
    *,
    threads: int = 1,
    records: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Play a match on duplicate deals.

    Args:
        game: what is played.
        agents: who plays; see `schedule` for tables larger or smaller than their number.
        deals: how many deals; each is played by every table in every rotation.
        seed: what all cards and streams derive from.
        threads: how many batches to play at the same time; the result is the same.
        records: whether to write all games down.
        progress: told about games that have ended.
    """
    if deals < 1 or not agents:
        raise SpecError("a match needs at least one deal and one agent")
    plan = schedule(len(agents), game.n_seats, deals, check_seed(seed))
    _rehearse(game, agents)
    began = time.perf_counter() - seconds_compiling()
    outcome = driver.play(game, agents, plan, threads=threads, records=records, progress=progress)
    return Result(
        game=game,
        agents=tuple(agent.spec for agent in agents),
        schedule=plan,
        scores=outcome.scores,
        seconds=time.perf_counter() - seconds_compiling() - began,
        seconds_per_move=outcome.seconds / np.maximum(outcome.n_decisions, 1),
        records=outcome.records,
    )
