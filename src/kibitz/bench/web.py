"""A server under load: scripted people at many tables, in a process of its own.

Every person acts a while after the table asks, as people do. What is measured is the time from an
action to its acknowledgement, which comes when the action is on the disk.
"""

import asyncio
import contextlib
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from kibitz.bench.measure import Benchmark, Missing, Sample, Target

TABLES = 200
THINK = (1.0, 3.0)
"""Seconds that a person takes to act, from and to."""

SECONDS = 30.0
"""How long the load lasts, after everybody has sat down."""

MOST_MEGABYTES = 1000

GAME = "nimmt:players=4"

_SERVE = """
import sys
from pathlib import Path
from kibitz.web.config import Config
from kibitz.web.server import run
config = Config(database=Path(sys.argv[1]), warms=False, counts_requests=False)
run(config, "127.0.0.1", 0, lambda address: print(address, flush=True))
"""


@dataclass
class Load:
    """What a load has shown."""

    delays: list[float] = field(default_factory=list)  # seconds from action to acknowledgement
    # By table: the number of the decision, and the action.
    acknowledged: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    n_lost: int = 0  # acknowledged actions that are not in the database
    megabytes: float = 0.0  # that the server's process took at most

    @property
    def p95(self) -> float:
        """The delay within which 95 of 100 actions were acknowledged."""
        ordered = sorted(self.delays)
        return ordered[int(0.95 * len(ordered))]


@contextlib.contextmanager
def serving(database: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Run a server; yield its process and its address."""
    words = [sys.executable, "-c", _SERVE, str(database)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait()


def run_load(
    n_tables: int = TABLES, seconds: float = SECONDS, *, kill_after: int | None = None
) -> Load:
    """Put a server under load and look at what it kept.

    Args:
        n_tables: people, each at a table of their own with bots that play at random.
        seconds: how long.
        kill_after: acknowledgements after which the server is killed, without a warning.
    """
    from kibitz.store.play import open_play

    load = Load()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "play.db")
        with serving(database) as (process, address):
            people = _press(load, address, n_tables, seconds)
            kill = _kill(load, process, kill_after)
            asyncio.run(_first(people, kill))
            load.megabytes = _peak_megabytes(process.pid)
        store = open_play(database)
        for table, said in load.acknowledged.items():
            kept = dict(enumerate(text for seat, text in store.actions(table) if seat == 0))
            load.n_lost += sum(kept.get(number) != action for number, action in said)
        store.close()
    return load


async def _first(people: Coroutine[Any, Any, None], kill: Coroutine[Any, Any, None]) -> None:
    """Wait for the people; who kills is not waited for."""
    killing = asyncio.create_task(kill)
    await people
    killing.cancel()


async def _kill(load: Load, process: "subprocess.Popen[str]", after: int | None) -> None:
    while after is None or len(load.delays) < after:
        await asyncio.sleep(0.02)
    process.kill()


async def _press(load: Load, address: str, n_tables: int, seconds: float) -> None:
    cookies = await asyncio.gather(
        *(asyncio.to_thread(_come, address, number) for number in range(n_tables))
    )
    end = time.monotonic() + seconds
    people = [_play(load, address, cookie, end, i) for i, cookie in enumerate(cookies)]
    await asyncio.gather(*people)


def _ask(address: str, cookie: str, path: str, body: object = None) -> tuple[dict[str, str], str]:
    """Send a request; return the answer and the cookie that it sets."""
    headers = {"Content-Type": "application/json", "Cookie": cookie}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address + path, data, headers), timeout=60) as answer:
        cookie = str(answer.headers["set-cookie"]).partition(";")[0]
        return json.loads(answer.read()), cookie


def _come(address: str, number: int) -> str:
    return _ask(address, "", "/api/me")[1]


def _sit(address: str, cookie: str) -> str:
    wanted = {"game": GAME, "level": "random"}
    return _ask(address, cookie, "/api/tables", wanted)[0]["id"]


async def _play(load: Load, address: str, cookie: str, end: float, seed: int) -> None:
    """Play game after game until the time is over, or the server is gone."""
    from websockets.exceptions import ConnectionClosed

    pick = random.Random(seed)
    await asyncio.sleep(pick.uniform(0, THINK[1]))
    with contextlib.suppress(ConnectionClosed, OSError):
        while time.monotonic() < end:
            table = await asyncio.to_thread(_sit, address, cookie)
            await _play_game(load, address, cookie, table, end, pick)


async def _play_game(
    load: Load, address: str, cookie: str, table: str, end: float, pick: random.Random
) -> None:
    from websockets.asyncio.client import connect

    url = f"{re.sub('^http', 'ws', address)}/api/tables/{table}/socket?since=0&language=en"
    said = load.acknowledged.setdefault(table, [])
    made, sent, action = -1, 0.0, ""
    async with connect(url, additional_headers={"Cookie": cookie}) as socket:
        async for text in socket:
            told = json.loads(text)
            if told["is"] == "done":
                load.delays.append(time.perf_counter() - sent)
                said.append((made, action))
            if told["is"] != "table":
                continue
            if told["table"]["status"] == "over" or time.monotonic() > end:
                return
            if told["decision"] is not None and told["decision"] > made:
                made, action = told["decision"], pick.choice(told["choices"])["text"]
                await asyncio.sleep(pick.uniform(*THINK))
                sent = time.perf_counter()
                wish = {"do": "play", "id": made, "decision": made, "action": action}
                await socket.send(json.dumps(wish))


def _peak_megabytes(pid: int) -> float:
    """Read the most memory that a process has had; 0 where the system does not say."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1000 if found else 0.0


def web_benchmark() -> Benchmark:
    """Return the benchmark of a server under load."""
    return Benchmark(
        name="web.actions",
        unit="ms",
        about=f"from an action to its acknowledgement, 95 of 100, {TABLES} tables; wall time",
        ours=_prepare,
        target=Target(100, at_most=True),
        lower_is_better=True,
        most_repeats=1,
    )


def _prepare() -> Sample:
    """Return what puts a server under load.

    An action that was acknowledged and lost, or a process that takes a gigabyte, is an error.
    """
    try:
        import fastapi  # noqa: F401
        import websockets  # noqa: F401
    except ImportError:
        raise Missing("pip install 'kibitz[web]'") from None

    def sample(seconds: float) -> float:
        is_whole = seconds >= 1
        n_tables = TABLES if is_whole else max(int(TABLES * seconds), 4)
        load = run_load(n_tables, SECONDS if is_whole else 3 * THINK[1])
        if load.n_lost or load.megabytes > MOST_MEGABYTES:
            raise RuntimeError(f"{load.n_lost} actions lost, {load.megabytes:.0f} MB")
        return 1000 * load.p95

    return sample
