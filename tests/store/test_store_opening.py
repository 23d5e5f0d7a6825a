"""Where results live, which databases are taken, and which are refused."""

import importlib.util
import io
import re
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Dialect, inspect, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from kibitz.core.errors import StoreError
from kibitz.store import Store, address, open_store
from kibitz.store.database import Database
from kibitz.store.schema import REVISION, metadata
from kibitz.store.upgrade import MIGRATIONS, bring_up_to_date


def refusal(url: str) -> str:
    """Return the sentence with which a database is refused."""
    with pytest.raises(StoreError) as told:
        open_store(url)
    sentence = str(told.value)
    assert "\n" not in sentence
    return sentence


def run_sql(path: Path, *statements: str) -> list[Any]:
    """Change a file behind the store's back; return the rows of the last statement."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        rows: list[Any] = []
        for statement in statements:
            rows = connection.execute(statement).fetchall()
        return rows


@pytest.mark.parametrize("written", ["{}/a/b/x.db", "sqlite:///{}/a/b/x.db"])
def test_a_file_is_made_with_its_folders(tmp_path: Path, written: str) -> None:
    with open_store(written.format(tmp_path)) as store:
        assert store.name == str(tmp_path / "a" / "b" / "x.db")
    assert (tmp_path / "a" / "b" / "x.db").stat().st_size > 0


def test_a_file_can_be_given_as_a_path(tmp_path: Path) -> None:
    with open_store(tmp_path / "x.db") as store:
        assert store.name == str(tmp_path / "x.db")


@pytest.mark.parametrize(
    "written", ["x.db", "sqlite:///x.db", "sqlite+pysqlite:///x.db", "%d ?#.x"]
)
def test_a_relative_file_stays_where_it_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store(written) as store:
        monkeypatch.chdir("/")
        assert store.tournaments() == []
        assert store.name == str(tmp_path / written.rpartition("/")[2])
    assert len(list(tmp_path.iterdir())) == 1  # the write-ahead log is gone when all have closed


def test_the_environment_names_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIBITZ_DATABASE", f"sqlite:///{tmp_path / 'mine.db'}")
    with open_store() as store:
        assert store.name == str(tmp_path / "mine.db")
    with open_store(str(tmp_path / "other.db")) as store:
        assert store.name == str(tmp_path / "other.db")


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {}, "home/.local/share"),
        ("linux", {"XDG_DATA_HOME": "{}/data"}, "data"),
        ("linux", {"XDG_DATA_HOME": "data"}, "home/.local/share"),  # must be absolute to count
        ("darwin", {}, "home/Library/Application Support"),
        ("win32", {"LOCALAPPDATA": "{}/local"}, "local"),
        ("win32", {}, "home/AppData/Local"),
    ],
)
def test_results_live_in_the_folder_of_the_user(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    variables: dict[str, str],
    folder: str,
) -> None:
    for name in ("KIBITZ_DATABASE", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    assert address.show(address.find_database(None)) == str(
        tmp_path / folder / "kibitz" / "results.db"
    )


def test_a_home_folder_is_written_as_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for written in ("~/x.db", "sqlite:///~/x.db"):
        with open_store(written) as store:
            assert store.name == str(tmp_path / "x.db")
    assert "home folder in '~nobody-there/x.db'" in refusal("~nobody-there/x.db")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("sqlite://", "in memory is lost"),
        ("sqlite:///", "in memory is lost"),
        ("sqlite:///:memory:", "in memory is lost"),
        (":memory:", "in memory is lost"),
        ("sqlite://results.db", "three slashes"),
        ("sqlite:results.db", "write sqlite:///FILE or"),
        ("sqlite:/results.db", "write sqlite:///FILE or"),
        ("sqlite:///x.db?mode=ro", "takes no options"),
        ("sqlite+aiosqlite:///x.db", "not in 'sqlite+aiosqlite'"),
        ("mysql://me:hush@localhost/x", "kept in sqlite:/// or postgresql://, not in 'mysql'"),
        ("http://example.org/x.db", "not in 'http'"),
        ("://", "cannot be read"),
        ("postgresql:hush", "begins with 'postgresql:' cannot be read"),
        ("postgresql://me:hush/x", "begins with 'postgresql:' cannot be read"),
        ("postgresql://me:hu@sh@localhost/x", "write it as %40"),
        ("postgresql://me:hu@sh/hush@localhost/x", "write it as %40"),
        ("postgresql://me:hush@localhost", "postgresql://me:***@localhost' names no database"),
        ("postgresql://me@localhost/?password=hush", "names no database"),
        ("a\0b", "is not the name of a file"),
        ("/dev/null/x.db", "there can be no database '/dev/null/x.db' ("),
        ("/proc/none/x.db", "name another file"),
        ("/proc/x.db", "it cannot be opened or made there: name another file"),
        ("/", "is a folder"),
        ("x" * 300, "name another file"),
    ],
)
def test_a_bad_address_is_refused_in_one_sentence(url: str, told: str) -> None:
    sentence = refusal(url)
    assert told in sentence
    assert "hush" not in sentence
    assert "sh@" not in sentence


def test_a_missing_driver_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        sentence = refusal(f"{scheme}://me:hush@localhost/results")
        assert sentence.endswith("not installed: pip install 'kibitz[scale]'")


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 100)
    assert refusal(str(path)).endswith("notes.txt: it is not a database: name another file")
    assert path.read_text() == "Dear diary, " * 100


def test_a_torn_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with open_store(str(path)) as store:
        number = store.begin_tournament("nimmt", "swiss", 1, {})
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with (
        pytest.raises(StoreError, match="it is damaged: restore a backup"),
        open_store(str(path)) as store,
    ):
        store.tournament(number)


def test_a_missing_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with open_store(str(path)) as store:
        run_sql(path, "DROP TABLE agents")
        with pytest.raises(StoreError, match=r"a table .* is missing, so it is damaged"):
            store.matches(None)


def test_the_database_of_another_program_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    run_sql(path, "CREATE TABLE songs (title TEXT)")
    before = path.read_bytes()
    assert "database of another program (it has a table 'songs')" in refusal(str(path))
    assert path.read_bytes() == before
    run_sql(path, "CREATE TABLE alembic_version (version_num TEXT)")
    run_sql(path, "INSERT INTO alembic_version VALUES ('ae1027a6acf')")
    assert "is the database of another program" in refusal(str(path))


@pytest.mark.parametrize(
    "prepare",
    [
        [],
        ["CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"],
        ["PRAGMA journal_mode = WAL"],
    ],
    ids=["empty file", "no migration yet", "empty with a log"],
)
def test_tables_are_made_where_there_are_none(tmp_path: Path, prepare: list[str]) -> None:
    path = tmp_path / "results.db"
    path.touch()
    run_sql(path, *prepare)
    with open_store(str(path)) as store:
        assert store.tournaments() == []
    assert run_sql(path, "SELECT version_num FROM alembic_version") == [(REVISION,)]
    assert run_sql(path, "PRAGMA journal_mode") == [("wal",)]


@pytest.mark.parametrize("begin", ["BEGIN", "BEGIN IMMEDIATE"])
def test_a_log_is_begun_when_those_without_one_are_done(tmp_path: Path, begin: str) -> None:
    path = tmp_path / "results.db"
    open_store(str(path)).close()
    run_sql(path, "PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute(begin)
        other.execute("SELECT * FROM agents").fetchall()
        end = threading.Timer(0.2, other.rollback)
        end.start()
        open_store(str(path)).close()
        assert end.finished.is_set()
        end.join()
    assert run_sql(path, "PRAGMA journal_mode") == [("wal",)]


def test_a_newer_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    open_store(str(path)).close()
    run_sql(path, "UPDATE alembic_version SET version_num = '0999'")
    before = path.read_bytes()
    assert refusal(str(path)) == (
        f"{path} was written by a newer kibitz (schema '0999', this one knows '{REVISION}'): "
        "upgrade kibitz, or name another database"
    )
    assert path.read_bytes() == before


def test_a_migration_nobody_knows_is_told(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    open_store(str(path)).close()
    run_sql(path, "UPDATE alembic_version SET version_num = '0000'")
    assert "cannot be upgraded: Can't locate revision" in refusal(str(path))


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    run_sql(
        path,
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
        "CREATE TABLE ratings (x TEXT)",  # the last table that the first migration makes
    )
    assert "table ratings already exists" in refusal(str(path))
    assert run_sql(path, "SELECT name FROM sqlite_master WHERE type = 'table'") == [
        ("alembic_version",),
        ("ratings",),
    ]


def test_the_tables_are_what_the_migrations_make(database: Database) -> None:
    with database.read() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []


def test_the_last_migration_is_the_one_the_tables_name() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    script = ScriptDirectory.from_config(config)
    assert script.get_heads() == [REVISION]
    names = [revision.revision for revision in script.walk_revisions()]
    assert names == sorted(names, reverse=True)


def test_all_migrations_can_be_undone(store: Store, database: Database) -> None:
    versions = sorted(path.name for path in (MIGRATIONS / "versions").glob("0*.py"))
    with database.write() as connection:
        with Operations.context(MigrationContext.configure(connection)):
            for version in reversed(versions):
                load_migration(version).downgrade()
        assert inspect(connection).get_table_names() == ["alembic_version"]
        connection.execute(text("DELETE FROM alembic_version"))
    bring_up_to_date(database)
    assert store.tournaments() == []


def load_migration(name: str) -> Any:
    """Import a migration; its name is not a Python name."""
    spec = importlib.util.spec_from_file_location("migration", MIGRATIONS / "versions" / name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_both_say_the_same_to_a_server() -> None:
    said = io.StringIO()
    options = {"as_sql": True, "output_buffer": said, "target_metadata": metadata}
    context = MigrationContext.configure(dialect_name="postgresql", opts=options)
    with Operations.context(context):
        for version in sorted(path.name for path in (MIGRATIONS / "versions").glob("0*.py")):
            load_migration(version).upgrade()
    migrated = {squeeze(statement) for statement in add_columns(said.getvalue().split(";"))} - {""}
    dialect: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    wanted = set()
    for table in metadata.sorted_tables:
        wanted.add(squeeze(str(CreateTable(table).compile(dialect=dialect))))
        for index in table.indexes:
            wanted.add(squeeze(str(CreateIndex(index).compile(dialect=dialect))))
    assert migrated == wanted


def add_columns(statements: list[str]) -> Iterator[str]:
    """Write columns that were added later where their table is made."""
    added = [re.match(r"\s*ALTER TABLE (\w+) ADD COLUMN (.*)", one, re.S) for one in statements]
    for statement, is_added in zip(statements, added, strict=True):
        later = [one for one in added if one and f"CREATE TABLE {one[1]} (" in statement]
        if later:
            columns = "".join(f", {one[2]}" for one in later)
            yield f"{statement.rstrip().removesuffix(')').rstrip()}{columns})"
        elif not is_added:
            yield statement


def squeeze(statement: str) -> str:
    """Write a statement on one line, the clauses of a table in one order."""
    head, _, body = " ".join(statement.split()).partition("(")
    return head + "|".join(sorted(body.strip().removesuffix(")").strip().split(", ")))


def test_every_connection_to_a_file_keeps_its_promises(file_store: Store) -> None:
    database = Database(address.find_database(file_store.name))
    with closing(database), database.read() as one, database.read() as other:
        for connection in (one, other):
            said = {
                name: connection.execute(text(f"PRAGMA {name}")).scalar()
                for name in ("foreign_keys", "synchronous", "busy_timeout", "journal_mode")
            }
            assert said == {
                "foreign_keys": 1,
                "synchronous": 2,
                "busy_timeout": 60_000,
                "journal_mode": "wal",
            }


def test_a_transaction_that_writes_takes_its_turn_at_once(file_store: Store) -> None:
    database = Database(address.find_database(file_store.name))
    with closing(database), closing(sqlite3.connect(file_store.name, timeout=0)) as other:
        with database.read() as connection:
            connection.execute(text("SELECT * FROM agents"))
            other.execute("BEGIN IMMEDIATE")
            other.rollback()
        with (
            database.write(),
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("BEGIN IMMEDIATE")


def test_a_password_is_hidden_wherever_it_stands() -> None:
    url = address.find_database("postgres://me:hush@localhost:99/results?password=hush&x=1")
    assert address.show(url) == "postgresql://me:***@localhost:99/results"
    assert str(url.drivername) == "postgresql+psycopg"


def test_what_a_driver_says_is_told_without_the_password(tmp_path: Path) -> None:
    database = Database(address.find_database(str(tmp_path / "x.db")))
    database.is_sqlite, database._secrets = False, ("hush", None, None)
    assert database._why(ValueError("bad dsn:\n me:hush@localhost")) == "bad dsn: me:***@localhost"
    database.close()
