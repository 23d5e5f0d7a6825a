"""How long an early position of Connect 4 takes to solve, with the opening book that ships.

Positions are drawn by random moves, as many of every ply; each begins with an empty table, which is
cleared outside the clock. A search ends after so many positions that it is slower than what we
want, and a ply as soon as its 95th percentile is: so a book that lacks much is told in minutes.
"""

from dataclasses import dataclass

import numpy as np

from kibitz.bench.measure import Benchmark, Sample, Target, cpu_time
from kibitz.bench.positions import draw_open, room
from kibitz.core.rng import Purpose, derive
from kibitz.games.connect4.alphabeta import Boards, make_memory, scores_by_column, scores_of
from kibitz.games.connect4.book import open_book
from kibitz.games.connect4.rules import COLUMNS

PLIES = range(15)
POSITIONS = 200
SEED = 1
WANTED = 1.0
"""CPU seconds that the 95th percentile of every ply is to stay below."""

MOST = 20_000_000
"""Positions that a search may look at: about two seconds."""


@dataclass(frozen=True)
class Times:
    """How long positions of one ply took."""

    ply: int
    seconds: tuple[float, ...]
    n_asked: int  # positions that were to be solved

    @property
    def is_whole(self) -> bool:
        """Whether all were tried; else too many took too long."""
        return len(self.seconds) == self.n_asked

    def percentile(self, share: float) -> float:
        """Return a percentile; of a ply that was broken off, at least so much."""
        if self.is_whole:
            return float(np.quantile(self.seconds, share))
        slow = sorted(self.seconds)[-_too_many(self.n_asked) :]
        return slow[0] if share >= 0.95 else float(np.quantile(self.seconds, share))


def _too_many(n: int) -> int:
    """Return how many of n slow positions are more than 5 %."""
    return n // 20 + 1


def draw_ply(ply: int, n: int) -> tuple[Boards, Boards]:
    """Draw legal positions of a ply: the discs of who moves, and those of both."""
    states = room()
    boards = np.zeros((2, n), np.uint64)
    for i in range(n):
        draw_open(states, ply, derive(SEED, Purpose.PLAYOUT, 100 + ply, i))
        boards[:, i] = states[1].discs[ply & 1], states[1].discs[0] | states[1].discs[1]
    return boards[0], boards[1]


def time_ply(ply: int, n: int = POSITIONS, every_column: bool = False) -> Times:
    """Solve positions of a ply: the score alone, or what every column is worth."""
    memory = make_memory()
    open_book(memory)
    owns, occupied = draw_ply(ply, n)
    solve = scores_by_column if every_column else scores_of
    out = np.zeros((1, COLUMNS) if every_column else 1, np.int64)
    memory.most = 1  # the first call compiles
    solve(memory, owns[:1], occupied[:1], out)
    seconds: list[float] = []
    for i in range(n):
        memory.places[:] = 0
        memory.n_searched, memory.most = 0, MOST
        asked = (memory, owns[i : i + 1], occupied[i : i + 1], out)
        seconds.append(cpu_time(lambda asked=asked: solve(*asked)))  # type: ignore[misc]
        if sum(one > WANTED for one in seconds) >= _too_many(n):
            break
    return Times(ply, tuple(seconds), n)


def _worst_ply() -> Sample:
    return lambda seconds: max(time_ply(ply, every_column=True).percentile(0.95) for ply in PLIES)


def connect4_plies() -> list[Benchmark]:
    """List the benchmark of early positions."""
    return [
        Benchmark(
            name="connect4.solve_plies",
            unit="CPU s",
            about=f"every column of {POSITIONS} random legal positions of each ply from 0 to 14, "
            "from an empty table and with the book: the 95th percentile of the slowest ply",
            ours=_worst_ply,
            target=Target(WANTED, at_most=True),
            lower_is_better=True,
            most_repeats=1,
        )
    ]
