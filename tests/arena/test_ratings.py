"""Ratings by maximum likelihood."""

import time
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtr

from kibitz import SpecError
from kibitz.arena.ratings import ELO, Outcomes, Ratings, fit
from tests.arena.covering import Setting, lead_coverage

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Games = tuple[Ints, Floats, Ints]  # lineup, scores, deals


def match(wins: int, ties: int, losses: int) -> Games:
    """Let agent 0 play agent 1, every game with a deal of its own."""
    scores = np.array([[1.0, 0.0]] * wins + [[1.0, 1.0]] * ties + [[0.0, 1.0]] * losses)
    n = len(scores)
    return np.tile([0, 1], (n, 1)), scores, np.arange(n)


def luck(rng: np.random.Generator, shape: tuple[int, int, int], shared: float) -> Floats:
    """Draw luck `[deals, games, agents]` that an agent keeps in part for all games of a deal."""
    deal, game = rng.normal(size=(shape[0], 1, shape[2])), rng.normal(size=shape)
    return ndtr(np.sqrt(shared) * deal + np.sqrt(1 - shared) * game)


def tables(rng: np.random.Generator, worths: Floats, sides: int, n: tuple[int, int]) -> Games:
    """Play games without ties: with Gumbel's luck, the order follows Plackett and Luce exactly."""
    shape = (*n, len(worths))
    strength = worths - np.log(-np.log(luck(rng, shape, 0.5)))
    lineup = np.argsort(rng.random(shape), axis=2)[:, :, :sides]
    scores = np.take_along_axis(strength, lineup, axis=2)
    return lineup.reshape(-1, sides), scores.reshape(-1, sides), np.repeat(np.arange(n[0]), n[1])


def coverage(worths: Floats, sides: int, n: tuple[int, int]) -> float:
    """Find how often the lead of the last agent over the first is inside its interval."""
    rng, covered = np.random.default_rng(4), 0
    lead = ELO * (worths[-1] - worths[0])
    for _ in range(1000):
        rating = fit(*tables(rng, worths, sides, n), len(worths))
        difference = rating.difference(len(worths) - 1, 0)
        covered += difference.low <= lead <= difference.high
    return covered / 1000


def ladder(rng: np.random.Generator, worths: Floats, sides: int, n: tuple[int, int]) -> list[Games]:
    """Let anchors 1, 2, ... play each other, then agent 0 play tables with them."""
    anchors = 1 + np.argsort(rng.random((2, *n, len(worths) - 1)), axis=3)
    climb = np.insert(anchors[1, :, :, : sides - 1], 0, 0, axis=2)
    stages = []
    for first_deal, lineup in ((0, anchors[0, :, :, :sides]), (n[0], climb)):
        strength = worths - np.log(-np.log(luck(rng, (*n, len(worths)), 0.5)))
        scores = np.take_along_axis(strength, lineup, axis=2).reshape(-1, sides)
        deals = first_deal + np.repeat(np.arange(n[0]), n[1])
        stages.append((lineup.reshape(-1, sides), scores, deals))
    return stages


def place(stages: list[Games], n_agents: int) -> Ratings:
    """Rate the anchors of a ladder by their own games, then the climber against them."""
    lineup, scores, deals = stages[0]
    anchors = fit(lineup - 1, scores, deals, n_agents - 1)
    fixed = {1 + i: float(elo) for i, elo in enumerate(anchors.elo)}
    lineup, scores, deals = (np.concatenate(part) for part in zip(*stages, strict=True))
    return fit(lineup, scores, deals, n_agents, fixed=fixed)


def ladder_coverage(
    worths: Floats, sides: int, n: tuple[int, int], times: int
) -> tuple[float, float]:
    """Find how often the climber's rating and its lead over the first anchor are covered."""
    rng, covered = np.random.default_rng(9), np.zeros(2)
    truths = ELO * (worths[0] - worths[1:].mean()), ELO * (worths[0] - worths[1])
    for _ in range(times):
        ratings = place(ladder(rng, worths, sides, n), len(worths))
        found = ratings.estimate(0), ratings.difference(0, 1)
        covered += [one.low <= truth <= one.high for one, truth in zip(found, truths, strict=True)]
    return float(covered[0]) / times, float(covered[1]) / times


def probability(log_worths: Floats, deltas: dict[int, float], scores: tuple[int, ...]) -> float:
    """Find the probability of one ranking by listing every set that could be chosen."""

    def weight(chosen: tuple[int, ...]) -> float:
        size = len(chosen)
        return deltas[size] * float(np.exp(log_worths[list(chosen)].sum() / size))

    result, left = 1.0, list(range(len(scores)))
    while left:
        sets = [c for size in range(1, len(left) + 1) for c in combinations(left, size)]
        best = tuple(side for side in left if scores[side] == max(scores[i] for i in left))
        result *= weight(best) / sum(weight(c) for c in sets)
        left = [side for side in left if side not in best]
    return result


def weak_orders(n: int) -> list[tuple[int, ...]]:
    """List all rankings with ties of `n` sides, as scores."""
    return [s for s in product(range(n), repeat=n) if set(s) == set(range(max(s) + 1))]


def test_three_wins_of_four_are_191_elo() -> None:
    rating = fit(*match(300, 0, 100), 2)
    assert rating.difference(0, 1).mean == pytest.approx(400 * np.log10(3), abs=0.2)
    assert rating.expected(0, 1) == pytest.approx(0.75, abs=2e-4)
    # The error of a logit is 1 / sqrt(n p q).
    assert rating.difference(0, 1).margin == pytest.approx(1.966 * ELO / np.sqrt(75), rel=0.01)


def test_ties_are_davidsons() -> None:
    rating = fit(*match(500, 300, 200), 2)
    # With two agents the model can match all three shares: worths 5 : 2, ties by their root.
    assert rating.difference(0, 1).mean == pytest.approx(400 * np.log10(2.5), abs=0.5)
    assert rating.tie_weights[2] == pytest.approx(300 / np.sqrt(500 * 200), rel=1e-3)
    assert rating.expected(0, 1) == pytest.approx(0.65, abs=1e-3)
    assert rating.expected(0, 1) + rating.expected(1, 0) == pytest.approx(1)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_probabilities_are_those_of_listing_all_outcomes(n: int) -> None:
    log_worths = np.array([0.3, -0.5, 1.1, 0.0])[:n]
    deltas = {1: 1.0, 2: 0.7, 3: 0.4, 4: 1.5}
    params = np.array([*log_worths, *(np.log(deltas[size]) for size in range(2, n + 1))])
    orders = weak_orders(n)
    assert len(orders) == {2: 3, 3: 13, 4: 75}[n]

    def total(scores: list[tuple[int, ...]]) -> float:
        lineup = np.tile(np.arange(n), (len(scores), 1))
        deals = np.zeros(len(scores), np.int64)
        outcomes = Outcomes(lineup, np.array(scores, np.float64), deals, n)
        return outcomes.log_likelihood(params)[0]

    everything = total(orders)
    found = [np.exp(total([*orders, order]) - everything) for order in orders]
    assert found == pytest.approx([probability(log_worths, deltas, order) for order in orders])
    assert sum(found) == pytest.approx(1)


@pytest.fixture
def mixed() -> Outcomes:
    """Tables of two to five sides with ties, and agents at several sides of a table."""
    rng = np.random.default_rng(1)
    lineup = rng.integers(0, 6, (60, 5))
    for game, empty in enumerate(rng.integers(0, 4, 60)):
        lineup[game, rng.permutation(5)[:empty]] = -1
    scores = np.where(lineup < 0, np.nan, rng.integers(0, 3, (60, 5)))
    return Outcomes(lineup, scores, np.arange(60) // 3, 6)


def test_the_gradient_is_that_of_the_likelihood(mixed: Outcomes) -> None:
    params = np.random.default_rng(2).normal(size=mixed.n_params)
    assert len(mixed.tie_sizes) >= 3
    steps = 1e-5 * np.eye(mixed.n_params)
    value = mixed.log_likelihood
    slopes = [(value(params + h)[0] - value(params - h)[0]) / 2e-5 for h in steps]
    np.testing.assert_allclose(value(params)[1], slopes, rtol=1e-6, atol=1e-7)


def test_the_information_is_minus_the_slope_of_the_gradient(mixed: Outcomes) -> None:
    params = np.random.default_rng(3).normal(size=mixed.n_params)
    steps = 1e-5 * np.eye(mixed.n_params)
    value = mixed.log_likelihood
    slopes = [(value(params - h)[1] - value(params + h)[1]) / 2e-5 for h in steps]
    np.testing.assert_allclose(mixed.information(params), slopes, rtol=1e-5, atol=1e-6)


def test_padding_changes_nothing() -> None:
    lineup, scores, deals = match(30, 10, 20)
    plain = fit(lineup, scores, deals, 2)
    padded = fit(np.insert(lineup, 1, -1, axis=1), np.insert(scores, 1, np.nan, axis=1), deals, 2)
    np.testing.assert_allclose(padded.elo, plain.elo)
    np.testing.assert_allclose(padded.covariance, plain.covariance)


@pytest.mark.parametrize(
    ("worths", "sides", "n"),
    [
        pytest.param([0, 0.5, 1], 2, (40, 6), id="pairs"),
        pytest.param([0, 0.3, 0.6, 2], 4, (25, 6), id="tables", marks=pytest.mark.slow),
        pytest.param([0, 3], 2, (100, 5), id="lopsided", marks=pytest.mark.slow),
        pytest.param([0, 4], 2, (100, 1), id="55 to 1, one game a deal"),
        pytest.param([0, 4], 2, (100, 5), id="55 to 1, five", marks=pytest.mark.slow),
    ],
)
def test_intervals_of_differences_cover(
    worths: list[float], sides: int, n: tuple[int, int]
) -> None:
    assert 0.93 < coverage(np.array(worths), sides, n) < 0.97


@pytest.mark.parametrize(
    "odds", [55, 90, *(pytest.param(odds, marks=pytest.mark.slow) for odds in (20, 35, 150))]
)
@pytest.mark.parametrize(
    ("games", "losses"), [(1, "independent"), (2, "some luck"), (5, "some luck"), (2, "together")]
)
def test_intervals_of_favourites_cover_in_the_mean(odds: int, games: int, losses: str) -> None:
    setting = Setting(1 / (1 + odds), 100, games, losses)
    assert 0.93 < lead_coverage(np.random.default_rng(43), setting, 10_000, mean=True) < 0.97


def test_intervals_cover_with_ties() -> None:
    rng, covered = np.random.default_rng(5), 0
    lead, delta = 0.8, 0.6
    weights = np.array([np.exp(lead), delta * np.exp(lead / 2), 1.0])
    bounds = np.cumsum(weights / weights.sum())
    for _ in range(1000):
        kind = np.searchsorted(bounds, luck(rng, (50, 4, 1), 0.5).ravel())
        scores = np.array([[2, 0], [1, 1], [0, 2]])[kind]
        difference = fit(np.tile([0, 1], (200, 1)), scores, np.arange(200) // 4, 2).difference(0, 1)
        covered += difference.low <= ELO * lead <= difference.high
    assert 930 <= covered <= 970


def test_games_that_share_a_deal_are_one_sample() -> None:
    lineup, scores, deals = match(30, 0, 20)
    once = fit(lineup, scores, deals, 2).difference(0, 1)
    eight = np.repeat(np.arange(50), 8)
    again = fit(lineup[eight], scores[eight], deals[eight], 2).difference(0, 1)
    assert again.margin == pytest.approx(once.margin, rel=0.05)


def test_an_unbeaten_agent_stays_finite() -> None:
    rating = fit(*match(100, 0, 0), 2).difference(0, 1)
    assert 800 < rating.mean < 1300
    assert 300 < rating.low < 700  # 100 wins are likely from about 600 on
    assert rating.high > 1400


def test_nothing_but_ties_stays_finite() -> None:
    rating = fit(*match(0, 100, 0), 2)
    assert rating.elo == pytest.approx([0, 0], abs=1e-6)
    assert 100 < rating.tie_weights[2] < 10_000


def test_an_agent_without_games_is_known_to_be_unknown() -> None:
    rating = fit(*match(60, 0, 40), 3)
    assert rating.n_games.tolist() == [100, 100, 0]
    assert rating.difference(2, 0).margin > 1000
    assert rating.difference(0, 1).margin < 100


@pytest.fixture
def table() -> Ratings:
    rng = np.random.default_rng(6)
    return fit(*tables(rng, np.array([0.0, 0.5, 1.0, 1.5]), 3, (100, 4)), 4)


def test_ratings_are_centred_and_their_errors_too(table: Ratings) -> None:
    assert table.elo.mean() == pytest.approx(0)
    np.testing.assert_allclose(table.covariance.sum(axis=0), 0, atol=1e-6)
    assert table.estimate(3).mean == table.elo[3]


def test_an_anchor_moves_ratings_but_no_differences(table: Ratings) -> None:
    moved = table.anchored(1, 1500)
    assert moved.elo[1] == 1500
    assert moved.estimate(1).margin == pytest.approx(0)
    before, after = table.difference(3, 2), moved.difference(3, 2)
    assert (after.low, after.high) == pytest.approx((before.low, before.high))
    assert moved.estimate(3).margin == pytest.approx(table.difference(3, 1).margin)


def test_fixed_agents_stay_where_they_are() -> None:
    lineup = np.array([[0, 1], [1, 2]] * 200)
    scores = np.array([[0, 1], [1, 0], [0, 1], [0, 1]] * 100)  # 1 beats 0, and 2 half the time
    rating = fit(lineup, scores, np.arange(400), 3, fixed={0: 1000, 2: 1500})
    assert rating.elo[[0, 2]].tolist() == [1000, 1500]
    assert rating.estimate(0).margin == 0
    assert 1500 < rating.elo[1] < 1600
    assert rating.estimate(1).margin < 60
    everyone = fit(lineup, scores, np.arange(400), 3, fixed={0: 0, 1: 0, 2: 0})
    assert (everyone.covariance == 0).all()


@pytest.mark.parametrize(
    ("worths", "sides", "n", "times"),
    [
        pytest.param([4, 0, 2, 4], 2, (60, 4), 1000, id="pairs", marks=pytest.mark.slow),
        pytest.param([4, 0, 2, 4], 2, (60, 4), 3000, id="many", marks=pytest.mark.slow),
        pytest.param([3, 0, 3], 2, (60, 4), 3000, id="two", marks=pytest.mark.slow),
        pytest.param([1, 0, 0.5, 1], 2, (40, 4), 3000, id="close", marks=pytest.mark.slow),
        pytest.param(
            [2.4, 0, 0.8, 1.6, 2.4], 4, (40, 4), 3000, id="tables", marks=pytest.mark.slow
        ),
    ],
)
def test_intervals_on_a_ladder_cover(
    worths: list[float], sides: int, n: tuple[int, int], times: int
) -> None:
    rating, lead = ladder_coverage(np.array(worths), sides, n, times)
    assert 0.93 < rating < 0.97
    assert 0.93 < lead < 0.97


def test_anchors_on_a_ladder_keep_their_ratings_and_errors() -> None:
    stages = ladder(np.random.default_rng(10), np.array([2, 0, 1, 2.0]), 2, (50, 4))
    lineup, scores, deals = stages[0]
    alone, ratings = fit(lineup - 1, scores, deals, 3), place(stages, 4)
    np.testing.assert_allclose(ratings.elo[1:], alone.elo, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ratings.covariance[1:, 1:], alone.covariance, rtol=1e-9)
    assert (np.linalg.eigvalsh(ratings.covariance) > -1e-6).all()


def test_ratings_from_elsewhere_are_exact_even_if_the_fixed_meet() -> None:
    lineup, scores, deals = (
        np.concatenate(part)
        for part in zip(*ladder(np.random.default_rng(10), np.ones(3), 2, (50, 4)), strict=True)
    )
    ratings = fit(lineup, scores, deals, 3, fixed={1: 1500, 2: 1700})
    assert (ratings.covariance[1:] == 0).all()
    assert ratings.estimate(0).margin > 0


def test_one_deal_has_no_interval() -> None:
    lineup, scores, _ = match(3, 1, 2)
    assert not fit(lineup, scores, np.zeros(6), 2).difference(0, 1).has_interval


def test_many_games_are_rated_quickly() -> None:
    rng, truth = np.random.default_rng(7), np.linspace(0, 2, 8)
    lineup, scores, deals = tables(rng, truth, 5, (4000, 5))
    began = time.perf_counter()
    rating = fit(lineup, np.round(2 * scores), deals, 8)
    assert time.perf_counter() - began < 5  # about 0.3 s on an idle machine
    assert np.argsort(rating.elo).tolist() == list(range(8))
    assert list(rating.tie_weights) == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("lineup", "scores", "deals", "complaint"),
    [
        ([[0, 2]], [[1, 0]], [0], "not among the 2"),
        ([[0, -2]], [[1, 0]], [0], "not among the 2"),
        ([[0, 1]], [[1, np.nan]], [0], "needs a score"),
        ([[0, 1]], [[1, 0, 0]], [0], "got shapes"),
        ([[0, 1]], [[1, 0]], [0, 1], "got shapes"),
        ([[0]], [[1]], [0], "two sides"),
        ([[-1, -1]], [[0, 0]], [0], "two sides"),
        ([[0, -1], [-1, 1]], [[0, 0], [0, 0]], [0, 1], "two sides"),
    ],
)
def test_nonsense_is_refused(
    lineup: list[list[int]], scores: list[list[float]], deals: list[int], complaint: str
) -> None:
    with pytest.raises(SpecError, match=complaint):
        fit(lineup, scores, deals, 2)


def test_strangers_cannot_be_fixed() -> None:
    with pytest.raises(SpecError, match="not among the 2"):
        fit(*match(1, 0, 1), 2, fixed={2: 0.0})


@pytest.mark.parametrize("elo", [np.nan, np.inf])
def test_agents_cannot_be_fixed_at_no_number(elo: float) -> None:
    with pytest.raises(SpecError, match="must be finite numbers, got {0: "):
        fit(*match(1, 0, 1), 2, fixed={0: elo})
