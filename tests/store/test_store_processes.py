"""Several processes write into one database, and some of them are killed."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from kibitz.core.errors import StoreError
from kibitz.store import Store, database, open_store, writing
from tests.store.writer import N_DEALS, find_match, is_equal, make_batch

ROOT = Path(__file__).parents[2]

Process = subprocess.Popen[str]


@contextmanager
def started(*arguments: str) -> Iterator[Process]:
    """Run Python; the process does not outlive the block."""
    command = [sys.executable, "-W", "error", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=pipe, stderr=pipe) as process:
        try:
            yield process
        finally:
            process.kill()


def write(url: str, jobs: list[tuple[int, int, int, int]]) -> list[int]:
    """Let a writer do each job, all at the same time; return the ids of their matches."""
    matches = []
    with ExitStack() as stack:
        commands = [("-m", "tests.store.writer", url, *map(str, job)) for job in jobs]
        writers = [stack.enter_context(started(*command)) for command in commands]
        for writer, (_, begin, step, count) in zip(writers, jobs, strict=True):
            out, err = writer.communicate(timeout=60)
            assert (writer.returncode, err) == (0, ""), err
            match, *deals = map(int, out.split())
            assert deals == list(range(begin, begin + count * step, step))
            matches.append(match)
    return matches


def check_complete(store: Store, match: int) -> list[int]:
    """Assert that every batch is there with all that belongs to it; return their first deals."""
    batches = store.batches(match)
    expected = [make_batch(batch.first_deal) for batch in batches]
    assert all(map(is_equal, batches, expected))
    lines = [line for batch in expected for _, _, line in batch.records]
    assert list(store.records(match)) == lines
    assert store.faults(match) == [fault for batch in expected for fault in batch.faults]
    return [batch.first_deal for batch in batches]


@pytest.mark.parametrize(("n_writers", "count"), [(2, 200), (4, 100)])
def test_processes_write_into_a_new_database_at_the_same_time(
    url: str, n_writers: int, count: int
) -> None:
    matches = write(url, [(0, 0, N_DEALS, count)] * n_writers)
    assert len(set(matches)) == n_writers
    with open_store(url) as store:
        for match in matches:
            assert check_complete(store, match) == list(range(0, count * N_DEALS, N_DEALS))


def test_processes_share_a_match(url: str) -> None:
    with open_store(url) as store:
        tournament = store.begin_tournament("nimmt", "single match", 7, {})
    jobs = [(tournament, first, 2 * N_DEALS, 60) for first in (0, N_DEALS)]
    first, second = write(url, jobs)
    assert first == second
    with open_store(url) as store:
        assert check_complete(store, first) == list(range(0, 120 * N_DEALS, N_DEALS))
        assert [row.id for row in store.matches(tournament)] == [first]


def test_a_killed_writer_leaves_complete_batches(url: str) -> None:
    moments = random.Random(1)
    for _ in range(3):
        command = ("-m", "tests.store.writer", url, "0", "0", str(N_DEALS), "100000")
        with started(*command) as writer:
            assert writer.stdout is not None
            match = int(writer.stdout.readline())
            for _ in range(10):
                writer.stdout.readline()
            time.sleep(moments.random() * 0.05)
            os.kill(writer.pid, signal.SIGKILL)
            told = 10 + len(writer.stdout.readlines())
        with open_store(url) as store:
            deals = check_complete(store, match)
            assert deals == list(range(0, len(deals) * N_DEALS, N_DEALS))
            # A batch may have been stored without its writer living to tell.
            assert told <= len(deals) <= told + 1


def test_a_writer_killed_within_a_transaction_leaves_nothing_of_it(url: str) -> None:
    code = (
        "import sys, time; from kibitz.store import open_store; from kibitz.store import writing\n"
        "from kibitz.store.address import find_database\n"
        "from kibitz.store.database import Database\n"
        "from tests.store.writer import find_match, make_batch\n"
        "store = open_store(sys.argv[1]); match = find_match(store, None)\n"
        "store.append(match, make_batch(0))\n"
        "with Database(find_database(sys.argv[1])).write() as connection:\n"
        "    writing.add_batch(connection, match, make_batch(4, width=300_000))\n"
        "    print(match, flush=True); time.sleep(60)"
    )
    with started("-c", code, url) as writer:
        assert writer.stdout is not None
        match = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
    with open_store(url) as store:
        assert check_complete(store, match) == [0]
        store.append(match, make_batch(4))
        assert check_complete(store, match) == [0, 4]


def test_a_reader_does_not_wait_for_a_writer(store: Store, database: database.Database) -> None:
    match = find_match(store, None)
    with database.write() as connection:
        writing.add_batch(connection, match, make_batch(0))
        assert store.batches(match) == []
    assert len(store.batches(match)) == 1


def test_threads_share_a_store(store: Store) -> None:
    match = find_match(store, None)
    deals = range(0, 100 * N_DEALS, N_DEALS)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda first: store.append(match, make_batch(first)), deals))
    assert check_complete(store, match) == list(deals)


def test_a_writer_that_waits_too_long_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    path = tmp_path / "results.db"
    with open_store(str(path)) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"results\.db: another program has kept it locked"):
            store.begin_tournament("nimmt", "cup", 1, {})
        other.rollback()
        assert store.begin_tournament("nimmt", "cup", 1, {}) == 1


def test_a_forked_process_must_open_a_store_of_its_own(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(StoreError, match="each process opens a store of its own"):
        store.tournaments()
