"""The benchmarks there are."""

import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from kibitz import arena
from kibitz.bench import peers
from kibitz.bench.lanes import lanes_benchmark
from kibitz.bench.learning import learning_benchmarks
from kibitz.bench.limits import limit, limit_speed_up
from kibitz.bench.measure import (
    Benchmark,
    Sample,
    Target,
    children_cpu_time,
    cpu_time,
    nanoseconds,
    rate,
    speed_up,
    wall_time,
)
from kibitz.bench.ngnet import ngnet_learning
from kibitz.bench.plies import connect4_plies
from kibitz.bench.searching import CONNECT4, NIMMT, searching_benchmarks
from kibitz.bench.sheephead import sheephead_decisions
from kibitz.bench.solving import connect4_solving
from kibitz.bench.tichu import tichu_benchmarks
from kibitz.bench.web import web_benchmark
from kibitz.core import driver
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.driver import Schedule
from kibitz.core.errors import SpecError, clip, nearest
from kibitz.core.game import States
from kibitz.core.registry import game_names, load_agent, load_game
from kibitz.core.rng import Purpose, Rngs, derive
from kibitz.core.table import Game
from kibitz.games.nimmt.response import random_ending
from kibitz.games.nimmt.solver import solve
from kibitz.games.sheephead.open_hand import ANY, make_desk, row_after, set_up
from kibitz.games.sheephead.pimc import random_hand
from kibitz.games.sheephead.state import HAND_CARDS
from kibitz.search.playouts import random_games
from kibitz.search.random import RandomAgent
from kibitz.search.timing import copy_states

TICHU, TICHU_THESIS = "tichu", "tichu:variant=thesis"
SHEEPHEAD = "sheephead"
SEED = 1
BATCH_DEALS = 100_000
SOLVED_ENDINGS = 20
OPEN_HANDS = 200
COPIED_STATES = 64  # together they fit into the first-level cache

_FIRST_PLAYOUT = """
import sys
import numpy as np
import kibitz
from kibitz.core.rng import derive
from kibitz.search.playouts import random_games
game = kibitz.load_game(sys.argv[1])
random_games(game.blank(2), 1, derive(1, 3), np.zeros(game.n_seats))
"""
"""What `compile.*` times: the least that plays a game, from a process that knows nothing yet."""


def benchmarks() -> list[Benchmark]:
    """List all benchmarks."""
    played = [*_playing(), *_agents(), *searching_benchmarks(), *_solving()]
    return [*played, *_memory(), *_compiling(), web_benchmark()]


def select(names: Iterable[str]) -> list[Benchmark]:
    """Return the benchmarks of these names, or that begin with them; all if there are none."""
    every = benchmarks()
    wanted: set[str] = set()
    for name in names:
        exact = {item.name for item in every if item.name == name}
        found = exact or {item.name for item in every if name and item.name.startswith(name)}
        if not found:
            known = {item.name for item in every} | {item.name.split(".")[0] for item in every}
            raise SpecError(f"unknown benchmark {clip(name)}: {nearest(name, known)}")
        wanted |= found
    return [item for item in every if not wanted or item.name in wanted]


def _playing() -> list[Benchmark]:
    return [
        Benchmark(
            name="nimmt.random_games",
            unit="games/s",
            about=f"random games of {NIMMT}, one after the other on one core; CPU time",
            ours=partial(_random_games, NIMMT),
            peers={"limit": limit("nimmt"), "packed": limit("nimmt_packed")},
        ),
        Benchmark(
            name="connect4.random_games",
            unit="games/s",
            about="random games of Connect 4, one after the other on one core; CPU time",
            ours=partial(_random_games, CONNECT4),
            peers={"limit": limit("connect4")},
            outside={"open_spiel": peers.open_spiel, "pgx": peers.pgx},
        ),
        Benchmark(
            name="tichu.random_rounds",
            unit="rounds/s",
            about="random rounds of the full game, windows and all, on one core; CPU time",
            ours=partial(_random_games, TICHU),
            target=Target(15_000),
        ),
        Benchmark(
            name="tichu.random_rounds_thesis",
            unit="rounds/s",
            about=f"random rounds of {TICHU_THESIS} on one core; CPU time",
            ours=partial(_random_games, TICHU_THESIS),
            target=Target(30_000),
        ),
        *tichu_benchmarks(),
        *learning_benchmarks(),
        Benchmark(
            name="sheephead.random_hands",
            unit="hands/s",
            about="random hands, bidding and all, one after the other on one core; CPU time",
            ours=partial(_random_games, SHEEPHEAD),
            target=Target(800_000),
        ),
    ]


def _agents() -> list[Benchmark]:
    return [
        Benchmark(
            name="nimmt.agent_games",
            unit="games/s",
            about="games of five agents, every decision on a concealed view, one thread; CPU time",
            ours=partial(_agent_games, RandomAgent),
            target=Target(100_000),
        ),
        Benchmark(
            name="nimmt.agent_games_arrays",
            unit="games/s",
            about="the same by agents that are handed arrays, like those in Python; CPU time",
            ours=partial(_agent_games, _HandedArrays),
            target=Target(100_000),
        ),
        Benchmark(
            name="nimmt.agent_games_2_threads",
            unit="x",
            about="how much faster two threads play the same games than one; wall time",
            ours=_two_threads,
            peers={"limit": limit_speed_up("nimmt")},
            target=Target(1.8),
        ),
        Benchmark(
            name="arena.random_games",
            unit="games/s",
            about="matches of five agents on duplicate deals, with all statistics; CPU time",
            ours=_arena_games,
            peers={"agents": partial(_agent_games, RandomAgent)},
            least_ratio={"agents": 1 / 3},
        ),
        *map(lanes_benchmark, (NIMMT, TICHU)),
        *ngnet_learning(),
    ]


def _solving() -> list[Benchmark]:
    return [
        *_solving_nimmt(),
        *_solving_sheephead(),
        *sheephead_decisions(),
        *connect4_solving(),
        *connect4_plies(),
    ]


def _solving_nimmt() -> list[Benchmark]:
    return [
        Benchmark(
            name=name,
            unit="CPU s",
            about=f"the slowest of {SOLVED_ENDINGS} random endings of {spec}, six cards each",
            ours=partial(_solve_endings, spec, 6),
            target=Target(5, at_most=True),
            lower_is_better=True,
            most_repeats=2,
        )
        for name, spec in (
            ("nimmt.solve_6", "nimmt:players=2,hands=open,rows=lowest"),
            ("nimmt.solve_6_free", "nimmt:players=2,hands=open,rows=free"),
        )
    ]


def _solving_sheephead() -> list[Benchmark]:
    hands = f"mean over {OPEN_HANDS} picked hands with open cards"
    return [
        Benchmark(
            name="sheephead.exact_hand",
            unit="ms",
            about=f"the money that perfect play is worth before the first lead, {hands}; CPU time",
            ours=partial(_solve_hands, HAND_CARDS),
            target=Target(25, at_most=True),
            lower_is_better=True,
        ),
        Benchmark(
            name="sheephead.exact_ending",
            unit="ms",
            about=f"the same with four tricks to go, {hands}; CPU time",
            ours=partial(_solve_hands, 4),
            target=Target(1, at_most=True),
            lower_is_better=True,
        ),
    ]


def _memory() -> list[Benchmark]:
    copies = [
        Benchmark(
            name=f"{spec.partition(':')[0]}.state_copy",
            unit="ns",
            about="one assignment states[i] = states[j] in a kernel; CPU time",
            ours=partial(_state_copy, spec),
            lower_is_better=True,
        )
        for spec in (NIMMT, CONNECT4, TICHU, SHEEPHEAD)
    ]
    return [
        *copies,
        Benchmark(
            name="nimmt.batch_memory",
            unit="MB",
            about=f"most memory that {BATCH_DEALS:,} games side by side hold, played to their end",
            ours=_batch_memory,
            target=Target(200, at_most=True),
            lower_is_better=True,
            most_repeats=1,
        ),
    ]


def _compiling() -> list[Benchmark]:
    cold = [
        Benchmark(
            name=f"compile.cold.{name}",
            unit="CPU s",
            about=f"from nothing to a first random game of {name}, with an empty cache",
            ours=partial(_compile_cold, name),
            target=Target(20, at_most=True),
            lower_is_better=True,
            most_repeats=3,
        )
        for name in game_names()
    ]
    warm = [
        Benchmark(
            name=f"compile.warm.{name}",
            unit="CPU s",
            about=f"from nothing to a first random game of {name}, with a filled cache",
            ours=partial(_compile_warm, name),
            target=Target(2, at_most=True),
            lower_is_better=True,
        )
        for name in game_names()
    ]
    return [*cold, *warm]


def _random_games(spec: str) -> Sample:
    game = load_game(spec)
    blank, sums = game.blank(2), np.zeros(game.n_seats)
    rng = derive(SEED, Purpose.PLAYOUT)
    return rate(lambda n: cpu_time(lambda: random_games(blank, n, rng, sums)))


def _schedule(game: Game, n: int) -> Schedule:
    """Plan `n` deals, each agent at a seat of its own."""
    lineup = np.tile(np.arange(game.n_seats), (n, 1))
    return Schedule(SEED, np.arange(n), np.zeros(n, np.int64), lineup)


class _HandedArrays(RandomAgent):
    """Plays at random too, but not as a policy that is asked view by view."""

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        return super().act(views, seats, rngs, games)


def _agent_games(agent: type[Agent]) -> Sample:
    game = load_game(NIMMT)
    agents = [agent(game) for _ in range(game.n_seats)]

    def work(n: int) -> float:
        plan = _schedule(game, n)
        return cpu_time(lambda: driver.play(game, agents, plan))

    return rate(work)


def _two_threads() -> Sample:
    game = load_game(NIMMT)
    agents = [load_agent("random", game) for _ in range(game.n_seats)]

    plan = _schedule(game, driver.BATCH_SIZE)
    memory = driver.Memory()

    def work(n: int, workers: int) -> float:
        """Play so many batches, each in the thread that is free, as a match does."""
        with ThreadPoolExecutor(workers) as pool:

            def play(_: int) -> None:
                driver.play(game, agents, plan, memory=memory)

            list(pool.map(play, range(workers)))  # touches the memory of its threads
            return wall_time(lambda: list(pool.map(play, range(n))))

    return speed_up(work)


def _arena_games() -> Sample:
    """Play matches and sum them up; a deal has as many games as seats."""
    game = load_game(NIMMT)
    agents = [load_agent("random", game) for _ in range(game.n_seats)]

    def work(n: int) -> float:
        deals = -(-n // game.n_seats)
        spent = cpu_time(lambda: arena.play(game, agents, deals, SEED).standings())
        return spent * n / (deals * game.n_seats)

    return rate(work)


def _solve_endings(spec: str, n_cards: int) -> Sample:
    game = load_game(spec)
    solve(game, random_ending(game, 3, SEED))  # compiles
    endings = [random_ending(game, n_cards, SEED, number) for number in range(SOLVED_ENDINGS)]
    return lambda seconds: max(cpu_time(partial(solve, game, ending)) for ending in endings)


def _solve_hands(n_cards: int) -> Sample:
    game = load_game(SHEEPHEAD)
    hands = [random_hand(game, n_cards, SEED, number) for number in range(OPEN_HANDS)]
    boards, memory = make_desk()

    def value_all() -> None:
        for hand in hands:
            set_up(hand, boards, memory)
            row_after(hand, boards, memory, ANY)

    value_all()  # compiles
    return lambda seconds: 1000 * cpu_time(value_all) / OPEN_HANDS


def _state_copy(spec: str) -> Sample:
    states = load_game(spec).blank(COPIED_STATES)
    return nanoseconds(lambda n: cpu_time(lambda: copy_states(states, n)))


def _batch_memory() -> Sample:
    game = load_game(NIMMT)
    agents = [_HandedArrays(game) for _ in range(game.n_seats)]

    def hold(n: int) -> None:
        driver.play(game, agents, _schedule(game, n), batch_size=n)

    def sample(seconds: float) -> float:
        tracemalloc.start()
        try:
            hold(BATCH_DEALS)
            return tracemalloc.get_traced_memory()[1] / 1e6
        finally:
            tracemalloc.stop()

    hold(1)  # compiles
    return sample


def _first_playout(name: str, cache: str) -> float:
    """Return the CPU seconds of a process that plays one game with its cache in `cache`."""
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = cache
    command = [sys.executable, "-c", _FIRST_PLAYOUT, name]
    return children_cpu_time(
        lambda: subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    )


def _compile_cold(name: str) -> Sample:
    def sample(seconds: float) -> float:
        with tempfile.TemporaryDirectory() as cache:
            return _first_playout(name, cache)

    return sample


def _compile_warm(name: str) -> Sample:
    cache = tempfile.TemporaryDirectory()
    _first_playout(name, cache.name)
    return lambda seconds: _first_playout(name, cache.name)
