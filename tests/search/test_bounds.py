"""Bounds of arms, found to the last digits: a hair more or less tips what a rule selects.

Each test computes by hand the mean at which one arm comes level with the best of the others, and
looks on which side of it the rule changes its mind. A constant that is off by a hair fails.
"""

from math import exp, log, sqrt

import numpy as np
import pytest

from kibitz.search.amaf import grave
from kibitz.search.halving import halving
from kibitz.search.regret import by_regret
from kibitz.search.selection import begin_rule, puct, select, ucb
from kibitz.search.tree import ARM, DECISION, JOINT, NONE, SEARCH, VIEW
from tests.search.trees import LAST, stream

HAIR = 1e-7
"""By which a mean is off; what a rule keeps in single precision needs more."""

LOWEST, HIGHEST = -1.0, 3.0
"""Values met so far: rules scale by this range of 4."""


def selected(rule: np.record, arms: list[dict[str, float]], *draws: float, **search: float) -> int:
    """Return which of some arms a new search selects, below its root unless told."""
    how = np.zeros(1, SEARCH)[0]
    how["lowest_value"], how["highest_value"], how["n_path"] = LOWEST, HIGHEST, 1
    how["reference"] = NONE
    for name, value in search.items():
        how[name] = value
    made = np.zeros(len(arms), ARM)
    made["prior"], made["arm_child"], made["met_in"] = 1, NONE, how["n_begun"]
    made["next_arm"] = [*range(1, len(arms)), NONE]
    for k, arm in enumerate(arms):
        for name, value in arm.items():
            made[k][name] = value
    decision = np.zeros(1, DECISION)[0]
    decision["n_at_first"], decision["decision_visits"] = len(arms), made["arm_visits"].sum()
    begin_rule(rule)
    return int(select(made, decision, how, rule, stream(*(draws or (LAST,)))))


def assert_tips(
    rule: np.record,
    arms: list[dict[str, float]],
    k: int,
    mean: float,
    hair: float = HAIR,
    **search: float,
) -> None:
    """Expect arm `k` to be selected with a mean just above this one, and not with one below."""
    for side in (-1, 1):
        value = arms[k]["arm_visits"] * (mean + side * hair)
        tilted = [arm | {"value_sum": value} if i == k else arm for i, arm in enumerate(arms)]
        assert (selected(rule, tilted, **search) == k) == (side > 0)


def arm(visits: int, value_sum: float = 0, **more: float) -> dict[str, float]:
    return {"arm_visits": visits, "value_sum": value_sum, **more}


def test_ucb1_adds_c_times_the_root_of_log_n_over_visits() -> None:
    arms = [arm(1, 0.5), arm(2, 1.5), arm(3)]
    first = 0.5 + 0.7 * 4 * sqrt(log(6) / 1)
    second = 0.75 + 0.7 * 4 * sqrt(log(6) / 2)
    assert_tips(ucb(0.7), arms, 2, max(first, second) - 0.7 * 4 * sqrt(log(6) / 3), keys=JOINT)


def test_ucb1_counts_how_often_an_arm_was_there_where_worlds_differ() -> None:
    arms = [arm(1, 0.5, available=9), arm(2, 1.5, available=4), arm(3, available=7)]
    first = 0.5 + 0.7 * 4 * sqrt(log(9) / 1)
    second = 0.75 + 0.7 * 4 * sqrt(log(4) / 2)
    tip = max(first, second) - 0.7 * 4 * sqrt(log(7) / 3)
    assert_tips(ucb(0.7), arms, 2, tip, keys=VIEW, n_begun=5)


def test_ucb1_knows_logarithms_beyond_its_table() -> None:
    arms = [arm(5000, 2500), arm(6000)]
    tip = 0.5 + 0.7 * 4 * sqrt(log(11000) / 5000) - 0.7 * 4 * sqrt(log(11000) / 6000)
    for keys in (JOINT, VIEW):
        present = [one | {"available": 11000} for one in arms]
        assert_tips(ucb(0.7), present, 1, tip, keys=keys)


def test_arms_that_are_not_legal_in_this_world_are_passed_over() -> None:
    arms = [arm(1, 3, available=1, met_in=4), arm(2, 0, available=2), arm(2, 1, available=2)]
    for rule in (ucb(0.7), puct(1.5), grave(0.7, 0, 0.5)):
        assert selected(rule, arms, keys=VIEW, n_begun=5) == 2


@pytest.mark.parametrize("tau", [0.5, 0.7])
def test_puct_adds_c_times_the_prior_times_a_power_of_n_over_visits(tau: float) -> None:
    arms = [arm(1, 0.5, prior=0.5), arm(2, 1.5, prior=1.5), arm(3, prior=1)]
    power = 6**tau  # the square root makes it PUCT, another exponent GPUCT
    first = 0.5 + 1.5 * 4 * 0.5 / 3 * power / (1 + 1)
    second = 0.75 + 1.5 * 4 * 1.5 / 3 * power / (1 + 2)
    tip = max(first, second) - 1.5 * 4 * 1 / 3 * power / (1 + 3)
    assert_tips(puct(1.5, tau), arms, 2, tip, keys=JOINT)


def test_puct_takes_what_was_never_tried_to_be_worth_what_was() -> None:
    arms = [arm(2, 1.5), arm(1), arm(0)]
    # With x the mean of the second: its bound is x + 4 * 1.5 / 3 * sqrt(3) / 2, and that of the
    # third, which was never tried, (1.5 + x) / 3 + 4 * 1.5 / 3 * sqrt(3). They are level at:
    tip = 3 / 2 * (1.5 / 3 + 2 * sqrt(3) - 2 * sqrt(3) / 2)
    assert_tips(puct(1.5), arms, 1, tip, keys=JOINT)


def test_puct_goes_by_the_prior_alone_at_first() -> None:
    for prior, chosen in ((1.0001, 0), (0.9999, 1)):
        assert selected(puct(1.5), [arm(0, prior=prior), arm(0, prior=1)], keys=JOINT) == chosen


def test_rave_mixes_means_with_amaf() -> None:
    arms = [arm(2, 1.0, second_sum=3.0, second_count=5), arm(3, second_sum=2.0, second_count=4)]
    arms[1]["arm_action"] = 1
    # n of AMAF and v visits weigh n / (n + v + bias * n * v); scaled, a value x is (x + 1) / 4.
    weight = 5 / (5 + 2 + 0.5 * 5 * 2)
    first = (1 - weight) * (1.0 / 2 + 1) / 4 + weight * (3.0 / 5 + 1) / 4
    first += 0.4 * sqrt(log(5) / (2 + 1))
    weight = 4 / (4 + 3 + 0.5 * 4 * 3)
    rest = first - 0.4 * sqrt(log(5) / (3 + 1)) - weight * (2.0 / 4 + 1) / 4
    tip = 4 * rest / (1 - weight) - 1
    assert_tips(grave(0.4, 0, 0.5), arms, 1, tip, keys=JOINT)


@pytest.mark.parametrize(("ref", "chosen"), [(3, 1), (4, 0)])
def test_grave_looks_up_from_decisions_with_fewer_visits_than_ref(ref: int, chosen: int) -> None:
    # The arms 2 and 3 belong to a decision above, where way 0 did better; here, after three
    # visits, way 1 did.
    ways = [arm(1, 0.5), arm(2, 1.0)]
    amaf = [{"second_sum": 0.0, "second_count": 9.0}, {"second_sum": 9.0, "second_count": 9.0}]
    here = [ways[0] | amaf[0], ways[1] | amaf[1] | {"next_arm": NONE}]
    above = [arm(0) | amaf[1], arm(0) | amaf[0]]
    arms = [one | {"arm_action": k % 2} for k, one in enumerate(here + above)]
    assert selected(grave(0.0, ref, 0.0), arms, keys=JOINT, reference=2) == chosen


@pytest.mark.parametrize("side", [-1, 1])
def test_gumbel_considers_the_best_of_noise_and_prior(side: int) -> None:
    # Gumbel noise of the draws 0.3 and 0.6, by -log(-log(u)).
    noise = [-log(-log(0.3)), -log(-log(0.6))]
    prior = exp(noise[1] - noise[0]) * (1 + side * 1e-5)  # kept in single precision
    arms = [arm(0, prior=prior), arm(0)]
    rule = halving(1, 1.0, 0.1)
    assert selected(rule, arms, 0.3, 0.6, n_path=0, n_planned=8) == (0 if side > 0 else 1)
    rule = halving(1, 2.0, 0.1)  # twice the noise, and the prior says too little
    assert selected(rule, arms, 0.3, 0.6, n_path=0, n_planned=8) == 1


@pytest.mark.parametrize("scale", [2.0, 2.5])
def test_gumbel_shifts_priors_by_gap_and_root_of_own_visits(scale: float) -> None:
    arms = [arm(1, 0.5, prior=0.5), arm(2, 1.5, prior=1.5), arm(3, prior=4)]
    first = 0.5 * exp(-scale * sqrt(1) * (0.75 - 0.5) / 4)
    # With w the weight of the third, the lag of each is 7 / (first + 1.5 + w) times its weight,
    # less its visits. The third comes level with the second, which is best, where 7 * (w - 1.5)
    # is (3 - 2) * (first + 1.5 + w).
    weight = (8 * 1.5 + first) / 6
    tip = 0.75 - 4 * log(4 / weight) / (scale * sqrt(3))
    assert_tips(halving(16, 0.0, scale), arms, 2, tip, keys=JOINT)


@pytest.mark.parametrize("scale", [2.0, 2.5])
def test_gumbel_drops_at_the_root_by_gap_and_root_of_most_visits(scale: float) -> None:
    # Two ways in one phase have had their 4 / 2 visits, and the better one is kept.
    arms = [arm(2, prior=2.0), arm(5, 3.75, prior=0.5)]
    gap = 4 * (log(2.0) - log(0.5)) / (scale * sqrt(5))
    assert_tips(halving(16, 0.0, scale), arms, 0, 0.75 - gap, n_path=0, n_planned=4)


@pytest.mark.parametrize(
    ("n", "search", "due"),
    [
        (2, {"n_planned": 41}, 20),  # in one phase
        (3, {"n_planned": 41}, 6),  # in two
        (4, {"n_planned": 41}, 5),
        (5, {"n_planned": 95}, 6),  # in three
        (3, {"n_planned": 2}, 1),
    ],
)
def test_gumbel_halves_when_all_have_had_their_share(
    n: int, search: dict[str, float], due: int
) -> None:
    others = [arm(due, due)] * (n - 1)
    behind, even = arm(due - 1, 1 - due), arm(due, -due)
    assert selected(halving(16, 0.0, 2.0), [behind, *others], n_path=0, **search) == 0
    assert selected(halving(16, 0.0, 2.0), [even, *others], n_path=0, **search) != 0


def test_gumbel_halves_nothing_before_there_is_a_plan() -> None:
    behind, ahead = arm(499, -499), arm(500, 500)
    assert selected(halving(16, 0.0, 2.0), [behind, ahead], n_path=0, n_sims=999) == 0


@pytest.mark.parametrize(("draw", "chosen"), [(0.36666, 0), (0.36667, 1)])
def test_regret_matching_draws_by_regret_and_explores_by_gamma(draw: float, chosen: int) -> None:
    # Regrets of 1 to 2: way 0 has 0.8 * 1 / 3 + 0.2 / 2 = 0.36666...
    arms = [arm(1, second_sum=0.125), arm(1, second_sum=0.25)]
    assert selected(by_regret(0.2), arms, draw, keys=JOINT) == chosen


@pytest.mark.parametrize(("draw", "chosen"), [(0.333, 0), (0.334, 1), (0.666, 1), (0.667, 2)])
def test_regret_matching_without_regrets_draws_any(draw: float, chosen: int) -> None:
    arms = [arm(1), arm(1, second_sum=-0.0), arm(1)]
    assert selected(by_regret(0.2), arms, draw, keys=JOINT) == chosen
