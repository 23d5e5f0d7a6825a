"""Planning models: networks that say which arm a simulation tries next, in place of a formula.

A planning model (Glauben 2022) sees what PUCT sees of a decision, and perhaps more:

- of every action Q(s, a), P(s, a) and N(s, a), and the visits of all together: 3 n + 1 numbers;
- which actions are legal: n;
- the variance of what was backed up through every action, by Welford's method: n;
- what the last positions looked like, where a game has an encoding of them.

It answers with a number for every action, or, if it looks at one action at a time, for that one.
The highest among the legal ones is tried: others are no arms of the tree, so none can be chosen.

As PUCT does here, Q lies between the lowest and the highest value met so far in the search, now
from -1 to 1, and what was never tried counts as what was tried is worth on average. Priors and
visits are told by their logarithms, in which the product of PUCT is a sum. So the numbers above
determine what PUCT chooses, but for ties.

Small networks run in the kernel, as a rule of their own (`planned`). Others are asked from outside,
for many trees at once (`planned_outside`). `recorded` keeps what a rule has seen and chosen.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.encoding import Encoding, write_indices
from kibitz.core.errors import AgentError
from kibitz.core.game import States
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.core.listing import list_legal
from kibitz.core.rng import Rng, unit
from kibitz.core.table import Game
from kibitz.search.cards import ARM_SIZE, row_size
from kibitz.search.forest import Forest, Ints, Steps, select_steered, tree_at
from kibitz.search.mlp import MAX_WIDTH, NETWORK, Floats, Layers, forward, pack, scratch_for
from kibitz.search.selection import always_asks, define_rule, log_of, scaled, select
from kibitz.search.simulation import next_seat
from kibitz.search.tree import NONE, Arms, Tree, find_decision

MAX_PLANNER_WEIGHTS = 1 << 15
"""Most weights of a network that is part of a rule, those that fill layers up included."""

MAX_PLANNER_WIDTH = 256
"""Most inputs and outputs of its layers: a rule brings the scratch along."""

_SCRATCH = 4 * MAX_PLANNER_WIDTH
_HALF_STEP = 2.0**-54  # keeps draws off zero, whose logarithm there is not


class Columns(NamedTuple):
    """Actions that a planning model tells apart: so many, numbered from the first."""

    n: int
    first: int


def columns_of(game: Game, encoding: Encoding) -> Columns:
    """Return the actions of a game, if they are the same in every position.

    Raises:
        AgentError: seats choose at once, something is hidden, or actions differ.
    """
    if not (game.has_secrets or game.facts.simultaneous):
        table = game.deal(seed=0)
        views: States = table.view(table.movers[0]).reshape(1)
        seats = np.array(table.movers, np.int64)
        legal = list_legal(views, seats)
        indices = np.empty(len(legal.actions), np.int64)
        write_indices(views, seats, legal, encoding.record, indices)
        first = int(legal.actions.min())
        n = encoding.n_actions
        if len(indices) == n and (indices == legal.actions - first).all():
            return Columns(n, first)
    raise AgentError(
        f"planning models are for open games whose actions are always the same, not {game.spec}: "
        "use puct"
    )


_LEAST_SHARE = 1e-3
NO_PRIOR = math.log(_LEAST_SHARE)
"""How a prior of zero is told, and that of an action that is not legal."""


@inlined_kernel
def _prior(arms: Arms, arm: int, weights: float) -> float:
    """Return how a prior is told: log(P + 0.001)."""
    return math.log(arms[arm].prior / weights + _LEAST_SHARE)


@inlined_kernel
def _visits(n: int) -> float:
    """Return how visits are told: log(1 + N)."""
    return log_of(n + 1)


@inlined_kernel
def _survey(arms: Arms, decision: np.record) -> tuple[float, int, float]:
    """Return the sums of priors, visits and values of all arms."""
    weights = total = 0.0
    visited = 0
    for arm in range(decision.first_arm, decision.first_arm + decision.n_at_first):
        weights += arms[arm].prior
        visited += arms[arm].arm_visits
        total += arms[arm].value_sum
    return weights, visited, total


@inlined_kernel
def _mean(arms: Arms, how: np.record, arm: int, survey: tuple[float, int, float]) -> float:
    """Return Q of an arm, from -1 to 1; of one never tried, the mean of the others."""
    visits, total = arms[arm].arm_visits, arms[arm].value_sum
    if visits == 0:
        visits, total = survey[1], survey[2]
    return 2 * scaled(how, total / visits) - 1 if visits > 0 else 0.0


@inlined_kernel
def _variance(arms: Arms, how: np.record, arm: int) -> float:
    """Return the variance of what was backed up through an arm, on the scale of Q (eq. 4.31)."""
    span = how.highest_value - how.lowest_value
    visits = arms[arm].arm_visits
    if visits == 0 or span <= 0:
        return 0.0
    return 4 * max(arms[arm].second_sum, 0.0) / (visits * span * span)


@inner_kernel
def write_decision(
    arms: Arms, decision: np.record, how: np.record, n: int, first: int, out: Floats
) -> None:
    """Write what a planning model sees of a decision: Q, P, N, all visits, the mask, variances.

    Args:
        arms: of the tree.
        decision: in a tree of what everybody plays, so that its arms lie side by side.
        how: what is searched.
        n: actions that are told apart.
        first: the code of the first of them.
        out: as long as `row_size` says, with or without variances.
    """
    survey = _survey(arms, decision)
    for i in range(len(out)):
        out[i] = NO_PRIOR if n <= i < 2 * n else 0
    out[3 * n] = _visits(survey[1])
    for arm in range(decision.first_arm, decision.first_arm + decision.n_at_first):
        k = arms[arm].arm_action - first
        out[k] = _mean(arms, how, arm, survey)
        out[n + k] = _prior(arms, arm, survey[0])
        out[2 * n + k] = _visits(arms[arm].arm_visits)
        out[3 * n + 1 + k] = 1
        if len(out) > 4 * n + 1:
            out[4 * n + 1 + k] = _variance(arms, how, arm)


@inner_kernel
def write_arm(
    arms: Arms, how: np.record, arm: int, survey: tuple[float, int, float], out: Floats
) -> None:
    """Write what a planning model of single actions sees: Q, P, N, all visits, and the variance."""
    out[0] = _mean(arms, how, arm, survey)
    out[1] = _prior(arms, arm, survey[0])
    out[2] = _visits(arms[arm].arm_visits)
    out[3] = _visits(survey[1])
    if len(out) > ARM_SIZE:
        out[4] = _variance(arms, how, arm)


@kernel
def credit_variance(rule: np.record, tree: Tree, how: np.record, evaluator: np.record) -> None:
    """Add a value to M of every arm on the path, after it was backed up (Welford 1962, eq. 4.30).

    M_n = M_(n-1) + (x - mean_(n-1)) (x - mean_n), kept in `second_sum`.
    """
    for step in range(how.n_path):
        arm = tree.arms[tree.path[step, 1]]
        value = tree.values[tree.decisions[tree.path[step, 0]].decider]
        if arm.arm_visits > 1:
            before = (arm.value_sum - value) / (arm.arm_visits - 1)
            now = arm.value_sum / arm.arm_visits
            arm.second_sum += (value - before) * (value - now)


@kernel
def _select_planned(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Try what the network says most for; with heat, draw from the softmax by Gumbel noise."""
    # A part of a record is an array like others once it is cut.
    scratch, weights = rule.planner_scratch[:], rule.planner_weights[:]
    size = rule.planner.layer_sizes[0]
    survey = _survey(arms, decision)
    at = 0
    if not rule.one_by_one:
        write_decision(arms, decision, how, rule.n_columns, rule.first_column, scratch[:size])
        at = forward(rule.planner, weights, scratch)
    best = decision.first_arm
    best_value = -np.inf
    for arm in range(decision.first_arm, decision.first_arm + decision.n_at_first):
        if rule.one_by_one:
            write_arm(arms, how, arm, survey, scratch[:size])
            at = forward(rule.planner, weights, scratch)
            value = np.float64(scratch[at])
        else:
            value = np.float64(scratch[at + arms[arm].arm_action - rule.first_column])
        if rule.planner_heat > 0:
            value -= rule.planner_heat * math.log(-math.log(unit(rng) + _HALF_STEP))
        if value > best_value:
            best, best_value = arm, value
    return best


def planned(layers: Layers, columns: Columns, one_by_one: bool, heat: float = 0.0) -> np.record:
    """Return the rule that runs a planning model in the kernel.

    Args:
        layers: weights and biases, checked already.
        columns: the actions it tells apart.
        one_by_one: whether it looks at one action at a time.
        heat: temperature at which arms are drawn; 0: the best is tried.
    """
    network, weights = pack(layers)
    check_layers(layers)
    fields: list[tuple[object, ...]] = [
        ("planner", NETWORK),
        ("planner_weights", np.float32, (MAX_PLANNER_WEIGHTS,)),
        ("planner_scratch", np.float32, (_SCRATCH,)),
        ("n_columns", np.int64),
        ("first_column", np.int64),
        ("one_by_one", np.int64),
    ]
    rule = define_rule(_select_planned, fields, credit=credit_variance, planner_heat=heat)
    rule["planner"] = network
    rule["planner_weights"][: len(weights)] = weights
    rule["n_columns"], rule["first_column"] = columns
    rule["one_by_one"] = one_by_one
    return rule


def check_layers(layers: Layers) -> None:
    """Refuse networks that are too large to be part of a rule."""
    _, weights = pack(layers)
    if len(weights) > MAX_PLANNER_WEIGHTS or scratch_for(layers) > _SCRATCH:
        raise AgentError(
            f"a planning model in the kernel has at most {MAX_PLANNER_WEIGHTS} weights and layers "
            f"of {MAX_PLANNER_WIDTH}, of up to {MAX_WIDTH} that other networks may have: make it "
            "smaller, or write it as ONNX"
        )


def planned_outside() -> np.record:
    """Return the rule that asks outside at every step, and keeps variances meanwhile."""
    return define_rule(
        select_steered, may_ask=always_asks, credit=credit_variance, planned_outside=0
    )


@kernel
def _select_recorded(
    arms: Arms, decision: np.record, how: np.record, rule: np.record, rng: Rng
) -> int:
    """Choose as another rule does, and write down what there was to see."""
    arm = select(arms, decision, how, rule.inner, rng)
    if rule.n_rows < len(rule.rows):
        row = rule.n_rows
        rule.n_rows += 1
        write_decision(
            arms, decision, how, rule.recorded_columns, rule.recorded_first, rule.rows[row]
        )
        rule.chosen[row] = arms[arm].arm_action - rule.recorded_first
        rule.seats[row] = decision.decider
        rule.depths[row] = how.n_path
    return arm


@inlined_kernel
def _begin_recorded(rule: np.record) -> None:
    rule.n_rows = 0


def recorded(inner: np.record, columns: Columns, most: int) -> np.record:
    """Return a rule that chooses as another, and keeps up to `most` of its choices in each search.

    Rows lie in the order of time: a way down the tree begins with depth 0.
    """
    fields: list[tuple[object, ...]] = [
        ("inner", inner.dtype),
        ("n_rows", np.int64),
        ("recorded_columns", np.int64),
        ("recorded_first", np.int64),
        ("rows", np.float32, (most, row_size(columns.n, sees_variance=True))),
        ("chosen", np.int64, (most,)),
        ("seats", np.int64, (most,)),
        ("depths", np.int64, (most,)),
    ]
    rule = define_rule(_select_recorded, fields, credit=credit_variance, begin=_begin_recorded)
    rule["inner"] = inner
    rule["recorded_columns"], rule["recorded_first"] = columns
    return rule


@kernel
def _write_asked(
    trees: Tree, hows: npt.NDArray[np.record], asking: Ints, n: int, first: int, out: Floats
) -> None:
    """Write what is seen of the decision at which each tree waits: [trees, size]."""
    for k in range(len(asking)):
        tree, how = tree_at(trees, asking[k]), hows[asking[k]]
        decision = find_decision(tree, how.at_node, next_seat(how, how.waiting))
        if decision != NONE:
            write_decision(tree.arms, tree.decisions[decision], how, n, first, out[k])


def see_asked(forest: Forest, steps: Steps, columns: Columns, sees_variance: bool) -> Floats:
    """Return what a planning model sees where the trees of a forest ask: [trees, size]."""
    out = np.zeros((len(steps.trees), row_size(columns.n, sees_variance)), np.float32)
    trees, hows = forest.grown.trees, forest.grown.hows
    _write_asked(trees, hows, steps.trees, columns.n, columns.first, out)
    return out


def best_places(steps: Steps, outputs: Floats, columns: Columns) -> Ints:
    """Return the arm that the outputs [trees, actions] say most for, of each decision.

    Places without an arm count as minus infinity, however low the outputs are.
    """
    rows = np.arange(len(steps.trees))[:, np.newaxis]
    is_arm = steps.arms != NONE
    places = np.where(is_arm, steps.actions - columns.first, 0)
    best: Ints = np.where(is_arm, outputs[rows, places], -np.inf).argmax(axis=1)
    return best
