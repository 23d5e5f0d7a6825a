"""Where results live: from what a user typed to the URL of a database."""

import os
import re
import sys
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from kibitz.core.errors import StoreError, clip

VARIABLE = "KIBITZ_DATABASE"
"""The environment variable that names a database where no other is named."""

_DRIVERS = {
    "sqlite": "sqlite+pysqlite",
    "sqlite+pysqlite": "sqlite+pysqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_LOOKS_LIKE_URL = re.compile(r"(sqlite|postgres)[\w+]*:|[^/\\]*://")


def find_database(given: str | Path | None) -> URL:
    """Return the URL of a database: as given, else of the environment, else the user's own."""
    if isinstance(given, Path):
        return _file(str(given))
    text = given if given is not None else os.environ.get(VARIABLE) or None
    if text is None:
        return _file(str(data_folder() / "results.db"))
    if not text.strip():
        raise StoreError("the name of the database is empty: give a file or a URL")
    return _parse(text) if _LOOKS_LIKE_URL.match(text) else _file(text)


def database_files(url: URL) -> list[Path]:
    """Return the file of a SQLite database and its companions; a server has none here."""
    if url.get_backend_name() != "sqlite":
        return []
    return [Path(f"{url.database}{ending}") for ending in ("", "-wal", "-shm", "-journal")]


def data_folder() -> Path:
    """Return the folder where this user's programs keep what must not be lost."""
    chosen = os.environ.get("XDG_DATA_HOME", "")
    try:
        if os.path.isabs(chosen):
            base = Path(chosen)
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Application Support"
        elif sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        else:
            base = Path.home() / ".local" / "share"
    except RuntimeError:
        raise StoreError(f"you have no home folder: name a database in {VARIABLE}") from None
    return base / "kibitz"


def show(url: URL) -> str:
    """Name a database in a message; passwords stand in a URL, or in its options."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    shown = url.set(drivername=url.get_backend_name(), query={})
    return shown.render_as_string(hide_password=True)


def _parse(text: str) -> URL:
    """Read a URL; what cannot be read is not shown, as it may hold a password."""
    scheme = text.partition(":")[0]
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise StoreError(
            f"a database URL that begins with {clip(scheme + ':')} cannot be read: write "
            "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
        ) from None
    if url.drivername not in _DRIVERS:
        raise StoreError(f"results are kept in sqlite:/// or postgresql://, not in {clip(scheme)}")
    url = url.set(drivername=_DRIVERS[url.drivername])
    if url.get_backend_name() == "sqlite":
        return _parse_sqlite(url)
    if "@" in f"{url.host}{url.database}":
        raise StoreError("the database URL has an @ too many: in a password write it as %40")
    if not url.database:
        raise StoreError(f"{clip(show(url))} names no database: add /NAME")
    return url


def _parse_sqlite(url: URL) -> URL:
    if url.host or url.username or url.password or url.port:
        raise StoreError("a SQLite URL has three slashes before the file: sqlite:///results.db")
    if url.query:
        raise StoreError("a SQLite URL takes no options: write sqlite:///FILE")
    return _file(url.database or "")


def _file(name: str) -> URL:
    """Return the URL of a SQLite file, wherever the process goes later."""
    if name in ("", ":memory:"):
        raise StoreError("a database in memory is lost at the end: name a file, sqlite:///FILE")
    if "\0" in name:
        raise StoreError(f"{clip(name)} is not the name of a file")
    try:
        path = Path(name).expanduser().absolute()
    except RuntimeError:
        raise StoreError(f"the home folder in {clip(name)} is not known") from None
    return URL.create("sqlite+pysqlite", database=str(path))
