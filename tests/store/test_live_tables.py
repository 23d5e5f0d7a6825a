"""Live play in the database."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection

from kibitz.core.errors import StoreError
from kibitz.store import play, schema
from kibitz.store.play import (
    ChangeRow,
    GuestRow,
    PlayStore,
    ResultRow,
    SeatRow,
    TableRow,
    open_play,
)

ANNA = GuestRow("anna", "Anna Ω", "de")
TABLE = TableRow(
    id="table",
    game="connect4",
    game_version=1,
    level="club",
    owner="anna",
    status="playing",
    seed=2**63 - 1,
    salt="salt",
    notes={"scores": [1.0, -1.0]},
    seats=(SeatRow(0, "person", "anna", "Anna"), SeatRow(1, "bot", None, "", "club", "uct")),
)


@pytest.fixture
def opened(url: str) -> Iterator[PlayStore]:
    """Open a new database with a guest and a table."""
    store = open_play(url)
    store.write([play.add_guest(ANNA), play.add_table(TABLE)])
    yield store
    store.close()


def test_guests_and_tables_come_back_as_they_were(opened: PlayStore) -> None:
    assert opened.guest("anna") == ANNA
    assert opened.guest("ben") is None
    assert opened.table("table") == TABLE
    assert opened.tables_of("anna") == opened.tables(schema.play_tables.c.status == "playing")
    opened.write([play.change_guest(replace(ANNA, name="A", language="en"))])
    assert opened.names(["anna", "ben"]) == {"anna": "A"}


def test_actions_changes_and_seats_are_kept_in_order(opened: PlayStore) -> None:
    change = ChangeRow(2, 0, "a bot", is_person=False)
    covered = replace(TABLE.seats[0], state="covered", level="club", spec="uct")
    opened.write([play.add_actions("table", 0, [(0, "4"), (1, "3")])])
    opened.write([play.add_actions("table", 2, [(0, "1")]), play.add_changes("table", 0, [change])])
    opened.write([play.change_seat("table", covered), play.change_table("table", status="over")])
    assert opened.actions("table") == [(0, "4"), (1, "3"), (0, "1")]
    assert opened.changes("table") == [change]
    found = opened.table("table")
    assert found is not None
    assert (found.status, found.seats[0]) == ("over", covered)


def test_all_jobs_are_done_or_none(opened: PlayStore) -> None:
    def fail(connection: Connection) -> None:
        raise StoreError("no")

    with pytest.raises(StoreError, match="no"):
        opened.write([play.add_actions("table", 0, [(0, "4")]), fail])
    assert opened.actions("table") == []
    opened.write([play.add_actions("table", 0, [(0, "4")])])
    with pytest.raises(StoreError):  # the same number again: two servers must not share a table
        opened.write([play.add_actions("table", 0, [(0, "5")])])
    with pytest.raises(StoreError, match="not in the database"):
        opened.write([play.change_table("another", status="over")])


def test_a_table_that_is_removed_takes_its_seats_along(opened: PlayStore) -> None:
    opened.write([play.add_actions("table", 0, [(0, "4")]), play.remove_table("table")])
    assert opened.table("table") is None
    assert opened.actions("table") == []


def test_results_come_back_as_they_were(opened: PlayStore) -> None:
    ended = datetime(2026, 5, 1, 12, tzinfo=UTC)
    numbers = {"score": 1.0, "margin": 2.0, "win": 1.0, "share": 0.5}
    row = ResultRow(
        table_id="table",
        seat=0,
        guest_id="anna",
        game="connect4",
        name="connect4",
        level=None,
        deal="deal",
        counts=False,
        daily="2026-05-01",
        ended=ended,
        **numbers,
    )
    opened.write([play.add_results([row])])
    assert opened.results(schema.play_results.c.daily == "2026-05-01") == [row]
    assert opened.results(schema.play_results.c.counts == 1) == []
