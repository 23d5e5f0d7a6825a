"""Networks as evaluators: what a small network says of a leaf, computed in the kernel.

A network sees what the seat that it is asked for sees, never the whole world. Its heads say:

- `policy`: logits of the legal actions; their softmax, times their number, becomes the priors, so
  that a network without an opinion gives 1 to all as searches without priors do;
- `value`: what the position is worth, to the seat that looks or to every seat from that one on;
- `q`: what each legal action is worth to the seat that decides. The best of them, or their mean if
  that is asked for, is the value of its decision. Without a policy their softmax becomes the
  priors.

A network that sees no scores tells what is still to come (`rest`): what a seat has scored so far is
added. In a flat search only the seat that searches chooses, so nobody else's value is asked for.

A network of *candidates* has one row of features for every legal action instead of one output.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from kibitz.core.bits import lowest
from kibitz.core.encoding import Encoding
from kibitz.core.game import (
    Action,
    Seat,
    States,
    action_index,
    apply,
    conceal,
    generic,
    implement,
    legal,
    movers,
    observe,
    observe_action,
    scores,
)
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng
from kibitz.search.evaluation import define_evaluator, with_priors
from kibitz.search.mlp import NETWORK, Layers, forward, forward_from, keep_view, pack
from kibitz.search.roots import draw
from kibitz.search.tree import NONE, SEEN, Tree, find_decision
from kibitz.search.values import value_of

LEAST_PRIOR = 1e-6
"""What an arm has at least, so that no rule divides by zero or takes the logarithm of nothing."""

_NOBODY, _ONE = np.uint64(0), np.uint64(1)


@generic
def look(evaluator: np.record, tree: Tree, states: States, seat: Seat) -> int:
    """Run a network on what a seat sees in `states[1]`, as far as no action is needed.

    Returns:
        Where in `tree.scratch` the outputs begin.
    """
    raise AssertionError


@generic
def read_head(
    evaluator: np.record, tree: Tree, states: States, seat: Seat, outputs: int, head: int
) -> int:
    """Write what a head says of each action that the seat may choose to `tree.logits`.

    Lists the actions in `tree.listed`, after `look` has found `outputs`; returns how many.
    """
    raise AssertionError


@inner_kernel
def _look_at_view(evaluator: np.record, tree: Tree, states: States, seat: Seat) -> int:
    states[SEEN] = states[1]
    conceal(states[SEEN], seat)
    size = evaluator.network.layer_sizes[0]
    observe(states[SEEN], seat, evaluator.view_encoding, tree.scratch[:size])
    return forward(evaluator.network, tree.weights, tree.scratch)


@inner_kernel
def _read_view(
    evaluator: np.record, tree: Tree, states: States, seat: Seat, outputs: int, head: int
) -> int:
    n = legal(states[SEEN], seat, tree.listed)
    is_many_to_one = False
    for i in range(n):
        index = action_index(states[SEEN], seat, tree.listed[i], evaluator.view_encoding)
        tree.logits[i] = tree.scratch[outputs + head + index]
        tree.counts[index] += 1
        is_many_to_one = is_many_to_one or tree.counts[index] > 1
    if is_many_to_one and head == evaluator.policy_at:  # actions of one index share its part
        for i in range(n):
            index = action_index(states[SEEN], seat, tree.listed[i], evaluator.view_encoding)
            tree.logits[i] -= math.log(tree.counts[index])
    for i in range(n):
        index = action_index(states[SEEN], seat, tree.listed[i], evaluator.view_encoding)
        tree.counts[index] = 0
    return n


@inner_kernel
def _look_for_candidates(evaluator: np.record, tree: Tree, states: States, seat: Seat) -> int:
    states[SEEN] = states[1]
    conceal(states[SEEN], seat)
    n_view = evaluator.n_view
    observe(states[SEEN], seat, evaluator.candidate_encoding, tree.scratch[:n_view])
    keep_view(evaluator.network, tree.weights, tree.scratch, n_view)
    return 0


@inner_kernel
def _read_candidates(
    evaluator: np.record, tree: Tree, states: States, seat: Seat, outputs: int, head: int
) -> int:
    n = legal(states[SEEN], seat, tree.listed)
    n_row = evaluator.network.layer_sizes[0] - evaluator.n_view
    for i in range(n):
        row = tree.scratch[:n_row]
        observe_action(states[SEEN], seat, tree.listed[i], evaluator.candidate_encoding, row)
        at = forward_from(evaluator.network, tree.weights, tree.scratch, evaluator.n_view)
        tree.logits[i] = tree.scratch[at + head]
    return n


@inlined_kernel
def _to_value(evaluator: np.record, tree: Tree, states: States, seat: Seat, output: float) -> float:
    """Turn an output into a value for a seat: a share of the win, or points."""
    if evaluator.is_logistic:
        return 1.0 / (1.0 + math.exp(-min(max(output, -30.0), 30.0)))
    if evaluator.is_rest:
        scores(states[1], tree.points)
        return output * evaluator.scale + tree.points[seat]
    return output * evaluator.scale


@inlined_kernel
def _over_actions(evaluator: np.record, tree: Tree, n: int) -> float:
    """Return the best of the first `n` outputs in `tree.logits`, or their mean."""
    best, total = -np.inf, 0.0
    for i in range(n):
        best = max(best, tree.logits[i])
        total += tree.logits[i]
    return total / n if evaluator.takes_mean else best


@inlined_kernel
def _wanted(how: np.record) -> np.uint64:
    """Return whose values a search asks for, as bits."""
    if how.is_flat:
        return _ONE << np.uint64(how.root_seat)
    return (_ONE << np.uint64(how.n_seats)) - _ONE


@inner_kernel
def _take_softmax(tree: Tree, n: int, heat: float) -> None:
    """Replace the first `n` logits by their softmax."""
    highest = -np.inf
    for i in range(n):
        highest = max(highest, tree.logits[i])
    total = 0.0
    for i in range(n):
        tree.logits[i] = math.exp((tree.logits[i] - highest) / heat)
        total += tree.logits[i]
    for i in range(n):
        tree.logits[i] /= total


@inner_kernel
def _write_priors(tree: Tree, decision: int, n: int) -> None:
    """Write the probabilities of the listed actions as priors of their arms."""
    first = tree.decisions[decision].first_arm
    for i in range(n):
        arm = first + i  # where they lie side by side, as at first
        if arm >= len(tree.arms) or tree.arms[arm].arm_action != tree.listed[i]:
            arm = first
            while arm != NONE and tree.arms[arm].arm_action != tree.listed[i]:
                arm = tree.arms[arm].next_arm
        if arm != NONE:
            tree.arms[arm].prior = max(n * tree.logits[i], LEAST_PRIOR)


@inner_kernel
def _find_policy(evaluator: np.record, tree: Tree, states: States, seat: Seat, outputs: int) -> int:
    """Write the probabilities of what a seat may choose, by the policy or by q; return how many."""
    head = evaluator.policy_at if evaluator.policy_at >= 0 else evaluator.q_at
    n = read_head(evaluator, tree, states, seat, outputs, head)
    _take_softmax(tree, n, 1.0 if evaluator.policy_at >= 0 else evaluator.q_heat)
    return n


@kernel
def _weigh(
    evaluator: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    """Write the priors of a decision, unless the network only values positions."""
    if evaluator.policy_at >= 0 or evaluator.q_at >= 0:
        outputs = look(evaluator, tree, states, seat)
        _write_priors(tree, decision, _find_policy(evaluator, tree, states, seat, outputs))


@kernel
def _respond(evaluator: np.record, tree: Tree, states: States, seat: Seat, rng: Rng) -> Action:
    """Draw an action by the policy; where there is no choice, nobody is asked."""
    if legal(states[1], seat, tree.listed) == 1:
        return tree.listed[0]
    outputs = look(evaluator, tree, states, seat)
    n = _find_policy(evaluator, tree, states, seat, outputs)
    return tree.listed[draw(tree.logits[:n], rng)]


@inner_kernel
def _note_value(
    evaluator: np.record, tree: Tree, how: np.record, seat: Seat, value: float
) -> np.uint64:
    """Write what a position is worth to a seat, and to all if that follows; return who is known."""
    if evaluator.is_logistic and how.n_sides == 2:
        for other in range(how.n_seats):
            is_own = how.sides[other] == how.sides[seat]
            tree.values[other] = value if is_own else 1.0 - value
        return ~_NOBODY
    tree.values[seat] = value
    return _ONE << np.uint64(seat)


@inner_kernel
def _read_values(
    evaluator: np.record, tree: Tree, states: States, how: np.record, seat: Seat, outputs: int
) -> np.uint64:
    """Write what the head `value` says; return whose values are known, as bits."""
    at = outputs + evaluator.value_at
    if evaluator.n_values == 1:
        value = _to_value(evaluator, tree, states, seat, np.float64(tree.scratch[at]))
        return _note_value(evaluator, tree, how, seat, value)
    for k in range(how.n_seats):
        other = (seat + k) % how.n_seats
        output = np.float64(tree.scratch[at + k])
        tree.values[other] = _to_value(evaluator, tree, states, other, output)
    return ~_NOBODY


@inner_kernel
def _evaluate_by_value(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    """Ask whoever decides at the leaf, for priors and values; then whose value is not known yet."""
    known = _NOBODY
    decision = NONE if how.leaf_node == NONE else tree.nodes[how.leaf_node].first_decision
    while decision != NONE:
        seat = int(np.int64(tree.decisions[decision].decider))
        outputs = look(evaluator, tree, states, seat)
        if not known >> np.uint64(seat) & _ONE:
            known |= _read_values(evaluator, tree, states, how, seat, outputs)
        if evaluator.policy_at >= 0 or evaluator.q_at >= 0:
            _write_priors(tree, decision, _find_policy(evaluator, tree, states, seat, outputs))
        decision = tree.decisions[decision].next_decision
    for seat in range(how.n_seats):
        if _wanted(how) & ~known & _ONE << np.uint64(seat) != _NOBODY:
            outputs = look(evaluator, tree, states, seat)
            known |= _read_values(evaluator, tree, states, how, seat, outputs)


@inner_kernel
def _evaluate_by_q(
    evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng
) -> None:
    """Value every seat at its next decision; until then all play by the policy.

    Those who decide at the leaf get their priors there, too.
    """
    known = _NOBODY
    wanted = _wanted(how)
    leaf = how.leaf_node
    waiting = np.uint64(movers(states[1]))
    while waiting != _NOBODY and known & wanted != wanted:
        while waiting != _NOBODY:
            seat = lowest(waiting)
            if how.is_flat and waiting & wanted != _NOBODY:
                seat = how.root_seat
            waiting &= ~(_ONE << np.uint64(seat))
            outputs = look(evaluator, tree, states, seat)
            if not known >> np.uint64(seat) & _ONE:
                n = read_head(evaluator, tree, states, seat, outputs, evaluator.q_at)
                output = _over_actions(evaluator, tree, n)
                value = _to_value(evaluator, tree, states, seat, output)
                known |= _note_value(evaluator, tree, how, seat, value)
                if how.is_flat and seat == how.root_seat:
                    return
            n = _find_policy(evaluator, tree, states, seat, outputs)
            decision = NONE if leaf == NONE else find_decision(tree, leaf, seat)
            if decision != NONE:
                _write_priors(tree, decision, n)
            apply(states[1], seat, tree.listed[draw(tree.logits[:n], rng)])
        leaf = NONE
        waiting = np.uint64(movers(states[1]))
    if known & wanted != wanted:  # the game has ended before they decide again
        scores(states[1], tree.points)
        for seat in range(how.n_seats):
            if not known >> np.uint64(seat) & _ONE:
                tree.values[seat] = value_of(tree.points, how, seat)


@kernel
def _evaluate(evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng) -> None:
    """Value a leaf by the head `value`, or else by `q`; a mere policy values nothing."""
    if evaluator.value_at >= 0:
        _evaluate_by_value(evaluator, tree, states, how, rng)
    elif evaluator.q_at >= 0:
        _evaluate_by_q(evaluator, tree, states, how, rng)
    if how.is_flat:  # no old values of others in the range of values
        tree.values[:] = tree.values[how.root_seat]


_HEADS = [
    ("network", NETWORK),
    ("policy_at", np.int64),  # where the outputs of each head begin; -1: there is none
    ("q_at", np.int64),
    ("value_at", np.int64),
    ("n_values", np.int64),  # 1, or one for each seat
    ("is_logistic", np.int64),  # whether values are shares of a win, not points
    ("is_rest", np.int64),  # whether they are points that are still to come
    ("takes_mean", np.int64),  # whether a decision is worth the mean of q, not the best
    ("scale", np.float64),  # points that an output of 1 stands for
    ("q_heat", np.float64),  # temperature at which q becomes a policy
]

_looking = {"view": (_look_at_view, _read_view)}
_looking["candidates"] = (_look_for_candidates, _read_candidates)


def network_evaluator(
    encoding: Encoding,
    layers: Layers,
    heads: Mapping[Any, int],
    *,
    inputs: str = "view",
    value: str | None = None,
    scale: float = 1.0,
    q_heat: float = 1.0,
    takes_mean: bool = False,
) -> np.record:
    """Make the evaluator that runs a network; its weights go into `tree.weights`.

    Searches of one game and encoding share their compiled code, whatever the layers.

    Args:
        encoding: how views become features.
        layers: weights and biases, checked already.
        heads: how many outputs each has, in their order.
        inputs: `view`, or `candidates` for a network of one row for each legal action.
        value: what the heads value and q tell: win, rank, score or rest.
        scale: points that an output of 1 stands for, if they tell scores.
        q_heat: temperature at which q becomes a policy, where there is none.
        takes_mean: a decision is worth the mean of q, not the best.
    """
    name = "view_encoding" if inputs == "view" else "candidate_encoding"
    fields = [(name, encoding.record.dtype), ("n_view", np.int64), *_HEADS]
    made = define_evaluator(
        fields, _evaluate, has_priors=with_priors, weigh=_weigh, respond=_respond
    )
    if made.dtype not in _known:
        _known.add(made.dtype)
        implement("look", made.dtype, _looking[inputs][0])
        implement("read_head", made.dtype, _looking[inputs][1])
    made[name], made["n_view"] = encoding.record, encoding.size
    made["network"], _ = pack(layers)
    at = 0
    for head in ("policy", "q", "value"):
        made[f"{head}_at"] = NONE
    for head, n_outputs in heads.items():
        made[f"{head}_at"] = at
        at += n_outputs
    made["n_values"] = heads.get("value", 0)
    made["is_logistic"], made["is_rest"] = value not in ("score", "rest"), value == "rest"
    made["scale"], made["q_heat"], made["takes_mean"] = scale, q_heat, takes_mean
    return made


_known: set[np.dtype[np.record]] = set()
