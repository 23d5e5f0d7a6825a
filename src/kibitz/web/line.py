"""One connection to one table: what is sent, in order, without ever waiting for a slow client.

Of several snapshots that have not been sent yet only the newest is kept: it tells all events since
the last one that was. So a slow client costs no memory and misses nothing.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from kibitz.store.play import GuestRow
from kibitz.web.documents import Json

MOST_WAITING = 200
"""Messages besides snapshots that wait to be sent; who reads none of them is cut off."""


class Line:
    """What a client is to be told."""

    def __init__(self, guest: GuestRow, language: str, since: int = 0) -> None:
        """Begin with nothing to send.

        Args:
            guest: who is connected.
            language: what is spoken.
            since: the number of the last event that the client has.
        """
        self.guest = guest
        self.language = language
        self.since = since  # the last event in a snapshot that was taken to be sent
        self.hint: asyncio.Task[None] | None = None
        self.is_closed = False
        self._messages: deque[Json] = deque()
        self._snapshot: Json | None = None
        self._something = asyncio.Event()

    def say(self, message: Json) -> None:
        """Send a message after all that is waiting; the answer to a last wish, too."""
        if len(self._messages) >= MOST_WAITING:
            self.close()
            return
        self._messages.append(message)
        self._something.set()

    def show(self, snapshot: Json) -> None:
        """Send a snapshot, in place of an older one that is still waiting."""
        self._snapshot = snapshot
        self._something.set()

    def close(self) -> None:
        """Send what is waiting, then end."""
        self.is_closed = True
        self.stop_hint()
        self._something.set()

    def stop_hint(self) -> None:
        """Let the coach stop thinking."""
        if self.hint is not None:
            self.hint.cancel()
            self.hint = None

    async def messages(self) -> AsyncIterator[Json]:
        """Yield what is to be sent, until the line is closed."""
        while True:
            await self._something.wait()
            self._something.clear()
            while self._messages or self._snapshot is not None:
                if self._messages:
                    yield self._messages.popleft()
                elif (snapshot := self._snapshot) is not None:
                    self._snapshot = None
                    self.since = snapshot["last_event"]
                    yield snapshot
            if self.is_closed:
                return
