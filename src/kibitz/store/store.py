"""The door to a database of results."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, Table

from kibitz.core.errors import StoreError
from kibitz.store import reading, schema, writing
from kibitz.store.address import find_database
from kibitz.store.database import Database
from kibitz.store.rows import (
    MatchRow,
    Rating,
    Settings,
    Status,
    StoredBatch,
    StoredFault,
    TournamentRow,
    check_text,
    check_whole,
)
from kibitz.store.upgrade import bring_up_to_date

PAGE = 1000
"""Records read at a time; nothing is kept open in between."""


def open_store(url: str | Path | None = None) -> "Store":
    """Open a database of results, and make or upgrade its tables where that is needed.

    Args:
        url: `sqlite:///FILE`, the name or path of a file, `postgresql://USER:PASSWORD@HOST/NAME`.
            By default what KIBITZ_DATABASE says, or else a file in the user's data folder.

    Raises:
        StoreError: it cannot be opened, is no database of results, or was written by a newer
            kibitz.
    """
    database = Database(find_database(url))
    try:
        bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return Store(database)


class Store:
    """A database of results; threads may share one, processes each open their own.

    Everything raises StoreError, in one sentence, for what is not there, does not fit or fails.
    """

    def __init__(self, database: Database) -> None:
        """Use a database that is up to date; see `open_store`."""
        self._database = database

    def __enter__(self) -> Self:
        """Close the store at the end of a `with` block."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the store."""
        self.close()

    @property
    def name(self) -> str:
        """The file or the URL, without its password."""
        return self._database.name

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def begin_tournament(self, game: str, form: str, seed: int, settings: Settings) -> int:
        """Enter a tournament that begins now; return its id."""
        values = {**writing.beginning(game, seed, settings), "form": check_text("form", form)}
        with self._database.write() as connection:
            return writing.add(connection, schema.tournaments, values)

    def resume_tournament(self, tournament: int, settings: Settings | None = None) -> None:
        """Note that a tournament runs again, and with which settings if they are others now."""
        with self._database.write() as connection:
            writing.set_status(connection, schema.tournaments, tournament, "running")
            if settings is not None:
                writing.set_settings(connection, tournament, settings)

    def end_tournament(self, tournament: int, status: Status = "done") -> None:
        """Note that a tournament is done, or was stopped and can be resumed."""
        with self._database.write() as connection:
            writing.set_status(connection, schema.tournaments, tournament, status)

    def tournament(self, tournament: int) -> TournamentRow:
        """Look up a tournament."""
        with self._reading(schema.tournaments, tournament) as (connection, number):
            here = schema.tournaments.c.id == number
            return reading.read_tournaments(connection, here)[0]

    def tournaments(self) -> list[TournamentRow]:
        """List all tournaments, the oldest first."""
        with self._database.read() as connection:
            return reading.read_tournaments(connection)

    def begin_match(
        self,
        tournament: int | None,
        number: int,
        game: str,
        seed: int,
        agents: Sequence[str],
        settings: Settings,
        game_version: int,
    ) -> int:
        """Enter a match that begins now; return its id.

        A number that the tournament has already gives the match of that number, which runs again
        if it was stopped; what it was begun with, and the version of the game's rules, must be the
        same. Another kibitz may go on with it: the row keeps the version of the one that began. A
        match that stands alone is always new.
        """
        values = writing.beginning(game, seed, settings)
        values |= {"tournament_id": tournament, "number": check_whole("number", number)}
        values["game_version"] = check_whole("game_version", game_version)
        specs = [check_text("an agent", spec) for spec in agents]
        if not specs:
            raise StoreError("a match needs at least one agent")
        with self._database.write() as connection:
            return writing.find_or_add_match(connection, values, specs)

    def end_match(self, match: int, status: Status = "done") -> None:
        """Note that a match is done, or was stopped and can be continued."""
        with self._database.write() as connection:
            writing.set_status(connection, schema.matches, match, status)

    def match(self, match: int) -> MatchRow:
        """Look up a match."""
        with self._reading(schema.matches, match) as (connection, number):
            return reading.read_matches(connection, schema.matches.c.id == number)[0]

    def matches(self, tournament: int | None) -> list[MatchRow]:
        """List the matches of a tournament by number; for None those that stand alone."""
        column = schema.matches.c.tournament_id
        if tournament is None:
            with self._database.read() as connection:
                return reading.read_matches(connection, column.is_(None))
        with self._reading(schema.tournaments, tournament) as (connection, number):
            return reading.read_matches(connection, column == number)

    def append(self, match: int, batch: StoredBatch) -> None:
        """Add the results of some deals to a match: all of the batch, or nothing.

        A batch that is there already, alike in everything, is not added again; any other that has
        a deal in common with one that is there is refused. So only one of two processes that
        play the same match goes on.
        """
        with self._database.write() as connection:
            writing.add_batch(connection, match, batch)

    def batches(self, match: int) -> list[StoredBatch]:
        """Return the results of a match in the order of its deals, without records and faults."""
        with self._reading(schema.matches, match) as (connection, number):
            return reading.read_batches(connection, number)

    def records(self, match: int) -> Iterator[str]:
        """Yield the records of a match, line by line, in the order of deals and rotations."""
        with self._reading(schema.matches, match) as (_, number):
            return self._lines(number)

    def faults(self, match: int) -> list[StoredFault]:
        """Return what agents did wrong in a match, in the order of deals and rotations."""
        with self._reading(schema.matches, match) as (connection, number):
            return reading.read_faults(connection, number)

    def save_ratings(self, tournament: int, ratings: Sequence[Rating]) -> None:
        """Put ratings of a tournament in the place of those of the same systems."""
        with self._database.write() as connection:
            writing.replace_ratings(connection, tournament, ratings)

    def ratings(self, tournament: int) -> list[Rating]:
        """Return the ratings of a tournament: by system, the best first."""
        with self._reading(schema.tournaments, tournament) as (connection, number):
            return reading.read_ratings(connection, number)

    def _lines(self, match: int) -> Iterator[str]:
        after = (-1, -1)
        while True:
            with self._database.read() as connection:
                page = reading.read_records(connection, match, after, PAGE)
            yield from (line for _, _, line in page)
            if len(page) < PAGE:
                return
            after = page[-1][:2]

    @contextmanager
    def _reading(self, table: Table, number: int) -> Iterator[tuple[Connection, int]]:
        """Yield a connection to read what belongs to a tournament or a match, and its id."""
        with self._database.read() as connection:
            yield connection, reading.find(connection, table, number)
