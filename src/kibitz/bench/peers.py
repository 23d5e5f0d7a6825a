"""Other people's programs, measured beside ours where they are installed.

Each plays uniformly random games of Connect 4, or searches it, as its documentation recommends.
The CPU seconds of JAX are those of all threads of the process, because it spreads the work.
"""

import importlib
import random
from typing import Any

from kibitz.bench.measure import Missing, Sample, cpu_time, process_cpu_time, rate
from kibitz.bench.networks import GAME, POSITIONS, positions, random_layers
from kibitz.core.registry import load_game

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
    """Prepare pgx: whole batches of games inside one compiled JAX function."""
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

    def play(n: int) -> None:
        nonlocal key
        for _ in range(n):
            key, now = jax.random.split(key)
            play_batch(now).block_until_ready()

    batches = rate(lambda n: process_cpu_time(lambda: play(n)))
    return lambda seconds: PGX_BATCH * batches(seconds)


def mctx_search(sims: int) -> Sample:
    """Prepare mctx: it searches all positions at once by the rules of pgx, a network at every leaf.

    This is what was fastest: its Gumbel policy, and nodes that keep a board in bytes instead of the
    whole state of pgx.
    """
    jax, mctx = require("jax"), require("mctx")
    env = require("pgx").make("connect_four")
    look, step = _network(jax), jax.vmap(env.step)
    first = _replay(jax, env)

    def keep(state: Any) -> Any:
        return state._x.board.astype("int8"), state._x.color.astype("int8"), state.terminated

    def restore(kept: Any) -> Any:
        board, color, is_over = kept[0].astype("int32"), kept[1].astype("int32"), kept[2]
        return first.replace(
            current_player=color,
            terminated=is_over,
            legal_action_mask=(board[:, :7] < 0) | is_over[:, None],
            _x=first._x._replace(board=board, color=color),
        )

    def follow(params: Any, key: Any, action: Any, kept: Any) -> Any:
        before = restore(kept)
        state = step(before, action)
        logits, value = look(params, state)
        rewards = state.rewards[jax.numpy.arange(POSITIONS), before.current_player]
        goes_on = 1.0 - state.terminated
        found = mctx.RecurrentFnOutput(
            reward=rewards, discount=-goes_on, prior_logits=logits, value=value * goes_on
        )
        return found, keep(state)

    @jax.jit  # type: ignore[untyped-decorator]
    def search(params: Any, key: Any, state: Any) -> Any:
        logits, value = look(params, state)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=keep(state))
        illegal = ~state.legal_action_mask
        return mctx.gumbel_muzero_policy(params, key, root, follow, sims, illegal).action

    layers, key = jax.device_put(random_layers()), jax.random.key(1)

    def decide(n: int) -> None:
        nonlocal key
        for _ in range(n):
            key, now = jax.random.split(key)
            search(layers, now, first).block_until_ready()

    decide(1)  # compiles
    batches = rate(lambda n: process_cpu_time(lambda: decide(n)))
    return lambda seconds: POSITIONS * sims * batches(seconds)


def _network(jax: Any) -> Any:
    """Return what runs the network on a batch of states: logits of the columns, and values."""

    def look(layers: Any, state: Any) -> tuple[Any, Any]:
        planes = state.observation.transpose(0, 3, 1, 2)  # as our encoding has them
        numbers = planes.reshape(POSITIONS, -1).astype("float32")
        for weights, biases in layers[:-1]:
            numbers = jax.nn.relu(numbers @ weights + biases)
        outputs = numbers @ layers[-1][0] + layers[-1][1]
        least = jax.numpy.finfo("float32").min
        logits = jax.numpy.where(state.legal_action_mask, outputs[:, :7], least)
        return logits, jax.numpy.tanh(outputs[:, 7] / 2)  # a share of the win, from -1 to 1

    return look


def _replay(jax: Any, env: Any) -> Any:
    """Return our positions as states of pgx, by playing their moves."""
    ours = positions(load_game(GAME))
    state = jax.vmap(env.init)(jax.random.split(jax.random.key(1), POSITIONS))
    state = state.replace(current_player=state._x.color)  # drawn, but of no account
    for ply in range(ours["n_moves"].max()):
        state = jax.vmap(env.step)(state, jax.numpy.asarray(ours["line"][:, ply], "int32") - 1)
    return state
