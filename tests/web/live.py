"""A real server in a thread, and people who play there over HTTP and WebSockets."""

import json
import random
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from kibitz.web.config import Config
from kibitz.web.server import listen, make_server
from kibitz.web.service import Service

Json = dict[str, Any]
PATIENCE = 30.0
OPEN: list["Tab"] = []
"""Tabs that are closed when a test is over."""


class Live:
    """A server on a port of its own; it may be stopped and started again."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        """Prepare a server whose database is in a folder."""
        usual = {"database": folder / "play.db", "warms": False, "pace": 0.02}
        self.config = Config(**{**usual, **settings})
        self.port = 0

    def start(self) -> "Live":
        """Start it; return when it answers."""
        listener = listen("127.0.0.1", self.port)
        self.port = listener.getsockname()[1]
        self._server = make_server(self.config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],))
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)
        return self

    @property
    def service(self) -> Service:
        """What runs inside."""
        return self._server.config.app.state.service  # type: ignore[union-attr]

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def person(self, **headers: str) -> "Person":
        """Welcome somebody new."""
        return Person(self.port, headers)


class Person:
    """Somebody with a browser: a cookie, and as many tabs as they like."""

    def __init__(self, port: int, headers: dict[str, str] | None = None) -> None:
        """Come in."""
        self.port = port
        self.headers = dict(headers or {})
        self.cookie = ""
        self.me = self.get("/api/me")

    def ask(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, HTTPResponse, bytes]:
        """Send a request; return the status, the answer and its body."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {**self.headers, **headers} | ({"Cookie": self.cookie} if self.cookie else {})
        data: bytes | None = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        connection.request(method, path, data, sent)
        answer = connection.getresponse()
        told = answer.read()
        connection.close()
        if cookie := answer.getheader("set-cookie"):
            self.cookie = cookie.partition(";")[0]
        return answer.status, answer, told

    def get(self, path: str) -> Any:
        """Return a document."""
        status, _, told = self.ask("GET", path)
        assert status == 200, told
        return json.loads(told)

    def post(self, path: str, body: object = None, method: str = "POST") -> Any:
        """Send a document; return the answer."""
        status, _, told = self.ask(method, path, {} if body is None else body)
        assert status == 200, told
        return json.loads(told)

    def refused(self, path: str, body: object = None, method: str = "POST") -> tuple[int, str]:
        """Send something that is refused; return the status and the sentence."""
        status, _, told = self.ask(method, path, body)
        assert status >= 400, told
        return status, json.loads(told)["detail"]

    def sit(self, game: str, level: str = "casual", **wanted: object) -> "Tab":
        """Make a table and look at it."""
        made = self.post("/api/tables", {"game": game, "level": level, **wanted})
        return self.open(made["id"])

    def open(self, table: str, since: int = 0, **headers: str) -> "Tab":
        """Open a tab at a table."""
        return Tab(self, table, since, headers)


class Tab:
    """One connection to a table, which remembers all that it was told."""

    def __init__(self, person: Person, table: str, since: int, headers: dict[str, str]) -> None:
        """Connect."""
        self.table = table
        self.person = person
        self.heard: list[Json] = []
        self._number = 0
        self._stack = ExitStack()
        connecting = connect(
            f"ws://127.0.0.1:{person.port}/api/tables/{table}/socket?since={since}&language=en",
            additional_headers={"Cookie": person.cookie, **headers},
            open_timeout=PATIENCE,
            max_size=None,
            max_queue=None,
            ping_interval=None,
        )
        self._connection: ClientConnection = self._stack.enter_context(connecting)
        OPEN.append(self)

    def hear(self, timeout: float = PATIENCE) -> Json:
        """Return the next message."""
        told: Json = json.loads(self._connection.recv(timeout))
        self.heard.append(told)
        return told

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        """Return the first message of which something is true."""
        give_up = time.monotonic() + PATIENCE
        while time.monotonic() < give_up:
            told = self.hear()
            if wanted(told):
                return told
        raise AssertionError("it never came")

    def see(self, wanted: Callable[[Json], bool] = lambda told: True) -> Json:
        """Return the first snapshot of which something is true."""
        return self.until(lambda told: told["is"] == "table" and wanted(told))

    def now(self, wanted: Callable[[Json], bool]) -> Json:
        """Return the last snapshot if something is true of it, or else the first such one."""
        shown = [told for told in self.heard if told["is"] == "table"]
        return shown[-1] if shown and wanted(shown[-1]) else self.see(wanted)

    def see_soon(self, timeout: float = 0.2) -> Json | None:
        """Return the next snapshot, or None if none comes soon."""
        try:
            told = self.hear(timeout)
        except TimeoutError:
            return None
        return told if told["is"] == "table" else None

    def say(self, **wish: object) -> int:
        """Send a wish; return its number."""
        self._number += 1
        self._connection.send(json.dumps({"id": self._number, **wish}))
        return self._number

    def send(self, text: str | bytes) -> None:
        """Send anything."""
        self._connection.send(text)

    def do(self, **wish: object) -> Json:
        """Send a wish, and return its answer."""
        number = self.say(**wish)
        return self.until(lambda told: told.get("id") == number)

    def done(self, **wish: object) -> None:
        """Send a wish that is granted."""
        answer = self.do(**wish)
        assert answer["is"] == "done", answer

    def play_on(self, pick: Callable[[list[Json]], Json], most: int = 10_000) -> Json:
        """Play by a rule to the end, or for some decisions; return the last snapshot."""
        made = -1
        shown = self.now(lambda told: True)
        while shown["table"]["status"] != "over" and most:
            if shown["decision"] is not None and shown["decision"] > made:
                made = shown["decision"]
                self.say(do="play", decision=made, action=pick(shown["choices"])["text"])
                most -= 1
            shown = self.see()
        return shown

    def close(self) -> None:
        """Close the tab."""
        self._stack.close()


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def play_all(tabs: Sequence[Tab], pick: random.Random) -> list[Json]:
    """Play at random for people at the same table until the game is over; return what they see."""
    shown: list[Json | None] = [None] * len(tabs)
    made = [-1] * len(tabs)
    while any(told is None or told["table"]["status"] != "over" for told in shown):
        for i, tab in enumerate(tabs):
            told = shown[i] = tab.see_soon() or shown[i]
            if told is not None and told["decision"] is not None and told["decision"] > made[i]:
                made[i] = told["decision"]
                action = pick.choice(told["choices"])["text"]
                tab.say(do="play", decision=made[i], action=action)
    return [told for told in shown if told is not None]
