"""A process in which agents think, seen from the server: orders go in, documents come out.

Everything runs on the event loop but for one thread, which waits for what the process says. What it
says is JSON and never code; the process may be killed at any time and takes nothing with it.
"""

import asyncio
import itertools
import json
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_all_start_methods, get_context
from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.core.messages import Message

Document = dict[str, Any]
Tell = Callable[[Message], None]

MAKING = 60.0
"""Seconds that an agent may take to be made, beside what is compiled."""

COMPILING = 600.0
"""Seconds that one kernel may take to compile."""

LONG = 1.5
"""Seconds of compiling after which people are told."""

GRACE = 2.0
"""Seconds that a process has to stop what nobody wants any more; then it is killed."""

LONGEST = 8_000_000
"""Bytes of one document at most."""

_METHOD = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"


class WorkerFailed(KibitzError):
    """A process that thinks crashed, was too late, or an agent in it failed."""

    def __init__(self, reason: str, told: Message | None = None) -> None:
        """Keep the reason, which ends a sentence that begins with who failed."""
        super().__init__(reason if told is None else told)
        self.reason = reason


@dataclass(frozen=True)
class Order:
    """What a process is to do: a task of `thinking.TASKS` and what it needs."""

    task: str
    words: tuple[Any, ...]
    seconds: float  # that it may think, from when everything is loaded and compiled


class Thinker:
    """One process, which works on one order at a time."""

    def __init__(self, tell: Tell, *, is_nice: bool = False) -> None:
        """Start nothing yet.

        Args:
            tell: is called when people wait because something is compiled.
            is_nice: whether everything else goes first.
        """
        self._tell = tell
        self._is_nice = is_nice
        self._numbers = itertools.count(1)
        self._said: asyncio.Queue[Document] = asyncio.Queue()
        self.has_ended = False
        self.is_broken = False  # it failed at something, and must be replaced

    async def start(self) -> None:
        """Start the process."""
        await asyncio.to_thread(self._start)
        loop = asyncio.get_running_loop()
        self._reader = threading.Thread(target=self._read, args=(loop,), daemon=True)
        self._reader.start()

    def _start(self) -> None:
        from kibitz.web.thinking import live

        context = get_context(_METHOD)
        if _METHOD == "forkserver":
            context.set_forkserver_preload(["kibitz.web.thinking"])
        theirs, self._orders = context.Pipe(duplex=False)
        self._answers, ours = context.Pipe(duplex=False)
        self._process = context.Process(  # type: ignore[attr-defined]
            target=live, args=(theirs, ours, self._is_nice), daemon=True
        )
        self._process.start()
        self._pid = int(self._process.pid or 0)
        theirs.close()
        ours.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._pid

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hand on what the process says; the last is that it has ended."""
        with suppress(EOFError, OSError, ValueError, RuntimeError):  # the loop may be closed
            while True:
                # Not by the end of the pipe alone: what an agent has started may hold it open.
                connection.wait([self._answers, self._process.sentinel])
                if not self._answers.poll():
                    break
                document = json.loads(self._answers.recv_bytes(LONGEST))
                loop.call_soon_threadsafe(self._hear, document)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._hear, {"is": "ended"})

    def _hear(self, document: Document) -> None:
        self.has_ended = self.has_ended or document["is"] == "ended"
        self._said.put_nowait(document)

    async def run(self, order: Order) -> AsyncGenerator[Document, None]:
        """Have an order done, and yield its documents.

        Whoever stops reading stops the work. Raises WorkerFailed, and is broken then unless the
        order itself was what could not be done.
        """
        self._send((next(self._numbers), order.task, order.words))
        clock = _Clock(self._tell)
        is_done = False
        try:
            while True:
                said = await clock.next(self._said)
                match said["is"]:
                    case "began":
                        clock.left = order.seconds
                    case "answer":
                        yield said["document"]
                    case "done":
                        is_done = True
                        return
                    case "failed":
                        is_done = said["is_sound"]
                        raise WorkerFailed(said["why"], _message(said["message"]))
                    case "ended":
                        raise WorkerFailed("ended its process")
        except WorkerFailed:
            self.is_broken, is_done = not is_done, True
            raise
        finally:
            if not is_done:
                await asyncio.shield(self._stop())

    async def _stop(self) -> None:
        """Have the order at hand stopped; the process is broken if that takes too long."""
        self._send("stop")
        ends = time.monotonic() + GRACE
        while not self.is_broken:
            try:
                said = await asyncio.wait_for(self._said.get(), ends - time.monotonic())
            except TimeoutError:
                self.is_broken = True
                return
            if said["is"] in ("done", "failed", "ended"):
                self.is_broken = said["is"] != "done"
                return

    def _send(self, order: object) -> None:
        with suppress(OSError):  # that it has ended is said by itself
            self._orders.send(order)

    async def close(self) -> None:
        """End the process."""
        self.is_broken = True
        self._process.kill()
        self._orders.close()
        await asyncio.to_thread(self._bury)

    def _bury(self) -> None:
        """Wait for the end of the process, and give back what it held."""
        self._process.join()
        self._reader.join()
        self._answers.close()
        self._process.close()


class _Clock:
    """How long an order may still take; it stands still while something is compiled."""

    def __init__(self, tell: Tell) -> None:
        self.left = MAKING
        self._tell = tell
        self._compiling: Document | None = None

    async def next(self, said: "asyncio.Queue[Document]") -> Document:
        """Return what is said next; WorkerFailed if it takes too long."""
        while True:
            began = time.monotonic()
            document = await self._wait(said)
            if document["is"] == "compiles":
                self._compiling = document if document["on"] else None
                self.left -= time.monotonic() - began if document["on"] else 0
                continue
            if self._compiling is None:
                self.left -= time.monotonic() - began
            return document

    async def _wait(self, said: "asyncio.Queue[Document]") -> Document:
        try:
            if self._compiling is None:
                return await asyncio.wait_for(said.get(), max(self.left, 0.001))
            with suppress(TimeoutError):
                return await asyncio.wait_for(said.get(), LONG)
            self._tell(_compiling(self._compiling))
            return await asyncio.wait_for(said.get(), COMPILING)
        except TimeoutError:
            raise WorkerFailed("took too long") from None


def _message(told: Any) -> Any:
    """Return a message, or a part of one, as it was before it travelled."""
    if isinstance(told, dict) and told.keys() == {"code", "facts"}:
        return Message(told["code"], {key: _message(fact) for key, fact in told["facts"].items()})
    return [_message(one) for one in told] if isinstance(told, list) else told


def _compiling(said: Document) -> Message:
    """Say what people wait for, and about how long."""
    seconds = max(1, round(said["seconds"]))
    return Message("web.compiling", {"game": said["game"], "seconds": seconds})
