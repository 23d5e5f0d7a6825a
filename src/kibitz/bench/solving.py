"""How fast Connect 4 is solved, beside a C++ program that makes the same search.

Positions are drawn at random by stage and sorted by how many positions a search looks at: what is
hard does not depend on the machine. Every pass over a class begins with an empty table, which is
cleared outside the clock; there is no opening book.
"""

import json
import subprocess
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from kibitz.bench.limits import RUN_TIMEOUT, build
from kibitz.bench.measure import Benchmark, Sample, Target, cpu_time, rate
from kibitz.bench.positions import draw_open, room
from kibitz.core.game import States
from kibitz.core.kernels import kernel
from kibitz.core.rng import Purpose, Rng, derive
from kibitz.games.connect4.alphabeta import TABLE_BITS, Boards, make_memory, scores_of
from kibitz.games.connect4.rules import COLUMNS, wins_with
from kibitz.games.connect4.text import format_position

PROGRAM = "connect4_solver"
SEED = 1
MOST_RATIO = 1.5
"""Times the limit program's time that we want to stay below."""


@dataclass(frozen=True)
class Class:
    """Positions of one stage that are about as hard to solve."""

    name: str
    plies: tuple[int, int]  # the first and the last
    n_drawn: int  # positions of the stage
    part: int  # which of them by hardness: the first, second ...
    n_parts: int
    least: float | None = None  # positions per second that we want


_END, _MIDDLE, _BEGIN = ((29, 38), 1000), ((15, 28), 600), ((11, 14), 60)

CLASSES = (
    Class("end_easy", *_END, 0, 1, 1000 / 0.05),
    Class("middle_easy", *_MIDDLE, 1, 3, 1000 / 0.2),
    Class("middle_hard", *_MIDDLE, 2, 3),
    Class("begin_easy", *_BEGIN, 0, 3, 1000 / 1.2),
    Class("begin_mid", *_BEGIN, 1, 3),
    Class("begin_hard", *_BEGIN, 2, 3),
)
"""The end of the game is easy throughout. The easiest third of `middle` is decided at a look, and
left out. `begin` is plies 11 to 14 only: earlier ones are timed in `plies.py`, with the book."""


@dataclass(frozen=True)
class Positions:
    """Positions to solve."""

    moves: list[str]
    owns: Boards  # the discs of who moves
    occupied: Boards  # those of both

    def __len__(self) -> int:
        """How many there are."""
        return len(self.moves)


@kernel
def _draw(states: States, n_moves: int, rng: Rng) -> None:
    """Play at random from states[0] until a game gets so far and nobody wins with the next disc."""
    while True:
        draw_open(states, n_moves, rng)
        is_quiet = True
        for column in range(1, COLUMNS + 1):
            if wins_with(states[1], states[1].n_moves & 1, column):
                is_quiet = False
        if is_quiet:
            return


@cache
def draw_stage(first: int, last: int, n: int) -> Positions:
    """Draw positions of some plies, sorted by how many positions their search looks at."""
    states = room()
    memory, out = make_memory(), np.zeros(1, np.int64)
    boards = np.zeros((n, 2), np.uint64)
    moves, nodes = [], np.zeros(n, np.int64)
    for i in range(n):
        n_moves = first + i % (last - first + 1)
        _draw(states, n_moves, derive(SEED, Purpose.PLAYOUT, first, i))
        boards[i] = states[1].discs[n_moves & 1], states[1].discs[0] | states[1].discs[1]
        moves.append(format_position(states[1]))
        memory.places[:] = 0
        memory.n_searched = 0
        scores_of(memory, boards[i, :1], boards[i, 1:], out)
        nodes[i] = memory.n_searched
    order = np.argsort(nodes, kind="stable")
    return Positions([moves[i] for i in order], boards[order, 0], boards[order, 1])


def draw_class(wanted: Class, times: int = 1) -> Positions:
    """Return the positions of a class, or of one that is drawn so many times as large."""
    stage = draw_stage(*wanted.plies, times * wanted.n_drawn)
    size = times * wanted.n_drawn // wanted.n_parts
    part = slice(wanted.part * size, (wanted.part + 1) * size)
    return Positions(stage.moves[part], stage.owns[part].copy(), stage.occupied[part].copy())


def _ours(wanted: Class) -> Sample:
    some = draw_class(wanted)
    memory, out = make_memory(), np.zeros(len(some), np.int64)

    def work(n: int) -> float:
        spent = 0.0
        for _ in range(n):
            memory.places[:] = 0
            spent += cpu_time(lambda: scores_of(memory, some.owns, some.occupied, out))
        return spent

    passes = rate(work)
    return lambda seconds: len(some) * passes(seconds)


def solve_by_limit(moves: list[str], repeats: int) -> tuple[float, int, list[int]]:
    """Let the limit program solve positions; return its CPU seconds, nodes of a pass and scores."""
    answer = subprocess.run(
        [str(build(PROGRAM)), str(TABLE_BITS), str(repeats)],
        input="\n".join(moves),
        capture_output=True,
        text=True,
        check=True,
        timeout=RUN_TIMEOUT,
    )
    said = json.loads(answer.stdout)
    return float(said["seconds"]), int(said["nodes"]), list(said["scores"])


def _limit(wanted: Class) -> Sample:
    build(PROGRAM)
    some = draw_class(wanted)
    passes = rate(lambda n: solve_by_limit(some.moves, n)[0])
    return lambda seconds: len(some) * passes(seconds)


def connect4_solving() -> list[Benchmark]:
    """List the benchmarks of the solver, one for every class."""
    return [
        Benchmark(
            name=f"connect4.solve_{one.name}",
            unit="solved/s",
            about=f"random positions of plies {one.plies[0]} to {one.plies[1]}, part "
            f"{one.part + 1} of {one.n_parts} by hardness, solved from an empty table; CPU time",
            ours=partial(_ours, one),
            peers={"limit": partial(_limit, one)},
            target=None if one.least is None else Target(one.least),
            least_ratio={"limit": 1 / MOST_RATIO},
        )
        for one in CLASSES
    ]
