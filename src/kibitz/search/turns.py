"""Some turns by a policy, then a value: between a playout and the judgement of a leaf itself.

With as many turns as a game has, it is a playout by the policy, and the value is never asked for.
"""

import numpy as np

from kibitz.core.bits import lowest
from kibitz.core.game import Action, Seat, States, apply, movers, random_action
from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.search.evaluation import define_evaluator, evaluate, forget, respond
from kibitz.search.tree import NONE, Tree
from kibitz.search.values import write_result

ALL_TURNS = 1 << 30
"""More turns than any game has."""

_NOBODY, _ONE = np.uint64(0), np.uint64(1)


@kernel
def _evaluate_after(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    """Play some turns, and have what comes then valued; the end is worth its result."""
    how.leaf_node = NONE  # the position moves on, and priors belong to the leaf
    waiting = np.uint64(movers(states[1]))
    turn = 0
    while turn < evaluator.n_turns and waiting != _NOBODY:
        while waiting != _NOBODY:
            seat = lowest(waiting)
            waiting &= waiting - _ONE
            if turn < evaluator.n_random:
                action = random_action(states[1], seat, rng)
            else:
                action = respond(evaluator.player, tree, states, seat, rng)
            apply(states[1], seat, action)
        turn += 1
        waiting = np.uint64(movers(states[1]))
    if waiting == _NOBODY:
        write_result(tree, states, how)
    else:
        evaluate(evaluator.afterwards, tree, states, how, rng)


@inlined_kernel
def _respond(evaluator: np.record, tree: Tree, states: States, seat: Seat, rng: Rng) -> Action:
    return respond(evaluator.player, tree, states, seat, rng)


@inlined_kernel
def _forget(evaluator: np.record) -> None:
    forget(evaluator.player)
    forget(evaluator.afterwards)


def after_turns(n: int, player: np.record, afterwards: np.record, n_random: int = 0) -> np.record:
    """Let everybody play `n` turns as `player` responds, then ask the evaluator `afterwards`.

    A turn is the choices of all who are to move at once; in the first `n_random` of them they
    choose at random. It has no priors: see `advised`.
    """
    made = define_evaluator(
        [
            ("n_turns", np.int64),
            ("n_random", np.int64),
            ("player", player.dtype),
            ("afterwards", afterwards.dtype),
        ],
        _evaluate_after,
        respond=_respond,
        forget=_forget,
    )
    made["n_turns"], made["n_random"] = n, n_random
    made["player"], made["afterwards"] = player, afterwards
    return made
