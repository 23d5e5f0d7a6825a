"""What leaves are worth: who is asked, when, and what is said."""

from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest

from kibitz.core.game import States
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng
from kibitz.search.advice import advised
from kibitz.search.evaluation import define_evaluator, evaluate
from kibitz.search.mlp import Layers, pack, scratch_for
from kibitz.search.network import network_evaluator
from kibitz.search.playouts import UNIFORM
from kibitz.search.selection import puct, ucb
from kibitz.search.tree import Tree
from kibitz.search.turns import after_turns
from tests.search.trees import FIRST, LAST, Growing, fork, scripted, scripted_with_priors, stream


def test_the_end_is_worth_its_result_and_nobody_is_asked() -> None:
    growing = Growing(ucb(0.7), scripted([]), turns=1)
    assert growing.after(FIRST, n=2) == {"": {0: [(1, 0), (1, 1)]}, "0": {}, "1": {}}
    assert 0 + 0.7 * sqrt(log(9) / 1) < 1 + 0.7 * sqrt(log(9) / 8)
    assert growing.after(FIRST, n=8)[""] == {0: [(1, 0), (9, 9)]}
    assert growing.n_asked == 0


def test_every_leaf_is_asked_about_once() -> None:
    growing = Growing(ucb(0.7), scripted([(0.5, 0.5)] * 32), turns=2, ways=3)
    tree = growing.after(FIRST, n=30)
    assert growing.n_asked == 3  # the three roads of one fork; those of two are ends
    assert sum(visits for visits, _ in tree[""][0]) == 30


def test_priors_are_there_when_a_node_is_first_met() -> None:
    priors = [(1.25, 0.75), (0.5, 1.5)]
    growing = Growing(puct(1.5), scripted_with_priors([(1, 0)], priors), turns=3)
    growing.after(FIRST)
    known = growing.read("prior")
    assert known == {"": {0: [(1, 1, 1.25), (0, 0, 0.75)]}, "0": {1: [(0, 0, 0.5), (0, 0, 1.5)]}}


@pytest.mark.parametrize(("factor", "shift"), [(10, 0), (0.01, 5), (1000, -300)])
def test_rules_scale_values_by_the_range_met(factor: float, shift: float) -> None:
    rows = [(0.25, 0.5), (0.5, 0.25), (0, 0.75), (0.5, 0.25), (0, 0.75), (0.75, 0)]
    other = [(factor * a + shift, factor * b + shift) for a, b in rows]
    visits = []
    for script in (rows, other):
        growing = Growing(ucb(0.7), scripted(script), turns=6)
        tree = growing.after(FIRST, n=6)
        visits.append({road: [n for n, _ in seats.get(0, [])] for road, seats in tree.items()})
        assert growing.desk.how["lowest_value"] == min(map(min, script))
        assert growing.desk.how["highest_value"] == max(map(max, script))
    assert visits[0] == visits[1]


@kernel
def _tell_forks(evaluator: np.record, tree: Tree, states: States, how: np.record, rng: Rng) -> None:
    """Value a position by the forks behind it."""
    for seat in range(2):
        tree.values[seat] = 10 + states[1].forks


FORKS = define_evaluator([("tells_forks", np.int64)], _tell_forks)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("n_turns", range(6))
def test_turns_are_played_before_a_value_is_asked(n_turns: int, together: bool) -> None:
    desk = Growing(ucb(0.7), scripted([]), turns=4, together=together).desk
    desk.states[1] = desk.states[0]
    evaluator = after_turns(n_turns, UNIFORM, FORKS)
    evaluate(evaluator, desk.tree, desk.states, desk.how, stream(LAST))
    assert desk.states[1].forks == min(n_turns, 4)
    # The last road is the highest one: seat 0 wins.
    expected = [1, 0] if n_turns >= 4 else [10 + n_turns] * 2
    assert desk.tree.values.tolist() == expected


def test_one_advises_and_another_values() -> None:
    priors = [(1.25, 0.75), (0.5, 1.5)]
    growing = Growing(puct(1.5), scripted_with_priors([(1, 0)], priors), turns=3)
    growing.after(FIRST)  # to the leaf 0
    adviser = scripted_with_priors([(0.9, 0.9)], [(1, 1), (0.25, 1.75)])
    both, desk = advised(adviser, FORKS), growing.desk
    evaluate(both, desk.tree, desk.states, desk.how, stream(FIRST))
    assert growing.read("prior")["0"] == {1: [(0, 0, 0.25), (0, 0, 1.75)]}
    assert desk.tree.values.tolist() == [11, 11]


def at_leaf(evaluator: np.record, layers: Layers, **options: Any) -> Growing:
    """Go to the leaf 1 (or 11), and have it valued by a network."""
    priors = [(0.5, 1.5), (0.5, 1.5)]
    growing = Growing(puct(1.5), scripted_with_priors([(1, 0)], priors), **options)
    growing.after(FIRST)
    desk = growing.desk
    desk.tree = desk.tree._replace(
        scratch=np.zeros(scratch_for(layers), np.float32),
        counts=np.zeros(3, np.int32),
        weights=pack(layers)[1],
    )
    evaluate(evaluator, desk.tree, desk.states, desk.how, stream(LAST))
    return growing


def layers_of_q(scale: float = 1.0) -> Layers:
    """Make a network that says 10 for every fork behind, 1 for way 1, 0.5 for seat 1."""
    weights = np.zeros((9, 3))
    weights[:7] += 10 * np.arange(7)[:, None] + [0, 1, -99]
    weights[8] += 0.5
    return [((scale * weights).astype(np.float32), np.zeros(3, np.float32))]


@pytest.mark.parametrize(
    ("options", "values", "forks"),
    [
        # Seat 1 decides after one fork, seat 0 after two: 10 + 1 + 0.5 and 20 + 1.
        pytest.param({"turns": 4}, [21, 11.5], 3, id="one at a time"),
        pytest.param({"turns": 4, "together": True}, [11, 11.5], 2, id="both at once"),
        # Seat 0 does not decide again. Road 11 is 3 of 3: it has won.
        pytest.param({"turns": 2}, [1, 11.5], 2, id="the end comes first"),
    ],
)
def test_q_values_each_seat_at_its_next_decision(
    options: dict[str, int], values: list[float], forks: int
) -> None:
    layers = layers_of_q()
    encoding = fork().encodings["forks"]
    evaluator = network_evaluator(encoding, layers, {"q": 3}, value="score")
    growing = at_leaf(evaluator, layers, **options)
    np.testing.assert_allclose(growing.desk.tree.values, values)
    assert growing.desk.states[1].forks == forks
    # Without a policy, q is one: way 1 is worth 1 more, so its share is e / (1 + e).
    leaf = max(growing.read(), key=len)
    (*_, known) = growing.read("prior")[leaf].values()
    np.testing.assert_allclose([arm[2] for arm in known], [2 / (1 + exp(1)), 2 / (1 + exp(-1))])


def test_q_of_wins_values_the_other_side_by_what_is_left() -> None:
    layers = layers_of_q(0.1)
    evaluator = network_evaluator(fork().encodings["forks"], layers, {"q": 3}, value="win")
    growing = at_leaf(evaluator, layers, turns=4)
    won = 1 / (1 + exp(-0.1 * 11.5))
    np.testing.assert_allclose(growing.desk.tree.values, [1 - won, won], rtol=1e-6)
