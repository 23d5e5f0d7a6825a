"""What was played and found, in memory and as text.

A series of two players keeps the outcome of every game, a table of many what everybody scored and
won on every deal, a study the points that it has found.
"""

import base64
import math
import zlib
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from kibitz.arena.statistics import Estimate
from kibitz.core.errors import plain
from kibitz.core.outside import Document, First, Whole, Word
from kibitz.papers.plan import BUDGETS, Point, Series, Study

LOSS, TIE, WIN = 0, 1, 2

Outcomes = npt.NDArray[np.uint8]
Sums = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

MAX_DEALS = max(target.most for target in BUDGETS.values())
"""Most deals of a series."""

WIN_PARTS = 2520
"""A win is counted in so many parts: those who tie share it, and up to ten can."""

MAX_AGENTS = 10

_Seconds = Annotated[float, Field(ge=0, le=1e12)]
_Number = Annotated[float, Field(ge=-1e12, le=1e12)]
_Sum = Annotated[int, Field(ge=-(10**15), le=10**15)]
_Each = Field(min_length=2, max_length=MAX_AGENTS)  # of the agents at a table


class SeriesEntry(Document):
    """A series as it stands in the file."""

    game: Word
    player: Word
    opponent: Word
    seed: Whole
    deals: Annotated[int, Field(ge=0, le=MAX_DEALS)]
    cpu_seconds: _Seconds
    player_seconds: _Seconds


class OutcomesEntry(SeriesEntry):
    """A series of two players."""

    wins: Whole
    ties: Whole
    losses: Whole
    outcomes: Annotated[str, Field(max_length=MAX_DEALS)]


class ScoresEntry(SeriesEntry):
    """A series at a table of many; sums are over all deals, for every agent."""

    seats: Annotated[tuple[Annotated[int, Field(ge=1, le=1000)], ...], _Each]
    totals: Annotated[tuple[_Sum, ...], _Each]
    squares: Annotated[tuple[_Sum, ...], _Each]
    scores: Annotated[str, Field(max_length=20 * MAX_DEALS)]


class _PointEntry(Document):
    line: Word
    x: _Number
    mean: _Number
    low: _Number | None
    high: _Number | None


class StudyEntry(Document):
    """A study as it stands in the file."""

    setting: Annotated[str, Field(max_length=2000)]
    seed: Whole
    size: Annotated[int, Field(ge=1, le=10**9)]
    cpu_seconds: _Seconds
    points: Annotated[tuple[_PointEntry, ...], Field(max_length=5000), First]


@dataclass(frozen=True)
class Log:
    """What a series of two players has come to so far."""

    outcomes: Outcomes  # for the player: [deals, seats]
    cpu_seconds: float = 0.0  # of both
    player_seconds: float = 0.0  # the player's part of them

    def __len__(self) -> int:
        """How many deals were played."""
        return len(self.outcomes)

    def plus(self, other: "Log") -> "Log":
        """Add the deals that come next."""
        return Log(
            np.concatenate([self.outcomes, other.outcomes]),
            self.cpu_seconds + other.cpu_seconds,
            self.player_seconds + other.player_seconds,
        )

    @property
    def n_games(self) -> int:
        """How many games were played."""
        return self.outcomes.size

    @property
    def points(self) -> Floats:
        """The player's share of each deal, a tie being half a win: [deals]."""
        return self.outcomes.mean(axis=1) / WIN


NOTHING = Log(np.zeros((0, 2), np.uint8))


@dataclass(frozen=True)
class ScoreLog:
    """What a series at a table of many has come to so far."""

    scores: Sums  # of each agent, over all games and seats of a deal: [deals, agents]
    wins: Sums  # likewise, in parts of a win: [deals, agents]
    seats: tuple[int, ...]  # scores of each agent that a deal adds up, such as 5 and 20
    squares: tuple[int, ...]  # sums of the squares of single scores, of each agent
    cpu_seconds: float = 0.0  # of all
    player_seconds: float = 0.0  # the first player's part of them

    def __len__(self) -> int:
        """How many deals were played."""
        return len(self.scores)

    def plus(self, other: "ScoreLog") -> "ScoreLog":
        """Add the deals that come next."""
        return ScoreLog(
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.wins, other.wins]),
            other.seats,
            tuple(a + b for a, b in zip(self.squares, other.squares, strict=True)),
            self.cpu_seconds + other.cpu_seconds,
            self.player_seconds + other.player_seconds,
        )

    @property
    def games_per_deal(self) -> int:
        """How many games a deal was played in."""
        return int(self.wins[0].sum()) // WIN_PARTS if len(self) else 0

    @property
    def n_games(self) -> int:
        """How many games were played."""
        return self.games_per_deal * len(self)

    def mean_scores(self, who: int) -> Floats:
        """Return an agent's mean score on each deal: [deals]."""
        return self.scores[:, who] / self.seats[who]

    def won(self, who: int) -> Floats:
        """Return how many games of each deal an agent's seats won, ties split: [deals]."""
        return self.wins[:, who] / WIN_PARTS

    def deviation(self, who: int) -> float:
        """Return the standard deviation of an agent's score in a single game."""
        n = self.seats[who] * len(self)
        mean = float(self.scores[:, who].sum()) / n
        return math.sqrt(max(self.squares[who] / n - mean**2, 0.0))


def no_scores(n_agents: int) -> ScoreLog:
    """Return the log of a table that has not been played."""
    nothing = np.zeros((0, n_agents), np.int32)
    return ScoreLog(nothing, nothing, (1,) * n_agents, (0,) * n_agents)


@dataclass(frozen=True)
class Findings:
    """What a study has found."""

    size: int
    points: tuple[Point, ...]
    cpu_seconds: float = 0.0

    def at(self, line: str, x: float | None) -> Estimate | None:
        """Return the number of a line at a place, or its last, if there is one."""
        found = [one.y for one in self.points if one.line == line and x in (None, one.x)]
        return found[-1] if found else None

    def behind(self, line: str) -> int:
        """Return what a line says that numbers rest on; without one, the size of the study."""
        said = self.at(line, None) if line else None
        return self.size if said is None else int(said.mean)


def series_entry(series: Series, seed: int, log: "Log | ScoreLog") -> dict[str, Any]:
    """Return what all series write down."""
    return {
        "game": series.game,
        "player": series.player.spec,
        "opponent": series.opponent_specs,
        "seed": series.seed(seed),
        "deals": len(log),
        "cpu_seconds": round(log.cpu_seconds, 3),
        "player_seconds": round(log.player_seconds, 3),
    }


def study_entry(study: Study, seed: int, found: Findings) -> dict[str, Any]:
    """Return what a study writes down."""
    return {
        "setting": study.setting,
        "seed": seed,
        "size": found.size,
        "cpu_seconds": round(found.cpu_seconds, 3),
        "points": [
            {
                "line": one.line,
                "x": one.x,
                "mean": _digits(one.y.mean),
                "low": _digits(one.y.low),
                "high": _digits(one.y.high),
            }
            for one in found.points
        ],
    }


def _digits(value: float) -> float | None:
    return None if math.isnan(value) else float(f"{value:.6g}")


def read_findings(entry: StudyEntry) -> Findings:
    """Read what a study has found."""
    return Findings(entry.size, tuple(map(_read_point, entry.points)), entry.cpu_seconds)


def _read_point(one: _PointEntry) -> Point:
    low, high = _or_nan(one.low), _or_nan(one.high)
    if low > one.mean or high < one.mean:
        raise ValueError(f"{plain(one.line)} is {one.mean}, outside of {low} to {high}")
    return Point(one.line, one.x, Estimate(one.mean, low, high))


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def read_log(key: str, entry: OutcomesEntry) -> Log:
    """Read what a series has come to; the counts beside the outcomes must be theirs."""
    outcomes = _unpack(key, entry.outcomes, entry.deals)
    counts = [int((outcomes == kind).sum()) for kind in (WIN, TIE, LOSS)]
    if counts != [entry.wins, entry.ties, entry.losses]:
        raise ValueError(f"{key!r} counts other wins, ties and losses than its outcomes have")
    _check_seconds(key, entry)
    return Log(outcomes, entry.cpu_seconds, entry.player_seconds)


def read_scores(key: str, entry: ScoresEntry, n_agents: int) -> ScoreLog:
    """Read what a table of many has come to; the sums beside the scores must be theirs."""
    if {len(entry.seats), len(entry.totals), len(entry.squares)} != {n_agents}:
        raise ValueError(f"{key!r} is not about {n_agents} agents")
    scores, wins = _unpack_scores(key, entry.scores, entry.deals, n_agents)
    if scores.sum(axis=0, dtype=np.int64).tolist() != list(entry.totals):
        raise ValueError(f"{key!r} has other totals than its scores")
    games = wins.sum(axis=1, dtype=np.int64)
    if (wins < 0).any() or (games < WIN_PARTS).any() or len(np.unique(games)) > 1:
        raise ValueError(f"{key!r} has games that nobody or more than one has won")
    squares = np.array(entry.squares)
    if (squares * np.array(entry.seats) * max(entry.deals, 1) < np.array(entry.totals) ** 2).any():
        raise ValueError(f"{key!r} has squares that are too small for its scores")
    _check_seconds(key, entry)
    return ScoreLog(
        scores, wins, entry.seats, entry.squares, entry.cpu_seconds, entry.player_seconds
    )


def _check_seconds(key: str, entry: SeriesEntry) -> None:
    if entry.player_seconds > entry.cpu_seconds:
        raise ValueError(f"the player of {key!r} took longer than both")


def pack(outcomes: Outcomes) -> str:
    """Write outcomes as text, four to a byte and compressed."""
    flat = np.zeros(-(-outcomes.size // 4) * 4, np.uint8)
    flat[: outcomes.size] = outcomes.ravel()
    four = flat.reshape(-1, 4)
    bytes_ = four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6
    return base64.b64encode(zlib.compress(bytes_.astype(np.uint8).tobytes(), 9)).decode()


def _unpack(key: str, text: str, deals: int) -> Outcomes:
    """Read outcomes: just as many as there are deals, whatever else the text would unpack to."""
    size = -(-2 * deals // 4)
    bytes_ = _decompress(key, text, size, deals)
    four = np.stack([bytes_ >> shift & 3 for shift in (0, 2, 4, 6)], axis=1)
    if four.max(initial=0) > WIN:
        raise ValueError(f"the outcomes of {key!r} are not those of {deals} deals")
    return four.ravel()[: 2 * deals].reshape(deals, 2).astype(np.uint8)


def pack_scores(log: ScoreLog) -> str:
    """Write scores and wins as text: bytes of the same weight together, and compressed."""
    words = np.stack([log.scores.T, log.wins.T]).astype("<i4")
    planes = words.reshape(-1, 1).view(np.uint8).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def _unpack_scores(key: str, text: str, deals: int, n_agents: int) -> tuple[Sums, Sums]:
    """Read scores and wins: just as many as there are deals and agents."""
    bytes_ = _decompress(key, text, 8 * deals * n_agents, deals)
    words = np.ascontiguousarray(bytes_.reshape(4, -1).T).view("<i4")
    both = words.reshape(2, n_agents, deals).astype(np.int32)
    return both[0].T, both[1].T


def _decompress(key: str, text: str, size: int, deals: int) -> npt.NDArray[np.uint8]:
    """Read a known number of bytes, and refuse any other without making room for it."""
    reader = zlib.decompressobj()
    packed = reader.decompress(base64.b64decode(text, validate=True), size + 1)
    if len(packed) != size or not reader.eof:
        raise ValueError(f"the outcomes of {key!r} are not those of {deals} deals")
    return np.frombuffer(packed, np.uint8)
