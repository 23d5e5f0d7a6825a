"""Who scored what on which deal: ranks, wins and games of every agent."""

import numpy as np
import numpy.typing as npt
import pytest

from kibitz.arena.sample import NOBODY, Sample, join

# Three agents at tables of two: deal by deal [0, 1] twice, then [0, 2] once, then [1, 2] twice.
LINEUP = [
    [[0, 1], [1, 0]],
    [[0, 2], [NOBODY, NOBODY]],
    [[1, 2], [2, 1]],
]
SCORES = [
    [[5, 1], [2, 2]],
    [[0, 3], [9, 9]],
    [[4, 4], [1, 0]],
]


@pytest.fixture
def sample() -> Sample:
    return Sample(3, np.array(LINEUP, np.int16), np.array(SCORES, float))


def ranks_by_hand(sample: Sample, agent: int) -> npt.NDArray[np.float64]:
    """Sort the scores of every game: slow and obvious."""
    n_ranks = sample.lineup.shape[2]
    shares = []
    for lineup, scores in zip(
        sample.lineup.reshape(-1, n_ranks), sample.scores.reshape(-1, n_ranks), strict=True
    ):
        present = sorted((s for a, s in zip(lineup, scores, strict=True) if a != NOBODY))[::-1]
        for own in scores[lineup == agent]:
            ties = [rank for rank, score in enumerate(present) if score == own]
            shares.append([(rank in ties) / len(ties) for rank in range(n_ranks)])
    return np.mean(shares, axis=0)


def test_games_are_counted_on_the_deals_that_were_played(sample: Sample) -> None:
    assert [sample.games_so_far(a).tolist() for a in range(3)] == [[2, 3], [2, 4], [1, 3]]
    for agent in range(3):
        assert len(sample.played(agent)) == len(sample.games_so_far(agent))
        assert sample.games_so_far(agent)[-1] == sample.n_games(agent)


def test_an_agent_on_two_seats_of_a_game_plays_one_game() -> None:
    sample = Sample(2, np.array([[[0, 0, 1]], [[0, 1, 1]]], np.int16), np.zeros((2, 1, 3)))
    assert sample.games_so_far(0).tolist() == [1, 2]


def test_played_deals_have_their_means(sample: Sample) -> None:
    assert [sample.played(a).tolist() for a in range(3)] == [[3.5, 0], [1.5, 2], [3, 2.5]]


def test_wins_and_ranks_pass_over_nobody(sample: Sample) -> None:
    assert [sample.wins(a).mean for a in range(3)] == pytest.approx([0.5, 0.5 / 2, 2.5 / 3])
    assert [one.mean for one in sample.ranks(0)] == pytest.approx([0.5, 0.5])


def test_ranks_are_those_of_sorted_scores() -> None:
    rng = np.random.default_rng(1)
    parts = []
    for seats in (3, 5):
        lineup = rng.permuted(np.tile(np.arange(6), (40, 4, 1)), axis=2)[..., :seats]
        scores = rng.integers(0, 4, lineup.shape).astype(float)
        parts.append(Sample(6, lineup.astype(np.int16), scores))
    sample = join(parts, [range(6)] * 2, 6)
    for agent in range(6):
        ranks = [one.mean for one in sample.ranks(agent)]
        assert ranks == pytest.approx(ranks_by_hand(sample, agent).tolist())
        assert sample.wins(agent) == sample.ranks(agent)[0]
