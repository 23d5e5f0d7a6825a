"""From values to rows of the tables, within a transaction that the caller has begun.

On PostgreSQL two writers run at the same time. Who adds to a tournament or a match first locks its
row, so that nobody else adds to it between a look and a change. SQLite lets in one at a time.
"""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, text, update

from kibitz._version import __version__
from kibitz.core.errors import StoreError, clip
from kibitz.store import schema
from kibitz.store.reading import (
    count_agents,
    find,
    find_last_batch,
    read_batches,
    read_faults,
    read_matches,
    read_records,
)
from kibitz.store.rows import (
    STATUSES,
    DealsTaken,
    MatchRow,
    Rating,
    Settings,
    StoredBatch,
    check_settings,
    check_text,
    check_whole,
)

# Both databases know this form; SQLAlchemy has one class for each.
_ADD_AGENT = text(
    "INSERT INTO agents (game, spec, package_version) VALUES (:game, :spec, :package_version) "
    "ON CONFLICT DO NOTHING"
)


def beginning(game: str, seed: int, settings: Settings) -> dict[str, Any]:
    """Return the columns that tournaments and matches have in common when they begin."""
    return {
        "game": check_text("game", game),
        "seed": check_whole("seed", seed),
        "settings": check_settings(settings),
        "package_version": __version__,
        "status": "running",
        "started": datetime.now(UTC),
    }


def add(connection: Connection, table: Table, values: dict[str, Any]) -> int:
    """Insert a row; return its id."""
    key = connection.execute(insert(table).values(values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def set_status(connection: Connection, table: Table, number: int, status: str) -> None:
    """Note that a tournament or a match runs again, or has ended now."""
    if status not in STATUSES:
        raise StoreError(f"a status is {', '.join(STATUSES)}, got {clip(status)}")
    number = find(connection, table, number, lock=True)
    ended = None if status == "running" else datetime.now(UTC)
    change = update(table).where(table.c.id == number).values(status=status, ended=ended)
    connection.execute(change)


def set_settings(connection: Connection, tournament: int, settings: Settings) -> None:
    """Put settings of a tournament in the place of earlier ones."""
    table = schema.tournaments
    tournament = find(connection, table, tournament, lock=True)
    change = update(table).where(table.c.id == tournament)
    connection.execute(change.values(settings=check_settings(settings)))


def find_or_add_match(connection: Connection, values: dict[str, Any], specs: Sequence[str]) -> int:
    """Return the id of the match that has its tournament and number; enter it if it is new."""
    tournament, table = values["tournament_id"], schema.matches
    if tournament is not None:
        tournament = find(connection, schema.tournaments, tournament, lock=True)
        here = (table.c.tournament_id == tournament) & (table.c.number == values["number"])
        for known in read_matches(connection, here):
            _check_same(known, {**values, "agents": tuple(specs)})
            if known.status == "stopped":
                set_status(connection, table, known.id, "running")
            return known.id
    match = add(connection, table, {**values, "tournament_id": tournament})
    ids = _agent_ids(connection, values["game"], specs, __version__)
    rows = [
        {"match_id": match, "position": position, "agent_id": ids[spec]}
        for position, spec in enumerate(specs)
    ]
    connection.execute(insert(schema.match_agents), rows)
    return match


def _check_same(known: MatchRow, given: dict[str, Any]) -> None:
    """Refuse to continue a match with other agents, on other deals or under other rules."""
    what = f"match {known.number} of tournament {known.tournament}"
    if known.game_version != given["game_version"]:
        raise StoreError(
            f"{what} was played under version {known.game_version} of the rules, this is version "
            f"{given['game_version']}: begin a new tournament"
        )
    for name in ("game", "seed", "agents", "settings"):
        if getattr(known, name) != given[name]:
            raise StoreError(
                f"{what} was begun with {name} {clip(getattr(known, name))}, "
                f"not {clip(given[name])}"
            )


def add_batch(connection: Connection, match: int, batch: StoredBatch) -> None:
    """Insert the results, records and faults of a batch, unless they are there already."""
    match = find(connection, schema.matches, match, lock=True)
    n_agents = count_agents(connection, match)
    if n_agents != batch.shape["n_agents"]:
        raise StoreError(
            f"match {match} has {n_agents} agents, the batch has {batch.shape['n_agents']}"
        )
    if _is_there(connection, match, batch):
        return
    row = {"match_id": match, "first_deal": batch.first_deal, **batch.shape, **batch.pack()}
    connection.execute(insert(schema.batches), row)
    if batch.records:
        lines = [
            {"match_id": match, "deal": deal, "rotation": rotation, "line": line}
            for deal, rotation, line in batch.records
        ]
        connection.execute(insert(schema.records), lines)
    if batch.faults:
        faults = [{"match_id": match, **vars(fault)} for fault in batch.faults]
        connection.execute(insert(schema.faults), faults)


def _is_there(connection: Connection, match: int, batch: StoredBatch) -> bool:
    """Compare a batch with what is there; refuse it if it has only some deals in common."""
    # Batches do not overlap, so the last that begins before this one's end says it all.
    first, end = find_last_batch(connection, match, batch.end)
    if end <= batch.first_deal:
        return False
    if first == batch.first_deal and _is_same(connection, match, batch):
        return True
    query = select(schema.matches.c.tournament_id).where(schema.matches.c.id == match)
    alone = connection.scalar(query) is None
    raise DealsTaken(
        f"{'' if alone else 'somebody else is playing this tournament: '}match {match} already has "
        f"deals {first} to {end - 1}, so other results of deals {batch.first_deal} to "
        f"{batch.end - 1} are refused"
    )


def _is_same(connection: Connection, match: int, batch: StoredBatch) -> bool:
    (stored,) = read_batches(connection, match, batch.first_deal)
    if stored.shape != batch.shape or stored.pack() != batch.pack():
        return False
    n_games = batch.n_deals * batch.shape["n_games"]
    lines = read_records(connection, match, (batch.first_deal, -1), n_games)
    lines = [line for line in lines if line[0] in batch.deals]
    faults = [fault for fault in read_faults(connection, match) if fault.deal in batch.deals]
    expected = sorted(batch.faults, key=lambda fault: (fault.deal, fault.rotation))
    return lines == sorted(batch.records) and faults == expected


def replace_ratings(connection: Connection, tournament: int, ratings: Sequence[Rating]) -> None:
    """Put ratings of a tournament in the place of earlier ones of the same systems."""
    table, owner = schema.ratings, schema.tournaments
    tournament = find(connection, owner, tournament, lock=True)
    if len({(rating.agent, rating.system) for rating in ratings}) < len(ratings):
        raise StoreError("an agent has two ratings in the same system")
    systems = {rating.system for rating in ratings}
    here = table.c.tournament_id == tournament
    connection.execute(delete(table).where(here, table.c.system.in_(systems)))
    query = select(owner.c.game, owner.c.package_version).where(owner.c.id == tournament)
    game, version = connection.execute(query).one()
    ids = _agent_ids(connection, game, [rating.agent for rating in ratings], version)
    for rating in ratings:
        values = {name: value for name, value in vars(rating).items() if name != "agent"}
        for bound in ("low", "high"):
            values[bound] = None if math.isnan(values[bound]) else values[bound]
        values |= {"tournament_id": tournament, "agent_id": ids[rating.agent]}
        connection.execute(insert(table).values(values))


def _agent_ids(
    connection: Connection, game: str, specs: Sequence[str], version: str
) -> dict[str, int]:
    """Return the ids of agents, entering those that are new."""
    table = schema.agents
    ids = {}
    for spec in sorted(set(specs)):  # in one order for all, so that writers cannot block each other
        key = {"game": game, "spec": spec, "package_version": version}
        connection.execute(_ADD_AGENT, key)
        query = select(table.c.id).where(*(table.c[name] == key[name] for name in key))
        ids[spec] = int(connection.scalars(query).one())
    return ids
