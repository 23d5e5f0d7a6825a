"""Evaluators: what a search learns about a position when it first gets there.

A simulation is three verbs: select, evaluate, back up. `evaluate` is called once for every new leaf
and writes what the position is worth to each seat and, if the evaluator has any, the priors of the
decisions there. An evaluator is a record; its dtype picks the kernels, and records may lie in
records. A playout (`playouts.py`, `learned.py`), the choice of a bot (`advice.py`), a network
(`network.py`) and some turns played before another evaluator is asked (`turns.py`) are evaluators.

The end of a game is never evaluated: it is worth its result.
"""

import threading
from typing import Any

import numpy as np

from kibitz.core.game import Action, F, Scores, Seat, States, generic, implement, random_action
from kibitz.core.kernels import inlined_kernel, record_dtype
from kibitz.core.rng import Rng
from kibitz.search.tree import NONE, Tree


@generic
def evaluate(evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng) -> None:
    """Value the position in `states[1]`, where a simulation has left the tree.

    Writes what it is worth to every seat to `tree.values`, and the priors of all decisions at
    `how.leaf_node`, unless that is NONE or the evaluator has no priors. `states[1]` and
    `states[SEEN]` may be written.
    """


@generic
def has_priors(evaluator: np.record) -> bool:
    """Whether an evaluator writes priors: a constant of its kind."""
    raise AssertionError


@generic
def weigh(
    evaluator: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    """Write the priors of one decision that has new arms, in the world of `states[1]`.

    Priors are 1 for what nothing is known about, and above 0. `states[SEEN]` may be written.
    """


@generic
def respond(evaluator: np.record, tree: Tree, states: States, seat: Seat, rng: Rng) -> Action:
    """Choose for a seat in `states[1]` that does not choose by the tree."""
    raise AssertionError


@generic
def forget(evaluator: np.record) -> None:
    """Let an evaluator begin anew: another search begins."""


@generic
def enter(evaluator: np.record) -> None:
    """Let an evaluator know that a simulation begins: it may be asked in the tree already."""


@generic
def adapt(evaluator: np.record, points: Scores, n_seats: int) -> None:
    """Let an evaluator learn from a simulation that it played to its end, given the scores."""


@inlined_kernel
def without_priors(evaluator: np.record) -> bool:
    """Have no priors."""
    return False


@inlined_kernel
def with_priors(evaluator: np.record) -> bool:
    """Have priors."""
    return True


@inlined_kernel
def _weigh_nothing(
    evaluator: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    pass


@inlined_kernel
def _respond_at_random(
    evaluator: np.record, tree: Tree, states: States, seat: Seat, rng: Rng
) -> Action:
    return random_action(states[1], seat, rng)


@inlined_kernel
def _forget_nothing(evaluator: np.record) -> None:
    pass


@inlined_kernel
def _enter_nothing(evaluator: np.record) -> None:
    pass


@inlined_kernel
def _learn_nothing(evaluator: np.record, points: Scores, n_seats: int) -> None:
    pass


_DEFAULTS: dict[str, Any] = {
    "has_priors": without_priors,
    "weigh": _weigh_nothing,
    "respond": _respond_at_random,
    "forget": _forget_nothing,
    "enter": _enter_nothing,
    "adapt": _learn_nothing,
}


def implement_evaluator(dtype: np.dtype[np.record], evaluate: F, **kernels: F) -> None:
    """Let records of a dtype be evaluators; once more with the same kernels changes nothing.

    Args:
        dtype: of the record.
        evaluate: see the generic function of that name.
        kernels: those of the others that differ from doing nothing.
    """
    meant = {"evaluate": evaluate, **_DEFAULTS, **kernels}
    with _implementing:
        if _implemented.setdefault(dtype, meant) is meant:
            for name, kernel in meant.items():
                implement(name, dtype, kernel)
        elif _implemented[dtype] != meant:
            raise ValueError(f"another evaluator has the fields {dtype.names}: rename one")


_implemented: dict[np.dtype[np.record], dict[str, Any]] = {}
_implementing = threading.Lock()


def define_evaluator(fields: list[tuple[Any, ...]], evaluate: F, **kernels: F) -> np.record:
    """Make the record of an evaluator, all zeros; the names of its fields must be its own."""
    dtype = record_dtype(fields)
    implement_evaluator(dtype, evaluate, **kernels)
    made: np.record = np.zeros(1, dtype)[0]
    return made


@inlined_kernel
def weigh_leaf(evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng) -> None:
    """Write the priors of all decisions of a new leaf."""
    if how.leaf_node != NONE:
        decision = tree.nodes[how.leaf_node].first_decision
        while decision != NONE:
            seat = int(np.int64(tree.decisions[decision].decider))
            weigh(evaluator, tree, states, how, decision, seat, rng)
            decision = tree.decisions[decision].next_decision
