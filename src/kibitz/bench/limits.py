"""The limit programs: C++ that shows how fast a machine can play a game.

They come as source (`benchmarks/limits` of a checkout, package data of a wheel) and are built for
the machine at hand when they are first needed. Each takes a number of games and a seed, plays, and
prints one line of JSON.
"""

import hashlib
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kibitz.bench.machine import compiler_version
from kibitz.bench.measure import (
    Contender,
    Missing,
    Sample,
    children_cpu_time,
    rate,
    speed_up,
    wall_time,
)
from kibitz.core.provenance import cpu_model
from kibitz.core.sources import cache_root

FLAGS = ("-O3", "-march=native", "-std=c++17")
SEED = 1
_GAMES_AT_ONCE = 50_000
"""A unit of work where starting a program must not count."""

RUN_TIMEOUT = 900
"""Seconds on the clock after which a limit program must hang."""


def source(name: str) -> Path:
    """Find the source of a limit program."""
    here = Path(__file__).resolve()
    folders = (here.parent / "limits", here.parents[3] / "benchmarks" / "limits")
    for folder in folders:
        if (folder / f"{name}.cpp").is_file():
            return folder / f"{name}.cpp"
    raise Missing(f"{name}.cpp is not in {folders[0]} or {folders[1]}")


def build(name: str) -> Path:
    """Build a limit program, unless this source was built for this machine before.

    Raises:
        Missing: there is no compiler, it refuses the source, or the cache cannot be written.
    """
    text = source(name)
    version = compiler_version()
    if version is None:
        raise Missing("g++ not found: install a C++ compiler to compare with the limit programs")
    identity = f"{' '.join(FLAGS)};{version};{cpu_model()};".encode() + text.read_bytes()
    program = cache_root() / "limits" / f"{name}-{hashlib.sha256(identity).hexdigest()[:16]}"
    if program.exists():
        return program
    try:
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=program.parent) as folder:
            fresh = Path(folder) / name
            _compile(text, fresh)
            os.replace(fresh, program)  # at once, so that nobody runs half a program
    except OSError as error:
        raise Missing(f"cannot write to {program.parent}: {error.strerror}") from None
    return program


def _compile(text: Path, program: Path) -> None:
    command = ["g++", *FLAGS, str(text), "-o", str(program)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        reason = next(iter(answer.stderr.strip().splitlines()), f"exit code {answer.returncode}")
        raise Missing(f"g++ cannot build {text.name}: {reason}")


def play(program: Path, n: int, seed: int = SEED) -> dict[str, Any]:
    """Let a limit program play `n` games and read what it says about them."""
    answer = subprocess.run(
        [str(program), str(n), str(seed)],
        capture_output=True,
        text=True,
        check=True,
        timeout=RUN_TIMEOUT,
    )
    said: dict[str, Any] = json.loads(answer.stdout)
    return said


def limit(name: str) -> Contender:
    """Make the contender that plays with the limit program `name`; units are games."""

    def prepare() -> Sample:
        program = build(name)

        def work(n: int) -> float:
            said: dict[str, Any] = {}
            spent = children_cpu_time(lambda: said.update(play(program, n)))
            # Neither is less than the CPU time of the games: the one includes starting the
            # program, the other, by the clock, waiting for the processor.
            return min(spent, float(said["seconds"]))

        return rate(work)

    return prepare


def limit_speed_up(name: str) -> Contender:
    """Make the contender that plays with two processes of a limit program instead of one."""

    def prepare() -> Sample:
        program = build(name)

        def work(n: int, workers: int) -> float:
            games = [n * _GAMES_AT_ONCE // workers] * workers
            with ThreadPoolExecutor(workers) as pool:
                return wall_time(lambda: list(pool.map(lambda n: play(program, n), games)))

        return speed_up(work)

    return prepare
