"""Connections and transactions, and what is said when they fail.

SQLite: Python's driver begins transactions at moments of its own; that is switched off. Every
write transaction begins with BEGIN IMMEDIATE, so that it waits for its turn at the very start: one
that has read before it wants to write cannot wait, and would fail. With a write-ahead log readers
and the writer do not wait for each other.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from kibitz.core.errors import StoreError, clip
from kibitz.store.address import show
from kibitz.store.rows import StoreUnavailable, read_settings

PATIENCE = 60.0
"""Seconds to wait for other processes that write."""

_ADVICE = {  # what SQLite says: what it means
    "not a database": "it is not a database: name another file",
    "malformed": "it is damaged: restore a backup",
    "locked": f"another program has kept it locked for {PATIENCE:.0f} s: try again when it is done",
    "readonly": "it cannot be written: change its permissions, or name another file",
    "read-only": "it cannot be written: change its permissions, or name another file",
    "unable to open": "it cannot be opened or made there: name another file",
    "disk is full": "the disk is full: make room",
    "no such": "a table or column is missing, so it is damaged: restore a backup",
}


class Database:
    """A pool of connections to one database; transactions end well or leave no trace."""

    def __init__(self, url: URL) -> None:
        """Prepare connections; folders of a file are made."""
        self.name = show(url)
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._secrets = (url.password, url.query.get("password"), url.query.get("sslpassword"))
        self._process = os.getpid()
        self._is_closed = False
        if self.is_sqlite:
            self._make_folder(Path(str(url.database)))
        options = {"timeout": PATIENCE} if self.is_sqlite else {}
        try:
            self._engine = create_engine(
                url,
                connect_args=options,
                pool_pre_ping=not self.is_sqlite,
                hide_parameters=True,
                json_deserializer=read_settings,  # SQLite takes anything into any column
            )
        except ImportError:
            raise StoreError(
                "PostgreSQL needs a driver that is not installed: pip install 'kibitz[scale]'"
            ) from None
        if self.is_sqlite:
            event.listen(self._engine, "connect", _set_up)
            event.listen(self._engine, "begin", _begin)
        self._writer = self._engine.execution_options(writes=True)
        # A server shows each statement what others have committed, unless it is told otherwise.
        level = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reader = self._engine.execution_options(**level)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the database."""
        self._check_open()
        with self._told(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield a connection that changes the database: all that is done with it, or nothing."""
        self._check_open()
        with self._told(), self._writer.begin() as connection:
            yield connection

    def keep_log(self) -> None:
        """Switch a SQLite file to its write-ahead log; it remains in that mode."""
        if not self.is_sqlite:
            return
        give_up = time.monotonic() + PATIENCE
        with self._told():
            while not self._switch_to_log(is_last_try=time.monotonic() > give_up):
                time.sleep(0.01)

    def close(self) -> None:
        """Close all connections, for good."""
        self._is_closed = True
        self._engine.dispose()

    def _switch_to_log(self, is_last_try: bool) -> bool:
        """Try once: SQLite itself does not wait here while somebody else uses the file."""
        connection = self._engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if is_last_try or "locked" not in str(error):
                raise
            return False
        finally:
            connection.close()
        return True

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(f"{self.name} has been closed: open it again")
        if os.getpid() != self._process:
            raise StoreError(
                f"{self.name} was opened by another process: each process opens a store of its own"
            )

    def _make_folder(self, path: Path) -> None:
        try:
            if path.is_dir():
                raise StoreError(f"{clip(path)} is a folder: name a file in it")
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or "the system refuses"
            raise StoreError(
                f"there can be no database {clip(path)} ({reason.lower()}): name another file"
            ) from None

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn whatever a driver raises into one sentence."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            why = self._why(error)
            is_lost = any(sign in why for sign in ("damaged", "not a database"))
            kind = StoreError if is_lost else StoreUnavailable
            raise kind(f"cannot use the database {self.name}: {why}") from error

    def _why(self, error: Exception) -> str:
        cause = error.orig if isinstance(error, DBAPIError) else error
        text = " ".join(str(cause).split())
        if self.is_sqlite:
            return next((advice for sign, advice in _ADVICE.items() if sign in text), text)
        for secret in filter(None, self._secrets):
            text = text.replace(str(secret), "***")
        advice = "; check the URL and the server" if isinstance(error, OperationalError) else ""
        return text[:500] + advice


def _set_up(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
    """Prepare a new connection to a SQLite file."""
    connection.isolation_level = None  # transactions begin where `_begin` says so
    connection.execute("PRAGMA foreign_keys = ON").close()
    connection.execute("PRAGMA synchronous = FULL").close()  # what was told as stored is on disk


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
