"""Who thinks, and where: bots and coaches in processes of their own, never on the event loop.

What is guaranteed:

- A decision is the one that `Host.advance` would get from the same agent with the same stream.
- An agent that keeps something between decisions is asked in the same process as long as that
  lives. If it has to be replaced, such agents go on from the view at hand; those that watch are
  shown again all that their seat has seen since it was seated here.
- A process that crashes, hangs or plays what is illegal harms only the decision that it was at:
  it is killed and replaced, and decisions that wait for it go on in another one.
- Time that is spent compiling or loading counts for nobody.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.errors import AgentError
from kibitz.core.game import Action, States
from kibitz.core.messages import Message
from kibitz.core.rng import Rngs
from kibitz.core.table import Game
from kibitz.host.host import Question
from kibitz.web.process import Document, Order, Tell, Thinker, WorkerFailed
from kibitz.web.thinking import Asked

SOON, LATER, IDLE = 0, 1, 2
"""Who goes first where several wait for a process."""

AGAIN = 1.0
"""Seconds after which a process that could not be started is tried again."""

MOST_WAITING = 30
"""People who may wait for a coach at once."""

HINT_SECONDS = 10.0
"""How long a coach thinks about one decision at most."""

Sitting = tuple[str, str, int]
"""An agent at a table: the specs of the game and of the agent, and the number of the table."""


class Busy(WorkerFailed):
    """Too many people wait for a coach."""


class Absent(Agent):
    """Sits at a host's table for an agent that thinks elsewhere, and remembers what it must see."""

    def __init__(self, game: Game, spec: str, *, watches: bool, workers: "Workers") -> None:
        """Sit down for the agent of a spec."""
        super().__init__(game)
        self._spec, self._watches, self._workers = spec, watches, workers

    @property
    def spec(self) -> str:
        """The spec of who thinks."""
        return self._spec

    @property
    def watches(self) -> bool:
        """Whether the agent wants to see what happens."""
        return self._watches

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Refuse: decisions are asked for by `Workers.act`."""
        raise AgentError(f"agent {self._spec} thinks elsewhere")

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Keep what a seat saw for whoever thinks for it."""
        for view, seat, table in zip(views, seats.tolist(), games.tolist(), strict=True):
            self._workers.note((self.game.spec, self._spec, table), seat, view.tobytes())

    def end(self, games: Games) -> None:
        """Let the agent forget tables that are over."""
        for table in games.tolist():
            self._workers.forget((self.game.spec, self._spec, table))


@dataclass
class _Seen:
    """What a seat has seen, and how much of it its agent has been shown, in which process."""

    views: list[bytes] = field(default_factory=list)
    shown: int = 0
    where: Thinker | None = None

    def due(self, where: Thinker) -> tuple[bytes, ...]:
        """Return what the agent in a process has not been shown."""
        if self.where is not where:
            self.where, self.shown = where, 0
        due = tuple(self.views[self.shown :])
        self.shown = len(self.views)
        return due


@dataclass(eq=False)
class _Waiting:
    """Somebody who waits for a process, or for one of them alone."""

    future: "asyncio.Future[Thinker]"
    home: Thinker | None


class Crew:
    """Processes that are lent to one order at a time; broken ones are replaced."""

    def __init__(self, n: int, tell: Tell) -> None:
        """Hire nobody yet."""
        self._n, self._tell = n, tell
        self._free: list[Thinker] = []
        self.all: list[Thinker] = []
        self._waiting: tuple[deque[_Waiting], ...] = (deque(), deque(), deque())  # by priority
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @property
    def n_waiting(self) -> int:
        """How many orders wait for a process."""
        return sum(map(len, self._waiting))

    async def start(self) -> None:
        """Start all processes."""
        for _ in range(self._n):
            await self._hire()

    async def close(self) -> None:
        """End all processes."""
        self._is_closed = True
        for one in itertools.chain(*self._waiting):
            one.future.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*(thinker.close() for thinker in self.all))
        self.all.clear()

    async def _hire(self) -> None:
        thinker = Thinker(self._tell)
        while True:
            try:
                await thinker.start()
                break
            except OSError:  # the system has no room for it now
                await asyncio.sleep(AGAIN)
        if self._is_closed:
            await thinker.close()
            return
        self.all.append(thinker)
        self._give(thinker)

    @asynccontextmanager
    async def lend(self, priority: int, home: Thinker | None = None) -> AsyncIterator[Thinker]:
        """Lend a process, if it lives that of `home`."""
        thinker = await self._take(priority, home)
        try:
            yield thinker
        finally:
            if thinker.is_broken:
                self._replace(thinker)
            else:
                self._give(thinker)

    async def _take(self, priority: int, home: Thinker | None) -> Thinker:
        if self._is_closed:
            raise WorkerFailed("was asked after the end")
        home = home if home in self.all else None
        for thinker in list(self._free):
            if thinker.has_ended:
                self._free.remove(thinker)
                self._replace(thinker)
            elif home in (None, thinker):
                self._free.remove(thinker)
                return thinker
        home = home if home in self.all else None
        one = _Waiting(asyncio.get_running_loop().create_future(), home)
        self._waiting[priority].append(one)
        try:
            return await one.future
        except asyncio.CancelledError:
            if one in self._waiting[priority]:
                self._waiting[priority].remove(one)
            elif one.future.done() and not one.future.cancelled():
                self._give(one.future.result())
            raise

    def _give(self, thinker: Thinker) -> None:
        """Lend a process to whoever waits for it, the most urgent first."""
        for queue in self._waiting:
            for one in queue:
                if one.home in (None, thinker) and not one.future.done():
                    queue.remove(one)
                    one.future.set_result(thinker)
                    return
        self._free.append(thinker)

    def _replace(self, thinker: Thinker) -> None:
        """End a process, and start another in its place; who waited for it waits for any."""
        if self._is_closed:
            return
        self.all.remove(thinker)
        for waiting in itertools.chain(*self._waiting):
            if waiting.home is thinker:
                waiting.home = None
        for one in (thinker.close(), self._hire()):
            task = asyncio.create_task(one)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


class Workers:
    """The processes of a server, for bots and for coaches."""

    def __init__(self, n_bots: int = 2, n_coaches: int = 2, *, tell: Tell | None = None) -> None:
        """Start nothing yet.

        Args:
            n_bots: processes in which bots decide.
            n_coaches: processes for hints, reviews and all that people may wait for.
            tell: is called when people wait because something is compiled.
        """
        self._tell = tell or (lambda told: None)
        self._bots, self._coaches = Crew(n_bots, self._tell), Crew(n_coaches, self._tell)
        self._homes: dict[Sitting, Thinker] = {}
        self._seen: dict[Sitting, dict[int, _Seen]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, warm: Iterable[tuple[str, str]] = ()) -> None:
        """Start all processes; then, in the background, compile and load the agents of `warm`.

        They are pairs of game and agent, the first first. A process that yields to all others
        compiles them, and then what looking back at these games needs; the bots load what is on
        disk whenever they have nothing to do.
        """
        await self._bots.start()
        await self._coaches.start()
        wanted = list(warm)
        if wanted:
            self._spawn(self._warm(wanted))

    async def close(self) -> None:
        """End all processes."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(self._bots.close(), self._coaches.close())

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [thinker.pid for crew in (self._bots, self._coaches) for thinker in crew.all]

    async def seat(self, game: Game, agent: str) -> Absent:
        """Return who sits at a host's table for an agent that thinks here.

        Raises:
            WorkerFailed: there is no such agent for this game, or it cannot be made.
        """
        async with self._bots.lend(SOON) as thinker:
            made = await _last(thinker, Order("make", (game.spec, agent), 0))
        return Absent(game, made["spec"], watches=made["watches"], workers=self)

    async def act(self, game: str, agent: str, question: Question, deadline: float) -> Action:
        """Return what an agent decides.

        Raises:
            WorkerFailed: it crashed, was too late, or chose what is illegal.
        """
        sitting = (game, agent, question.table)
        async with self._bots.lend(SOON, self._homes.get(sitting)) as thinker:
            seen = self._seen.get(sitting, {}).get(question.seat, _Seen()).due(thinker)
            order = Order("act", (game, agent, pack(question), seen), deadline)
            answer = await _last(thinker, order)
            if answer["keeps"]:
                self._homes[sitting] = thinker
            return int(answer["action"])

    async def hints(
        self,
        game: str,
        agent: str,
        question: Question,
        language: str,
        seconds: float = HINT_SECONDS,
    ) -> AsyncGenerator[Document, None]:
        """Yield what a coach thinks of a decision, ever better: documents for the page.

        The coach gets what the seat sees and nothing else. Whoever stops reading stops the search.
        The last document says so.

        Raises:
            WorkerFailed: the coach failed.
        """
        words = (game, agent, pack(question), language, seconds)
        async with aclosing(self.job("hint", words, seconds + 5, SOON)) as documents:
            async for document in documents:
                yield document

    async def job(
        self, task: str, words: Sequence[Any], seconds: float, priority: int = LATER
    ) -> AsyncGenerator[Document, None]:
        """Have a task done by a coach's process, and yield its documents.

        Raises:
            Busy: too many wait already for what is wanted soon.
            WorkerFailed: it could not be done.
        """
        if priority == SOON and self._coaches.n_waiting >= MOST_WAITING:
            raise Busy("has too much to do", Message("web.busy"))
        order = Order(task, tuple(words), seconds)
        async with (
            self._coaches.lend(priority) as thinker,
            aclosing(thinker.run(order)) as answers,
        ):
            async for answer in answers:
                yield answer

    def note(self, sitting: Sitting, seat: int, view: bytes) -> None:
        """Keep what a seat saw until its agent is asked."""
        self._seen.setdefault(sitting, {}).setdefault(seat, _Seen()).views.append(view)

    def forget(self, sitting: Sitting) -> None:
        """Forget an agent's table, here and where it thinks."""
        self._seen.pop(sitting, None)
        home = self._homes.pop(sitting, None)
        if home is not None:
            self._spawn(self._forget(sitting, home))

    async def _forget(self, sitting: Sitting, home: Thinker) -> None:
        with suppress(WorkerFailed):
            async with self._bots.lend(IDLE, home) as thinker:
                await _last(thinker, Order("forget", sitting, 5))

    async def _warm(self, wanted: Sequence[tuple[str, str]]) -> None:
        """Compile in a process of its own; then let the bots load it."""
        for game, agent in wanted:
            await self._compile(Order("make", (game, agent), 0))
        for game, agent in wanted:
            for bot in list(self._bots.all):
                with suppress(WorkerFailed):
                    async with self._bots.lend(IDLE, bot) as thinker:
                        await _last(thinker, Order("make", (game, agent), 0))
        for game in dict.fromkeys(game for game, _ in wanted):
            await self._compile(Order("prepare", (game,), 60))

    async def _compile(self, order: Order) -> None:
        """Do an order in a process that ends with it."""
        warmer = Thinker(self._tell, is_nice=True)
        await warmer.start()
        try:
            with suppress(WorkerFailed):
                await _last(warmer, order)
        finally:
            await warmer.close()

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _last(thinker: Thinker, order: Order) -> Document:
    """Have an order done, and return its last document."""
    found: Document | None = None
    async with aclosing(thinker.run(order)) as answers:
        async for answer in answers:
            found = answer
    if found is None:
        raise WorkerFailed("did not answer")
    return found


def pack(question: Question) -> Asked:
    """Return a question as it travels to a process."""
    rng = (int(question.rng["counter"]), int(question.rng["step"]))
    return Asked(question.seat, question.view.tobytes(), rng, question.table, question.number)
