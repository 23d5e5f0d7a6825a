"""Matches on duplicate deals, cut into batches that threads or processes play.

Everything random derives from the seed and the number of the deal, so the result is the same
however a match is cut and whoever plays the pieces (agents with a `time=` budget excepted). A
match that ends early, whether by Ctrl-C or by an agent's fault, keeps every deal before that.
"""

import atexit
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from kibitz.arena.result import Result
from kibitz.arena.seating import Seating, round_robin
from kibitz.core import driver
from kibitz.core.agent import Agent
from kibitz.core.conduct import Conduct, Fault, Misbehaviour, interrupts, making, reason
from kibitz.core.driver import Memory, Schedule, add_steps
from kibitz.core.errors import AgentError, KibitzError, SpecError, clip
from kibitz.core.kernels import seconds_compiling
from kibitz.core.record import Record
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

PATIENCE = 1.0
"""Seconds a worker process has to stop before it is killed."""

Pool = Literal["threads", "processes"]


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


@dataclass(frozen=True)
class _Job:
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
        lineup = self.seating.lineup(numbers)
        n_games = lineup.shape[1]
        schedule = Schedule(
            self.seed,
            np.repeat(numbers, n_games),
            np.tile(np.arange(n_games), len(numbers)),
            np.ascontiguousarray(lineup).reshape(-1, lineup.shape[2]),
        )

        def look() -> None:
            if stop is not None and stop.is_set():
                raise _Stopped

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

    def play_until_fault(
        self, begin: int, end: int, stop: threading.Event | None = None
    ) -> "_Done":
        """Play deals; when a fault stops them, give those before the first deal with one."""
        began = time.perf_counter()
        fault: Fault | None = None
        while begin < end:
            try:
                return _Done(self.play(begin, end, stop), fault, time.perf_counter() - began)
            except Misbehaviour as error:
                fault, end = error.fault, error.fault.deal
        return _Done(None, fault, time.perf_counter() - began)


@dataclass(frozen=True)
class _Done:
    """What came of a batch."""

    played: PlayedDeals | None
    fault: Fault | None
    seconds: float


class _Stopped(Exception):
    """Nobody waits for this batch any more."""


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
        _check_count("deals", deals)
        _check_count("workers", workers)
        if batch_size is not None:
            _check_count("the batch size", batch_size)
        if not 1 <= len(agents) <= MAX_AGENTS:
            raise SpecError(f"a match has 1 to {MAX_AGENTS:,} agents, got {len(agents):,}")
        if pool not in get_args(Pool):
            raise SpecError(f"workers are threads or processes, got {clip(pool)}")
        seating = round_robin(game, len(agents)) if seating is None else seating
        if seating.n_games * deals > MAX_GAMES:
            raise SpecError(
                f"{deals:,} deals of {seating.n_games} games are more than {MAX_GAMES:,} games: "
                "play fewer deals"
            )
        self.deals = deals
        self.workers = workers
        self.pool = pool
        self._size = None if batch_size is None else max(1, batch_size // seating.n_games)
        self._job = _Job(
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
        _rehearse(self._job.game, self._job.agents)
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

    def _batches(self) -> Generator[_Done]:
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
        hire = _threads if self.pool == "threads" else _processes
        with hire(min(self.workers, end - begin), self._job) as submit:
            waiting: deque[tuple[int, Future[_Done]]] = deque()
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


_Submit = Callable[[int, int], "Future[_Done]"]
"""Has the deals from one number to another played."""


@contextmanager
def _threads(workers: int, job: _Job) -> Iterator[_Submit]:
    """Hire threads; they stop after the step they are at when nobody waits for them any more."""
    stop = threading.Event()
    executor = ThreadPoolExecutor(workers)
    try:
        yield lambda begin, end: executor.submit(job.play_until_fault, begin, end, stop)
    finally:
        stop.set()
        executor.shutdown(cancel_futures=True)


@contextmanager
def _processes(workers: int, job: _Job) -> Iterator[_Submit]:
    """Hire processes, each with a thread here that waits for what it answers.

    Every process has pipes of its own: one that is killed in the middle of an answer takes nothing
    with it that others need.
    """
    _check_loadable(job)
    crew: list[_Worker] = []
    free: SimpleQueue[_Worker] = SimpleQueue()

    def play(begin: int, end: int) -> _Done:
        worker = free.get()
        try:
            return worker.play(begin, end)
        finally:
            free.put(worker)

    dismiss = partial(_dismiss, crew)
    atexit.register(dismiss)  # for whoever neither goes on with a match nor closes it
    executor = ThreadPoolExecutor(workers)
    try:
        with _deaf():
            for _ in range(workers):
                crew.append(_Worker(job))
                free.put(crew[-1])
        yield lambda begin, end: executor.submit(play, begin, end)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        dismiss()
        executor.shutdown()
        atexit.unregister(dismiss)


@contextmanager
def _deaf() -> Iterator[None]:
    """Let Ctrl-C wait; processes that are started meanwhile never hear it."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # here, because starting it makes this thread hear again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker:
    """A process that plays batches, one after the other."""

    def __init__(self, job: _Job) -> None:
        context = get_context("spawn")
        theirs, self._orders = context.Pipe(duplex=False)
        self._answers, ours = context.Pipe(duplex=False)
        # Games, agents and memory do not travel: they are made anew.
        bare = replace(job, game=None, agents=(), memory=None)  # type: ignore[arg-type]
        specs = tuple(agent.spec for agent in job.agents)
        self.process = context.Process(
            target=_work, args=(theirs, ours, job.game.spec, specs, bare)
        )
        self.process.start()
        theirs.close()
        ours.close()

    def play(self, begin: int, end: int) -> _Done:
        """Have deals played; KibitzError if the process cannot, or is no more."""
        with suppress(OSError):  # it is no more, but may have said why
            self._orders.send((begin, end))
        try:
            # Not by the end of the pipe alone: what an agent has started may hold it open.
            while not self._answers.poll(1.0):
                if not self.process.is_alive() and not self._answers.poll():
                    raise EOFError
            answer = self._answers.recv()
        except (EOFError, OSError):
            raise KibitzError(self._how_it_died()) from None
        if isinstance(answer, _Done):
            return answer
        raise KibitzError(answer.reason) if answer.is_known else RuntimeError(answer.reason)

    def _how_it_died(self) -> str:
        self.process.join(PATIENCE)
        code = self.process.exitcode
        if code is None or code == -9:
            return "a worker process died, perhaps for want of memory: play with fewer workers"
        return f"a worker process died with exit code {code}: an agent or the script ended it"

    def stop(self) -> None:
        """Tell the process to stop what it is at."""
        with suppress(OSError):
            self._orders.send(None)

    def end(self, seconds: float) -> None:
        """Wait for the end of the process, and kill it if that takes too long."""
        self.process.join(max(0.0, seconds))
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _dismiss(crew: list[_Worker]) -> None:
    """End processes, in a bounded time."""
    for worker in crew:
        worker.stop()
    until = time.monotonic() + PATIENCE
    for worker in crew:
        worker.end(until - time.monotonic())


@dataclass(frozen=True)
class _Failure:
    """Why a worker process cannot play."""

    reason: str
    is_known: bool  # or else it is a mistake of ours


def _work(
    orders: Connection, answers: Connection, game: str, agents: tuple[str, ...], bare: _Job
) -> None:
    """Live as a worker process: play what is ordered until nobody is there who wants it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started it
    stop = threading.Event()
    waiting: SimpleQueue[tuple[int, int] | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders, waiting, stop), daemon=True).start()
    with suppress(OSError, _Stopped):
        try:
            job = _make_job(game, agents, bare)
        except BaseException as error:
            why = str(error) if isinstance(error, KibitzError) else reason(error)
            answers.send(_Failure(f"a worker process cannot begin: {why}", True))
            return
        while (deals := waiting.get()) is not None:
            answers.send(_answer(job, *deals, stop))


def _listen(
    orders: Connection, waiting: "SimpleQueue[tuple[int, int] | None]", stop: threading.Event
) -> None:
    """Take orders; when they end, or whoever gives them is gone, end this process."""
    with suppress(EOFError, OSError):
        while (deals := orders.recv()) is not None:
            waiting.put(deals)
    stop.set()
    waiting.put(None)
    time.sleep(PATIENCE / 2)
    os._exit(1)


def _make_job(game_spec: str, agent_specs: tuple[str, ...], bare: _Job) -> _Job:
    """Make the job of a worker process."""
    game = load_game(game_spec)
    agents = tuple(load_player(spec, game) for spec in agent_specs)
    _rehearse(game, agents)
    return replace(bare, game=game, agents=agents, memory=Memory())


def _answer(job: _Job, begin: int, end: int, stop: threading.Event) -> _Done | _Failure:
    """Play deals in a worker process; errors travel as text."""
    try:
        return job.play_until_fault(begin, end, stop)
    except _Stopped:
        raise
    except KibitzError as error:
        return _Failure(str(error), True)
    except BaseException:
        return _Failure(f"a worker process failed:\n{traceback.format_exc()}", False)


def load_player(spec: str, game: Game) -> Agent:
    """Load an agent; whatever it raises but Ctrl-C becomes a KibitzError."""
    with making(spec):
        return load_agent(spec, game)


def _check_loadable(job: _Job) -> None:
    """Refuse agents that another process could not make from their spec."""
    for agent in job.agents:
        try:
            same = type(load_player(agent.spec, job.game)) is type(agent)
        except KibitzError:
            same = False
        if not same:
            raise AgentError(
                f"agent {agent.spec} is not registered, so other processes cannot load it: "
                "play with threads"
            )


def _rehearse(game: Game, agents: Sequence[Agent]) -> None:
    """Let every agent decide once, so that nobody is charged for loading what all use."""
    table = game.deal(seed=0)
    seat = table.seat_to_move
    if seat is None:
        return
    with interrupts() as check:
        for agent in agents:
            with suppress(BaseException):  # it will fail in the match too, where it can be named
                agent.decide(table.view(seat), seat)
                agent.end(np.zeros(1, np.int64))
            check()


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
    players = [load_player(one, table) if isinstance(one, str) else one for one in agents]
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
