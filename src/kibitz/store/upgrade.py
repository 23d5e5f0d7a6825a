"""Bring a database to the schema of this package, or refuse it.

Alembic is slow to import and seldom needed, so a database that is up to date never sees it.
"""

import threading
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from kibitz.core.errors import StoreError, clip
from kibitz.store.database import Database
from kibitz.store.schema import REVISION

MIGRATIONS = Path(__file__).with_name("migrations")

_LOCK_NUMBER = 0x6B696269747A  # "kibitz": the lock of PostgreSQL under which we migrate
_ONE_AT_A_TIME = threading.Lock()  # Alembic keeps what it works on in a global


def bring_up_to_date(database: Database) -> None:
    """Make or upgrade the tables; a foreign or newer database is refused, and not touched."""
    with database.read() as connection:
        revision = find_revision(connection, database.name)
    database.keep_log()
    if revision == REVISION:
        return
    with _ONE_AT_A_TIME, database.write() as connection:
        if not database.is_sqlite:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})"))
        # Somebody else may have done it while we waited for the lock.
        if find_revision(connection, database.name) != REVISION:
            _migrate(connection, database.name)


def find_revision(connection: Connection, name: str) -> str | None:
    """Look up the last migration a database has seen; None before the first."""
    tables = inspect(connection).get_table_names()
    if "alembic_version" not in tables:
        if tables:
            raise StoreError(
                f"{name} is the database of another program (it has a table {clip(tables[0])}): "
                "results need one of their own"
            )
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    if not found:
        return None
    revision = str(found[0])
    if len(found) > 1 or not revision.isdecimal():
        raise StoreError(
            f"{name} is the database of another program: results need one of their own"
        )
    if revision > REVISION:
        raise StoreError(
            f"{name} was written by a newer kibitz (schema {clip(revision)}, this one knows "
            f"{REVISION!r}): upgrade kibitz, or name another database"
        )
    return revision


def _migrate(connection: Connection, name: str) -> None:
    """Apply what is missing, within the transaction that has begun."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StoreError(f"the tables of {name} cannot be upgraded: {error}") from error
