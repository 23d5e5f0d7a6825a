"""What was acknowledged is there after a restart, however the server ended."""

import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kibitz.core.errors import StoreError
from kibitz.store.play import open_play
from tests.web.live import Live, Person, free_port


def test_a_restart_goes_on_with_all_tables(tmp_path: Path) -> None:
    live = Live(tmp_path).start()
    person, pick = live.person(), random.Random(5)
    games = ["nimmt:players=3", "connect4", "sheephead:hands=1"]
    tabs = [person.sit(game) for game in games]
    before = [tab.play_on(pick.choice, most=2) for tab in tabs]
    waiting = person.sit("connect4", seats=[{"kind": "me"}, {"kind": "open"}])
    live.stop()
    live.start()
    assert person.get("/api/me") == person.me
    for tab, shown in zip(tabs, before, strict=True):
        again = person.open(tab.table)
        now = again.see()
        told = [event for heard in tab.heard for event in heard.get("events", [])]
        assert now["events"][: len(told)] == told
        assert now["table"]["fairness"] == shown["table"]["fairness"]
        assert again.play_on(pick.choice)["table"]["status"] == "over"
    assert person.open(waiting.table).see()["table"]["status"] == "open"
    live.stop()


@contextmanager
def serving(database: Path | str, port: int, end: signal.Signals) -> Iterator[None]:
    """Run a server process, which is ended by a signal."""
    words = [sys.executable, "-m", "tests.web.serving", str(database), str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://")
        try:
            yield
        finally:
            process.send_signal(end)
            process.wait()


def keep_playing(
    person: Person, acknowledged: list[tuple[str, str]], seed: int, ending: threading.Event
) -> None:
    """Play game after game until the server is gone; note what it has acknowledged.

    Whatever goes wrong once the server is being killed, is its end.
    """
    pick = random.Random(seed)
    try:
        while True:
            tab = person.sit("connect4")
            made = -1
            shown = tab.see()
            while shown["table"]["status"] != "over":
                if shown["decision"] is not None and shown["decision"] > made:
                    made, action = shown["decision"], pick.choice(shown["choices"])["text"]
                    tab.done(do="play", decision=made, action=action)
                    acknowledged.append((tab.table, action))
                shown = tab.see()
    except Exception:
        if not ending.is_set():
            raise


def test_after_kill_9_every_acknowledged_action_is_there(tmp_path: Path) -> None:
    database, port = tmp_path / "play.db", free_port()
    said: list[list[tuple[str, str]]] = [[] for _ in range(4)]
    ending = threading.Event()
    with serving(database, port, signal.SIGKILL):
        threads = [
            threading.Thread(target=keep_playing, args=(Person(port), heard, seed, ending))
            for seed, heard in enumerate(said)
        ]
        for thread in threads:
            thread.start()
        while sum(map(len, said)) < 60:
            threads[0].join(0.05)
        ending.set()
    for thread in threads:
        thread.join()
    store = open_play(database)
    for heard in said:
        for table in dict.fromkeys(table for table, _ in heard):
            kept = [text for seat, text in store.actions(table) if seat == 0]
            acknowledged = [text for where, text in heard if where == table]
            assert kept[: len(acknowledged)] == acknowledged
    store.close()
    with serving(database, port, signal.SIGTERM):
        assert Person(port).get("/api/health")["status"] == "ok"


def test_what_cannot_be_saved_is_not_played(
    live: Live, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    person = live.person()
    tab = person.sit("connect4")
    shown = tab.see()

    async def fail(*jobs: object) -> None:
        raise StoreError("the disk is full")

    room = live.service.tables.rooms[tab.table]
    monkeypatch.setattr(room, "write", fail)
    answer = tab.do(do="play", decision=shown["decision"], action="4")
    assert (answer["is"], "try again" in answer["why"]) == ("refused", True)
    assert "the disk is full" in caplog.text
    again = person.open(tab.table)
    assert again.see()["picture"]["moves"] == []
    again.done(do="play", decision=shown["decision"], action="4")
