"""Live play in a database: guests, tables, seats, actions, results.

What is written is a list of jobs, each a function of a connection; `write` commits many of them at
once. So a server with hundreds of tables waits for the disk once for all who act at the same time.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, update

from kibitz.core.errors import StoreError
from kibitz.store import schema
from kibitz.store.address import find_database
from kibitz.store.database import Database
from kibitz.store.upgrade import bring_up_to_date

Job = Callable[[Connection], None]

AT_ONCE = 500
"""Ids in one query: databases bound the number of its parameters."""


@dataclass(frozen=True)
class GuestRow:
    """Somebody who plays, known by a cookie."""

    id: str
    name: str
    language: str
    made: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True)
class SeatRow:
    """Who sits at a seat: a person, who may be covered by a bot, a bot, or nobody yet."""

    seat: int
    kind: str  # person, bot, open
    guest_id: str | None = None
    name: str = ""
    level: str | None = None
    spec: str | None = None
    state: str = "here"  # here, covered, left


@dataclass(frozen=True)
class TableRow:
    """A table at which people play, with its seats."""

    id: str
    game: str
    game_version: int
    level: str
    owner: str
    status: str  # open, playing, over
    seed: int
    salt: str
    daily: str | None = None
    source: str | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    made: datetime = field(default_factory=lambda: datetime.now(UTC))
    started: datetime | None = None
    ended: datetime | None = None
    is_private: bool = False  # joined and watched by its link alone
    seats: tuple[SeatRow, ...] = ()


@dataclass(frozen=True)
class ChangeRow:
    """Somebody else sat down at a seat."""

    n_actions: int
    seat: int
    who: str
    is_person: bool


@dataclass(frozen=True)
class ResultRow:
    """How a person did in a game that is over."""

    table_id: str
    seat: int
    guest_id: str
    game: str
    name: str
    level: str | None
    deal: str
    counts: bool
    score: float
    margin: float
    win: float
    share: float
    daily: str | None
    ended: datetime


def open_play(url: str | Path | None = None) -> "PlayStore":
    """Open the database of a server, and make or upgrade its tables where that is needed."""
    database = Database(find_database(url))
    try:
        bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return PlayStore(database)


class PlayStore:
    """The tables of live play; threads may share one."""

    def __init__(self, database: Database) -> None:
        """Use a database that is up to date; see `open_play`."""
        self._database = database

    @property
    def name(self) -> str:
        """The file or the URL, without its password."""
        return self._database.name

    @property
    def database(self) -> Database:
        """The database, for what else is kept in it."""
        return self._database

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def write(self, jobs: Iterable[Job]) -> None:
        """Do all jobs and commit them, or none of them."""
        with self._database.write() as connection:
            for job in jobs:
                job(connection)

    def guest(self, guest: str) -> GuestRow | None:
        """Look up a guest."""
        found = self._rows(schema.guests, schema.guests.c.id == guest)
        return GuestRow(**found[0]) if found else None

    def names(self, guests: Iterable[str]) -> dict[str, str]:
        """Return what guests are called."""
        wanted = list(dict.fromkeys(guests))
        found: dict[str, str] = {}
        for first in range(0, len(wanted), AT_ONCE):
            here = schema.guests.c.id.in_(wanted[first : first + AT_ONCE])
            found |= {row["id"]: row["name"] for row in self._rows(schema.guests, here)}
        return found

    def table(self, table: str) -> TableRow | None:
        """Look up a table."""
        found = self.tables(schema.play_tables.c.id == table)
        return found[0] if found else None

    def tables(self, *where: Any, most: int | None = None) -> list[TableRow]:
        """List tables for which all of something is true, the newest first."""
        newest = schema.play_tables.c.made.desc()
        wanted = select(schema.play_tables).where(*where).order_by(newest).limit(most)
        sits = schema.play_seats
        with self._database.read() as connection:
            rows = [dict(row) for row in connection.execute(wanted).mappings()]
            ids = [row["id"] for row in rows]
            seats: dict[str, list[SeatRow]] = {one: [] for one in ids}
            for first in range(0, len(ids), AT_ONCE):
                here = sits.c.table_id.in_(ids[first : first + AT_ONCE])
                found = connection.execute(select(sits).where(here).order_by(sits.c.seat))
                for row in found.mappings():
                    values = dict(row)
                    seats[values.pop("table_id")].append(SeatRow(**values))
        private = {row["id"]: bool(row.pop("is_private")) for row in rows}
        return [
            TableRow(**row, is_private=private[row["id"]], seats=tuple(seats[row["id"]]))
            for row in rows
        ]

    def tables_of(self, guest: str, most: int = 50) -> list[TableRow]:
        """List the tables at which a guest sits or sat, or that they brought, newest first."""
        tables, sits = schema.play_tables, schema.play_seats
        own = select(sits.c.table_id).where(sits.c.guest_id == guest)
        is_brought = (tables.c.owner == guest) & (tables.c.source == "import")
        newest = (
            select(tables.c.id)
            .where(tables.c.id.in_(own) | is_brought)
            .order_by(tables.c.made.desc())
            .limit(most)
        )
        return self.tables(tables.c.id.in_(newest))

    def actions(self, table: str) -> list[tuple[int, str]]:
        """List what has been played at a table: seat and text, in order."""
        actions = schema.play_actions
        found = self._rows(actions, actions.c.table_id == table, order=actions.c.number)
        return [(row["seat"], row["text"]) for row in found]

    def changes(self, table: str) -> list[ChangeRow]:
        """List the seats of a table that changed hands, in order."""
        changes = schema.play_changes
        found = self._rows(changes, changes.c.table_id == table, order=changes.c.number)
        return [
            ChangeRow(row["n_actions"], row["seat"], row["who"], bool(row["is_person"]))
            for row in found
        ]

    def results(self, *where: Any) -> list[ResultRow]:
        """List results for which all of something is true, in the order in which games ended."""
        results = schema.play_results
        found = self._rows(results, *where, order=results.c.ended)
        return [ResultRow(**{**row, "counts": bool(row["counts"])}) for row in found]

    def _rows(self, table: Table, *where: Any, order: Any = None) -> list[dict[str, Any]]:
        wanted = select(table).where(*where)
        with self._database.read() as connection:
            found = connection.execute(wanted if order is None else wanted.order_by(order))
            return [dict(row) for row in found.mappings()]


def add_guest(guest: GuestRow) -> Job:
    """Enter a guest."""
    return lambda connection: _add(connection, schema.guests, [asdict(guest)])


def change_guest(guest: GuestRow) -> Job:
    """Change the name or the language of a guest."""
    guests = schema.guests
    values = {"name": guest.name, "language": guest.language}
    change = update(guests).where(guests.c.id == guest.id).values(values)
    return lambda connection: _change_one(connection, change)


def add_table(table: TableRow) -> Job:
    """Enter a table and its seats."""
    values = asdict(table)
    values["is_private"] = int(table.is_private)
    seats = [{**seat, "table_id": table.id} for seat in values.pop("seats")]

    def job(connection: Connection) -> None:
        _add(connection, schema.play_tables, [values])
        _add(connection, schema.play_seats, seats)

    return job


def change_table(table: str, **values: Any) -> Job:
    """Change columns of a table."""
    tables = schema.play_tables
    change = update(tables).where(tables.c.id == table).values(values)
    return lambda connection: _change_one(connection, change)


def change_seat(table: str, seat: SeatRow) -> Job:
    """Write down who sits at a seat now."""
    sits = schema.play_seats
    values = asdict(seat)
    number = values.pop("seat")
    change = update(sits).where(sits.c.table_id == table, sits.c.seat == number).values(values)
    return lambda connection: _change_one(connection, change)


def remove_table(table: str) -> Job:
    """Forget a table that was never begun."""
    tables = schema.play_tables
    return lambda connection: _change_one(connection, delete(tables).where(tables.c.id == table))


def add_actions(table: str, first: int, actions: Sequence[tuple[int, str]]) -> Job:
    """Write down what was played, from the action of number `first` on."""
    rows = [
        {"table_id": table, "number": number, "seat": seat, "text": text}
        for number, (seat, text) in enumerate(actions, first)
    ]
    return lambda connection: _add(connection, schema.play_actions, rows)


def add_changes(table: str, first: int, changes: Sequence[ChangeRow]) -> Job:
    """Write down who sat down where, from the change of number `first` on."""
    rows = [
        {"table_id": table, "number": number, **asdict(change), "is_person": int(change.is_person)}
        for number, change in enumerate(changes, first)
    ]
    return lambda connection: _add(connection, schema.play_changes, rows)


def add_results(results: Sequence[ResultRow]) -> Job:
    """Write down how people did."""
    rows = [{**asdict(result), "counts": int(result.counts)} for result in results]
    return lambda connection: _add(connection, schema.play_results, rows)


def _add(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), list(rows))


def _change_one(connection: Connection, change: Any) -> None:
    """Change a row, which must be there."""
    if connection.execute(change).rowcount != 1:
        raise StoreError("what was to be changed is not in the database any more")
