"""Forests: the trees of single searches, grown side by side and asked about from outside.

What takes long to compile runs without the compiler, in a process of its own.
"""

import os
import subprocess
import sys
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError
from kibitz.core.bits import popcount
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import RNG, Purpose, Rngs, derive
from kibitz.core.table import Game
from kibitz.search.agent import SearchAgent
from kibitz.search.desks import Desk
from kibitz.search.forest import Forest, Leaves, Steps, steered
from kibitz.search.puct import PuctAgent, PuctConfig
from kibitz.search.roots import begin_search
from kibitz.search.selection import puct, ucb
from kibitz.search.simulation import search
from kibitz.search.uct import UctAgent, UctConfig
from tests.search.trees import (
    FIRST,
    Growing,
    Known,
    fork,
    hashed,
    read_tree,
    scripted,
    stream,
    value_by_hash,
)

ROOT = Path(__file__).parents[2]
slow_to_compile = pytest.mark.skipif(COMPILED, reason="runs without the compiler")


@pytest.mark.skipif(not COMPILED, reason="the compiler is off already")
def test_forests_grow_the_same_without_the_compiler() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def plant(agent: SearchAgent, rule: np.record, n: int = 1, most: int = 1) -> Forest:
    """Make a forest of so many trees that are searched as by an agent, but by another rule."""
    desk = agent.make_desk()
    desk.rule = rule
    return Forest(desk, agent.tree_size, n, most)


def plant_fork(rule: np.record, most: int = 1, n_sims: int = 64, **options: Any) -> Forest:
    """Begin one tree of the toy game, for seat 0."""
    game = fork(**options)
    forest = plant(UctAgent(game, UctConfig(sims=64, value="win")), rule, most=most)
    rngs: Rngs = np.zeros(1, RNG)
    rngs[0] = stream(FIRST)
    view = game.deal(seed=1).view(0).reshape(1)
    forest.begin(view, np.zeros(1, np.int64), rngs, np.array([n_sims]))
    return forest


def read(forest: Forest, *more: str) -> Known:
    """Return visits and sums of values of the first tree."""
    trees, _, hows, _ = forest.grown
    first: Any = type(trees)(*(part[0] for part in trees))
    return read_tree(first, hows[0], "arm_visits", "value_sum", *more)


def found(forest: Forest) -> Leaves:
    leaves = forest.select()
    assert leaves is not None
    return leaves


@slow_to_compile
def test_two_leaves_of_a_tree_count_as_lost_until_they_are_valued() -> None:
    forest = plant_fork(puct(1.5), most=2, turns=3)
    root = found(forest)  # nothing can be chosen before the priors of the root are there
    assert (root.n, root.seats.tolist(), root.legal.actions.tolist()) == (1, [0], [0, 1])
    forest.absorb(root, np.array([5 / 8, 3 / 8]), np.array([[0.9, 0.9]]))
    assert forest.n_sims.tolist() == [0]
    assert read(forest, "prior") == {"": {0: [(0, 0, 1.25), (0, 0, 0.75)]}}

    # Way 0 by its prior. While it counts as tried and lost (0, as no value is known), way 1.
    assert 0 + 1.5 * 5 / 8 / 2 < 0 + 1.5 * 3 / 8 / 1
    two = found(forest)
    assert (two.n, two.leaf.tolist(), two.seats.tolist()) == (2, [0, 1], [1, 1])
    untried = {1: [(0, 0), (0, 0)]}
    assert read(forest) == {"": {0: [(1, 0), (1, 0)]}, "0": untried, "1": untried}
    forest.absorb(two, np.array([1 / 4, 3 / 4, 1 / 2, 1 / 2]), np.array([[0.75, 0.25], [0.5, 0.5]]))
    assert forest.n_sims.tolist() == [2]
    assert read(forest) == {"": {0: [(1, 0.75), (1, 0.5)]}, "0": untried, "1": untried}

    # The range is 0.5 now, and what waits counts as 0.25, the lowest value met.
    assert 0.75 + 1.5 * 0.5 * 5 / 8 * sqrt(2) / 2 > 0.5 + 1.5 * 0.5 * 3 / 8 * sqrt(2) / 2
    # Then way 0 again, way 1 of seat 1 again: a leaf that waits already, so the tree waits, too.
    assert 1.0 / 2 + 1.5 * 0.5 * 5 / 8 * sqrt(3) / 3 > 0.5 + 1.5 * 0.5 * 3 / 8 * sqrt(3) / 2
    assert 0.25 + 1.5 * 0.5 * 3 / 4 * sqrt(1) / 2 > 0.25 + 1.5 * 0.5 * 1 / 4 * sqrt(1) / 1
    one = found(forest)
    assert (one.n, one.seats.tolist()) == (1, [0])
    lost = {"": {0: [(2, 0.75 + 0.25), (1, 0.5)]}, "0": {1: [(0, 0), (1, 0.25)]}}
    assert read(forest) == lost | {"1": untried, "01": {0: [(0, 0), (0, 0)]}}
    forest.absorb(one, np.array([1 / 2, 1 / 2]), np.array([[0.0, 1.0]]))
    valued = {"": {0: [(2, 0.75), (1, 0.5)]}, "0": {1: [(0, 0), (1, 1.0)]}}
    assert read(forest) == valued | {"1": untried, "01": {0: [(0, 0), (0, 0)]}}
    assert forest.n_sims.tolist() == [3]


@slow_to_compile
def test_ends_of_games_are_backed_up_without_a_question() -> None:
    forest = plant_fork(puct(1.5), most=2, n_sims=9, turns=1)
    root = found(forest)
    forest.absorb(root, np.array([1 / 2, 1 / 2]), np.zeros((1, 2)))
    assert forest.select() is None
    assert forest.n_sims.tolist() == [9]
    ((_, lost), (_, won)) = ways = read(forest)[""][0]
    assert (lost, won) == (0, ways[1][0])  # way 1 wins


@pytest.mark.parametrize(
    ("priors", "values", "message"),
    [
        (np.ones(3), np.zeros((1, 2)), "1 leaves with 2 actions were answered with priors"),
        (np.ones(2), np.zeros((1, 3)), r"values of shape \(1, 3\)"),
        (np.array([np.nan, 1]), np.zeros((1, 2)), "must be finite"),
        (np.ones(2), np.array([[0, np.inf]]), "must be finite"),
    ],
)
def test_answers_that_make_no_sense_are_refused(priors: Any, values: Any, message: str) -> None:
    forest = plant_fork(steered(), turns=3)
    with pytest.raises(AgentError, match=message):
        forest.absorb(found(forest), priors, values)


def test_a_rule_that_asks_outside_can_do_what_ucb1_does() -> None:
    rows = [(0.25, 0.5), (0.5, 0.25), (0, 0.75), (0.5, 0.25), (0, 0.75), (0.75, 0)]
    growing = Growing(ucb(0.7), scripted(rows), turns=3)
    growing.after(FIRST, n=16)  # the roads of two forks, and ends
    forest = plant_fork(steered(), n_sims=16, turns=3)
    forest.absorb(found(forest), np.full(2, 0.5), np.zeros((1, 2)))
    how, script = forest.grown[2][0], iter(rows)
    while True:
        leaves = forest.select()
        if leaves is not None:
            forest.absorb(leaves, np.full(2, 0.5), np.array([next(script)]))
        elif (steps := forest.asking()) is not None:
            forest.steer(steps, imitate_ucb1(steps, how))
        else:
            break
    expected = {road: seats for road, seats in growing.read().items() if seats}
    steered_tree = read(forest)
    for road, seats in expected.items():
        assert steered_tree[road] == seats
    assert forest.n_sims.tolist() == [16]
    assert next(script, None) is None


def imitate_ucb1(steps: Steps, how: np.record) -> Any:
    """Take every arm once, in order; then the best bound."""
    (n,), (visits,), (sums,) = steps.n_arms, steps.visits, steps.sums
    if (visits[:n] == 0).any():
        return visits[:n].argmin(keepdims=True)
    span = float(how["highest_value"] - how["lowest_value"])
    bonus = 0.7 * (span if span > 0 else 1) * np.sqrt(log(visits.sum()) / visits[:n])
    return (sums[:n] / visits[:n] + bonus).argmax(keepdims=True)


def test_steering_names_arms_that_are_there() -> None:
    forest = plant_fork(steered(), turns=3)
    forest.absorb(found(forest), np.full(2, 0.5), np.zeros((1, 2)))
    assert forest.select() is None
    steps = forest.asking()
    assert steps is not None
    assert (steps.seats.tolist(), steps.depth.tolist()) == ([0], [0])
    assert steps.actions.tolist() == [[0, 1, -1]]
    for bad in ([2], [-1], [0.0], [0, 0]):
        with pytest.raises(AgentError, match="steer takes the place of an arm"):
            forest.steer(steps, np.array(bad))


def answer(leaves: Leaves) -> tuple[Any, Any]:
    """Answer as the evaluator `hashed` does in the kernel."""
    priors = np.where(leaves.legal.actions % 3 == 0, 2, 1)
    ends = leaves.legal.offsets
    shares = [priors[a:b] / priors[a:b].sum() for a, b in zip(ends, ends[1:], strict=False)]
    firsts = np.searchsorted(leaves.leaf, np.arange(leaves.n))
    values = np.array([value_by_hash(leaves.views, int(first)) for first in firsts])
    return np.concatenate(shares), np.stack([values, 1 - values], axis=1)


def search_alone(agent: SearchAgent, view: Any, seat: int, rng: Any, n: int) -> Desk:
    """Search one view with the evaluator `hashed`, in the kernel."""
    desk = agent.make_desk()
    desk.evaluator = hashed()
    desk.states[0] = view
    begin_search(desk.tools, seat, rng)
    search(desk.tools, rng, n)
    return desk


@pytest.mark.parametrize(
    "spec",
    [
        "connect4",
        pytest.param("nimmt:players=2,hands=open,rows=lowest", marks=slow_to_compile),
    ],
)
def test_a_forest_finds_the_trees_of_single_searches(spec: str) -> None:
    game: Game = kibitz.load_game(spec)
    agent = PuctAgent(game, PuctConfig(sims=80))
    tables = [game.deal(seed=seed) for seed in range(4)]
    for table in tables[2:]:
        for seat in table.movers:
            table.play(seat, table.legal(seat)[1])
    seats = np.array([table.movers[0] for table in tables])
    views = np.stack([t.view(int(seat)) for t, seat in zip(tables, seats, strict=True)])
    rngs: Rngs = np.zeros(4, RNG)
    for k in range(4):
        rngs[k] = derive(7, Purpose.AGENT, k)
    alone = [search_alone(agent, views[k], int(seats[k]), rngs[k].copy(), 80) for k in range(4)]
    forest = plant(agent, agent.make_rule(), n=4)
    forest.begin(views, seats, rngs, np.array([80, 80, 80, 80]))
    while (leaves := forest.select()) is not None:
        forest.absorb(leaves, *answer(leaves))
    trees, _, hows, _ = forest.grown
    for k, desk in enumerate(alone):
        n = int(desk.how["n_arms"])
        assert hows[k]["n_arms"] == n
        assert hows[k]["n_nodes"] == desk.how["n_nodes"] > 60
        for name in ("arm_action", "arm_visits", "prior"):
            assert (trees.arms[k][name][:n] == desk.tree.arms[name][:n]).all()
        np.testing.assert_allclose(trees.arms[k]["value_sum"][:n], desk.tree.arms["value_sum"][:n])


@slow_to_compile
def test_what_is_chosen_is_legal_in_the_world_of_each_simulation() -> None:
    game = kibitz.load_game("duel:players=3")
    agent = PuctAgent(game, PuctConfig(sims=60, tree="information-set"))
    forest = plant(agent, agent.make_rule(), most=8)
    rngs: Rngs = np.zeros(1, RNG)
    rngs[0] = derive(1, Purpose.AGENT)
    view = game.deal(seed=3).view(0).reshape(1)
    forest.begin(view, np.zeros(1, np.int64), rngs, np.array([60]))
    while (leaves := forest.select()) is not None:
        for world in forest._slots.states[: leaves.n]:  # who plays a card loses it, if it is his
            assert [popcount(hand) for hand in world.hand[:3]] == [world.left] * 3
        values = np.full((leaves.n, 3), 0.5)
        forest.absorb(leaves, np.ones(len(leaves.legal.actions)), values)
    assert forest.n_sims.tolist() == [60]


def test_a_tree_that_waits_for_an_answer_keeps_its_way() -> None:
    forest = plant_fork(steered(), most=2, n_sims=2, turns=3)
    forest.absorb(found(forest), np.full(2, 0.5), np.zeros((1, 2)))
    for way, values in ((0, (0.75, 0.25)), (1, (0.5, 0.5))):
        leaves = forest.select() if way == 0 else None
        steps = forest.asking()
        assert leaves is None
        assert steps is not None
        assert steps.visits.tolist() == [[way, 0, 0]]
        forest.steer(steps, np.array([way]))
        leaves = found(forest)
        # The next way down waits at the root meanwhile; way 0 counts as tried and lost.
        forest.absorb(leaves, np.full(2, 0.5), np.array([values]))
    tree = read(forest)
    assert tree[""] == {0: [(1, 0.75), (1, 0.5)]}
    assert tree["0"] == tree["1"] == {1: [(0, 0), (0, 0)]}
