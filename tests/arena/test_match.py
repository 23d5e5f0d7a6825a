"""Matches on duplicate deals."""

import numpy as np
import pytest

import kibitz
from kibitz import SpecError, arena
from kibitz.arena.match import _estimate, _win_shares, schedule


def test_every_agent_plays_every_seat_of_every_deal() -> None:
    plan = schedule(n_agents=3, n_seats=3, deals=2, seed=0)
    assert plan.deals.tolist() == [0, 0, 0, 1, 1, 1]
    assert plan.lineup[:3].tolist() == [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    assert len(set(plan.rotations[:3].tolist())) == 3


def test_the_last_agent_fills_a_larger_table() -> None:
    plan = schedule(n_agents=2, n_seats=4, deals=1, seed=0)
    assert plan.lineup.tolist() == [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]


def test_more_agents_than_seats_meet_at_every_choice_of_them() -> None:
    plan = schedule(n_agents=3, n_seats=2, deals=1, seed=0)
    tables = {frozenset(row) for row in plan.lineup.tolist()}
    assert tables == {frozenset({0, 1}), frozenset({0, 2}), frozenset({1, 2})}
    assert len(plan) == 6


def test_too_many_tables_are_refused() -> None:
    with pytest.raises(SpecError, match="name fewer agents"):
        schedule(n_agents=40, n_seats=10, deals=1, seed=0)


def test_ties_split_the_win() -> None:
    assert _win_shares(np.array([[3.0, 3.0, 1.0], [0.0, 2.0, 1.0]])).tolist() == [
        [0.5, 0.5, 0],
        [0, 1, 0],
    ]


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(2000):
        estimate = _estimate(rng.exponential(size=60))
        covered += estimate.low <= 1 <= estimate.high
    assert 0.925 < covered / 2000 < 0.965


def test_one_deal_has_no_interval() -> None:
    estimate = _estimate(np.array([2.0]))
    assert estimate.mean == 2
    assert np.isnan(estimate.low)


def test_a_match_is_the_same_whatever_the_threads() -> None:
    game = kibitz.load_game("duel:players=3")
    agents = [kibitz.load_agent("random", game)] * 2
    one = arena.play(game, agents, 300, seed=3)
    two = arena.play(game, agents, 300, seed=3, threads=2)
    assert (one.scores == two.scores).all()


def test_all_rotations_of_a_deal_are_one_sample() -> None:
    game = kibitz.load_game("duel:players=3")
    result = arena.play(game, [kibitz.load_agent("random", game)], 50, seed=1)
    (row,) = result.standings()
    assert row.score.mean == pytest.approx(1)  # one agent on all seats shares three turns
    assert row.score.high - row.score.low == pytest.approx(0)
    assert row.wins.mean == pytest.approx(1 / 3)


def test_a_match_needs_deals_and_agents() -> None:
    game = kibitz.load_game("duel")
    with pytest.raises(SpecError, match="at least one deal"):
        arena.play(game, [], 10, seed=1)
