"""Who sits where."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import kibitz
from kibitz import Game, SpecError
from kibitz.arena.seating import LadderTables, RandomTables, round_robin


def duel(players: int) -> Game:
    return kibitz.load_game(f"duel:players={players}")


def in_teams(game: Game, *teams: int) -> Game:
    """Return the same game with seats in teams."""
    return Game(replace(game.facts, teams=lambda options: teams), game.options)


def test_every_agent_plays_every_seat_of_every_deal() -> None:
    seating = round_robin(duel(3), 3)
    assert seating.tables == ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    assert seating.lineup(np.arange(2)).shape == (2, 3, 3)


def test_the_last_agent_fills_a_larger_table() -> None:
    tables = round_robin(duel(4), 2).tables
    assert tables == ((0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0))


def test_more_agents_than_seats_meet_at_every_choice_of_them() -> None:
    tables = round_robin(duel(2), 3).tables
    assert {frozenset(row) for row in tables} == {frozenset(p) for p in ((0, 1), (0, 2), (1, 2))}
    assert len(tables) == 6


def test_teams_change_sides_when_the_deal_is_shifted_by_one_seat() -> None:
    game = in_teams(duel(4), 0, 1, 0, 1)
    assert round_robin(game, 2).tables == ((0, 1, 0, 1), (1, 0, 1, 0))
    assert len(round_robin(game, 3).tables) == 6
    assert RandomTables(3, tuple(game.sides.tolist()), 1).lineup(np.arange(5)).shape == (5, 3, 4)


def test_too_many_tables_are_refused() -> None:
    with pytest.raises(SpecError, match="name fewer agents or play random tables"):
        round_robin(kibitz.load_game("nimmt:players=10"), 40)


@pytest.mark.parametrize(("n_agents", "n_seats"), [(7, 3), (5, 5), (12, 4), (2, 2)])
def test_random_tables_seat_everybody_once_on_every_side_of_every_deal(
    n_agents: int, n_seats: int
) -> None:
    lineup = RandomTables(n_agents, tuple(range(n_seats)), seed=3).lineup(np.arange(20))
    for tables in lineup:
        assert all(len(set(table.tolist())) == n_seats for table in tables)
        for seat in range(n_seats):
            assert sorted(tables[:, seat].tolist()) == list(range(n_agents))


def test_random_tables_depend_on_seed_and_deal_alone() -> None:
    tables = RandomTables(9, (0, 1, 2), seed=3)
    whole = tables.lineup(np.arange(30))
    assert (tables.lineup(np.arange(11, 17)) == whole[11:17]).all()
    assert (RandomTables(9, (0, 1, 2), seed=4).lineup(np.arange(30)) != whole).any()
    assert len({deal.tobytes() for deal in whole}) > 25


def test_random_tables_let_everybody_meet_about_equally_often() -> None:
    lineup = RandomTables(8, (0, 1), seed=1).lineup(np.arange(2000)).reshape(-1, 2)
    meetings = Counter(frozenset(pair) for pair in lineup.tolist())
    assert len(meetings) == 28
    assert max(meetings.values()) < 1.2 * min(meetings.values())


def test_a_candidate_meets_anchors_from_every_side() -> None:
    lineup = LadderTables(6, (0, 1, 2), seed=1).lineup(np.arange(50))
    assert ((lineup == 0).sum(axis=2) == 1).all()
    assert ((lineup == 0).sum(axis=1) == 1).all()
    assert all(len(set(np.unique(deal).tolist())) == 3 for deal in lineup)  # the same two anchors
    assert set(np.unique(lineup).tolist()) == set(range(7))


def test_few_anchors_fill_a_large_table() -> None:
    lineup = LadderTables(1, (0, 1, 2, 3), seed=1).lineup(np.arange(2))
    assert lineup[0].tolist() == [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
