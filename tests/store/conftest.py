"""A new database for every test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.store import Store, open_store
from kibitz.store.address import find_database
from kibitz.store.database import Database
from tests import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Run a PostgreSQL, if there is one."""
    if not postgres.is_found():
        pytest.skip(postgres.HOW)
    with postgres.running() as url:
        yield url


@pytest.fixture(params=["sqlite", "server"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Name an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'results.db'}"
    server: str = request.getfixturevalue("server")
    postgres.empty(server)
    return server


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the tables of a file once: copying them is faster than migrating every time."""
    path = tmp_path_factory.mktemp("blank") / "results.db"
    open_store(str(path)).close()
    return path


@pytest.fixture
def store(url: str, blank: Path) -> Iterator[Store]:
    """Open a new store."""
    if url.startswith("sqlite:///"):
        shutil.copy(blank, url.removeprefix("sqlite:///"))
    with open_store(url) as opened:
        yield opened


@pytest.fixture
def database(store: Store, url: str) -> Iterator[Database]:
    """Open what is below the store once more, to do to it what no store does."""
    opened = Database(find_database(url))
    yield opened
    opened.close()


@pytest.fixture
def file_store(tmp_path: Path, blank: Path) -> Iterator[Store]:
    """Open a new store in a SQLite file, which takes anything into any column."""
    shutil.copy(blank, tmp_path / "results.db")
    with open_store(str(tmp_path / "results.db")) as opened:
        yield opened
