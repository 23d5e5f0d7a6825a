"""Processes in which agents think: they decide as a host would, fail alone, and end in time."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

import kibitz
from kibitz.core.agent import Agent
from kibitz.core.table import Game
from kibitz.host import Host
from kibitz.host.host import Question
from kibitz.web.process import WorkerFailed
from kibitz.web.workers import Workers

PARENT = """
import asyncio, sys, time
from kibitz.web.workers import Workers

async def main():
    workers = Workers(1, 1)
    await workers.start()
    print(*workers.pids, flush=True)
    time.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


pytestmark = pytest.mark.usefixtures("faulty_agents")


@asynccontextmanager
async def hired(n_bots: int = 1) -> AsyncIterator[Workers]:
    workers = Workers(n_bots, 1)
    await workers.start()
    try:
        yield workers
    finally:
        await workers.close()


async def play(workers: Workers, host: Host, agent: Agent) -> None:
    """Play a game to its end, with bots that think elsewhere."""
    while not host.is_over:
        for question in host.questions():
            action = await workers.act(host.game.spec, agent.spec, question, 10)
            assert host.answer(question, action)


def first_question(game: Game, seed: int = 1) -> Question:
    host = Host(game.deal(seed=seed), [kibitz.load_agent("random", game)] * game.n_seats)
    return host.questions()[0]


def run(test: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 60))


@pytest.mark.parametrize(
    ("spec", "agent"),
    [
        ("connect4", "uct:sims=50,reuse=true"),
        ("nimmt:players=3", "best:sims=60"),
        ("nimmt:players=3", "random"),
        ("connect4", "counting"),
    ],
)
def test_decisions_are_those_that_a_host_would_get(spec: str, agent: str) -> None:
    game = kibitz.load_game(spec)

    async def test() -> None:
        async with hired(2) as workers:
            absent = await workers.seat(game, agent)
            elsewhere = Host(game.deal(seed=3), [absent] * game.n_seats, number=5)
            await play(workers, elsewhere, absent)
            here = Host(
                game.deal(seed=3), [kibitz.load_agent(agent, game)] * game.n_seats, number=5
            )
            here.advance()
            assert elsewhere.record().actions == here.record().actions

    run(test)


def test_two_tables_share_an_agent() -> None:
    game = kibitz.load_game("connect4")

    async def test() -> None:
        async with hired(2) as workers:
            absent = await workers.seat(game, "uct:sims=50,reuse=true")
            hosts = [Host(game.deal(seed=s), [absent] * 2, number=s) for s in (1, 2)]
            await asyncio.gather(*(play(workers, host, absent) for host in hosts))
            for host in hosts:
                bot = kibitz.load_agent(absent.spec, game)
                alone = Host(game.deal(seed=host.number), [bot] * 2, number=host.number)
                alone.advance()
                assert host.record().actions == alone.record().actions

    run(test)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("crash", "ended its process"),
        ("exit", "raised SystemExit"),
        ("hang", "took too long"),
        ("illegal", "which is illegal"),
        ("raise", "no idea"),
    ],
)
def test_a_bot_that_fails_is_replaced_and_harms_nobody(how: str, why: str) -> None:
    game = kibitz.load_game("connect4")
    question = first_question(game)

    async def test() -> None:
        async with hired() as workers:
            (before, *_) = workers.pids
            bad = workers.act("connect4", f"faulty:how={how}", question, 0.3)
            good = workers.act("connect4", "faulty", question, 5)
            failed, action = await asyncio.gather(bad, good, return_exceptions=True)
            assert isinstance(failed, WorkerFailed)
            assert why in failed.reason
            assert action == 1
            assert before not in workers.pids

    run(test)


def test_a_process_that_was_killed_while_idle_costs_no_decision() -> None:
    game = kibitz.load_game("connect4")

    async def test() -> None:
        async with hired() as workers:
            os.kill(workers.pids[0], signal.SIGKILL)
            await asyncio.sleep(0.3)
            assert await workers.act("connect4", "faulty", first_question(game), 5) == 1

    run(test)


def test_an_agent_that_watches_is_shown_all_again_after_a_crash() -> None:
    game = kibitz.load_game("connect4")

    async def test() -> None:
        async with hired() as workers:
            absent = await workers.seat(game, "counting")
            host = Host(game.deal(seed=3), [absent] * 2, number=5)
            here = Host(game.deal(seed=3), [kibitz.load_agent("counting", game)] * 2, number=5)
            here.advance()
            while not host.is_over:
                if host.n_actions == 4:
                    os.kill(workers.pids[0], signal.SIGKILL)
                    await asyncio.sleep(0.3)
                (question,) = host.questions()
                host.answer(question, await workers.act(game.spec, "counting", question, 5))
            assert host.record().actions == here.record().actions

    run(test)


def test_unknown_agents_are_refused_before_they_sit_down() -> None:
    async def test() -> None:
        async with hired() as workers:
            with pytest.raises(WorkerFailed, match="unknown agent 'nobody'"):
                await workers.seat(kibitz.load_game("connect4"), "nobody")

    run(test)


def test_hints_improve_and_the_last_is_final() -> None:
    question = first_question(kibitz.load_game("connect4"))

    async def test() -> None:
        async with hired() as workers:
            looks = [
                look async for look in workers.hints("connect4", "uct:time=0.8", question, "de")
            ]
        assert len(looks) >= 3
        assert [look["final"] for look in looks] == [False] * (len(looks) - 1) + [True]
        assert looks[0]["sims"] < looks[-1]["sims"]
        assert looks[-1]["kind"] == "win"
        first, last = ({one["text"]: one for one in looks[k]["opinions"]}["4"] for k in (0, -1))
        assert last["visits"] > first["visits"]
        assert 0 < last["error"] < 0.1
        assert last["merits"] == ["die mittlere Spalte gehört zu den meisten Vierern"]

    run(test)


def test_closing_hints_stops_the_search_and_frees_the_process() -> None:
    question = first_question(kibitz.load_game("nimmt"))

    async def test() -> None:
        async with hired() as workers:
            before = workers.pids
            for _ in range(2):
                hints = workers.hints("nimmt", "mcs:time=30", question, "en")
                async with aclosing(hints):
                    look = await anext(hints)
                    assert not look["final"]
                    began = time.monotonic()
                assert time.monotonic() - began < 1
            assert workers.pids == before

    run(test)


def test_hints_end_by_their_own_clock() -> None:
    question = first_question(kibitz.load_game("nimmt"))

    async def test() -> None:
        async with hired() as workers:
            hints = workers.hints("nimmt", "mcs:time=30", question, "en", seconds=0.5)
            looks = [look async for look in hints]
            assert looks[-1]["final"]

    run(test)


@pytest.mark.skipif(sys.platform == "win32", reason="kills by a signal")
def test_processes_end_when_the_server_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    ends = time.monotonic() + 5
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < ends
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has buried yet does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="counts what is open")
def test_processes_that_were_replaced_leave_nothing_open() -> None:
    question = first_question(kibitz.load_game("connect4"))

    async def fail(workers: Workers) -> None:
        with pytest.raises(WorkerFailed):
            await workers.act("connect4", "faulty:how=raise", question, 5)
        await workers.act("connect4", "faulty", question, 5)

    async def test() -> None:
        async with hired() as workers:
            await fail(workers)
            before = len(os.listdir("/proc/self/fd"))
            for _ in range(5):
                await fail(workers)
            await asyncio.sleep(0.3)
            assert len(os.listdir("/proc/self/fd")) <= before + 2

    run(test)
