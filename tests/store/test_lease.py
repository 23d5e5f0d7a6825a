"""One server for each database: a second is refused, and one that was killed is followed."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from sqlalchemy import select, update

from kibitz.core.errors import StoreError
from kibitz.store import Store, lease
from kibitz.store.database import Database
from kibitz.store.lease import Lease
from kibitz.store.schema import play_servers as servers


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "LEASE", 0.6)
    monkeypatch.setattr(lease, "LOOK", 0.05)


@pytest.fixture
def first(database: Database) -> Iterator[Lease]:
    """Hold the database."""
    held = Lease(database)
    held.take()
    yield held
    held.give_up()


def hand_over(database: Database, process: int, place: str) -> None:
    """Let the row be that of another process."""
    with database.write() as connection:
        connection.execute(update(servers).values(token="other", process=process, place=place))


def dead_process() -> int:
    """Return the number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def test_a_second_server_is_refused_while_the_first_lives(first: Lease, database: Database) -> None:
    stop = threading.Event()

    def live() -> None:
        while not stop.wait(0.05):
            assert first.beat()

    beating = threading.Thread(target=live)
    beating.start()
    began = time.monotonic()
    with pytest.raises(StoreError, match=f"process {os.getpid()} at .* stop it first"):
        Lease(database).take()
    assert time.monotonic() - began < lease.LEASE
    stop.set()
    beating.join()


def test_a_server_that_ended_is_followed_at_once(first: Lease, database: Database) -> None:
    first.give_up()
    second = Lease(database)
    second.take()
    assert second.beat()
    assert not first.beat()
    second.give_up()


def test_a_process_of_this_computer_that_is_gone_is_followed_at_once(
    first: Lease, database: Database
) -> None:
    hand_over(database, dead_process(), socket.gethostname())
    began = time.monotonic()
    second = Lease(database)
    second.take()
    assert time.monotonic() - began < lease.LEASE / 2
    assert not first.beat()
    second.give_up()


def test_a_silent_server_elsewhere_is_followed_after_a_while(
    first: Lease, database: Database
) -> None:
    hand_over(database, 1, "another computer")
    began = time.monotonic()
    second = Lease(database)
    second.take()
    assert time.monotonic() - began >= lease.LEASE
    second.give_up()


def test_of_two_that_follow_at_once_one_is_refused(store: Store, database: Database) -> None:
    won, lost = [], []

    def take() -> None:
        try:
            mine = Lease(database)
            mine.take()
            won.append(mine)
        except StoreError as error:
            lost.append(str(error))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as connection:
        assert len(connection.execute(select(servers)).all()) == 1
    assert [one.beat() for one in won].count(True) == 1
    for one in won:
        one.give_up()
