"""Live tables in PostgreSQL: played, resumed, looked back at, and served by one server alone."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.store.play import open_play
from tests import postgres
from tests.web.live import Live, Person, free_port
from tests.web.test_lasting import serving

pytestmark = pytest.mark.skipif(not postgres.is_found(), reason=postgres.HOW)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Run a PostgreSQL."""
    with postgres.running() as url:
        yield url


@pytest.fixture
def url(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name an empty database; the secret of its server is in a folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    postgres.empty(server)
    return server


def test_a_game_is_played_resumed_and_looked_back_at(url: str, tmp_path: Path) -> None:
    live, pick = Live(tmp_path, database=url).start(), random.Random(5)
    person = live.person()
    tab = person.sit("nimmt:players=3")
    tab.play_on(pick.choice, most=2)
    live.stop()
    live.start()
    again = person.open(tab.table)
    assert again.play_on(pick.choice)["table"]["status"] == "over"
    assert [one["status"] for one in person.get("/api/mine")] == ["over"]
    assert person.get(f"/api/tables/{tab.table}/replay?seat=0")["steps"]
    assert person.get(f"/api/tables/{tab.table}/review?seat=0")["status"] in ("waiting", "running")
    for path in ("results", "fairness", "practice", "daily/connect4", "tables"):
        person.get(f"/api/{path}")
    live.stop()


def test_every_acknowledged_action_is_there_after_kill_9(url: str) -> None:
    port, pick = free_port(), random.Random(5)
    with serving(url, port, signal.SIGKILL):
        tab = Person(port).sit("connect4")
        tab.play_on(pick.choice, most=4)
        told = [event for heard in tab.heard for event in heard.get("events", [])]
    made = [event["action"] for event in told if event["seat"] == 0]
    assert made
    store = open_play(url)
    assert [text for seat, text in store.actions(tab.table) if seat == 0][: len(made)] == made
    store.close()
    with serving(url, port, signal.SIGTERM):
        assert Person(port).get("/api/health")["status"] == "ok"


def test_a_second_server_is_refused_in_one_sentence(url: str) -> None:
    with serving(url, free_port(), signal.SIGTERM):
        command = [sys.executable, "-m", "kibitz", "serve", "--port", "0", "--database", url]
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ)
    assert found.returncode != 0
    assert "stop it first" in " ".join(found.stderr.split())
    assert "Traceback" not in found.stderr
