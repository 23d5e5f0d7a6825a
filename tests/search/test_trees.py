"""Trees computed by hand: every visit and every sum of values, for every rule.

A row of a script is what a leaf is worth to seats 0 and 1, and each stands for one simulation that
leaves the tree. The bounds that lead there are written out before what they lead to; roads are the
choices so far, digit by digit. `test_bounds.py` finds each bound to the last digits.
"""

from math import log, sqrt

import numpy as np
import pytest

from kibitz.search.amaf import grave
from kibitz.search.regret import by_regret
from kibitz.search.selection import judge, puct, ucb
from tests.search.trees import FIRST, LAST, Growing, Ways, scripted, scripted_with_priors

UNTRIED = (0, 0)


def test_ucb1_when_one_moves_at_a_time() -> None:
    rows = [(0.25, 0.5), (0.5, 0.25), (0, 0.75), (0.5, 0.25), (0, 0.75), (0.75, 0)]
    growing = Growing(ucb(0.7), scripted(rows), turns=3)
    assert growing.after(FIRST) == {"": {0: [(1, 0.25), UNTRIED]}, "0": {}}
    assert growing.after(FIRST) == {"": {0: [(1, 0.25), (1, 0.5)]}, "0": {}, "1": {}}

    # Values lie between 0.25 and 0.5 so far: bonuses are scaled by this range.
    assert 0.5 + 0.7 * 0.25 * sqrt(log(2) / 1) > 0.25 + 0.7 * 0.25 * sqrt(log(2) / 1)
    third = {"": {0: [(1, 0.25), (2, 0.5)]}, "0": {}, "1": {1: [(1, 0.75), UNTRIED]}, "10": {}}
    assert growing.after(FIRST) == third

    # Both means are 0.25 now, and the range is 0.75.
    assert 0.25 + 0.7 * 0.75 * sqrt(log(3) / 1) > 0.25 + 0.7 * 0.75 * sqrt(log(3) / 2)
    fourth = third | {"": {0: [(2, 0.75), (2, 0.5)]}, "0": {1: [(1, 0.25), UNTRIED]}, "00": {}}
    assert growing.after(FIRST) == fourth

    assert 0.375 + 0.7 * 0.75 * sqrt(log(4) / 2) > 0.25 + 0.7 * 0.75 * sqrt(log(4) / 2)
    fifth = fourth | {"": {0: [(3, 0.75), (2, 0.5)]}, "0": {1: [(1, 0.25), (1, 0.75)]}, "01": {}}
    assert growing.after(FIRST) == fifth

    assert 0.25 + 0.7 * 0.75 * sqrt(log(5) / 2) > 0.25 + 0.7 * 0.75 * sqrt(log(5) / 3)
    sixth = fifth | {"": {0: [(3, 0.75), (3, 1.25)]}, "1": {1: [(1, 0.75), (1, 0)]}, "11": {}}
    assert growing.after(FIRST) == sixth

    # Road 100 is 4 of 7: seat 0 wins, and nobody is asked. The range is 1 from here on.
    assert 1.25 / 3 > 0.75 / 3  # with the same bonus
    assert 0.75 > 0  # likewise
    seventh = sixth | {"": {0: [(3, 0.75), (4, 2.25)]}, "1": {1: [(2, 0.75), (1, 0)]}}
    seventh |= {"10": {0: [(1, 1), UNTRIED]}, "100": {}}
    assert growing.after(FIRST) == seventh
    assert growing.n_asked == 6

    # Road 101 is 5 of 7; seat 1 is not driven to way 1 yet.
    assert 2.25 / 4 + 0.7 * sqrt(log(7) / 4) > 0.25 + 0.7 * sqrt(log(7) / 3)
    assert 0 + 0.7 * sqrt(log(3) / 1) < 0.75 / 2 + 0.7 * sqrt(log(3) / 2)
    eighth = seventh | {"": {0: [(3, 0.75), (5, 3.25)]}, "1": {1: [(3, 0.75), (1, 0)]}}
    assert growing.after(FIRST) == eighth | {"10": {0: [(1, 1), (1, 1)]}, "101": {}}


def test_ucb1_when_two_move_at_once() -> None:
    growing = Growing(ucb(0.5), scripted([(1, 0), (0, 1), (0.25, 0.5)]), turns=2, together=True)
    assert growing.after(FIRST) == {"": {0: [(1, 1), UNTRIED], 1: [(1, 0), UNTRIED]}, "00": {}}
    growing.after(FIRST)

    # Each by its own values: seat 0 repeats way 0, seat 1 way 1, and that is a new road.
    third = {"": {0: [(2, 1.25), (1, 0)], 1: [(1, 0), (2, 1.5)]}, "00": {}, "11": {}, "01": {}}
    assert growing.after(FIRST) == third

    assert 1.25 / 2 + 0.5 * sqrt(log(3) / 2) > 0 + 0.5 * sqrt(log(3) / 1)
    assert 1.5 / 2 + 0.5 * sqrt(log(3) / 2) > 0 + 0.5 * sqrt(log(3) / 1)
    fourth = third | {"": {0: [(3, 1.25), (1, 0)], 1: [(1, 0), (3, 2.5)]}}  # 0100 is 4 of 15
    fourth |= {"01": {0: [(1, 0), UNTRIED], 1: [(1, 1), UNTRIED]}, "0100": {}}
    assert growing.after(FIRST) == fourth

    assert 1.25 / 3 + 0.5 * sqrt(log(4) / 3) > 0 + 0.5 * sqrt(log(4) / 1)
    fifth = fourth | {"": {0: [(4, 1.25), (1, 0)], 1: [(1, 0), (4, 3.5)]}}  # 0111 is 7 of 15
    fifth |= {"01": {0: [(1, 0), (1, 0)], 1: [(1, 1), (1, 1)]}, "0111": {}}
    assert growing.after(FIRST) == fifth

    assert 1.25 / 4 + 0.5 * sqrt(log(5) / 4) < 0 + 0.5 * sqrt(log(5) / 1)  # seat 0 turns away
    assert 3.5 / 4 + 0.5 * sqrt(log(5) / 4) > 0 + 0.5 * sqrt(log(5) / 1)
    sixth = fifth | {"": {0: [(4, 1.25), (2, 1)], 1: [(1, 0), (5, 3.5)]}}  # 1100 is 12 of 15
    sixth |= {"11": {0: [(1, 1), UNTRIED], 1: [(1, 0), UNTRIED]}, "1100": {}}
    assert growing.after(FIRST) == sixth
    assert growing.n_asked == 3


def test_puct_when_one_moves_at_a_time() -> None:
    # The priors weigh 5 to 3 for seat 0 and 1 to 3 for seat 1.
    priors = [(1.25, 0.75), (0.5, 1.5)]
    rows = [(1, 0), (0.5, 0.5), (0, 1), (1, 0)]
    growing = Growing(puct(1.5), scripted_with_priors(rows, priors), turns=3)
    untried = [UNTRIED, UNTRIED]
    first = {"": {0: [(1, 1), UNTRIED]}, "0": {1: untried}}
    assert growing.after(FIRST) == first

    # Way 1 counts as worth what was tried: 1.
    assert 1 + 1.5 * 5 / 8 * sqrt(1) / 2 < 1 + 1.5 * 3 / 8 * sqrt(1) / 1
    second = first | {"": {0: [(1, 1), (1, 0.5)]}, "1": {1: untried}}
    assert growing.after(FIRST) == second

    assert 1 + 1.5 * 5 / 8 * sqrt(2) / 2 > 0.5 + 1.5 * 3 / 8 * sqrt(2) / 2
    third = second | {"": {0: [(2, 1), (1, 0.5)]}, "0": {1: [UNTRIED, (1, 1)]}, "01": {0: untried}}
    assert growing.after(FIRST) == third

    assert 0.5 + 1.5 * 5 / 8 * sqrt(3) / 3 > 0.5 + 1.5 * 3 / 8 * sqrt(3) / 2
    assert 1 + 1.5 * 3 / 4 * sqrt(1) / 2 > 1 + 1.5 * 1 / 4 * sqrt(1) / 1
    fourth = third | {"": {0: [(3, 1), (1, 0.5)]}, "0": {1: [UNTRIED, (2, 2)]}}  # 010 is 2 of 7
    fourth |= {"01": {0: [(1, 0), UNTRIED]}, "010": {}}
    assert growing.after(FIRST) == fourth

    assert 1 / 3 + 1.5 * 5 / 8 * sqrt(4) / 4 < 0.5 + 1.5 * 3 / 8 * sqrt(4) / 2
    fifth = fourth | {"": {0: [(3, 1), (2, 1.5)]}, "1": {1: [UNTRIED, (1, 0)]}, "11": {0: untried}}
    assert growing.after(FIRST) == fifth
    assert growing.n_asked == 4


def test_puct_when_two_move_at_once() -> None:
    priors = [(1.25, 0.75), (0.75, 1.25)]
    evaluator = scripted_with_priors([(1, 0), (0.5, 0.25), (0, 1)], priors)
    growing = Growing(puct(1.0), evaluator, turns=2, together=True)
    untried = [UNTRIED, UNTRIED]
    leaf = {0: untried, 1: untried}
    first = {"": {0: [(1, 1), UNTRIED], 1: [UNTRIED, (1, 0)]}, "01": leaf}
    assert growing.after(FIRST) == first

    assert 1 + 5 / 8 * sqrt(1) / 2 < 1 + 3 / 8 * sqrt(1) / 1  # seat 0 takes way 1
    assert 0 + 5 / 8 * sqrt(1) / 2 < 0 + 3 / 8 * sqrt(1) / 1  # and seat 1 way 0
    second = first | {"": {0: [(1, 1), (1, 0.5)], 1: [(1, 0.25), (1, 0)]}, "10": leaf}
    assert growing.after(FIRST) == second

    assert 1 + 5 / 8 * sqrt(2) / 2 > 0.5 + 3 / 8 * sqrt(2) / 2
    assert 0.25 + 3 / 8 * sqrt(2) / 2 > 0 + 5 / 8 * sqrt(2) / 2
    third = second | {"": {0: [(2, 1), (1, 0.5)], 1: [(2, 1.25), (1, 0)]}, "00": leaf}
    assert growing.after(FIRST) == third

    assert 0.5 + 5 / 8 * sqrt(3) / 3 > 0.5 + 3 / 8 * sqrt(3) / 2
    assert 0.625 + 3 / 8 * sqrt(3) / 3 > 0 + 5 / 8 * sqrt(3) / 2
    fourth = third | {"": {0: [(3, 1), (1, 0.5)], 1: [(3, 2.25), (1, 0)]}}  # 0001 is 1 of 15
    fourth |= {"00": {0: [(1, 0), UNTRIED], 1: [UNTRIED, (1, 1)]}, "0001": {}}
    assert growing.after(FIRST) == fourth


@pytest.mark.parametrize(("tau", "way"), [(0.5, 0), (0.6, 1)], ids=["puct stays", "gpuct explores"])
def test_gpuct_differs_from_puct_by_the_exponent_of_the_visits(tau: float, way: int) -> None:
    rows = [(0, 1), (1, 0)]
    growing = Growing(puct(1.5, tau), scripted_with_priors(rows, [(0.75, 1.25), (0.5, 1.5)]))
    assert growing.after(FIRST)[""] == {0: [UNTRIED, (1, 0)]}
    assert 0 + 1.5 * 3 / 8 / 1 > 0 + 1.5 * 5 / 8 / 2
    assert growing.after(FIRST)[""] == {0: [(1, 1), (1, 0)]}
    assert 1 + 1.5 * 3 / 8 * 2**tau / 2 > 0 + 1.5 * 5 / 8 * 2**tau / 2
    assert growing.after(FIRST)[""] == {0: [(2, 1), (1, 0)]}  # 01 is 1 of 3: lost
    bounds = 0.5 + 1.5 * 3 / 8 * 3**tau / 3, 0 + 1.5 * 5 / 8 * 3**tau / 2
    assert bounds.index(max(bounds)) == way
    (arms,) = growing.after(FIRST)[""].values()
    assert [visits for visits, _ in arms] == [3 - way, 1 + way]


def rave_and_grave(ref: int) -> Growing:
    """Run four simulations in which the two do the same."""
    rows = [(1, 0), (0.5, 0.5), (0, 1), (0.75, 0.25)]
    plays = [[(1, 1), (0, 0)], [(1, 0), (0, 0)], [(0, 1)], [(0, 1)]]
    growing = Growing(grave(c=0.4, ref=ref, bias=0.5), scripted(rows, plays), turns=3)
    growing.after(LAST, n=4)
    return growing


@pytest.mark.parametrize("ref", [0, 50], ids=["rave", "grave"])
def test_all_moves_as_first_are_credited_to_whoever_played_them(ref: int) -> None:
    growing = rave_and_grave(ref)
    # Visits and values, then AMAF: way 0 was also played by seat 0 in the second playout, way 1 in
    # the third and in the fourth. What seat 1 played counts for seat 1 alone.
    root = [(3, 1.75, 1 + 0.5 + 0 + 0.75, 4), (1, 0.5, 0.5 + 0 + 0.75, 3)]
    below = [(1, 1, 1, 1), (1, 0.25, 0.25, 1)]
    expected = {"": {0: root}, "0": {1: below}, "1": {}, "00": {}, "01": {}}
    assert growing.read("second_sum", "second_count") == expected

    # The fifth: mean and AMAF are mixed by n / (n + visits + 0.5 * n * visits), n of AMAF.
    way_0 = 9 / 13 * 1.75 / 3 + 4 / 13 * 2.25 / 4 + 0.4 * sqrt(log(4) / 4)
    way_1 = 2.5 / 5.5 * 0.5 + 3 / 5.5 * 1.25 / 3 + 0.4 * sqrt(log(4) / 2)
    assert way_0 > way_1
    # Seat 1 takes way 0 again. Then seat 0 knows nothing by itself, and draws the last of two; but
    # GRAVE looks up to the root, where way 0 is better: 2.25 / 4 to 1.25 / 3.
    tree = growing.after(FIRST)
    assert tree[""] == {0: [(4, 1.75), (1, 0.5)]}
    assert tree["0"] == {1: [(2, 2), (1, 0.25)]}
    assert tree["00"] == {0: [UNTRIED, (1, 0)] if ref == 0 else [(1, 0), UNTRIED]}
    assert growing.n_asked == 4


def test_rave_when_two_move_at_once() -> None:
    plays = [[(0, 1), (1, 0)], [], [(0, 0), (1, 0)]]
    evaluator = scripted([(1, 0), (0, 0.5), (0.5, 0.25)], plays)
    growing = Growing(grave(c=0.4, ref=0, bias=0.5), evaluator, turns=2, together=True)
    amaf = "second_sum", "second_count"
    growing.after(LAST)
    root: dict[int, Ways] = {0: [(1, 1, 1, 1), (0, 0, 1, 1)], 1: [(1, 0, 0, 1), (0, 0, 0, 0)]}
    assert growing.read(*amaf) == {"": root, "00": {}}
    # Seat 0 finds both ways worth 1, as log(1) is 0, and draws the first; seat 1 tries way 1.
    growing.after(LAST)
    root = {0: [(2, 1, 1, 2), (0, 0, 1, 1)], 1: [(1, 0, 0, 1), (1, 0.5, 0.5, 1)]}
    assert growing.read(*amaf)[""] == root
    assert 0.5 + 0.4 * sqrt(log(2) / 3) < 1 + 0.4 * sqrt(log(2) / 1)
    assert 0 + 0.4 * sqrt(log(2) / 2) < 0.5 + 0.4 * sqrt(log(2) / 2)
    growing.after(LAST)
    root = {0: [(2, 1, 1.5, 3), (1, 0.5, 1.5, 2)], 1: [(1, 0, 0.25, 2), (2, 0.75, 0.75, 2)]}
    assert growing.read(*amaf)[""] == root
    way_1 = 0.5 * 0.5 + 0.5 * 0.75 + 0.4 * sqrt(log(3) / 2)  # 2 / (2 + 1 + 0.5 * 2 * 1) is AMAF
    assert way_1 > 0.5 + 0.4 * sqrt(log(3) / 3)
    assert 0.375 + 0.4 * sqrt(log(3) / 3) > 0.5 * 0.125 + 0.4 * sqrt(log(3) / 2)
    growing.after(LAST)
    root = {0: [(2, 1, 2.5, 4), (2, 1.5, 2.5, 3)], 1: [(1, 0, 0.25, 3), (3, 0.75, 0.75, 3)]}
    below = {0: [(1, 1, 1, 1), (0, 0, 0, 0)], 1: [(1, 0, 0, 1), (0, 0, 0, 0)]}
    expected = {"": root, "00": {}, "01": {}, "11": below, "1100": {}}  # 12 of 15
    assert growing.read(*amaf) == expected


def test_regret_matching_when_two_move_at_once() -> None:
    rows = [(0, 1), (0.5, 0.25), (1, 0), (0.5, 1)]
    growing = Growing(by_regret(gamma=0.2), scripted(rows), turns=2, together=True)
    kept = "second_sum", "second_count"  # regrets, and the average strategy
    # Half and half. What was not tried is taken to be worth 0.5: seat 0 regrets way 1, which gives
    # 0.25 more than half of 0 and half of 0.5; seat 1 is glad of way 1, 0.25 above the same.
    growing.after(0.3, 0.7)
    root: dict[int, Ways]
    root = {0: [(1, 0, 0, 0.5), (0, 0, 0.25, 0.5)], 1: [(0, 0, 0, 0.5), (1, 1, 0.25, 0.5)]}
    assert growing.read(*kept) == {"": root, "01": {}}
    # Both play way 1 but for 0.1; the second mixture counts twice.
    growing.after(0.95, 0.05)
    root = {0: [(1, 0, 0, 0.5), (1, 0.5, 0.25, 2.5)]}
    root |= {1: [(1, 0.25, 0, 0.5), (1, 1, 0.25, 2.5)]}
    assert growing.read(*kept)[""] == root
    growing.after(0.95, 0.95)
    root = {0: [(1, 0, 0, 0.5), (2, 1.5, 0.25, 5.5)], 1: [(1, 0.25, 0, 0.5), (2, 1, 0.25, 5.5)]}
    assert growing.read(*kept)[""] == root
    # Way 0 of seat 1 is worth (0.25 + 1) / 2 now, and way 1, which it would play, 1 / 2.
    growing.after(0.05, 0.05)
    root = {0: [(2, 0.5, 0, 0.5), (2, 1.5, 0.25, 9.5)]}
    root |= {1: [(2, 1.25, 0.125, 0.5), (2, 1, 0.25, 9.5)]}
    assert growing.read(*kept) == {"": root, "00": {}, "01": {}, "10": {}, "11": {}}
    weights, preference = np.zeros((2, 2))
    judge(growing.desk.rule, growing.desk.tree, growing.desk.how, 0, weights, preference)
    assert weights.tolist() == preference.tolist() == [0.5, 9.5]


def test_regret_matching_when_one_moves_at_a_time() -> None:
    growing = Growing(by_regret(gamma=0.2), scripted([(0, 1), (1, 0.5), (0.5, 0.5)]), turns=3)
    growing.after(0.3)
    growing.after(0.05, 0.7)  # way 0 has 0.1 left; seat 1, half and half
    below = [(0, 0, 0, 0.5), (1, 0.5, 0, 0.5)]
    root: Ways = [(2, 1, 0, 0.5), (0, 0, 0.25, 2.5)]
    known = growing.read("second_sum", "second_count")
    assert known == {"": {0: root}, "0": {1: below}, "01": {}}
    growing.after(0.2)
    root = [(2, 1, 0, 0.5), (1, 0.5, 0.25, 5.5)]
    assert growing.read("second_sum", "second_count")[""] == {0: root}
