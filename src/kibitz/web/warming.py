"""The rules of games, compiled before anybody waits for them on the event loop.

A process that yields to all others compiles what a table needs and leaves it on the disk; this
process then loads it from there, in a thread. Tables of a game are opened when that is done.
"""

import asyncio
import random
import sys
from collections.abc import Iterable
from contextlib import suppress

from kibitz.core.errors import KibitzError
from kibitz.core.game import SPECTATOR
from kibitz.core.registry import load_game
from kibitz.host import Host
from kibitz.web import documents
from kibitz.web.showing import shown_state

MOST_ACTIONS = 60


def use(name: str) -> None:
    """Do once with a game all that a table with people does."""
    game = load_game(name, "people")
    host, pick = Host(game.deal(seed=1), [None] * game.n_seats), random.Random(1)
    for _ in range(MOST_ACTIONS):
        for seat in (SPECTATOR, *range(game.n_seats)):
            shown_state(game, host.view(seat), seat, None)
            for event in host.events(seat)[-1:]:
                documents.event(game, event, seat)
        if host.is_over:
            return
        seat = next(iter(host.waiting))
        host.check(seat, host.legal(seat)[0])
        host.play(seat, pick.choice(host.legal(seat)))


class Warming:
    """Games that are being prepared, each once."""

    def __init__(self) -> None:
        """Prepare nothing yet."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._one_at_a_time = asyncio.Lock()

    def begin(self, names: Iterable[str]) -> None:
        """Begin to prepare games, one after the other."""
        for name in names:
            self._task(name)

    async def wait(self, name: str) -> None:
        """Return when a game is prepared."""
        await asyncio.shield(self._task(name))

    def close(self) -> None:
        """Give up what has not been prepared."""
        for task in self._tasks.values():
            task.cancel()

    def _task(self, name: str) -> "asyncio.Task[None]":
        if name not in self._tasks:
            self._tasks[name] = asyncio.create_task(self._prepare(name))
        return self._tasks[name]

    async def _prepare(self, name: str) -> None:
        async with self._one_at_a_time:
            words = ("-c", f"from kibitz.web.warming import use; use({name!r})")
            process = await asyncio.create_subprocess_exec(sys.executable, *words)
            try:
                await process.wait()
            except asyncio.CancelledError:
                with suppress(ProcessLookupError):
                    process.kill()
                raise
            with suppress(KibitzError):  # a table of it will say what is wrong
                await asyncio.to_thread(use, name)
