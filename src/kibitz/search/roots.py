"""Searches of many views in one call, and what they find at their roots.

Between two searches Python would take a tenth of the time of a thousand simulations.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Actions, Seat, States, legal, resample
from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng, Rngs, unit
from kibitz.search.evaluation import forget
from kibitz.search.selection import begin_rule, judge
from kibitz.search.simulation import Tools, search
from kibitz.search.tree import MAX_LINE, NONE, Tree, begin, find_decision, write_line

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BY_MEAN, BY_PREFERENCE, DRAWN = 0, 1, 2
"""How a search picks what is played: by the best mean, by preference, by a draw from weights."""


class Searches(NamedTuple):
    """Views that are to be searched."""

    views: States
    seats: Ints  # who decides in each
    rngs: Rngs
    n_sims: Ints  # simulations of each


class Roots(NamedTuple):
    """What is known about the actions of some roots: [views, actions] where nothing else is said.

    Rows with fewer actions end with NONE and NaN.
    """

    n_actions: Ints  # [views]
    actions: Ints
    visits: Floats
    sums: Floats  # of values
    squares: Floats
    means: Floats  # NaN: never tried
    errors: Floats  # of the means; NaN: tried less than twice
    weights: Floats  # how much each is to be played
    preference: Floats  # the highest is played
    lines: Ints  # who plays what from here on: [views, steps, 2]
    n_steps: Ints  # [views]


def make_roots(n_views: int, most: int) -> Roots:
    """Make room for so many views with at most so many actions."""
    visits, sums, squares, means, errors, weights, preference = np.full((7, n_views, most), np.nan)
    return Roots(
        np.zeros(n_views, np.int64),
        np.full((n_views, most), NONE),
        *(visits, sums, squares, means, errors, weights, preference),
        np.empty((n_views, MAX_LINE, 2), np.int64),
        np.zeros(n_views, np.int64),
    )


@kernel
def count_actions(views: States, seats: Ints, listed: Actions, out: Ints) -> None:
    """Count what each seat may do in its view."""
    for k in range(len(views)):
        out[k] = legal(views[k], seats[k], listed)


@kernel
def search_views(tools: Tools, asked: Searches, roots: Roots, first: int, end: int) -> None:
    """Search views `first` to `end`, one after the other, and write down what was found.

    Args:
        tools: what every search works with.
        asked: the views.
        roots: receives what was found.
        first: the first view.
        end: where to stop.
    """
    for k in range(first, end):
        tools.states[0] = asked.views[k]
        begin_search(tools, asked.seats[k], asked.rngs[k])
        tools.how.n_planned = asked.n_sims[k]
        search(tools, asked.rngs[k], asked.n_sims[k])
        write_root(tools.tree, tools.how, tools.rule, roots, k)


@kernel
def begin_search(tools: Tools, seat: Seat, rng: Rng) -> None:
    """Begin a new tree for the view in `states[0]`; find out whether it hides something."""
    tree, states, how, rule, evaluator = tools
    states[1] = states[0]
    resample(states[1], seat, rng)
    how.samples_worlds = _differ(states, 0, 1)
    how.n_worlds = 0
    begin_tree(
        tree, how, rule, evaluator, seat, how.hidden_keys if how.samples_worlds else how.open_keys
    )


@kernel
def begin_tree(
    tree: Tree, how: np.record, rule: np.record, evaluator: np.record, seat: Seat, keys: int
) -> None:
    """Forget what was found before."""
    how.root_seat = seat
    how.keys = keys
    begin(tree, how)
    begin_rule(rule)
    forget(evaluator)


@inlined_kernel
def _differ(states: States, i: int, j: int) -> int:
    """Return 1 if two states differ in any byte, else 0."""
    one, other = states[i : i + 1].view(np.uint64), states[j : j + 1].view(np.uint64)
    difference = np.uint64(0)
    for word in range(len(one)):
        difference |= one[word] ^ other[word]
    return 1 if difference != np.uint64(0) else 0


@kernel
def write_root(tree: Tree, how: np.record, rule: np.record, roots: Roots, k: int) -> None:
    """Write down what is known of the root, in the order in which the rules list its actions."""
    n = 0
    decision = find_decision(tree, how.root_node, how.root_seat)
    arm = tree.decisions[decision].first_arm
    while arm > NONE:
        one = tree.arms[arm]
        roots.actions[k, n] = one.arm_action
        roots.visits[k, n] = one.arm_visits
        roots.sums[k, n] = one.value_sum
        roots.squares[k, n] = one.value_squares
        n += 1
        arm = one.next_arm
    roots.n_actions[k] = n
    write_moments(
        roots.visits[k, :n],
        roots.sums[k, :n],
        roots.squares[k, :n],
        roots.means[k, :n],
        roots.errors[k, :n],
    )
    judge(rule, tree, how, decision, roots.weights[k, :n], roots.preference[k, :n])
    roots.n_steps[k] = write_line(tree, how, roots.lines[k])


@kernel
def write_moments(
    visits: Floats, sums: Floats, squares: Floats, means: Floats, errors: Floats
) -> None:
    """Write the means of what was added up, and their standard errors; NaN where unknown."""
    for i in range(len(visits)):
        n = visits[i]
        means[i] = sums[i] / n if n > 0 else np.nan
        spread = max(squares[i] - n * means[i] * means[i], 0.0)
        errors[i] = np.sqrt(spread / (n - 1) / n) if n > 1 else np.nan


@inner_kernel
def draw(weights: Floats, rng: Rng) -> int:
    """Draw an index in proportion to the weights, of which one at least is above zero."""
    total = 0.0
    for i in range(len(weights)):
        total += weights[i]
    rest = unit(rng) * total
    drawn = 0
    for i in range(len(weights)):
        if weights[i] > 0:
            drawn = i
            rest -= weights[i]
            if rest < 0:
                break
    return drawn


@inner_kernel
def _pick(roots: Roots, k: int, way: int) -> int:
    """Pick the best mean of a root, or what is preferred and then has the best mean."""
    best = 0
    for i in range(1, roots.n_actions[k]):
        if way == BY_MEAN:
            is_better = roots.means[k, i] > roots.means[k, best] or roots.visits[k, best] == 0
        else:
            more = roots.preference[k, i] - roots.preference[k, best]
            is_better = more > 0 or (more == 0 and roots.means[k, i] >= roots.means[k, best])
        if is_better:
            best = i
    return best


@kernel
def pick_all(roots: Roots, way: int, rngs: Rngs, out: Actions) -> None:
    """Pick an action of every root; where one is picked whatever the weights, it has them all."""
    for k in range(len(out)):
        n = roots.n_actions[k]
        chosen = draw(roots.weights[k, :n], rngs[k]) if way == DRAWN else _pick(roots, k, way)
        out[k] = roots.actions[k, chosen]
        if way == BY_MEAN:
            for i in range(n):
                roots.weights[k, i] = i == chosen
