"""Who serves the tables of a database: one server at a time.

The one that does changes one row every BEAT seconds. Another that starts looks at that row: where
it changes somebody lives, and the other is refused; where it stands still for LEASE seconds, or
was that of a process of this computer that is gone, the row is taken over. So a server that was
killed is followed by the next, and no clocks are compared.
"""

import os
import secrets
import socket
import time
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import delete, insert, select, update

from kibitz.core.errors import StoreError
from kibitz.store.database import Database
from kibitz.store.schema import play_servers as servers

BEAT = 2.0
LEASE = 10.0
LOOK = 0.2
"""Seconds between two looks at the row of another."""

ONLY = 1
"""The id of the one row there is."""

_held: set[str] = set()
"""What servers of this process hold."""


class _Holder(NamedTuple):
    """What the row says."""

    token: str
    place: str
    process: int
    beats: int

    @property
    def is_gone(self) -> bool:
        """Whether it was a process of this computer that does not run any more."""
        if self.place != socket.gethostname() or self.token in _held:
            return False
        if self.process == os.getpid():
            return True
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except OSError:  # it is that of another user
            return False
        return False


class Lease:
    """The right to serve the tables of a database."""

    def __init__(self, database: Database) -> None:
        """Hold nothing yet."""
        self._database = database
        self._token = secrets.token_hex(8)

    def take(self) -> None:
        """Become the server of the database, or remain it.

        Raises:
            StoreError: another server is.
        """
        if self._token in _held:
            return
        found = self._read()
        ends = time.monotonic() + LEASE
        while found is not None and not found.is_gone and time.monotonic() < ends:
            time.sleep(LOOK)
            before, found = found, self._read()
            if found is not None and found != before:
                self._refuse(found)
        self._write(found)
        _held.add(self._token)

    def beat(self) -> bool:
        """Show that this server lives; False if another has taken its place."""
        own = servers.c.token == self._token
        with self._database.write() as connection:
            changed = connection.execute(
                update(servers).where(own).values(beats=servers.c.beats + 1)
            )
            return changed.rowcount == 1

    def give_up(self) -> None:
        """Let the next server begin at once."""
        _held.discard(self._token)
        with suppress(StoreError), self._database.write() as connection:
            connection.execute(delete(servers).where(servers.c.token == self._token))

    def _read(self) -> _Holder | None:
        columns = (servers.c.token, servers.c.place, servers.c.process, servers.c.beats)
        with self._database.read() as connection:
            found = connection.execute(select(*columns).where(servers.c.id == ONLY)).first()
        return None if found is None else _Holder(*found)

    def _write(self, before: _Holder | None) -> None:
        """Put this server into the row, if it still says what was read."""
        own = {
            "token": self._token,
            "place": socket.gethostname(),
            "process": os.getpid(),
            "beats": 0,
        }
        try:
            with self._database.write() as connection:
                if before is None:
                    connection.execute(insert(servers).values(id=ONLY, **own))
                    return
                same = (servers.c.token == before.token) & (servers.c.beats == before.beats)
                is_taken = connection.execute(update(servers).where(same).values(own)).rowcount == 1
        except StoreError:
            if before is not None or self._read() is None:
                raise
            is_taken = False  # another wrote its row first
        if not is_taken:
            self._refuse(self._read())

    def _refuse(self, other: _Holder | None) -> None:
        who = "" if other is None else f" (process {other.process} at {other.place})"
        raise StoreError(
            f"another server{who} uses {self._database.name}: stop it first, "
            "or give this one a --database of its own"
        )
