"""Playouts: play a game on without thinking, at random or by a policy that learns on the way.

A policy that plays out is an evaluator: a position is worth what the game ends with.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.game import (
    Action,
    Listed,
    Seat,
    State,
    States,
    apply,
    choose,
    deal,
    finish,
    generic,
    implement,
    is_over,
    movers,
    play_by,
    random_action,
    scores,
)
from kibitz.core.kernels import (
    allocating_kernel,
    inlined_kernel,
    inner_kernel,
    kernel,
    record_dtype,
)
from kibitz.core.rng import Rng, below, unit
from kibitz.search.evaluation import implement_evaluator
from kibitz.search.random import RandomAgent
from kibitz.search.tree import Tree
from kibitz.search.values import write_result

Decisions = npt.NDArray[np.record]
Path = npt.NDArray[np.int32]

_NOBODY = np.uint64(0)
_ONE = np.uint64(1)


@inner_kernel
def playout(state: State, rng: Rng) -> None:
    """Play uniformly random actions, in place, until the game is over or waits for cards."""
    waiting = np.uint64(movers(state))
    while waiting != _NOBODY:
        while waiting != _NOBODY:
            seat = lowest(waiting)
            apply(state, seat, random_action(state, seat, rng))
            waiting &= waiting - _ONE
        waiting = np.uint64(movers(state))


@generic
def prepare(policy: np.record, decisions: Decisions, path: Path, n_path: int) -> None:
    """Let a policy know what was chosen in the tree before its playout begins."""


@generic
def play_out(policy: np.record, state: State, rng: Rng) -> None:
    """Play a game on by a policy until it is over or waits for cards, for its scores alone."""


@inlined_kernel
def _play_out_seeing(policy: np.record, state: State, rng: Rng) -> None:
    play_by(state, policy, rng)


@inlined_kernel
def _play_out_listed(policy: np.record, state: State, rng: Rng) -> None:
    finish(state, policy, rng)


@inlined_kernel
def _prepare_nothing(policy: np.record, decisions: Decisions, path: Path, n_path: int) -> None:
    pass


@inlined_kernel
def _evaluate_by_playout(
    policy: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    prepare(policy, tree.decisions, tree.path, how.n_path)
    play_out(policy, states[1], rng)
    write_result(tree, states, how)


@inlined_kernel
def _respond_by_policy(
    policy: np.record, tree: Tree, states: States, seat: Seat, rng: Rng
) -> Action:
    return choose(states[1], seat, policy, rng)


def plays_out(
    dtype: np.dtype[np.record],
    *,
    choose_listed: Callable[..., Any] | None = None,
    prepare: Callable[..., Any] = _prepare_nothing,
    **kernels: Callable[..., Any],
) -> None:
    """Let the policies of a dtype play out, as evaluators.

    Args:
        dtype: of the policy, which has `choose`.
        choose_listed: how it chooses by what is legal alone, which is faster in some games.
        prepare: see the generic function of that name.
        kernels: `forget`, `enter` and `adapt` of a policy that learns.
    """
    if choose_listed is not None:
        implement("choose_listed", dtype, choose_listed)
    implement("prepare", dtype, prepare)
    implement("play_out", dtype, _play_out_seeing if choose_listed is None else _play_out_listed)
    implement_evaluator(dtype, _evaluate_by_playout, respond=_respond_by_policy, **kernels)


def for_playouts(policy: np.record) -> np.record:
    """Let a policy that does not learn, such as a game's own bot, play in playouts."""
    if policy.dtype not in _known:
        _known.add(policy.dtype)
        plays_out(policy.dtype)
    return policy


_known: set[np.dtype[np.record]] = set()


@inlined_kernel
def choose_any(policy: np.record, seat: int, actions: Listed, n: int, rng: Rng) -> int:
    """Choose any of the listed actions with the same probability."""
    return below(rng, n)


UNIFORM = RandomAgent.policy
"""The policy that plays any legal action with the same probability."""

_known.add(UNIFORM.dtype)
plays_out(UNIFORM.dtype, choose_listed=choose_any)


@kernel
def choose_greedily(state: State, seat: int, policy: np.record, rng: Rng) -> int:
    """Do what the bot does, or with probability epsilon anything."""
    if unit(rng) < policy.epsilon:
        return random_action(state, seat, rng)
    return choose(state, seat, policy.bot, rng)


def epsilon_greedy(bot: np.record, epsilon: float) -> np.record:
    """Let a game's own bot play in playouts, with a random action now and then."""
    dtype = record_dtype([("epsilon", np.float64), ("bot", bot.dtype)])
    if dtype not in _known:
        implement("choose", dtype, choose_greedily)
    policy: np.record = np.zeros(1, dtype)[0]
    policy["epsilon"] = epsilon
    policy["bot"] = bot
    return for_playouts(policy)


@allocating_kernel
def random_games(blank: States, n: int, rng: Rng, out: npt.NDArray[np.float64]) -> None:
    """Deal and play `n` games at random, one after the other, adding up the scores of all seats.

    Args:
        blank: two states: the first one waits for its first deal, the second is scratch.
        n: how many games.
        rng: one stream for everything.
        out: receives the sum of scores per seat.
    """
    one = np.zeros_like(out)
    for _ in range(n):
        blank[1] = blank[0]
        state = blank[1]
        while not is_over(state):
            deal(state, rng)
            playout(state, rng)
        scores(state, one)
        out += one
