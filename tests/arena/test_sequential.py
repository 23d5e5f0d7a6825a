"""Sequential tests."""

import dataclasses
import json
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import brentq, minimize, minimize_scalar

from kibitz import SpecError
from kibitz.arena.sequential import (
    ELO_PER_T,
    FIRST_LOOK,
    Hypotheses,
    Sprt,
    difference_llr,
    expected_deals,
    pair_llr,
)

Floats = npt.NDArray[np.float64]
SHARES = np.arange(5) / 4
N_TESTS = 1000
DEVIATION = math.sqrt(3 * 0.7) / 0.3  # of `_skewed`


def _elo(h0: float, h1: float) -> Hypotheses:
    return Hypotheses(h0, h1, "elo")


def _points(h0: float, h1: float) -> Hypotheses:
    return Hypotheses(h0, h1, "points")


def _pair_t(p: Floats) -> float:
    mean = p @ SHARES
    return float((mean - 0.5) / math.sqrt(p @ (SHARES - mean) ** 2))


def _outcomes(base: list[float], elo: float) -> Floats:
    """Tilt the probabilities of five outcomes until they have this normalised Elo."""

    def tilted(x: float) -> Floats:
        p = np.array(base, np.float64) * np.exp(x * SHARES)
        return np.asarray(p / p.sum(), np.float64)

    t = elo * math.sqrt(2) / ELO_PER_T
    return tilted(brentq(lambda x: _pair_t(tilted(x)) - t, -20, 20))


def _skewed(rng: np.random.Generator, sign: int, shift: int) -> Floats:
    """Draw integers with mean `shift` and a skewness of 1.2 to one side: [deals]."""
    drawn = rng.negative_binomial(3, 0.3, size=300).astype(np.float64)
    return sign * (drawn - 7) + shift


def test_five_outcomes_give_the_known_ratio() -> None:
    llr = pair_llr([379, 10170, 21828, 10640, 343], _elo(0, 2))
    assert llr == pytest.approx(2.945, abs=0.002)


@pytest.mark.parametrize(
    "counts", [[3, 11, 21, 16, 10], [0, 0, 40, 0, 0], [0, 0, 0, 0, 33], [50, 2, 0, 1, 60]]
)
@pytest.mark.parametrize(("h0", "h1"), [(0, 5), (-30, 80), (20, 200), (-500, 500)])
def test_exchanging_the_agents_negates_the_ratio(counts: list[int], h0: float, h1: float) -> None:
    llr = pair_llr(counts, _elo(h0, h1))
    assert math.isfinite(llr)
    assert pair_llr(counts[::-1], _elo(-h1, -h0)) == pytest.approx(-llr, abs=1e-9)


@pytest.mark.parametrize("unit", ["elo", "points"])
def test_negating_differences_negates_the_ratio(unit: str) -> None:
    here = Hypotheses(-0.5, 1.5, unit)  # type: ignore[arg-type]
    there = Hypotheses(-1.5, 0.5, unit)  # type: ignore[arg-type]
    llr = difference_llr(50, 0.7, 4.0, here, 3, skewness=0.8)
    assert difference_llr(50, -0.7, 4.0, there, 3, skewness=-0.8) == pytest.approx(-llr, abs=1e-12)


@pytest.mark.parametrize("unit", ["elo", "points"])
@pytest.mark.parametrize("skewness", [-5, -2, -0.5, -0.03, 0, 0.03, 0.5, 2, 5])
def test_more_strength_never_speaks_for_less(unit: str, skewness: float) -> None:
    hypotheses = Hypotheses(-40, 10, unit)  # type: ignore[arg-type]
    per_unit = 1 if unit == "points" else 2 / ELO_PER_T
    for above in np.geomspace(1e-3, 1e5, 60):
        assert difference_llr(9, (10 + above) * per_unit, 1.0, hypotheses, 4, skewness) > 0
        assert difference_llr(9, (-40 - above) * per_unit, 1.0, hypotheses, 4, skewness) < 0


def _searched_likelihood(counts: Floats, t: float) -> float:
    """Maximise the likelihood under a t-value by a general optimiser, from several places."""
    rules = [
        {"type": "eq", "fun": lambda p: p.sum() - 1},
        {"type": "eq", "fun": lambda p: _pair_t(p) - t},
    ]
    best = -math.inf
    for start in (counts / counts.sum(), np.full(5, 0.2), np.array([0.1, 0.1, 0.2, 0.2, 0.4])):
        found = minimize(
            lambda p: -(counts @ np.log(p)) / counts.sum(),
            start,
            method="SLSQP",
            bounds=[(1e-7, 1)] * 5,
            constraints=rules,
            options={"ftol": 1e-15, "maxiter": 500},
        )
        if abs(_pair_t(found.x) - t) < 1e-7 and abs(found.x.sum() - 1) < 1e-9:
            best = max(best, -found.fun * counts.sum())
    return best


@pytest.mark.parametrize(
    "counts", [[3, 11, 21, 16, 10], [20, 5, 9, 4, 3], [1, 2, 30, 2, 1], [30, 1, 2, 1, 32]]
)
@pytest.mark.parametrize(("h0", "h1"), [(0, 20), (-100, 50), (40, 160)])
def test_the_optimum_over_outcomes_is_found(counts: list[int], h0: float, h1: float) -> None:
    cells = np.array(counts, np.float64)
    t0, t1 = _elo(h0, h1).t_values(2)
    searched = _searched_likelihood(cells, t1) - _searched_likelihood(cells, t0)
    assert pair_llr(counts, _elo(h0, h1)) == pytest.approx(searched, abs=2e-4)


@pytest.mark.parametrize(("mean", "variance"), [(0.7, 4.0), (-3.0, 0.5), (0.0, 2.0), (5.0, 9.0)])
def test_gaussian_ratios_are_those_of_maximal_likelihoods(mean: float, variance: float) -> None:
    def searched(mu: Callable[[float], float]) -> float:
        def loss(log_sigma: float) -> float:
            sigma = math.exp(log_sigma)
            return log_sigma + (variance + (mean - mu(sigma)) ** 2) / (2 * sigma**2)

        return -40 * float(minimize_scalar(loss, bounds=(-5, 5), method="bounded").fun)

    llr = difference_llr(40, mean, variance, _points(0.2, 1.1), 4)
    assert llr == pytest.approx(searched(lambda _: 1.1) - searched(lambda _: 0.2), abs=1e-5)
    t0, t1 = 2 * 30 / ELO_PER_T, 2 * 90 / ELO_PER_T
    llr = difference_llr(40, mean, variance, _elo(30, 90), 4)
    assert llr == pytest.approx(searched(lambda s: t1 * s) - searched(lambda s: t0 * s), abs=1e-5)


@pytest.mark.parametrize("counts", [[30, 210, 500, 230, 45], [40, 150, 420, 300, 90]])
@pytest.mark.parametrize(("h0", "h1"), [(0, 10), (0, 40), (44, 94)])
def test_the_kinds_of_samples_agree_at_small_effects(counts: list[int], h0: int, h1: int) -> None:
    p = np.array(counts) / sum(counts)
    mean = float(p @ SHARES)
    variance = float(p @ (SHARES - mean) ** 2)
    skewness = float(p @ (SHARES - mean) ** 3) / variance**1.5
    exact = pair_llr(counts, _elo(h0, h1))
    plain = difference_llr(sum(counts), mean - 0.5, variance, _elo(h0, h1), 2)
    skewed = difference_llr(sum(counts), mean - 0.5, variance, _elo(h0, h1), 2, skewness)
    assert plain == pytest.approx(exact, rel=0.07)
    assert skewed == pytest.approx(exact, rel=0.01)
    assert abs(skewed - exact) < abs(plain - exact)


@pytest.mark.parametrize("cuts", [[1] * 600, [7] * 90, [31, 1, 0, 400, 3, 165], [32, 568]])
@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("h1", [3, 60])
def test_how_deals_are_cut_changes_nothing(cuts: list[int], pairs: bool, h1: float) -> None:
    rng = np.random.default_rng(5)
    samples = rng.choice(SHARES, size=600) if pairs else rng.normal(0.1, 3.3, size=600)
    whole = Sprt(_elo(0, h1), pairs=pairs, games_per_deal=2)
    whole.update(samples)
    parts = Sprt(_elo(0, h1), pairs=pairs, games_per_deal=2)
    for part in np.split(samples, np.cumsum(cuts)):
        parts.update(part)
    assert parts.status() == whole.status()
    assert (whole.verdict is None) == (h1 == 3)


def test_deals_after_the_verdict_do_not_count() -> None:
    test = Sprt(_points(0, 1), pairs=False, games_per_deal=4)
    samples = np.random.default_rng(0).normal(1, 2, size=400)
    assert test.update(samples) == "H1"
    decided = test.status()
    assert FIRST_LOOK <= decided.deals < 400
    assert decided.llr >= decided.bounds[1]
    assert decided.mean == pytest.approx(samples[: decided.deals].mean())
    assert test.update(np.full(1000, -9.0)) == "H1"
    assert test.status() == decided


def _error_rate(
    hypotheses: Hypotheses,
    wrong: str,
    draw: Callable[[np.random.Generator], Floats],
    *,
    pairs: bool,
    reach: float | None = None,
) -> float:
    """Return the share of wrong verdicts among tests that are played to their end."""
    rng = np.random.default_rng(12)
    n_wrong = 0
    for _ in range(N_TESTS):
        test = Sprt(hypotheses, pairs=pairs, games_per_deal=2, reach=reach)
        while test.update(draw(rng)) is None:
            assert test.deals < 5000
        n_wrong += test.verdict == wrong
    return n_wrong / N_TESTS


def _allowed(rate: float) -> float:
    return rate + 3 * math.sqrt(rate * (1 - rate) / N_TESTS)


@pytest.mark.parametrize(("truth", "wrong"), [(0, "H1"), (80, "H0")])
def test_pairs_keep_the_error_rates(truth: float, wrong: str) -> None:
    p = _outcomes([1, 2, 5, 3, 2], truth)
    rate = _error_rate(
        _elo(0, 80), wrong, lambda rng: rng.choice(SHARES, size=150, p=p), pairs=True
    )
    assert 0.01 < rate <= _allowed(0.05)


@pytest.mark.parametrize("unit", ["points", "elo"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("truth", "wrong"), [(0, "H1"), (1, "H0")])
def test_skewed_differences_keep_the_error_rates(
    unit: str, sign: int, truth: int, wrong: str
) -> None:
    h1 = 1 if unit == "points" else ELO_PER_T / DEVIATION / math.sqrt(2)
    hypotheses = Hypotheses(0, h1, unit)  # type: ignore[arg-type]
    rate = _error_rate(hypotheses, wrong, lambda rng: _skewed(rng, sign, truth), pairs=False)
    assert 0.01 < rate <= _allowed(0.05)


@pytest.mark.parametrize("unit", ["points", "elo"])
@pytest.mark.parametrize("one_in", [20, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("truth", "wrong"), [(0, "H1"), (0.25, "H0")])
def test_rare_outcomes_keep_the_error_rates(
    unit: str, one_in: int, sign: int, truth: float, wrong: str
) -> None:
    """One deal in so many decides everything, in units of the standard deviation."""
    off = sign * one_in / math.sqrt(one_in - 1)
    h1 = 0.25 if unit == "points" else 0.25 * ELO_PER_T / math.sqrt(2)

    def draw(rng: np.random.Generator) -> Floats:
        drawn = off * (rng.random(200) < 1 / one_in)
        return np.asarray(truth + off / one_in - drawn, np.float64)

    hypotheses = Hypotheses(0, h1, unit)  # type: ignore[arg-type]
    rate = _error_rate(hypotheses, wrong, draw, pairs=False, reach=2 * abs(off))
    assert rate <= _allowed(0.05)


def test_stricter_error_rates_are_kept_too() -> None:
    hypotheses = Hypotheses(0, 2, "points", alpha=0.01, beta=0.2)
    rate = _error_rate(hypotheses, "H1", lambda rng: _skewed(rng, -1, 0), pairs=False)
    assert rate <= _allowed(0.01)
    rate = _error_rate(hypotheses, "H0", lambda rng: _skewed(rng, -1, 2), pairs=False)
    assert rate <= _allowed(0.2)


@pytest.mark.parametrize("truth", [0, 0.5, 1])
def test_the_expected_number_of_deals_is_about_the_mean_of_many(truth: float) -> None:
    rng = np.random.default_rng(3)
    tests = [Sprt(_points(0, 1), pairs=False, games_per_deal=1) for _ in range(400)]
    for test in tests:
        while test.update(rng.normal(truth, 10, size=600)) is None:
            assert test.deals < 20_000
    seen = np.mean([test.deals for test in tests])
    assert 0.95 < seen / expected_deals(_points(0, 1), truth, 1, deviation=10) < 1.25


def test_expected_deals_follow_walds_formula() -> None:
    hypotheses = _elo(0, 5)
    effect = hypotheses.t_values(2)[1]
    upper = math.log(19)
    assert expected_deals(hypotheses, 2.5, 2) == pytest.approx((upper / effect) ** 2)
    assert expected_deals(hypotheses, 5, 2) == pytest.approx(2 * 0.9 * upper / effect**2)
    assert expected_deals(hypotheses, 0, 2) == pytest.approx(2 * 0.9 * upper / effect**2)
    assert expected_deals(hypotheses, 1e9, 2) == FIRST_LOOK


def test_the_plain_estimates_are_those_of_the_samples() -> None:
    test = Sprt(_elo(-1, 1), pairs=True, games_per_deal=2)
    test.update([0, 0.25, 0.5, 0.75, 1, 1, 1, 0.75])
    status = test.status()
    samples = np.array([0, 1, 2, 3, 4, 4, 4, 3]) / 4
    assert status.mean == pytest.approx(samples.mean())
    assert status.deviation == pytest.approx(samples.std(ddof=1))
    assert status.elo == pytest.approx(
        (samples.mean() - 0.5) / samples.std(ddof=1) / math.sqrt(2) * 800 / math.log(10)
    )
    assert status.mean_ci95 is not None
    assert status.mean_ci95[0] == pytest.approx(
        samples.mean() - 2.364624 * samples.std(ddof=1) / math.sqrt(8)
    )
    assert status.mean_ci95[1] <= 1


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(8)
    never = Hypotheses(-1e-3, 1e-3, "points", alpha=1e-9, beta=1e-9)
    elo = 2 / DEVIATION / math.sqrt(3) * ELO_PER_T
    covered = np.zeros(2)
    for _ in range(N_TESTS):
        test = Sprt(never, pairs=False, games_per_deal=3)
        test.update(_skewed(rng, 1, 2))
        status = test.status()
        assert status.mean_ci95 is not None
        assert status.elo_ci95 is not None
        covered[0] += status.mean_ci95[0] <= 2 <= status.mean_ci95[1]
        covered[1] += status.elo_ci95[0] <= elo <= status.elo_ci95[1]
    assert np.all(np.abs(covered / N_TESTS - 0.95) < 0.02)


@pytest.mark.parametrize("samples", [[], [1.5], [0.1] * 500, [0.1 + 0.2, 0.3] * 200, [0] * 500])
def test_differences_without_spread_have_no_elo(samples: list[float]) -> None:
    test = Sprt(_elo(0, 5), pairs=False, games_per_deal=4)
    assert test.update(samples) is None
    status = test.status()
    assert (status.deals, status.elo) == (len(samples), None)
    json.dumps(dataclasses.asdict(status), allow_nan=False)


@pytest.mark.parametrize("reach", [2, 171, None])
@pytest.mark.parametrize("hypotheses", [_elo(0, 5), _elo(-5, 5), _points(0, 1), _points(-3, 3)])
@pytest.mark.parametrize(("won", "verdict"), [(2, "H1"), (-2, "H0")])
def test_deals_that_all_end_alike_are_decided(
    reach: float | None, hypotheses: Hypotheses, won: float, verdict: str
) -> None:
    test = Sprt(hypotheses, pairs=False, games_per_deal=2, reach=reach)
    assert test.update([won] * 2000) == verdict


@pytest.mark.parametrize("rounding", [0, 1e-16, -1e-16])
def test_deals_that_are_all_drawn_are_decided(rounding: float) -> None:
    samples = [rounding] * 15_000
    for hypotheses in (_elo(0, 5), _points(0, 1)):
        assert Sprt(hypotheses, pairs=False, games_per_deal=2).update(samples) == "H0"
    for hypotheses in (_elo(-5, 0), _points(-1, 0)):
        assert Sprt(hypotheses, pairs=False, games_per_deal=2).update(samples) == "H1"
    # Halfway between the hypotheses neither is more likely, however long one plays.
    assert Sprt(_elo(-5, 5), pairs=False, games_per_deal=2).update(samples) is None


def test_pairs_that_all_end_alike_count_like_differences_within_the_same_reach() -> None:
    for hypotheses in (_elo(0, 5), _elo(-20, 60), _elo(5, 10)):
        pairs = Sprt(hypotheses, pairs=True, games_per_deal=2)
        differences = Sprt(hypotheses, pairs=False, games_per_deal=2, reach=2)
        assert pairs.update([1] * 500) == differences.update([2] * 500) == "H1"
        assert pairs.status().llr == pytest.approx(differences.status().llr, rel=0.02)


def test_what_has_not_been_seen_holds_a_verdict_back() -> None:
    """A chance of 1 in 57 of losing 171 is enough for h0, and stays away 168 times in 5 %."""
    samples = [3.0] * 400
    test = Sprt(_points(0, 3), pairs=False, games_per_deal=2, reach=171)
    test.update(samples)
    assert 160 < test.status().deals < 180
    # With one deal that differs the variance alone would decide at once.
    samples[5] = 4.0
    test = Sprt(_points(0, 3), pairs=False, games_per_deal=2, reach=171)
    test.update(samples)
    assert 100 < test.status().deals < 180
    assert difference_llr(32, 3 + 1 / 32, 1 / 33, _points(0, 3), 2) > 50


def test_what_has_not_been_seen_does_not_matter_where_many_deals_differ() -> None:
    samples = np.random.default_rng(4).normal(1, 4, size=600)
    results = []
    for reach in (5, 1e9):
        test = Sprt(_points(0, 1), pairs=False, games_per_deal=2, reach=reach)
        test.update(samples)
        results.append(test.status())
    assert results[0] == results[1]
    seen = samples[: results[0].deals]
    skewness = float(((seen - seen.mean()) ** 3).mean() / seen.std() ** 3)
    llr = difference_llr(len(seen), seen.mean(), seen.var(), _points(0, 1), 2, skewness)
    assert results[0].llr == pytest.approx(llr)


def test_few_deals_decide_nothing() -> None:
    test = Sprt(_points(0, 1), pairs=False, games_per_deal=4)
    samples = np.random.default_rng(0).normal(1.5, 0.5, size=FIRST_LOOK)
    assert test.update(samples[:-1]) is None
    assert test.status().llr == 0
    assert test.update(samples[-1:]) == "H1"
    assert difference_llr(1, 3.0, 1.0, _points(0, 1), 4) == 0


def test_drawn_pairs_speak_for_the_hypothesis_around_equality() -> None:
    assert Sprt(_elo(0, 60), pairs=True, games_per_deal=2).update([0.5] * 200) == "H0"
    assert Sprt(_elo(-60, 0), pairs=True, games_per_deal=2).update([0.5] * 200) == "H1"
    assert Sprt(_elo(-60, 60), pairs=True, games_per_deal=2).update([0.5] * 200) is None
    assert Sprt(_elo(0, 60), pairs=True, games_per_deal=2).update([1.0] * 200) == "H1"


def test_large_scores_lose_no_digits() -> None:
    samples = np.random.default_rng(2).normal(1, 3, size=100)
    here = Sprt(_points(0, 0.5), pairs=False, games_per_deal=1)
    there = Sprt(_points(1e8, 1e8 + 0.5), pairs=False, games_per_deal=1)
    here.update(samples)
    there.update(samples + 1e8)
    assert there.deals == here.deals
    assert there.status().llr == pytest.approx(here.status().llr, rel=1e-6)


def test_bounds_are_walds() -> None:
    lower, upper = Hypotheses(0, 5, "elo", alpha=0.05, beta=0.1).bounds
    assert lower == pytest.approx(math.log(0.1 / 0.95))
    assert upper == pytest.approx(math.log(0.9 / 0.05))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 0, "elo"), "h0 = 5 is not below h1 = 0"),
        ((1, 1, "points"), "two that differ"),
        ((math.nan, 1, "points"), "h0 = nan points"),
        ((0, math.inf, "points"), "h1 = inf points"),
        ((0, 501, "elo"), "from -500 to 500"),
        ((0, 5, "stones"), "'elo' or in 'points'"),
        ((0, 5, "elo", 0), "alpha = 0 is no error rate"),
        ((0, 5, "elo", 0.05, 0.5), "beta = 0.5 is no error rate"),
        ((0, 5, "elo", math.nan), "alpha = nan"),
    ],
)
def test_hypotheses_that_cannot_be_tested_are_refused(
    arguments: tuple[float, float, str], message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        Hypotheses(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([0.5, 0.3], "0, 1/4, 1/2, 3/4 or 1"),
        ([-0.25], "count a win as 1"),
        ([math.nan], "finite numbers"),
        ([[0.5]], "one row"),
    ],
)
def test_samples_that_are_no_pairs_are_refused(samples: npt.ArrayLike, message: str) -> None:
    test = Sprt(_elo(0, 5), pairs=True, games_per_deal=2)
    test.update([0.5, 1])
    with pytest.raises(SpecError, match=message):
        test.update(samples)
    assert test.status().deals == 2


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(SpecError, match="it takes two games"):
        Sprt(_elo(0, 5), pairs=True, games_per_deal=4)
    with pytest.raises(SpecError, match="at least one game"):
        Sprt(_elo(0, 5), pairs=False, games_per_deal=0)
    with pytest.raises(SpecError, match="in Elo"):
        Sprt(_points(0, 5), pairs=True, games_per_deal=2)
    with pytest.raises(SpecError, match="in Elo"):
        pair_llr([1, 2, 3, 2, 1], _points(0, 5))
    with pytest.raises(SpecError, match="five numbers"):
        pair_llr([1, 2, 3, -2, 1], _elo(0, 5))
    with pytest.raises(SpecError, match="mean nan"):
        difference_llr(10, math.nan, 1.0, _elo(0, 5), 4)
    with pytest.raises(SpecError, match="above 0, not 0"):
        Sprt(_elo(0, 5), pairs=False, games_per_deal=4, reach=0)
    with pytest.raises(SpecError, match="deviation"):
        expected_deals(_points(0, 5), 0, 4)
