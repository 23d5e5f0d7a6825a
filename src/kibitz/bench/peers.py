"""Other people's programs, measured beside ours where they are installed.

Each plays uniformly random games of Connect 4, or searches it, as its documentation recommends.
"""

import importlib
import random
import time
from typing import Any

from kibitz.bench.measure import Missing, Sample, cpu_time, rate

PGX_BATCH = 1024
INSTALL = "not installed: pip install 'kibitz[bench]'"


def require(module: str) -> Any:
    """Import an optional package, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise Missing(INSTALL) from None


def open_spiel() -> Sample:
    """Prepare OpenSpiel: its C++ games through its Python API, one game at a time."""
    game = require("pyspiel").load_game("connect_four")
    draw = random.Random(1)

    def play(n: int) -> None:
        for _ in range(n):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(draw.choice(state.legal_actions()))

    return rate(lambda n: cpu_time(lambda: play(n)))


def open_spiel_search() -> Sample:
    """Prepare OpenSpiel's C++ tree search with random playouts, from the empty board."""
    spiel = require("pyspiel")
    game = spiel.load_game("connect_four")
    bot = spiel.MCTSBot(game, spiel.RandomRolloutEvaluator(1, 1), 2.0, 1000, 1000, False, 1, False)
    state = game.new_initial_state()

    def search(n: int) -> None:
        for _ in range(n):
            bot.step(state)

    searches = rate(lambda n: cpu_time(lambda: search(n)))
    return lambda seconds: 1000 * searches(seconds)


def pgx() -> Sample:
    """Prepare pgx: whole batches of games inside one compiled JAX function.

    Its CPU seconds are those of all threads of the process, because JAX spreads the work.
    """
    jax = require("jax")
    env = require("pgx").make("connect_four")
    start = jax.vmap(env.init)
    step = jax.vmap(env.step)

    def turn(carried: tuple[Any, Any]) -> tuple[Any, Any]:
        state, key = carried
        key, now = jax.random.split(key)
        weights = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        return step(state, jax.random.categorical(now, weights, axis=1)), key

    @jax.jit  # type: ignore[untyped-decorator]
    def play_batch(key: Any) -> Any:
        state = start(jax.random.split(key, PGX_BATCH))
        return jax.lax.while_loop(lambda at: ~at[0].terminated.all(), turn, (state, key))[0].rewards

    key = jax.random.key(1)
    play_batch(key).block_until_ready()  # compiles

    def work(n: int) -> float:
        """Play `n` batches."""
        nonlocal key
        began = time.process_time()
        for _ in range(n):
            key, now = jax.random.split(key)
            play_batch(now).block_until_ready()
        return time.process_time() - began

    batches = rate(work)
    return lambda seconds: PGX_BATCH * batches(seconds)
