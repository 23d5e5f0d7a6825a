"""A PostgreSQL for tests: that of KIBITZ_TEST_DATABASE, or one of our own where it is installed."""

import glob
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

SERVER = os.environ.get("KIBITZ_TEST_DATABASE", "")
"""A database that may be emptied, e.g. postgresql+psycopg://me:secret@localhost/tests."""

HOW = (
    "needs PostgreSQL: pip install 'kibitz[scale]' and apt-get install postgresql, "
    "or set KIBITZ_TEST_DATABASE"
)
PATIENCE = 30.0
_USER = "postgres"


def binaries() -> Path | None:
    """Return the folder of the newest PostgreSQL of this computer."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    path = found[-1] if found else shutil.which("initdb")
    return Path(path).parent if path else None


def is_found() -> bool:
    """Whether tests can run against a PostgreSQL."""
    has_driver = importlib.util.find_spec("psycopg") is not None
    return has_driver and (bool(SERVER) or binaries() is not None)


def empty(url: str) -> None:
    """Take everything out of a database."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()


@contextmanager
def running() -> Iterator[str]:
    """Return the URL of a database that may be emptied; a server of our own ends with it."""
    if SERVER:
        yield SERVER
        return
    folder, found = Path(tempfile.mkdtemp(prefix="kibitz-postgres-")), binaries()
    assert found is not None
    is_root = os.geteuid() == 0  # which PostgreSQL refuses to run as
    user = _USER if is_root else None
    if is_root:
        shutil.chown(folder, _USER)
    try:
        subprocess.run(
            [found / "initdb", "-D", folder / "data", "-U", _USER, "-A", "trust", "-E", "UTF8"],
            user=user, check=True, capture_output=True, cwd="/", env={"LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        data, sockets = str(folder / "data"), str(folder)
        command = [str(found / "postgres"), "-D", data, "-k", sockets, "-F", "-h", ""]
        server = subprocess.Popen(
            command, user=user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            url = f"postgresql+psycopg://{_USER}@/postgres?host={folder}"
            _wait(url, server)
            yield url
        finally:
            server.terminate()
            server.wait(PATIENCE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(url: str, server: "subprocess.Popen[bytes]") -> None:
    """Wait until the server answers."""
    engine, ends = create_engine(url), time.monotonic() + PATIENCE
    while True:
        assert server.poll() is None, "the server ended"
        try:
            engine.connect().close()
            break
        except OperationalError:
            assert time.monotonic() < ends, "the server does not answer"
            time.sleep(0.05)
    engine.dispose()
