"""Ratings that follow the games one by one."""

import numpy as np
import numpy.typing as npt
import pytest

from kibitz import SpecError
from kibitz.arena.running import Ladder, RunningElo

STRENGTHS = np.array([0.0, 0.7, 1.4, 2.1, 2.8, 3.5])


def simulated_games(n_games: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Play tables of four of the six agents."""
    rng = np.random.default_rng(1)
    lineup = np.array([rng.permutation(6)[:4] for _ in range(n_games)])
    return lineup, STRENGTHS[lineup] + rng.gumbel(size=lineup.shape)


def test_two_equal_players_move_by_half_of_k() -> None:
    elo = RunningElo(2)
    elo.update([0, 1], [5, 3])
    assert elo.ratings.tolist() == [1616, 1584]


def test_a_table_of_three_counts_every_pair() -> None:
    elo = RunningElo(3, k=20)
    elo.update([0, 1, 2], [1, 0, 0])
    assert elo.ratings.tolist() == [1610, 1595, 1595]
    elo.update([2, 0, 1], [3, 3, 1])
    # 15 points ahead are an expectation of 0.52157; each pair has a weight of 10.
    lead = 10 * (1 / (1 + 10 ** (-15 / 400)))
    expected = [1610 + 15 - 2 * lead, 1595 - 5 - (10 - lead), 1595 + 10 - (10 - lead)]
    assert elo.ratings == pytest.approx(expected)
    assert expected[0] == pytest.approx(1614.5686, abs=1e-4)


def test_games_never_change_the_sum() -> None:
    elo = RunningElo(6)
    history = elo.history(*simulated_games(500))
    np.testing.assert_allclose(history.sum(axis=1), 6 * 1600)
    assert (history[-1] == elo.ratings).all()


def test_sides_of_one_agent_cancel() -> None:
    elo, twin = RunningElo(2), RunningElo(2)
    elo.update([0, 0], [7, 3])
    assert elo.ratings.tolist() == [1600, 1600]
    elo.update([0, 0, 1], [7, 3, 5])
    twin.update([0, 1], [5, 5])
    assert elo.ratings.tolist() == twin.ratings.tolist()


def test_clones_join_with_their_own_rating() -> None:
    elo = RunningElo(1)
    assert elo.add(1700) == 1
    elo.k = 10
    elo.update([0, 1], [1, 0])
    assert elo.ratings[0] == pytest.approx(1600 + 10 / (1 + 10 ** (-100 / 400)))


def test_padded_tables_are_smaller_tables() -> None:
    padded, plain = RunningElo(3), RunningElo(3)
    scores = np.array([[1, 2, np.nan], [0, np.nan, np.nan]])
    history = padded.history([[0, 1, -1], [2, -1, -1]], scores)
    plain.update([0, 1], [1, 2])
    assert history.tolist() == [plain.ratings.tolist()] * 2


def test_elo_finds_the_order_of_strengths() -> None:
    lineup, scores = simulated_games(20_000)
    history = RunningElo(6, k=16).history(lineup, scores)
    assert np.argsort(history[1000:].mean(axis=0)).tolist() == [0, 1, 2, 3, 4, 5]


def test_the_ladder_finds_the_order_of_strengths() -> None:
    ladder = Ladder(6)
    for agents, scores in zip(*simulated_games(600), strict=True):
        ladder.update(agents.tolist(), scores.tolist())
    assert np.argsort(ladder.ordinal).tolist() == [0, 1, 2, 3, 4, 5]
    assert (ladder.sigma < 3).all()


def test_anchors_never_change() -> None:
    ladder = Ladder(3)
    ladder.frozen.add(1)
    ladder.mu[1], ladder.sigma[1] = 30, 1
    for _ in range(20):
        ladder.update([0, 1, 2], [3, 2, 1])
    assert (ladder.mu[1], ladder.sigma[1]) == (30, 1)
    assert ladder.mu[0] > 30 > ladder.mu[2]


def test_ties_on_the_ladder_bring_agents_together() -> None:
    ladder = Ladder(2)
    ladder.update([0, 1], [4, 4])
    assert ladder.mu[0] == pytest.approx(ladder.mu[1])
    ladder.mu[:] = [30, 20]
    ladder.update([0, 1], [4, 4])
    assert 20 < ladder.mu[1] < ladder.mu[0] < 30


def test_an_agent_at_several_sides_gets_the_mean_of_its_ratings() -> None:
    whole, split = Ladder(2), Ladder(3)
    whole.update([0, 1, 0], [3, 2, 1])
    split.update([0, 1, 2], [3, 2, 1])
    assert whole.mu[0] == pytest.approx((split.mu[0] + split.mu[2]) / 2)
    assert whole.sigma[0] == pytest.approx((split.sigma[0] + split.sigma[2]) / 2)
    assert whole.mu[1] == pytest.approx(split.mu[1])


def test_an_agent_alone_with_itself_learns_nothing() -> None:
    ladder = Ladder(2)
    before = ladder.sigma.copy()
    ladder.update([1, 1], [3, 2])
    assert (ladder.sigma == before).all()


@pytest.mark.parametrize(
    ("agents", "scores", "complaint"),
    [
        ([0, 2], [1, 0], "only 2"),
        ([0, -1], [1, 0], "only 2"),
        ([0, 1], [1], "every side"),
        ([0, 1], [1, float("nan")], "every side"),
    ],
)
def test_games_that_cannot_be_are_refused(
    agents: list[int], scores: list[float], complaint: str
) -> None:
    for rating in (RunningElo(2), Ladder(2)):
        with pytest.raises(SpecError, match=complaint):
            rating.update(agents, scores)


def test_histories_of_uneven_shape_are_refused() -> None:
    with pytest.raises(SpecError, match="games, sides"):
        RunningElo(2).history([[0, 1]], [1, 0])
