"""Trees computed by hand: every visit and every sum of values, for every rule.

A row of a script is what a leaf is worth to seats 0 and 1, and each stands for one simulation that
leaves the tree. The bounds that lead there are written out before what they lead to; roads are the
choices so far, digit by digit. `test_bounds.py` finds each bound to the last digits.
"""

from math import exp, log, sqrt

import numpy as np
import pytest

from kibitz.core.rng import unit
from kibitz.search.amaf import grave
from kibitz.search.halving import halving
from kibitz.search.regret import by_regret
from kibitz.search.selection import judge, puct, ucb
from tests.search.trees import FIRST, LAST, Growing, Ways, scripted, scripted_with_priors, stream

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
    untried = {1: [UNTRIED, UNTRIED]}
    assert growing.after(FIRST) == {"": {0: [UNTRIED, (1, 0)]}, "1": untried}

    assert 0 + 1.5 * 3 / 8 / 1 > 0 + 1.5 * 5 / 8 / 2
    second = {"": {0: [(1, 1), (1, 0)]}, "0": untried, "1": untried}
    assert growing.after(FIRST) == second

    assert 1 + 1.5 * 3 / 8 * 2**tau / 2 > 0 + 1.5 * 5 / 8 * 2**tau / 2
    third = second | {"": {0: [(2, 1), (1, 0)]}, "0": {1: [UNTRIED, (1, 1)]}}
    third |= {"01": {}}  # 1 of 3: seat 0 has lost
    assert growing.after(FIRST) == third

    bounds = 0.5 + 1.5 * 3 / 8 * 3**tau / 3, 0 + 1.5 * 5 / 8 * 3**tau / 2
    assert bounds.index(max(bounds)) == way
    assert 1 + 1.5 * 1 / 4 * 1**tau / 1 < 1 + 1.5 * 3 / 4 * 1**tau / 2  # seat 1 repeats its way
    stays = third | {"": {0: [(3, 1), (1, 0)]}, "0": {1: [UNTRIED, (2, 2)]}}
    explores = third | {"": {0: [(2, 1), (2, 1)]}, "1": {1: [UNTRIED, (1, 0)]}, "11": {}}
    assert growing.after(FIRST) == (stays, explores)[way]
    assert growing.n_asked == 2


def test_gpuct_when_two_move_at_once() -> None:
    priors = [(1.25, 0.75), (0.75, 1.25)]
    evaluator = scripted_with_priors([(1, 0), (0.5, 0.25)], priors)
    growing = Growing(puct(1.0, 1.1), evaluator, turns=2, together=True)
    leaf = {0: [UNTRIED, UNTRIED], 1: [UNTRIED, UNTRIED]}
    first = {"": {0: [(1, 1), UNTRIED], 1: [UNTRIED, (1, 0)]}, "01": leaf}
    assert growing.after(FIRST) == first

    assert 1 + 5 / 8 * 1**1.1 / 2 < 1 + 3 / 8 * 1**1.1 / 1  # seat 0 takes way 1
    assert 0 + 5 / 8 * 1**1.1 / 2 < 0 + 3 / 8 * 1**1.1 / 1  # and seat 1 way 0
    second = first | {"": {0: [(1, 1), (1, 0.5)], 1: [(1, 0.25), (1, 0)]}, "10": leaf}
    assert growing.after(FIRST) == second

    assert 1 + 5 / 8 * 2**1.1 / 2 > 0.5 + 3 / 8 * 2**1.1 / 2
    assert 0 + 5 / 8 * 2**1.1 / 2 > 0.25 + 3 / 8 * 2**1.1 / 2
    assert 0 + 5 / 8 * 2**0.5 / 2 < 0.25 + 3 / 8 * 2**0.5 / 2  # where PUCT would turn away
    third = second | {"": {0: [(2, 1), (1, 0.5)], 1: [(1, 0.25), (2, 1)]}}  # 0101 is 5 of 15
    third |= {"01": {0: [(1, 0), UNTRIED], 1: [UNTRIED, (1, 1)]}, "0101": {}}
    assert growing.after(FIRST) == third

    assert 1 / 2 + 5 / 8 * 3**1.1 / 3 > 0.5 + 3 / 8 * 3**1.1 / 2
    assert 1 / 2 + 5 / 8 * 3**1.1 / 3 > 0.25 + 3 / 8 * 3**1.1 / 2
    assert 0 + 5 / 8 * 1**1.1 / 2 < 0 + 3 / 8 * 1**1.1 / 1  # below, both turn to the other way
    fourth = third | {"": {0: [(3, 1), (1, 0.5)], 1: [(1, 0.25), (3, 2)]}}  # 0110 is 6 of 15
    fourth |= {"01": {0: [(1, 0), (1, 0)], 1: [(1, 1), (1, 1)]}, "0110": {}}
    assert growing.after(FIRST) == fourth
    assert growing.n_asked == 2


AMAF = "second_sum", "second_count"


@pytest.mark.parametrize("ref", [0, 50], ids=["rave", "grave"])
def test_all_moves_as_first_are_credited_to_whoever_played_them(ref: int) -> None:
    rows = [(1, 0), (0.5, 0.5), (0, 1), (0.75, 0.25)]
    plays = [[(1, 1), (0, 0)], [(1, 0), (0, 0)], [(0, 1)], [(0, 1)]]
    growing = Growing(grave(c=0.4, ref=ref, bias=0.5), scripted(rows, plays), turns=3)
    nothing = (0, 0, 0, 0)
    # Visits and values, then AMAF. What nobody knows comes first: way 0, then way 1, in whose
    # playout seat 0 played way 0 as well. What seat 1 played counts for seat 1 alone.
    growing.after(LAST)
    assert growing.read(*AMAF) == {"": {0: [(1, 1, 1, 1), nothing]}, "0": {}}
    growing.after(LAST)
    assert growing.read(*AMAF)[""] == {0: [(1, 1, 1 + 0.5, 2), (1, 0.5, 0.5, 1)]}

    # Mean and AMAF are mixed by n / (n + visits + 0.5 * n * visits), n of AMAF.
    assert 2 / 4 * 1 / 1 + 2 / 4 * 1.5 / 2 > 1.5 / 2.5 * 0.5 + 1 / 2.5 * 0.5  # with one bonus
    growing.after(LAST)
    third = {"": {0: [(2, 1, 1.5, 3), (1, 0.5, 0.5 + 0, 2)]}, "0": {1: [(1, 1, 1, 1), nothing]}}
    assert growing.read(*AMAF) == third | {"1": {}, "00": {}}

    way_0 = 5 / 8 * 1 / 2 + 3 / 8 * 1.5 / 3 + 0.4 * sqrt(log(3) / 3)
    way_1 = 2 / 4 * 0.5 + 2 / 4 * 0.5 / 2 + 0.4 * sqrt(log(3) / 2)
    assert way_0 > way_1
    growing.after(LAST)
    root = [(3, 1.75, 1.5 + 0.75, 4), (1, 0.5, 0.5 + 0.75, 3)]
    below = [(1, 1, 1, 1), (1, 0.25, 0.25, 1)]
    expected = {"": {0: root}, "0": {1: below}, "1": {}, "00": {}, "01": {}}
    assert growing.read(*AMAF) == expected

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


@pytest.mark.parametrize("ref", [0, 3], ids=["rave", "grave"])
def test_rave_and_grave_when_two_move_at_once(ref: int) -> None:
    plays = [[(0, 1), (1, 0)], [], [(0, 0), (1, 0)]]
    evaluator = scripted([(1, 0), (0, 0.5), (0.5, 0.25)], plays)
    growing = Growing(grave(c=0.4, ref=ref, bias=0.5), evaluator, turns=2, together=True)
    growing.after(LAST)
    root: dict[int, Ways] = {0: [(1, 1, 1, 1), (0, 0, 1, 1)], 1: [(1, 0, 0, 1), (0, 0, 0, 0)]}
    assert growing.read(*AMAF) == {"": root, "00": {}}
    # Seat 0 finds both ways worth 1, as log(1) is 0, and draws the first; seat 1 tries way 1.
    growing.after(LAST)
    root = {0: [(2, 1, 1, 2), (0, 0, 1, 1)], 1: [(1, 0, 0, 1), (1, 0.5, 0.5, 1)]}
    assert growing.read(*AMAF)[""] == root
    assert 0.5 + 0.4 * sqrt(log(2) / 3) < 1 + 0.4 * sqrt(log(2) / 1)
    assert 0 + 0.4 * sqrt(log(2) / 2) < 0.5 + 0.4 * sqrt(log(2) / 2)
    growing.after(LAST)
    root = {0: [(2, 1, 1.5, 3), (1, 0.5, 1.5, 2)], 1: [(1, 0, 0.25, 2), (2, 0.75, 0.75, 2)]}
    assert growing.read(*AMAF)[""] == root
    way_1 = 0.5 * 0.5 + 0.5 * 0.75 + 0.4 * sqrt(log(3) / 2)  # 2 / (2 + 1 + 0.5 * 2 * 1) is AMAF
    assert way_1 > 0.5 + 0.4 * sqrt(log(3) / 3)
    assert 0.375 + 0.4 * sqrt(log(3) / 3) > 0.5 * 0.125 + 0.4 * sqrt(log(3) / 2)
    growing.after(LAST)
    nothing = (0, 0, 0, 0)
    if ref == 0:  # below, nobody knows anything, and both draw the first
        root = {0: [(2, 1, 2.5, 4), (2, 1.5, 2.5, 3)], 1: [(1, 0, 0.25, 3), (3, 0.75, 0.75, 3)]}
        below: dict[int, Ways] = {0: [(1, 1, 1, 1), nothing], 1: [(1, 0, 0, 1), nothing]}
        end = "1100"  # 12 of 15
    else:  # both look up to the root, which was visited three times
        assert 1.5 / 3 < 1.5 / 2  # so that seat 0
        assert 0.25 / 2 < 0.75 / 2  # and seat 1 take way 1
        root = {0: [(2, 1, 1.5, 3), (2, 1.5, 2.5, 3)], 1: [(1, 0, 0.25, 2), (3, 0.75, 0.75, 3)]}
        below = {0: [nothing, (1, 1, 1, 1)], 1: [nothing, (1, 0, 0, 1)]}
        end = "1111"
    expected = {"": root, "00": {}, "01": {}, "11": below, end: {}}
    assert growing.read(*AMAF) == expected


def test_regret_matching_when_two_move_at_once() -> None:
    rows = [(0, 1), (0.5, 0.25), (1, 0), (0.5, 1)]
    growing = Growing(by_regret(gamma=0.2), scripted(rows), turns=2, together=True)
    kept = "second_sum", "second_count"  # regrets, and the average strategy
    # Half and half. What was not tried is taken to be worth 0.5: seat 0 regrets way 1, which gives
    # 0.25 more than half of 0 and half of 0.5; seat 1 is glad of way 1, 0.25 above the same.
    assert 0.3 < 0.8 * 1 / 2 + 0.2 / 2 < 0.7  # seat 0 draws way 0, and seat 1 way 1
    growing.after(0.3, 0.7)
    root: dict[int, Ways]
    root = {0: [(1, 0, 0, 0.5), (0, 0, 0.25, 0.5)], 1: [(0, 0, 0, 0.5), (1, 1, 0.25, 0.5)]}
    assert growing.read(*kept) == {"": root, "01": {}}
    # Both regret way 1 alone; the second mixture counts twice.
    assert 0.05 < 0.8 * 0 / 0.25 + 0.2 / 2 < 0.95
    growing.after(0.95, 0.05)
    root = {0: [(1, 0, 0, 0.5), (1, 0.5, 0.25, 2.5)]}
    root |= {1: [(1, 0.25, 0, 0.5), (1, 1, 0.25, 2.5)]}
    assert growing.read(*kept)[""] == root
    growing.after(0.95, 0.95)
    root = {0: [(1, 0, 0, 0.5), (2, 1.5, 0.25, 5.5)], 1: [(1, 0.25, 0, 0.5), (2, 1, 0.25, 5.5)]}
    assert growing.read(*kept) == {"": root, "01": {}, "10": {}, "11": {}}
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
    kept = "second_sum", "second_count"
    # Way 0 gives 0, half of which is expected, and way 1, not tried, 0.5.
    assert 0.3 < 0.8 * 1 / 2 + 0.2 / 2
    growing.after(0.3)
    root: Ways = [(1, 0, 0, 0.5), (0, 0, 0.5 - 0.25, 0.5)]
    assert growing.read(*kept) == {"": {0: root}, "0": {}}
    # Way 0 has given (0 + 1) / 2, as much as way 1 promises: nothing is added to regrets.
    assert 0.05 < 0.8 * 0 / 0.25 + 0.2 / 2
    assert 0.7 > 0.8 * 1 / 2 + 0.2 / 2  # seat 1
    growing.after(0.05, 0.7)
    below = [(0, 0, 0, 0.5), (1, 0.5, 0, 0.5)]
    root = [(2, 1, 0, 0.5 + 2 * 0), (0, 0, 0.25, 0.5 + 2 * 1)]
    assert growing.read(*kept) == {"": {0: root}, "0": {1: below}, "01": {}}
    assert 0.2 > 0.8 * 0 / 0.25 + 0.2 / 2
    growing.after(0.2)
    root = [(2, 1, 0, 0.5), (1, 0.5, 0.25, 2.5 + 3 * 1)]
    assert growing.read(*kept) == {"": {0: root}, "0": {1: below}, "01": {}, "1": {}}


NEVER = -1e9
"""The preference for what is no longer considered."""

THIRD = 0.6334564878429013
"""What the stream of 0.35 and 0.65 draws after them."""


def gumbel(draw: float) -> float:
    return -log(-log(draw))


def judged(growing: Growing) -> tuple[list[float], list[float]]:
    """Return how much each way of the root is to be played, and is preferred."""
    desk = growing.desk
    n = int(desk.tree.decisions[0]["n_at_first"])
    weights, preference = np.zeros((2, n))
    judge(desk.rule, desk.tree, desk.how, 0, weights, preference)
    return weights.tolist(), preference.tolist()


def test_gumbel_when_one_moves_at_a_time() -> None:
    rng = stream(0.35, 0.65)
    assert [unit(rng) for _ in range(3)] == pytest.approx([0.35, 0.65, THIRD], abs=1e-12)
    # Noise and the logarithm of the prior, of seat 0. Values count twice.
    first = [gumbel(0.35) + log(1.5), gumbel(0.65) + log(1.0), gumbel(THIRD) + log(0.5)]
    rows = [(0.5, 0.5), (0.375, 0.25), (0.75, 0.25)]
    rows += [(0.625, 0.3125), (0.46875, 0.5), (0.5, 0.453125)]
    evaluator = scripted_with_priors(rows, [(1.5, 1.0, 0.5), (0.25, 1.0, 1.75)])
    growing = Growing(halving(3, 1.0, 2.0), evaluator, n_planned=6, ways=3, turns=3)
    none = [UNTRIED, UNTRIED, UNTRIED]

    # Three ways in two phases: each is due 6 / (2 * 3) = 1 visit in the first.
    growing.after(0.35, 0.65)
    assert growing.read() == {"": {0: [(1, 0.5), UNTRIED, UNTRIED]}, "0": {1: none}}
    growing.after(LAST, n=2)
    third = {"0": {1: none}, "1": {1: none}, "2": {1: none}}
    assert growing.read() == {"": {0: [(1, 0.5), (1, 0.375), (1, 0.75)]}} | third

    # Half of three is two. Values lie between 0.25 and 0.75, and way 2 is best: way 1 is dropped.
    way_0 = first[0] - 2 * sqrt(1) * (0.75 - 0.5) / 0.5
    way_1 = first[1] - 2 * sqrt(1) * (0.75 - 0.375) / 0.5
    assert way_1 < way_0 < first[2]
    # Each of two is due 6 / (2 * 2) = 1.5, so 1 visit more. Seat 1 goes by its priors at first.
    fourth = third | {"": {0: [(2, 1.125), (1, 0.375), (1, 0.75)]}}
    fourth |= {"0": {1: [UNTRIED, UNTRIED, (1, 0.3125)]}, "02": {0: none}}
    assert growing.after(LAST) == fourth
    fifth = fourth | {"": {0: [(2, 1.125), (1, 0.375), (2, 1.21875)]}}
    fifth |= {"2": {1: [UNTRIED, UNTRIED, (1, 0.5)]}, "22": {0: none}}
    assert growing.after(LAST) == fifth

    # Now one is left: way 0, although way 2 has the better mean.
    assert first[0] - 2 * sqrt(2) * (0.609375 - 0.5625) / 0.5 > first[2]
    # Seat 1: of 1 + 1 visits its priors make 2 * 0.25 / 3, 2 * 1 / 3 and 2 * 1.75 / 3 due, and
    # way 2 has had one of them.
    assert max(2 * 0.25 / 3 - 0, 2 * 1.75 / 3 - 1) < 2 * 1 / 3 - 0
    sixth = fifth | {"": {0: [(3, 1.625), (1, 0.375), (2, 1.21875)]}}
    sixth |= {"0": {1: [UNTRIED, (1, 0.453125), (1, 0.3125)]}, "01": {0: none}}
    assert growing.after(LAST) == sixth

    # Way 2 of seat 1 falls behind way 1 by what it is worth less, within the range of 0.5.
    way_2 = 1.75 * exp(-2 * sqrt(1) * (0.453125 - 0.3125) / 0.5)
    share = 3 / (0.25 + 1 + way_2)
    assert share * 1 - 1 > max(share * 0.25, share * way_2 - 1)
    seventh = sixth | {"": {0: [(4, 1.625), (1, 0.375), (2, 1.21875)]}}  # 010 is 3 of 26: lost
    seventh |= {"0": {1: [UNTRIED, (2, 1.453125), (1, 0.3125)]}}
    seventh |= {"01": {0: [(1, 0), UNTRIED, UNTRIED]}, "010": {}}
    assert growing.after(LAST) == seventh

    way_2 = 1.75 * exp(-2 * sqrt(1) * (1.453125 / 2 - 0.3125) / 1)  # the range is 1 from here on
    share = 4 / (0.25 + 1 + way_2)
    assert share * way_2 - 1 > max(share * 0.25, share * 1 - 2)
    eighth = seventh | {"": {0: [(5, 1.625), (1, 0.375), (2, 1.21875)]}}  # 020 is 6 of 26
    eighth |= {"0": {1: [UNTRIED, (2, 1.453125), (2, 1.3125)]}}
    eighth |= {"02": {0: [(1, 0), UNTRIED, UNTRIED]}, "020": {}}
    assert growing.after(LAST) == eighth
    assert growing.n_asked == 6

    # What is played counts all ways as visited five times, like way 0.
    shifts = [2 * sqrt(5) * (0.609375 - mean) / 1 for mean in (0.325, 0.375, 0.609375)]
    policy = [p * exp(-shift) for p, shift in zip((1.5, 1.0, 0.5), shifts, strict=True)]
    weights, preference = judged(growing)
    assert weights == pytest.approx([one / sum(policy) for one in policy], rel=1e-6)
    assert preference == pytest.approx([first[0] - shifts[0], NEVER, NEVER], rel=1e-6)


def test_gumbel_when_two_move_at_once() -> None:
    first = [gumbel(0.35) + log(1.25), gumbel(0.65) + log(0.75)]  # of seat 0; values count 1.5
    rows = [(0.75, 0.25), (0.25, 0.421875), (0.4375, 0.75), (0.75, 0.71875)]
    evaluator = scripted_with_priors(rows, [(1.25, 0.75), (0.75, 1.25)])
    rule = halving(2, 1.0, 1.5)
    growing = Growing(rule, evaluator, n_planned=4, turns=2, together=True)
    leaf = {0: [UNTRIED, UNTRIED], 1: [UNTRIED, UNTRIED]}

    # Seat 0 searches: two ways in one phase, each is due 4 / (1 * 2) = 2 visits, in turn. Seat 1
    # follows its policy: at first the prior.
    one = {"": {0: [(1, 0.75), UNTRIED], 1: [UNTRIED, (1, 0.25)]}, "01": leaf}
    assert growing.after(0.35, 0.65) == one

    assert 2 * 0.75 / 2 - 0 > 2 * 1.25 / 2 - 1
    two = one | {"": {0: [(1, 0.75), (1, 0.25)], 1: [(1, 0.421875), (1, 0.25)]}, "10": leaf}
    assert growing.after(LAST) == two

    # The range is 0.5. Way 1 of seat 1 is worth less, and now counts less than way 0.
    way_1 = 1.25 * exp(-1.5 * sqrt(1) * (0.421875 - 0.25) / 0.5)
    share = 3 / (0.75 + way_1)
    assert share * 0.75 - 1 > share * way_1 - 1
    three = two | {"": {0: [(2, 1.1875), (1, 0.25)], 1: [(2, 1.171875), (1, 0.25)]}, "00": leaf}
    assert growing.after(LAST) == three

    way_1 = 1.25 * exp(-1.5 * sqrt(1) * (1.171875 / 2 - 0.25) / 0.5)
    share = 4 / (0.75 + way_1)
    assert share * 0.75 - 2 < share * way_1 - 1
    four = three | {"": {0: [(2, 1.1875), (2, 1)], 1: [(2, 1.171875), (2, 0.96875)]}, "11": leaf}
    assert growing.after(LAST) == four

    # Seat 0 drops way 1, which its noise had put first; seat 1 has both twice.
    assert first[0] > first[1] - 1.5 * sqrt(2) * (1.1875 / 2 - 1 / 2) / 0.5
    assert first[0] < first[1]
    way_1 = 1.25 * exp(-1.5 * sqrt(2) * (1.171875 / 2 - 0.96875 / 2) / 0.5)
    assert 5 / (0.75 + way_1) * 0.75 - 2 < 5 / (0.75 + way_1) * way_1 - 2
    five = four | {"": {0: [(3, 1.1875), (2, 1)], 1: [(2, 1.171875), (3, 1.96875)]}}
    five |= {"01": {0: [(1, 0), UNTRIED], 1: [UNTRIED, (1, 1)]}, "0101": {}}  # 5 of 15: lost
    assert growing.after(LAST) == five
    assert growing.n_asked == 4

    shift = 1.5 * sqrt(3) * (1 / 2 - 1.1875 / 3) / 1  # the range is 1 now
    policy = [1.25 * exp(-shift), 0.75]
    weights, preference = judged(growing)
    assert weights == pytest.approx([each / sum(policy) for each in policy], rel=1e-6)
    assert preference == pytest.approx([first[0] - shift, NEVER], rel=1e-6)


def test_gumbel_completes_the_values_of_what_it_does_not_consider() -> None:
    priors = [(1.5, 0.5, 1.0), (1, 1, 1)]
    evaluator = scripted_with_priors([(0.25, 0.75), (0.75, 0.25)], priors)
    growing = Growing(halving(2, 0.0, 1.25), evaluator, n_planned=3, ways=3, turns=2)
    # Without noise the priors say who is considered: ways 0 and 2, 3 / (1 * 2) = 1.5, so 1 each.
    none = [UNTRIED, UNTRIED, UNTRIED]
    growing.after(LAST, n=2)
    tree = {"": {0: [(1, 0.25), UNTRIED, (1, 0.75)]}, "0": {1: none}, "2": {1: none}}
    assert growing.read() == tree
    completed = (1.5 * 0.25 + 1.0 * 0.75) / (1.5 + 1.0)
    shifts = [1.25 * sqrt(1) * (0.75 - value) / 0.5 for value in (0.25, completed, 0.75)]
    policy = [p * exp(-shift) for p, shift in zip(priors[0], shifts, strict=True)]
    weights, preference = judged(growing)
    assert weights == pytest.approx([one / sum(policy) for one in policy], rel=1e-6)
    expected = [log(1.5) - shifts[0], NEVER, log(1.0) - shifts[2]]
    assert preference == pytest.approx(expected, rel=1e-6)

    assert expected[0] < expected[2]  # way 0 is dropped; seat 1 takes the first of equals
    tree |= {"": {0: [(1, 0.25), UNTRIED, (2, 1.75)]}, "2": {1: [(1, 0), UNTRIED, UNTRIED]}}
    assert growing.after(LAST) == tree | {"20": {}}  # 6 of 8: won
    assert growing.n_asked == 2
