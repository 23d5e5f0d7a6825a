"""Evaluators put together: priors by one, values by another; and the priors that a bot gives."""

import numpy as np

from kibitz.core.game import Action, Scores, Seat, States, choose
from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.search.evaluation import (
    adapt,
    define_evaluator,
    enter,
    evaluate,
    forget,
    respond,
    weigh,
    weigh_leaf,
    with_priors,
)
from kibitz.search.tree import NONE, Tree


@inlined_kernel
def _evaluate_advised(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    """Take priors from the adviser, then values from the other, who may play on."""
    weigh_leaf(evaluator.adviser, tree, states, how, rng)
    how.leaf_node = NONE
    evaluate(evaluator.valuer, tree, states, how, rng)


@inlined_kernel
def _weigh_advised(
    evaluator: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    weigh(evaluator.adviser, tree, states, how, decision, seat, rng)


@inlined_kernel
def _respond_advised(
    evaluator: np.record, tree: Tree, states: States, seat: Seat, rng: Rng
) -> Action:
    return respond(evaluator.valuer, tree, states, seat, rng)


@inlined_kernel
def _forget_advised(evaluator: np.record) -> None:
    forget(evaluator.adviser)
    forget(evaluator.valuer)


@inlined_kernel
def _enter_advised(evaluator: np.record) -> None:
    enter(evaluator.adviser)
    enter(evaluator.valuer)


@inlined_kernel
def _adapt_advised(evaluator: np.record, points: Scores, n_seats: int) -> None:
    adapt(evaluator.valuer, points, n_seats)


def advised(adviser: np.record, valuer: np.record) -> np.record:
    """Take priors from one evaluator, and values and the choices of others from another."""
    made = define_evaluator(
        [("adviser", adviser.dtype), ("valuer", valuer.dtype)],
        _evaluate_advised,
        has_priors=with_priors,
        weigh=_weigh_advised,
        respond=_respond_advised,
        forget=_forget_advised,
        enter=_enter_advised,
        adapt=_adapt_advised,
    )
    made["adviser"], made["valuer"] = adviser, valuer
    return made


@inlined_kernel
def _value_nothing(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    """Value nothing: a bot only advises."""
    tree.values[:] = 0


@kernel
def _weigh_by_bot(
    evaluator: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    """Let the choice of a bot weigh more than the others."""
    action = choose(states[1], seat, evaluator.advising_bot, rng)
    arm = tree.decisions[decision].first_arm
    while arm != NONE:
        if tree.arms[arm].arm_action == action:
            tree.arms[arm].prior = 1 + evaluator.advice_weight
        arm = tree.arms[arm].next_arm


def advice_of(bot: np.record, weight: float) -> np.record:
    """Let the choice of a bot weigh `1 + weight` times as much as another action."""
    made = define_evaluator(
        [("advice_weight", np.float64), ("advising_bot", bot.dtype)],
        _value_nothing,
        has_priors=with_priors,
        weigh=_weigh_by_bot,
    )
    made["advice_weight"], made["advising_bot"] = weight, bot
    return made
