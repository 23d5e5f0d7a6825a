"""The same short moment for everybody after a play, so that nobody learns who could answer it.

At tables with two or more people, moments of the host are shown one after the other, each for a
time that follows from public facts (see `pause` in core/hints.py). While one lasts, the table may
have gone on already, if nobody had a choice, or may wait for somebody who has: clients cannot tell.
They are shown the moment, and nobody may act but those who really have a choice in it. Bots that
have one think meanwhile; those whose turn comes later are asked later. Whoever has not answered in
the end, person or bot, has passed: no moment is longer because somebody thinks about a bomb.
"""

import asyncio
import contextlib
import logging
import math
import time
from collections import deque
from collections.abc import Collection
from typing import TYPE_CHECKING

from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.host import Moment
from kibitz.web.refusals import Refused
from kibitz.web.seats import is_person

if TYPE_CHECKING:
    from kibitz.web.room import Room

LOG = logging.getLogger("kibitz.web")
LEAD = 0.1
"""Part of a moment before its end at which those are answered for who did not answer: what is then
written to the database takes no time from what follows."""
GRAIN = 50
"""Milliseconds to which clients are told how long a moment lasts."""


class Pauses:
    """The moments of one table."""

    def __init__(self, room: "Room") -> None:
        """Begin with none."""
        self._room = room
        self.now: Moment | None = None  # what everybody is shown, in place of the present
        self._later: deque[Moment] = deque()
        self._n_taken = -1  # actions up to which the host's moments were taken
        self._begun = 0.0
        self._offered: set[Seat] = set()  # who had a choice when the moment began
        self._holding: set[Seat] = set()  # who asked for more time
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the table waits for answers to the moment that is shown."""
        host = self._room.host
        return self.now is not None and host is not None and host.is_open(self.now)

    @property
    def lets_think(self) -> bool:
        """Whether bots may be asked for what they owe."""
        return self.now is None or self.is_open

    def left(self, seat: Seat) -> int | None:
        """Return how many milliseconds a moment lasts for a seat; None if there is none."""
        if self.now is None:
            return None
        left = self._ends(self.now, seat) - time.monotonic()
        return max(math.ceil(1000 * left / GRAIN), 0) * GRAIN

    def made(self, seat: Seat) -> list[str]:
        """List what a seat has decided, as far as it can know."""
        host = self._room.host
        assert host is not None
        if self.now is None:
            return [text for one, text in host.played() if one == seat]
        known = [text for one, text in host.played()[: self.now.n_actions] if one == seat]
        answers = [text for one, text in host.played(self.now.n_actions) if one == seat]
        return known + answers[:1] if seat in self._offered else known

    def hold(self, seat: Seat) -> None:
        """Give somebody who has a choice more time for it."""
        host = self._room.host
        if host is not None and self.is_open and host.decision(seat) is not None:
            self._holding.add(seat)

    def follow(self) -> None:
        """Take over what the host has gone through; called when it is in the database."""
        host = self._room.host
        if host is None:
            return
        fresh = [one for one in host.moments if one.n_actions > self._n_taken]
        self._n_taken = host.n_actions
        if not self._is_wanted():
            self.stop()
            return
        self._later.extend(fresh)
        self._changed.set()
        if self.now is None and self._later:
            self._begin()
            self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Show the present again."""
        self.now = None
        self._later.clear()
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    def _is_wanted(self) -> bool:
        people = [seat for seat in self._room.seats if is_person(seat)]
        return len(people) > 1 and self._room.config.pace > 0

    def _begin(self) -> None:
        """Begin with the next moment, if there is one."""
        self.now = self._later.popleft() if self._later else None
        self._begun = time.monotonic()
        self._holding = set()
        host = self._room.host
        self._offered = set(host.waiting) if host is not None and self.is_open else set()

    def _ends(self, moment: Moment, seat: Seat | None = None) -> float:
        config = self._room.config
        is_held = seat is not None and seat in self._holding
        return self._begun + (config.most_wait if is_held else moment.seconds * config.pace)

    async def _run(self) -> None:
        """Let all moments pass."""
        room = self._room
        try:
            while self.now is not None:
                await self._pass(self.now)
                async with room.lock:
                    if room.is_broken:
                        return
                    self._begin()
                    room.publish()
                    room.on_change()
        except Refused:  # the room is broken, and will be made anew
            return
        except Exception:
            LOG.exception("table %s is made anew", room.row.id)
            room.close(Message("web.not-saved"), is_gone=False)

    async def _pass(self, moment: Moment) -> None:
        """Wait until a moment is over and the table has gone on."""
        ends = self._ends(moment)
        await _sleep_until(ends - LEAD * (ends - self._begun))
        await self._answer(self._holding)
        longest = self._begun + self._room.config.most_wait
        while self.is_open and self._holding & set(self._waiting()):
            if not await self._change(longest - time.monotonic()):
                break
        await _sleep_until(ends)
        await self._answer()

    async def _change(self, timeout: float | None = None) -> bool:
        """Wait until something is played; False if nothing was in time."""
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), timeout)
        return self._changed.is_set()

    def _waiting(self) -> list[Seat]:
        """List the people who have not answered."""
        host = self._room.host
        return list(host.waiting) if host is not None and self.is_open else []

    async def _answer(self, but: Collection[Seat] = ()) -> None:
        """Answer for the people and the bots who have not; what bots say later is too late."""
        room = self._room
        async with room.lock:
            host = room.host
            if room.is_broken or host is None or not self.is_open:
                return
            late = [seat for seat in self._waiting() if seat not in but]
            slow = host.questions()
            for question in slow:
                host.answer(question, host.legal(question.seat)[0])
            for seat in late:
                host.play(seat, host.legal(seat)[0])
            if late or slow:
                await room.commit()
                room.show_seats(late)


async def _sleep_until(when: float) -> None:
    await asyncio.sleep(max(when - time.monotonic(), 0.0))
