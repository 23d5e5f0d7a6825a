"""Worker processes, and how they end."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import fields
from multiprocessing import active_children
from pathlib import Path

import pytest

import kibitz
from kibitz import Game, KibitzError, arena
from kibitz.arena import Match, workers
from kibitz.arena.job import Done, Job
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.batch import choose_together
from kibitz.core.decisions import Decisions
from kibitz.core.game import States
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import Rngs

PLAY = """
import sys, threading, time
from multiprocessing import active_children
import kibitz
from kibitz.arena import Match

def watch():
    while len(active_children()) < 2:
        time.sleep(0.001)
    print(*(child.pid for child in active_children()), flush=True)

if __name__ == "__main__":
    game = kibitz.load_game("connect4")
    agents = [kibitz.load_agent("random", game)] * 2
    match = Match(game, agents, 5_000_000, 1, workers=2, pool="processes", batch_size=500)
    threading.Thread(target=watch).start()
    try:
        for played in match.play():
            if played.first_deal == 0:
                print("playing", flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.fixture
def player(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Somebody who plays in two worker processes, and prints their ids and then `playing`."""
    script = tmp_path / "play.py"
    script.write_text(PLAY)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    yield process
    process.kill()
    process.communicate()


def read_workers(player: subprocess.Popen[str]) -> list[int]:
    assert player.stdout is not None
    return [int(word) for word in player.stdout.readline().split()]


def is_there(process: int) -> bool:
    """Whether a process is alive; one that has ended may wait for somebody to take note."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.parametrize(
    ("how", "when"), [(signal.SIGKILL, "starting"), (signal.SIGTERM, "playing")]
)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_workers_do_not_outlive_who_started_them(
    player: subprocess.Popen[str], how: signal.Signals, when: str
) -> None:
    workers = read_workers(player)
    assert len(workers) == 2
    if when == "playing":
        assert player.stdout is not None
        assert player.stdout.readline() == "playing\n"
    player.send_signal(how)
    until = time.monotonic() + 30
    while any(map(is_there, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(is_there, workers))
    assert "Traceback" not in player.communicate(timeout=30)[1]


@pytest.mark.parametrize("delay", [0.5, 1.5])
def test_ctrl_c_at_any_time_ends_everything_without_a_word(
    player: subprocess.Popen[str], delay: float
) -> None:
    workers = read_workers(player)
    time.sleep(delay)
    os.killpg(player.pid, signal.SIGINT)
    _, told = player.communicate(timeout=30)
    assert (player.returncode, told) == (130, "")
    assert not any(map(is_there, workers))


def test_workers_never_hear_ctrl_c_themselves(player: subprocess.Popen[str]) -> None:
    workers = read_workers(player)
    for _ in range(60):
        for worker in workers:
            os.kill(worker, signal.SIGINT)
        time.sleep(0.02)
    assert player.stdout is not None
    assert player.stdout.readline() == "playing\n"
    player.terminate()
    assert player.communicate(timeout=30)[1] == ""


@pytest.fixture
def game() -> Game:
    return kibitz.load_game("duel:players=3")


def test_workers_that_do_not_react_are_killed(game: Game) -> None:
    agents = [kibitz.load_agent("random", game)]
    batches = Match(game, agents, 10**5, 1, workers=2, pool="processes", batch_size=30).play()
    next(batches)
    workers = active_children()
    for worker in workers:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
    began = time.monotonic()
    batches.close()
    assert time.monotonic() - began < 10
    assert not any(worker.is_alive() for worker in workers)


class HeavyJob(Job):
    """A job whose answers are so long that workers do nothing but send."""

    def play_until_fault(self, begin: int, end: int, stop: threading.Event | None = None) -> Done:
        return Done(None, b"x" * 100_000_000, 0.0)  # type: ignore[arg-type]


def test_workers_may_be_stopped_in_the_middle_of_an_answer(game: Game) -> None:
    job = Match(game, [kibitz.load_agent("random", game)], 10, 1)._job
    heavy = HeavyJob(**{item.name: getattr(job, item.name) for item in fields(job)})
    with workers.hire_processes(2, heavy) as submit:
        answers = [submit(deal, deal + 1) for deal in range(6)]
        answers[0].result()
        time.sleep(0.03)
        began = time.monotonic()
    assert time.monotonic() - began < 10
    assert not active_children()


class Homeless(Agent):
    """An agent that no other process can load."""

    name = "homeless"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        raise NotImplementedError


def test_a_worker_that_cannot_begin_says_why(
    game: Game, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(workers, "_check_loadable", lambda job: None)
    with pytest.raises(KibitzError, match="cannot begin: unknown agent 'homeless' for duel"):
        arena.play(game, [Homeless(game)], 10, 1, workers=2, pool="processes")
    assert capfd.readouterr().err == ""


def test_no_more_processes_are_started_than_there_are_deals(game: Game) -> None:
    agents = [kibitz.load_agent("random", game)]
    batches = Match(game, agents, 2, 1, workers=20, pool="processes").play()
    next(batches)
    assert len(active_children()) == 2
    batches.close()


@pytest.mark.skipif(not COMPILED, reason="nothing is loaded")
def test_policies_are_loaded_before_they_are_timed() -> None:
    game = kibitz.load_game("duel:players=3")
    agents = [kibitz.load_agent("random", game)]
    workers.rehearse(game, agents)
    loaded = len(choose_together.signatures)  # type: ignore[attr-defined]
    assert loaded > 0
    assert list(Match(game, agents, 2, 1).play())
    assert len(choose_together.signatures) == loaded  # type: ignore[attr-defined]
