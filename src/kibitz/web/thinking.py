"""What a process does in which agents think: it takes orders, one after the other, and answers.

An order names a task and what it needs; tasks yield documents, which go back as JSON. The process
ends when nobody gives orders any more, whatever an agent is at.
"""

import ctypes
import json
import os
import signal
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

import numpy as np
from numba.core import event

from kibitz.arena.workers import rehearse
from kibitz.core.agent import Agent
from kibitz.core.compiling import Estimates, describe
from kibitz.core.conduct import reason
from kibitz.core.errors import (
    AgentError,
    KibitzError,
    PositionError,
    RecordError,
    SpecError,
)
from kibitz.core.faults import read_actions
from kibitz.core.game import State, States, is_legal
from kibitz.core.kernels import announce_compilation
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import RNG
from kibitz.core.sources import cache_root
from kibitz.core.table import Game
from kibitz.core.wording import speaking
from kibitz.review.coaches import load_coach, load_open_coach, patient, quick
from kibitz.review.documents import Described
from kibitz.review.judgement import Answer, ask, think
from kibitz.review.luck import worth_of_any
from kibitz.review.questions import Question
from kibitz.web import recalling

MOST_AGENTS = 32
"""Agents that a process keeps; the one that was asked least recently goes first."""

USUAL = 20.0
"""Seconds that a search takes to compile, where nothing is known."""

LOOK = 0.3
"""Seconds between two looks at a search that goes on."""

PARENT_DIES = 1
"""The number by which Linux is asked for a signal when the parent process ends."""

Document = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A decision, as it travels: all that the seat may know, and what its draws come from."""

    seat: int
    view: bytes
    rng: tuple[int, int]
    table: int
    number: int

    def state(self, game: Game) -> State:
        """Return the view as a state of its game."""
        return unpack(game, self.view)

    def stream(self) -> np.record:
        """Return the stream that the decision draws from."""
        rngs = np.zeros(1, RNG)
        rngs[0] = self.rng
        stream: np.record = rngs[0]
        return stream


def unpack(game: Game, packed: bytes) -> State:
    """Return the state of a game whose bytes these are."""
    states: States = game.blank(1)
    if len(packed) != states.nbytes:
        raise AgentError(f"expected a view of {game.spec}")
    states.view(np.uint8)[:] = np.frombuffer(packed, np.uint8)
    return states[0]


class Mind:
    """The agents of a process, and whether the order at hand is still wanted."""

    def __init__(self, say: Callable[[Document], None]) -> None:
        """Know no agent yet."""
        self.say = say
        self.stopped = threading.Event()
        self._agents: OrderedDict[tuple[str, str], Agent] = OrderedDict()
        self._games: dict[str, Game] = {}
        self.answers: OrderedDict[tuple[str, str, int], Answer] = OrderedDict()  # of coaches

    def game(self, spec: str) -> Game:
        """Return a game by its spec."""
        if spec not in self._games:
            self._games[spec] = load_game(spec)
        return self._games[spec]

    def _keep(self, key: tuple[str, str], agent: Agent) -> None:
        self._agents[key] = agent
        while len(self._agents) > MOST_AGENTS:
            self._agents.popitem(last=False)

    def agent(self, game: str, spec: str, *, is_coach: bool = False) -> Agent:
        """Return an agent, which has made one decision already: all that it needs is loaded.

        A coach is a patient one, and has only begun one.
        """
        key = (game, spec)
        if key not in self._agents:
            agent = load_agent(spec, self.game(game))
            if is_coach:
                agent = patient(agent)
                _begin_to_think(agent)
            else:
                rehearse(agent.game, [agent])
            self._keep(key, agent)
        self._agents.move_to_end(key)
        return self._agents[key]

    def coach(self, game: str, how: str) -> Agent:
        """Return the coach of a game: `usual`, `quick`, `patient`, or with cards `open`."""
        key = (game, f"coach {how}")
        if key not in self._agents:
            usual = load_coach(self.game(game))
            makers = {"quick": quick, "patient": patient}
            if how == "open":
                self._keep(key, load_open_coach(self.game(game)))
            else:
                self._keep(key, makers[how](usual) if how in makers else usual)
        self._agents.move_to_end(key)
        return self._agents[key]

    def begin(self) -> None:
        """Say that everything is loaded: from now on it is thinking that takes time."""
        self.say({"is": "began"})

    def end(self, game: str, spec: str, table: int) -> None:
        """Let an agent forget a table, if there is such an agent."""
        agent = self._agents.get((game, spec))
        if agent is not None and agent.forgets:
            agent.end(np.array([table]))


def _begin_to_think(agent: Agent) -> None:
    """Let a coach begin a decision; it fails when it is asked if it fails here."""
    table = agent.game.deal(seed=0)
    seat = table.seat_to_move
    if seat is not None:
        with (
            suppress(Exception),
            closing(think(agent, Question(agent.game, table.view(seat), seat))) as looks,
        ):
            next(looks)


def make(mind: Mind, game: str, agent: str) -> Iterator[Document]:
    """Make an agent, with all that it compiles; answer with what its tables must know."""
    made = mind.agent(game, agent)
    yield {"spec": made.spec, "watches": made.watches}


def prepare(mind: Mind, game: str) -> Iterator[Document]:
    """Load all that looking back at a game needs."""
    table = mind.game(game).deal(seed=0)
    seat = table.seat_to_move
    assert seat is not None
    for how in ("usual", "quick", "open"):
        ask(mind.coach(game, how), Question(table.game, table.view(seat), seat))
    if table.game.facts.luck:
        worth_of_any(table.game.spec)
    yield {}


def act(
    mind: Mind, game: str, agent: str, asked: Asked, seen: tuple[bytes, ...]
) -> Iterator[Document]:
    """Decide; `seen` are views of the seat that an agent that watches has not been shown."""
    player = mind.agent(game, agent)
    own, seats = player.game, np.array([asked.seat])
    tables = np.array([asked.table])
    mind.begin()
    if player.watches:
        for packed in seen:
            views: States = own.blank(1)
            views[0] = unpack(own, packed)
            player.watch(views, seats, tables)
    view = asked.state(own)
    views, seats, rngs, _ = player.ask_one(view, asked.seat, asked.stream())
    action = int(read_actions(player.act(views, seats, rngs, tables), 1)[0])
    if not is_legal(view, asked.seat, action):
        why = own.text.explain(view, asked.seat, action)
        raise AgentError(f"chose {action}, which is illegal ({why})")
    yield {"action": action, "keeps": player.watches or player.forgets}


def hint(
    mind: Mind, game: str, agent: str, asked: Asked, language: str, seconds: float
) -> Iterator[Document]:
    """Yield what a coach thinks of a decision, about every LOOK seconds, until it is stopped."""
    coach = mind.agent(game, agent, is_coach=True)
    question = Question(coach.game, asked.state(coach.game), asked.seat)
    mind.begin()
    ends = time.monotonic() + seconds
    with speaking(language, asked.seat):
        described = Described(question, agent, asked.number)
        looked, last = 0.0, None
        for last in think(coach, question):
            now = time.monotonic()
            if now > ends or mind.stopped.is_set():
                break
            if now > looked + LOOK:
                looked = now
                yield described.hint(last, is_final=False)
        if last is not None:
            yield described.hint(last, is_final=True)


def forget(mind: Mind, game: str, agent: str, table: int) -> Iterator[Document]:
    """Let an agent forget a table that is over."""
    mind.end(game, agent, table)
    yield {}


TASKS: dict[str, Callable[..., Iterator[Document]]] = {
    "make": make,
    "prepare": prepare,
    "act": act,
    "hint": hint,
    "forget": forget,
    **recalling.TASKS,
}


class _Compiling(event.Listener):
    """Says when something is compiled, and about how long that takes."""

    def __init__(self, say: Callable[[Document], None]) -> None:
        self._say = say
        self._depth = 0
        self._estimates = Estimates(cache_root() / "compiling.json")

    def on_start(self, event: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            kernel = event.data["dispatcher"]
            part, game = describe(kernel.__module__, event.data["args"])
            name = f"{kernel.__module__}.{kernel.__qualname__} {game}".rstrip()
            seconds = self._estimates.get(name) or USUAL
            self._say(
                {"is": "compiles", "on": True, "part": part, "game": game, "seconds": seconds}
            )

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._say({"is": "compiles", "on": False})


def live(orders: Connection, answers: Connection, is_nice: bool) -> None:
    """Live as a process in which agents think, until nobody is there who gives orders."""
    _die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started it
    if is_nice:
        os.nice(10)
    say = _speaker(answers)
    announce_compilation(lambda told: None)
    event.register("numba:compile", _Compiling(say))  # type: ignore[no-untyped-call]
    mind = Mind(say)
    waiting: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders, waiting, mind), daemon=True).start()
    while True:
        number, task, words = waiting.get()
        mind.stopped.clear()
        say({"is": "heard", "order": number})
        try:
            for document in TASKS[task](mind, *words):
                say({"is": "answer", "document": document})
                if mind.stopped.is_set():
                    break
            say({"is": "done"})
        except BaseException as error:  # whatever it is, it is the agent's fault
            say({"is": "failed", **_failure(error)})


def _failure(error: BaseException) -> Document:
    """Say why an order could not be done; only our own errors have words in all languages.

    A process that was asked what cannot be is as sound as before.
    """
    if isinstance(error, KibitzError):
        is_sound = isinstance(error, PositionError | RecordError | SpecError)
        return {"why": str(error), "message": error.message.as_json(), "is_sound": is_sound}
    return {"why": reason(error), "message": None, "is_sound": False}


def _speaker(answers: Connection) -> Callable[[Document], None]:
    """Return what sends documents, whichever thread has one."""
    lock = threading.Lock()

    def say(document: Document) -> None:
        packed = json.dumps(document).encode()
        with lock, suppress(OSError):
            answers.send_bytes(packed)

    return say


def _listen(orders: Connection, waiting: "SimpleQueue[Any]", mind: Mind) -> None:
    """Take orders; when whoever gives them is gone, end this process."""
    with suppress(EOFError, OSError):
        while True:
            order = orders.recv()
            if order == "stop":
                mind.stopped.set()
            else:
                waiting.put(order)
    os._exit(1)


def _die_with_parent() -> None:
    """Ask the system to end this process with its parent, also in a kernel that never returns."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DIES, signal.SIGKILL)
