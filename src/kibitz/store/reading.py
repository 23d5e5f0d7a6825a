"""From rows of the tables to values; whatever was damaged raises something here."""

import math
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select, true, tuple_

from kibitz.core.errors import StoreError, clip
from kibitz.store import schema
from kibitz.store.address import show
from kibitz.store.rows import (
    ARRAYS,
    SHAPE,
    STATUSES,
    MatchRow,
    Rating,
    StoredBatch,
    StoredFault,
    TournamentRow,
    check_settings,
    check_text,
    check_whole,
)

Condition = ColumnElement[bool]


@contextmanager
def _intact(connection: Connection, what: str) -> Iterator[None]:
    """Report rows that no store has written: SQLite takes anything into any column."""
    try:
        yield
    except (StoreError, TypeError, ValueError) as error:
        raise StoreError(
            f"{what} in {show(connection.engine.url)} is damaged ({error}): restore a backup"
        ) from error


def find(connection: Connection, table: Table, number: int, *, lock: bool = False) -> int:
    """Make sure that there is a tournament or a match of that id; lock it for a change."""
    what = "tournament" if table is schema.tournaments else "match"
    query = select(table.c.id).where(table.c.id == check_whole(f"the id of a {what}", number))
    found = connection.scalar(query.with_for_update() if lock else query)
    if found is None:
        latest = connection.scalars(select(table.c.id).order_by(table.c.id.desc()).limit(5)).all()
        known = f"the latest are {', '.join(map(str, latest))}" if latest else "it has none yet"
        if len(latest) == 1:
            known = f"the only one is {latest[0]}"
        name = show(connection.engine.url)
        raise StoreError(f"there is no {what} {number} in {name}: {known}")
    return int(found)


def read_tournaments(
    connection: Connection, condition: Condition | None = None
) -> list[TournamentRow]:
    """Return the tournaments that meet a condition, by id."""
    table = schema.tournaments
    query = select(table).where(true() if condition is None else condition).order_by(table.c.id)
    with _intact(connection, "a tournament"):
        return [
            TournamentRow(form=check_text("form", row.form), **_common(row))
            for row in connection.execute(query)
        ]


def read_matches(connection: Connection, condition: Condition) -> list[MatchRow]:
    """Return the matches that meet a condition, by number and id."""
    table, seats = schema.matches, schema.match_agents
    chosen = select(table).where(condition).order_by(table.c.number, table.c.id)
    players = (
        select(seats.c.match_id, schema.agents.c.spec)
        .join(table, seats.c.match_id == table.c.id)
        .join(schema.agents, seats.c.agent_id == schema.agents.c.id)
        .where(condition)
        .order_by(seats.c.match_id, seats.c.position)
    )
    specs = defaultdict(list)
    with _intact(connection, "a match"):
        for match, spec in connection.execute(players):
            specs[match].append(check_text("agent", spec))
        return [
            MatchRow(
                tournament=row.tournament_id,
                number=check_whole("number", row.number),
                game_version=check_whole("game_version", row.game_version),
                agents=tuple(specs[row.id]),
                **_common(row),
            )
            for row in connection.execute(chosen)
        ]


def _common(row: Row[Any]) -> dict[str, Any]:
    """Check what tournaments and matches have in common."""
    if row.status not in STATUSES:
        raise StoreError(f"its status is {clip(row.status)}")
    if not isinstance(row.started, datetime):
        raise StoreError("it never started")
    return {
        "id": row.id,
        "game": check_text("game", row.game),
        "seed": check_whole("seed", row.seed),
        "settings": check_settings(row.settings),
        "package_version": check_text("package_version", row.package_version),
        "status": row.status,
        "started": row.started,
        "ended": row.ended,
    }


def count_agents(connection: Connection, match: int) -> int:
    """Count the agents of a match."""
    table = schema.match_agents
    query = select(func.count()).select_from(table).where(table.c.match_id == match)
    return connection.scalar(query) or 0


def find_last_batch(connection: Connection, match: int, before: int) -> tuple[int, int]:
    """Return the first deal and the end of the last batch that begins before a deal, or (0, 0)."""
    table = schema.batches
    query = (
        select(table.c.first_deal, table.c.n_deals)
        .where(table.c.match_id == match, table.c.first_deal < before)
        .order_by(table.c.first_deal.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    with _intact(connection, f"match {match}"):
        first, n_deals = (0, 0) if row is None else (check_whole("deals", count) for count in row)
    return first, first + n_deals


def read_batches(
    connection: Connection, match: int, first_deal: int | None = None
) -> list[StoredBatch]:
    """Return the batches of a match in the order of their deals, or the one that begins there."""
    table = schema.batches
    query = select(table).where(table.c.match_id == match).order_by(table.c.first_deal)
    if first_deal is not None:
        query = query.where(table.c.first_deal == first_deal)
    n_agents = count_agents(connection, match)
    batches = []
    with _intact(connection, f"match {match}"):
        for row in connection.execute(query).mappings():
            if row["n_agents"] != n_agents:
                raise StoreError(f"a batch has {row['n_agents']} agents, the match has {n_agents}")
            shape = [row[name] for name in SHAPE]
            packed = {name: row[name] for name in ARRAYS}
            batches.append(StoredBatch.unpack(row["first_deal"], shape, packed))
    return batches


def read_records(
    connection: Connection, match: int, after: tuple[int, int], limit: int
) -> list[tuple[int, int, str]]:
    """Return the next records of a match after the game (deal, rotation)."""
    table = schema.records
    query = (
        select(table.c.deal, table.c.rotation, table.c.line)
        .where(table.c.match_id == match)
        .where(tuple_(table.c.deal, table.c.rotation) > tuple_(*after))
        .order_by(table.c.deal, table.c.rotation)
        .limit(limit)
    )
    with _intact(connection, f"a record of match {match}"):
        return [
            (check_whole("deal", deal), check_whole("rotation", game), check_text("record", line))
            for deal, game, line in connection.execute(query)
        ]


def read_faults(connection: Connection, match: int) -> list[StoredFault]:
    """Return the faults of a match in the order of deals and rotations."""
    table = schema.faults
    order = (table.c.deal, table.c.rotation, table.c.id)
    query = select(table).where(table.c.match_id == match).order_by(*order)
    with _intact(connection, f"a fault in match {match}"):
        return [
            StoredFault(
                row.deal,
                row.rotation,
                row.seat,
                row.agent,
                row.message,
                row.position,
                row.line,
            )
            for row in connection.execute(query)
        ]


def read_ratings(connection: Connection, tournament: int) -> list[Rating]:
    """Return the ratings of a tournament, system by system, the best first."""
    table = schema.ratings
    query = (
        select(table, schema.agents.c.spec)
        .join(schema.agents)
        .where(table.c.tournament_id == tournament)
        .order_by(table.c.system, table.c.value.desc(), table.c.id)
    )
    with _intact(connection, "a rating"):
        return [
            Rating(
                agent=row.spec,
                system=row.system,
                value=row.value,
                low=math.nan if row.low is None else row.low,
                high=math.nan if row.high is None else row.high,
                n_games=row.n_games,
            )
            for row in connection.execute(query)
        ]
