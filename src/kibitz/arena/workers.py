"""Who plays the deals of a match: threads, or processes with pipes of their own."""

import atexit
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue

import numpy as np

from kibitz.arena.job import Done, Job, Stopped
from kibitz.core.agent import Agent
from kibitz.core.batch import Batch
from kibitz.core.conduct import interrupts, reason
from kibitz.core.driver import Memory
from kibitz.core.errors import AgentError, KibitzError
from kibitz.core.registry import load_agent, load_game
from kibitz.core.table import Game

PATIENCE = 1.0
"""Seconds a worker process has to stop before it is killed."""

Submit = Callable[[int, int], "Future[Done]"]
"""Has the deals from one number to another played."""


@contextmanager
def hire_threads(workers: int, job: Job) -> Iterator[Submit]:
    """Hire threads; they stop after the step they are at when nobody waits for them any more."""
    stop = threading.Event()
    executor = ThreadPoolExecutor(workers)
    try:
        yield lambda begin, end: executor.submit(job.play_until_fault, begin, end, stop)
    finally:
        stop.set()
        executor.shutdown(cancel_futures=True)


@contextmanager
def hire_processes(workers: int, job: Job) -> Iterator[Submit]:
    """Hire processes, each with a thread here that waits for what it answers.

    Every process has pipes of its own: one that is killed in the middle of an answer takes nothing
    with it that others need.
    """
    _check_loadable(job)
    crew: list[_Worker] = []
    free: SimpleQueue[_Worker] = SimpleQueue()

    def play(begin: int, end: int) -> Done:
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

    def __init__(self, job: Job) -> None:
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

    def play(self, begin: int, end: int) -> Done:
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
        if isinstance(answer, Done):
            return answer
        raise KibitzError(answer.reason) if answer.is_known else RuntimeError(answer.reason)

    def _how_it_died(self) -> str:
        self.process.join(PATIENCE)
        code = self.process.exitcode
        if code is None or code == -9:
            return "a worker process died, perhaps for want of memory: play with fewer workers"
        return f"a worker process died with exit code {code}: an agent or the script ended it"

    def stop(self) -> None:
        """Ask the process to stop what it is at."""
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
    orders: Connection, answers: Connection, game: str, agents: tuple[str, ...], bare: Job
) -> None:
    """Live as a worker process: play what is ordered until nobody is there who wants it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started it
    stop = threading.Event()
    waiting: SimpleQueue[tuple[int, int] | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders, waiting, stop), daemon=True).start()
    with suppress(OSError, Stopped):
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


def _make_job(game_spec: str, agent_specs: tuple[str, ...], bare: Job) -> Job:
    """Make the job of a worker process."""
    game = load_game(game_spec)
    agents = tuple(load_agent(spec, game) for spec in agent_specs)
    rehearse(game, agents)
    return replace(bare, game=game, agents=agents, memory=Memory())


def _answer(job: Job, begin: int, end: int, stop: threading.Event) -> Done | _Failure:
    """Play deals in a worker process; errors travel as text."""
    try:
        return job.play_until_fault(begin, end, stop)
    except Stopped:
        raise
    except KibitzError as error:
        return _Failure(str(error), True)
    except BaseException:
        return _Failure(f"a worker process failed:\n{traceback.format_exc()}", False)


def _check_loadable(job: Job) -> None:
    """Refuse agents that another process could not make from their spec."""
    for agent in job.agents:
        try:
            same = type(load_agent(agent.spec, job.game)) is type(agent)
        except KibitzError:
            same = False
        if not same:
            raise AgentError(
                f"agent {agent.spec} is not registered, so other processes cannot load it: "
                "play with threads"
            )


def rehearse(game: Game, agents: Sequence[Agent]) -> None:
    """Let every agent decide once, so that nobody is charged for loading what all use."""
    table = game.deal(seed=0)
    seat = table.seat_to_move
    if seat is None:
        return
    with interrupts() as check:
        for agent in agents:
            with suppress(BaseException):  # it will fail in the match too, where it can be named
                agent.decide(table.view(seat), seat)
                if agent.as_policy is not None:
                    _load_policy(game, agent.as_policy)
                agent.end(np.zeros(1, np.int64))
            check()


def _load_policy(game: Game, policy: np.record) -> None:
    """Ask a policy as a match does, in the kernel that conceals."""
    batch = Batch(game.blank(1), game.n_seats, keep=False)
    batch.begin(0, np.zeros(1, np.int64), np.zeros(1, np.int64))
    batch.settle()
    questions = batch.ask(np.zeros((1, game.n_seats), np.int64), 1)
    batch.choose(questions, [0], policy, np.empty(len(questions.choices), np.int64))
