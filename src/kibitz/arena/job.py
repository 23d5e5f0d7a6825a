"""What is played in one go: consecutive deals of a match."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from kibitz.arena.seating import Seating
from kibitz.core import driver
from kibitz.core.agent import Agent
from kibitz.core.conduct import Conduct, Fault, Misbehaviour
from kibitz.core.driver import Memory, Schedule
from kibitz.core.errors import SpecError
from kibitz.core.record import Record
from kibitz.core.table import Game


@dataclass(frozen=True)
class PlayedDeals:
    """The games of consecutive deals."""

    first_deal: int
    lineup: npt.NDArray[np.int16]  # agent at each seat: [deals, games, seats]
    scores: npt.NDArray[np.float64]  # [deals, games, seats]
    seconds: npt.NDArray[np.float64]  # spent in each agent at each step: [agents, steps]
    n_decisions: npt.NDArray[np.int64]  # asked of each agent at each step: [agents, steps]
    records: list[Record] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def end(self) -> int:
        """The number of the deal after the last."""
        return self.first_deal + len(self.scores)

    def first(self, n: int) -> "PlayedDeals":
        """Return the first n deals; the times stay those of all of them."""
        end = self.first_deal + n
        return replace(
            self,
            lineup=self.lineup[:n],
            scores=self.scores[:n],
            records=[record for record in self.records if record.deal < end],
            faults=[fault for fault in self.faults if fault.deal < end],
        )


@dataclass(frozen=True)
class Job:
    """What all batches of a match have in common."""

    game: Game
    agents: Sequence[Agent]
    seating: Seating
    seed: int
    first_deal: int  # of the match: ids of games count from there
    batch_size: int  # games in lockstep
    records: bool
    conduct: Conduct
    memory: Memory

    def play(self, begin: int, end: int, stop: threading.Event | None = None) -> PlayedDeals:
        """Play the deals from `begin` to `end`."""
        numbers = np.arange(begin, end)
        lineup = np.asarray(self.seating.lineup(numbers))
        expected = (len(numbers), self.seating.n_games, self.game.n_seats)
        if lineup.shape != expected:
            raise SpecError(f"a seating gives a lineup of shape {expected}, not {lineup.shape}")
        n_games = lineup.shape[1]
        schedule = Schedule(
            self.seed,
            np.repeat(numbers, n_games),
            np.tile(np.arange(n_games), len(numbers)),
            np.ascontiguousarray(lineup).reshape(-1, lineup.shape[2]),
        )

        def look() -> None:
            if stop is not None and stop.is_set():
                raise Stopped

        outcome = driver.play(
            self.game,
            self.agents,
            schedule,
            begin=(begin - self.first_deal) * n_games,
            batch_size=self.batch_size,
            records=self.records,
            conduct=self.conduct,
            memory=self.memory,
            check=look,
        )
        return PlayedDeals(
            begin,
            lineup.astype(np.int16),
            outcome.scores.reshape(lineup.shape),
            outcome.seconds,
            outcome.n_decisions,
            outcome.records,
            outcome.faults,
        )

    def play_until_fault(self, begin: int, end: int, stop: threading.Event | None = None) -> "Done":
        """Play deals; when a fault stops them, return those before the first deal with one."""
        began = time.perf_counter()
        fault: Fault | None = None
        while begin < end:
            try:
                return Done(self.play(begin, end, stop), fault, time.perf_counter() - began)
            except Misbehaviour as error:
                fault, end = error.fault, error.fault.deal
        return Done(None, fault, time.perf_counter() - began)


@dataclass(frozen=True)
class Done:
    """What came of a batch."""

    played: PlayedDeals | None
    fault: Fault | None
    seconds: float


class Stopped(Exception):
    """Nobody waits for this batch any more."""
