"""Means, shares and ranks with intervals that cover as often as they say."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtri
from scipy.stats import binom

from kibitz import SpecError
from kibitz.arena.statistics import (
    Estimate,
    differing_deals,
    mean_of,
    places,
    quantile,
    rank_share,
    ratio_of,
    share_of,
)
from tests.arena.covering import NEIGHBOURHOOD, Setting, share_coverage

Rng = np.random.Generator
GAMES = 5  # per deal
REPETITIONS = 4000


def coverage(truth: float, estimates: list[Estimate]) -> float:
    return float(np.mean([e.low <= truth <= e.high for e in estimates]))


def luck_of_the_deal(rng: Rng, share: float, deals: int) -> npt.NDArray[np.float64]:
    """Win games by skill and luck, a part of which belongs to the deal."""
    deal = rng.standard_normal((REPETITIONS, deals, 1)) * np.sqrt(0.3)
    game = rng.standard_normal((REPETITIONS, deals, GAMES)) * np.sqrt(0.7)
    return (deal + game < ndtri(share)).sum(axis=2).astype(np.float64)


def lopsided_deals(rng: Rng, share: float, deals: int) -> npt.NDArray[np.float64]:
    """Win games with a chance of the deal's own, which is mostly near 0 or 1."""
    chance = rng.beta(share * 7 / 3, (1 - share) * 7 / 3, (REPETITIONS, deals))
    return rng.binomial(GAMES, chance).astype(np.float64)


def test_an_estimate_knows_its_width() -> None:
    assert Estimate(2, 1, 5).margin == 2
    assert Estimate(2, 1, 5).has_interval
    assert not Estimate(2, np.nan, np.nan).has_interval


def symmetric(mean: float, margin: float) -> Estimate:
    return Estimate(mean, mean - margin, mean + margin)


@pytest.mark.parametrize(
    ("estimate", "spec", "text"),
    [
        (symmetric(1.234, 0.0449), "+.2f", "+1.23 ±0.04"),
        (symmetric(-8.3, 0.05), ".1f", "-8.3 ±0.1"),
        (symmetric(-0.001, 0.2), "+.2f", "+0.00 ±0.20"),
        (symmetric(1234.5, 30), "+,.0f", "+1,234 ±30"),
        (Estimate(-1.5, np.nan, np.nan), "+.2f", "-1.50"),
        (Estimate(0.25, np.nan, np.nan), ".1%", "25.0%"),
        (Estimate(np.nan, np.nan, np.nan), "+.2f", "—"),
        (Estimate(0.276, 0.2712, 0.2812), ".1%", "27.6% ±0.5%"),
        (Estimate(0.276, 0.271, 0.29), ".1%", "27.6% (27.1% to 29.0%)"),
        (Estimate(0.276, 0.271, 0.29), ".0%", "28% ±1%"),
        (Estimate(0.273, 0.223, 0.328), ".1%", "27.3% ±5.3%"),
        (Estimate(1400, -np.inf, 1420), "+.0f", "+1400 (-inf to +1420)"),
        (Estimate(1400, -np.inf, np.inf), ".0f", "1400 (-inf to inf)"),
        (symmetric(1.2345678, 0.043), "", "1.235 ±0.043"),
        (symmetric(1234.5, 43), "", "1234 ±43"),
        (symmetric(0, 0), "", "0.00 ±0.00"),
        (Estimate(0.25, np.nan, np.nan), "", "0.250"),
    ],
)
def test_an_estimate_is_written_with_its_interval(estimate: Estimate, spec: str, text: str) -> None:
    assert format(estimate, spec) == text


def test_a_share_of_all_does_not_look_as_if_it_could_be_more() -> None:
    assert f"{share_of(np.ones(100), np.ones(100)):.1%}" == "100.0% (96.3% to 100.0%)"


def test_an_estimate_is_also_its_text() -> None:
    assert str(symmetric(1.5, 0.25)) == f"{symmetric(1.5, 0.25)}" == "1.50 ±0.25"


@pytest.mark.parametrize("spec", ["d", "10.2f", ".3g", "+"])
def test_an_estimate_refuses_other_specs(spec: str) -> None:
    with pytest.raises(ValueError, match="an estimate is written"):
        format(symmetric(1, 1), spec)


def test_students_factor_is_that_of_the_tables() -> None:
    factors = quantile([0, 1, 2, 5, 31])
    np.testing.assert_allclose(factors, [np.nan, np.nan, 12.7062, 2.7764, 2.0423], rtol=1e-4)


def test_a_mean_has_students_interval() -> None:
    estimate = mean_of([1, 2, 3])
    assert estimate.mean == 2
    assert estimate.margin == pytest.approx(4.302653 / np.sqrt(3))  # from the tables


@pytest.mark.parametrize("samples", [[], [3.0]])
def test_less_than_two_samples_have_no_interval(samples: list[float]) -> None:
    assert not mean_of(samples).has_interval
    assert not share_of(samples, samples).has_interval


def test_intervals_of_normal_means_cover() -> None:
    rng = np.random.default_rng(1)
    samples = rng.normal(3, 2, (REPETITIONS, 20))
    assert 0.94 < coverage(3, [mean_of(x) for x in samples]) < 0.96


def test_a_ratio_by_hand() -> None:
    estimate = ratio_of([2, 4], [4, 4])  # residuals: -1/4 and 1/4, so an error of 1/4
    assert estimate.mean == 0.75
    assert estimate.high - 0.75 == pytest.approx(12.7062047 / 4)  # Student's factor of two
    assert ratio_of([2, 4, 6], [1, 2, 3]).margin == pytest.approx(0)
    assert not ratio_of([1, 2], [1, -1]).has_interval
    assert not ratio_of([1, 2, 3], [-5, 1, 5]).has_interval  # a mean that may be zero
    assert not ratio_of([3], [4]).has_interval
    with pytest.raises(SpecError, match="two numbers per deal"):
        ratio_of([1, 2], [1])


def test_intervals_of_ratios_cover() -> None:
    rng = np.random.default_rng(5)
    shared = rng.exponential(4, (2000, 100))
    above, below = (
        shared + rng.exponential(4, shared.shape),
        shared + rng.exponential(8, shared.shape),
    )
    pairs = zip(above, below, strict=True)
    assert 0.93 < coverage(8 / 12, [ratio_of(x, y) for x, y in pairs]) < 0.97


def test_intervals_of_skewed_scores_cover() -> None:
    rng = np.random.default_rng(2)
    samples = -rng.geometric(0.1, (REPETITIONS, 100))
    assert 0.93 < coverage(-10, [mean_of(x) for x in samples]) < 0.97


@pytest.mark.parametrize("draw", [luck_of_the_deal, lopsided_deals])
@pytest.mark.parametrize(
    ("share", "deals"),
    [(0.5, 100), (0.5, 400), (0.9, 100), (0.9, 400), (0.98, 400)],
)
def test_intervals_of_shares_cover(
    draw: Callable[[Rng, float, int], npt.NDArray[np.float64]], share: float, deals: int
) -> None:
    hits = draw(np.random.default_rng(3), share, deals)
    trials = np.full(deals, GAMES)
    assert 0.93 < coverage(share, [share_of(x, trials) for x in hits]) < 0.97


@pytest.mark.parametrize("losses", ["some luck", "lopsided", "together"])
@pytest.mark.parametrize(
    ("lost", "deals"),
    [(0.02, 50), (0.01, 100), (0.05, 50), (0.02, 100), (0.02, 200), (0.01, 200), (0.01, 400)],
)
def test_intervals_cover_in_the_mean_where_few_deals_go_wrong(
    losses: str, lost: float, deals: int
) -> None:
    setting = Setting(lost, deals, GAMES, losses)
    assert 0.93 < share_coverage(np.random.default_rng(41), setting, 20_000, mean=True) < 0.97


@pytest.mark.parametrize(("share", "deals"), [(0.98, 50), (0.99, 100)])
def test_no_interval_can_do_better_if_deals_go_wrong_as_a_whole(share: float, deals: int) -> None:
    covered = runs(deals, 1 - share)
    assert not ((covered > 0.93) & (covered < 0.97)).any()


@pytest.mark.parametrize(("share", "deals"), [(0.995, 20), (0.995, 50)])
def test_with_a_quarter_of_a_deal_expected_no_mean_can_do_better_either(
    share: float, deals: int
) -> None:
    """At least while the interval covers the whole neighbourhood for the same numbers."""
    covered = np.mean([runs(deals, (1 - share) * near) for near in NEIGHBOURHOOD], axis=0)
    assert not ((covered > 0.93) & (covered < 0.97)).any()


def runs(deals: int, lost: float) -> npt.NDArray[np.float64]:
    """Find how probable all runs of numbers of lost deals are.

    An interval covers a truth for some numbers of lost deals that follow each other.
    """
    up_to = np.cumsum(binom.pmf(np.arange(deals + 1), deals, lost))
    return (up_to[None, :] - np.append(0, up_to[:-1])[:, None]).ravel()


def test_intervals_of_differing_deals_cover() -> None:
    rng = np.random.default_rng(5)
    # The deal, and the strength of its two hands, weigh as much as what the agents do with them.
    cards = rng.normal(size=(2000, 300, 1)) + rng.normal(size=(2000, 300, 2))
    a = cards + rng.normal(0.2, 1, cards.shape) > 0
    b = cards + rng.normal(0.0, 1, cards.shape) > 0
    truth = (a & ~b).sum() / (a ^ b).sum()
    rates = [differing_deals(x, y).rate for x, y in zip(a, b, strict=True)]
    assert 0.93 < coverage(truth, rates) < 0.97


def test_dependent_games_do_not_narrow_an_interval() -> None:
    wins = np.tile([1.0, 0.0], 50)
    once, repeated = share_of(wins, np.ones(100)), share_of(wins * 5, np.full(100, 5))
    assert repeated.low == pytest.approx(once.low)
    assert repeated.high == pytest.approx(once.high)


def test_all_won_still_leaves_doubt() -> None:
    estimate = share_of(np.full(50, 4), np.full(50, 4))
    assert estimate.mean == estimate.high == 1
    assert estimate.low == pytest.approx(50 / (50 + 1.959964**2))  # Wilson's


def test_equal_thirds_of_wins_count_one_trial_per_deal() -> None:
    estimate = share_of(np.full(30, 1 / 3), np.ones(30))
    assert estimate.mean == pytest.approx(1 / 3)
    assert 0.1 < estimate.low < 0.3


def test_deals_without_trials_say_nothing() -> None:
    some = share_of([1, 0, 2, 1], [2, 2, 2, 1])
    assert share_of([1, 0, 0, 2, 0, 1], [2, 0, 2, 2, 0, 1]) == some
    assert np.isnan(share_of([0, 0], [0, 0]).mean)


def test_a_share_is_weighted_by_trials() -> None:
    assert share_of([1, 0], [1, 3]).mean == 0.25


def rank_shares(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Find how much of every rank each seat has: [..., seats, ranks]."""
    ahead, level = places(scores)
    return np.stack([rank_share(r, ahead, level) for r in range(ahead.shape[-1])], axis=-1)


def test_ties_split_the_win() -> None:
    assert rank_shares([[3, 3, 1], [0, 2, 1]])[..., 0].tolist() == [[0.5, 0.5, 0], [0, 1, 0]]


def test_ties_share_their_ranks() -> None:
    assert rank_shares([5, 7, 5, 1]).tolist() == [
        [0, 0.5, 0.5, 0],
        [1, 0, 0, 0],
        [0, 0.5, 0.5, 0],
        [0, 0, 0, 1],
    ]


def test_ranks_of_many_games_are_shared_out_completely() -> None:
    scores = np.random.default_rng(6).integers(0, 4, (3, 20, 5))
    ranks = rank_shares(scores)
    assert ranks.shape == (3, 20, 5, 5)
    np.testing.assert_allclose(ranks.sum(axis=-1), 1)
    np.testing.assert_allclose(ranks.sum(axis=-2), 1)


def test_only_differing_pairs_count() -> None:
    a = [[True, True], [True, False], [False, False]]
    b = [[True, False], [False, True], [False, False]]
    result = differing_deals(a, b)
    assert (result.n, result.wins) == (3, 2)
    assert result.rate.mean == pytest.approx(2 / 3)
    assert result.rate.has_interval


def test_nonsense_is_refused() -> None:
    with pytest.raises(SpecError, match="between 0 and"):
        share_of([2], [1])
    with pytest.raises(SpecError, match="finite"):
        mean_of([1, np.nan])
    with pytest.raises(SpecError, match="deals, seats"):
        differing_deals([[True]], [True])
    with pytest.raises(SpecError, match="scores must"):
        places([])
