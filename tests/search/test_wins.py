"""Wins that flat search counts beside scores."""

import numpy as np
import pytest

import kibitz
from kibitz.core.agent import Agent
from kibitz.core.decisions import Decisions
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Table
from kibitz.games.sheephead.state import PLAYING


def decide(table: Table, spec: str) -> Decisions:
    seat = min(seat for seat in range(table.game.n_seats) if len(table.legal(seat)) > 1)
    agent: Agent = kibitz.load_agent(spec, table.game)
    return agent.decide(table.view(seat), seat, derive(5, Purpose.AGENT))


@pytest.mark.parametrize("game", ["nimmt:players=4", "nimmt:players=2", "tichu"])
@pytest.mark.parametrize("how", ["", ",threads=2", ",allocation=random"])
def test_wins_beside_scores_are_those_of_a_search_for_wins(game: str, how: str) -> None:
    table = kibitz.load_game(game).deal(seed=3)
    both = decide(table, f"mcs:sims=400,value=score,wins=true{how}")
    alone = decide(table, f"mcs:sims=400,value=win{how}")
    assert both.wins is not None
    assert both.win_errors is not None
    assert alone.values is not None
    assert alone.errors is not None
    np.testing.assert_allclose(both.wins, alone.values, rtol=1e-5)
    np.testing.assert_allclose(both.win_errors, alone.errors, rtol=1e-3)


def test_counting_wins_changes_no_score() -> None:
    table = kibitz.load_game("nimmt:players=4").deal(seed=3)
    plain, counting = (decide(table, f"mcs:sims=400{wins}") for wins in ("", ",wins=true"))
    assert plain.wins is None
    np.testing.assert_array_equal(plain.values, counting.values)


def test_who_searches_for_wins_counts_them_once() -> None:
    assert decide(kibitz.load_game("nimmt:players=2").deal(seed=3), "mcs:wins=true").wins is None


@pytest.mark.parametrize("agent", ["mcs:sims=200,wins=true", "pimc:worlds=20"])
def test_a_hand_of_sheephead_is_won_by_who_gains_in_it(agent: str) -> None:
    """Before the last choice with open cards all simulations end alike: won or not."""
    game = kibitz.load_game("sheephead:open=true,hands=2")
    table = last_trick(game)
    found = decide(table, agent)
    assert found.values is not None
    assert found.wins is not None
    money = float(table.view(0).money[int(table.seat_to_move or 0)])
    n = len(table.legal(int(table.seat_to_move or 0)))
    np.testing.assert_allclose(found.wins[0, :n], found.values[0, :n] > money)


def last_trick(game: kibitz.Game) -> Table:
    """Play a picked hand until its last choice: all that follows is certain."""
    for seed in range(50):
        table, rule = game.deal(seed=seed), kibitz.load_agent("rule", game)
        while not table.is_over:
            seat = table.seat_to_move
            assert seat is not None
            view = table.view(seat)
            is_last = view.phase == PLAYING and (view.tricks_played, view.n_laid) == (4, 4)
            if is_last and len(table.legal(seat)) > 1:
                return table
            table.play(seat, int(rule.decide(view, seat).actions[0]))
    raise AssertionError("no such hand")
