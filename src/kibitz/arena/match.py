"""Matches on duplicate deals, cut into batches that threads or processes play.

Everything random derives from the seed and the number of the deal, so the result is the same
however a match is cut and whoever plays the pieces (agents with a `time=` budget excepted). A
match that ends early, whether by Ctrl-C or by an agent's fault, keeps every deal before that.
"""

import time
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from contextlib import closing
from typing import Literal, get_args

import numpy as np

from kibitz.arena.job import Done, Job, PlayedDeals
from kibitz.arena.result import Result
from kibitz.arena.seating import Seating, round_robin
from kibitz.arena.workers import hire_processes, hire_threads, rehearse
from kibitz.core import driver
from kibitz.core.agent import Agent, check_agents
from kibitz.core.conduct import Conduct, Misbehaviour
from kibitz.core.driver import Memory, add_steps
from kibitz.core.errors import KibitzError, SpecError, clip
from kibitz.core.kernels import seconds_compiling
from kibitz.core.registry import load_agent, load_game
from kibitz.core.table import Game, check_seed

MAX_GAMES = 20_000_000
"""Most games of one match: all results are held in memory."""

MAX_BATCH = 2 * driver.BATCH_SIZE
"""Most games of one batch, as far as whole deals allow."""

QUICK, SLOW = 0.25, 1.0
"""Seconds: batches that take less grow, batches that take more shrink."""

MAX_AGENTS = 32767
"""Most agents of a match or a tournament: lineups are kept as 16-bit numbers."""

Pool = Literal["threads", "processes"]


class Match:
    """Agents playing each other on duplicate deals."""

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        deals: int,
        seed: int,
        *,
        seating: Seating | None = None,
        first_deal: int = 0,
        workers: int = 1,
        pool: Pool = "threads",
        batch_size: int | None = None,
        records: bool = False,
        conduct: Conduct | None = None,
    ) -> None:
        """Plan a match; `play` plays it.

        Args:
            game: what is played.
            agents: who plays.
            deals: how many deals; each is played in all games of the seating.
            seed: what all cards and streams derive from.
            seating: who sits where; a round robin if left out.
            first_deal: the number of the first deal.
            workers: how many batches to play at the same time.
            pool: whether workers are threads, or processes (for agents written in Python).
            batch_size: games in lockstep; chosen by the time they take if left out.
            records: whether to write all games down.
            conduct: what happens if an agent misbehaves; by default everything stops.
        """
        if not isinstance(game, Game):
            raise SpecError(f"expected a game, which load_game makes, got {clip(game)}")
        agents = check_agents(agents, game)
        _check_count("deals", deals)
        _check_count("workers", workers)
        if batch_size is not None:
            _check_count("the batch size", batch_size)
        if not 1 <= len(agents) <= MAX_AGENTS:
            raise SpecError(f"a match has 1 to {MAX_AGENTS:,} agents, got {len(agents):,}")
        if conduct is not None and not isinstance(conduct, Conduct):
            raise SpecError(f"expected a conduct, such as Conduct('forfeit'), got {clip(conduct)}")
        if not isinstance(pool, str) or pool not in get_args(Pool):
            raise SpecError(f"workers are threads or processes, got {clip(pool)}")
        seating = round_robin(game, len(agents)) if seating is None else seating
        _check_count("the games of a seating", getattr(seating, "n_games", None))
        if seating.n_games * deals > MAX_GAMES:
            raise SpecError(
                f"{deals:,} deals of {seating.n_games} games are more than {MAX_GAMES:,} games: "
                "play fewer deals"
            )
        self.deals = deals
        self.workers = workers
        self.pool = pool
        self._size = None if batch_size is None else max(1, batch_size // seating.n_games)
        self._job = Job(
            game,
            tuple(agents),
            seating,
            check_seed(seed),
            check_seed(first_deal),
            driver.BATCH_SIZE if batch_size is None else batch_size,
            records,
            Conduct() if conduct is None else conduct,
            Memory(),
        )
        self._played: list[PlayedDeals] = []
        self._elapsed = 0.0

    @property
    def game(self) -> Game:
        """What is played."""
        return self._job.game

    @property
    def seed(self) -> int:
        """What all cards and streams derive from."""
        return self._job.seed

    @property
    def specs(self) -> tuple[str, ...]:
        """The agents' specs."""
        return tuple(agent.spec for agent in self._job.agents)

    @property
    def n_games(self) -> int:
        """How many games the whole match has."""
        return self.deals * self._job.seating.n_games

    @property
    def has_played(self) -> bool:
        """Whether any deal has been played to its end."""
        return bool(self._played)

    @property
    def next_deal(self) -> int:
        """The number of the first deal that has not been played."""
        return self._played[-1].end if self._played else self._job.first_deal

    def take(self, batch: PlayedDeals) -> None:
        """Add deals that were played before: the next ones in order."""
        job = self._job
        expected = (max(1, len(batch.scores)), job.seating.n_games, job.game.n_seats)
        last = job.first_deal + self.deals
        if batch.first_deal != self.next_deal or batch.end > last or batch.scores.shape != expected:
            raise SpecError(
                f"deals {batch.first_deal} to {batch.end} do not go on from deal {self.next_deal} "
                "of this match"
            )
        _check_played(batch, len(job.agents))
        self._played.append(batch)

    def play(self) -> Generator[PlayedDeals]:
        """Play the deals that are left, in order; `result` tells at any time what was played.

        Whoever stops listening stops the match.

        Raises:
            Misbehaviour: an agent's fault; all deals before it are kept.
            KeyboardInterrupt: Ctrl-C; likewise.
            KibitzError: a worker process died; likewise.
        """
        if self.next_deal >= self._job.first_deal + self.deals:
            return
        rehearse(self._job.game, self._job.agents)
        began = time.perf_counter() - seconds_compiling()
        try:
            with closing(self._batches()) as batches:
                for done in batches:
                    if done.played is not None:
                        self._played.append(done.played)
                        yield done.played
                    if done.fault is not None:
                        raise Misbehaviour(done.fault)
        finally:
            self._elapsed += time.perf_counter() - seconds_compiling() - began

    def cut(self, n: int) -> PlayedDeals:
        """Forget all but the first n deals of the batch played last; return these."""
        _check_count("deals to keep", n)
        if not self._played or n > len(self._played[-1].scores):
            raise SpecError(f"cannot keep {n:,} deals of the last batch: it has fewer")
        self._played[-1] = self._played[-1].first(n)
        return self._played[-1]

    def result(self) -> Result:
        """Sum up what has been played."""
        job, played = self._job, self._played
        if not played:
            raise KibitzError("not a single deal has been played to its end")
        return Result(
            game=job.game,
            agents=self.specs,
            seed=job.seed,
            deals=np.arange(job.first_deal, self.next_deal),
            lineup=np.concatenate([batch.lineup for batch in played]),
            scores=np.concatenate([batch.scores for batch in played]),
            seconds=add_steps([batch.seconds for batch in played]),
            n_decisions=add_steps([batch.n_decisions for batch in played]),
            elapsed=self._elapsed,
            records=[record for batch in played for record in batch.records],
            faults=[fault for batch in played for fault in batch.faults],
        )

    def _batches(self) -> Generator[Done]:
        """Play what is left, and yield it in the order of deals."""
        sizes = _Sizes(self._size, MAX_BATCH // self._job.seating.n_games)
        begin, end = self.next_deal, self._job.first_deal + self.deals
        if self.workers == 1 and self.pool == "threads":
            while begin < end:
                size = min(sizes.size, end - begin)
                done = self._job.play_until_fault(begin, begin + size)
                sizes.note(size, done.seconds)
                yield done
                begin += size
            return
        hire = hire_threads if self.pool == "threads" else hire_processes
        with hire(min(self.workers, end - begin), self._job) as submit:
            waiting: deque[tuple[int, Future[Done]]] = deque()
            while begin < end or waiting:
                while begin < end and len(waiting) < 2 * self.workers:
                    size = min(sizes.size, end - begin)
                    waiting.append((size, submit(begin, begin + size)))
                    begin += size
                size, playing = waiting.popleft()
                done = playing.result()
                sizes.note(size, done.seconds)
                yield done


def _check_count(what: str, n: object) -> None:
    """Refuse what does not count anything."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise SpecError(f"{what} must be a whole number from 1, got {clip(n)}")


def _check_played(batch: PlayedDeals, n_agents: int) -> None:
    """Refuse results that cannot be those of a match between so many agents."""
    lineup, times = batch.lineup, batch.seconds.shape
    if lineup.shape != batch.scores.shape or lineup.min() < 0 or lineup.max() >= n_agents:
        wrong = f"seat others than the {n_agents} agents of this match"
    elif not np.isfinite(batch.scores).all():
        wrong = "have scores that are no numbers"
    elif len(times) != 2 or times[0] != n_agents or batch.n_decisions.shape != times:
        wrong = f"have times of shape {times} and {batch.n_decisions.shape} for {n_agents} agents"
    else:
        return
    raise SpecError(f"deals {batch.first_deal} to {batch.end} {wrong}")


class _Sizes:
    """How many deals a batch should have: few at first, more while they are quick."""

    def __init__(self, fixed: int | None, largest: int) -> None:
        self.size = 1 if fixed is None else fixed
        self._fixed = fixed is not None
        self._largest = max(1, largest)

    def note(self, size: int, seconds: float) -> None:
        """Learn from the time a batch took, unless it was of a size long past."""
        if self._fixed or size != self.size:
            return
        if seconds < QUICK:
            self.size = min(2 * self.size, self._largest)
        elif seconds > SLOW:
            self.size = max(1, self.size // 2)


def play(
    game: Game | str,
    agents: Sequence[Agent | str],
    deals: int,
    seed: int,
    *,
    seating: Seating | None = None,
    workers: int = 1,
    pool: Pool = "threads",
    batch_size: int | None = None,
    records: bool = False,
    conduct: Conduct | None = None,
) -> Result:
    """Play a match on duplicate deals.

    Game and agents may be given as spec strings. For the other arguments see `Match`, which also
    gives what was played when a match does not come to its end.
    """
    table = load_game(game, defaults="arena") if isinstance(game, str) else game
    if not isinstance(agents, Sequence) or isinstance(agents, str):
        raise SpecError(f"expected a list of agents or specs, got {clip(agents)}")
    players = [load_agent(one, table) if isinstance(one, str) else one for one in agents]
    match = Match(
        table,
        players,
        deals,
        seed,
        seating=seating,
        workers=workers,
        pool=pool,
        batch_size=batch_size,
        records=records,
        conduct=conduct,
    )
    for _ in match.play():
        pass
    return match.result()
