"""The player that we ship for the open game."""

import numpy as np
import pytest

import kibitz
from kibitz import SpecError, arena
from kibitz.games.nimmt.best import BestAgent, BestConfig
from kibitz.search.mcs import McsAgent
from kibitz.search.puct import PuctAgent

OPEN = kibitz.load_game("nimmt:players=2,hands=open,rows=lowest,deck=known")


def test_best_beats_the_player_of_the_paper() -> None:
    agents = ["best:sims=300", "mast:sims=300,c=1.8,tree=sequential"]
    result = arena.play(OPEN, agents, 300, 3)
    assert result.sample.wins(0).low > 0.5


def test_best_searches_first_and_solves_then() -> None:
    agent = BestAgent(OPEN, BestConfig(sims=50, cards=3))
    assert isinstance(agent.before, PuctAgent)
    table = OPEN.deal(seed=5)
    while len(table.legal(0)) > 3:
        for seat in (0, 1):
            found = agent.decide(table.view(seat), seat)
            assert int(found.actions[0]) in table.legal(seat)
            table.play(seat, table.legal(seat)[0])
    found = agent.decide(table.view(0), 0)
    assert found.weights is not None
    assert np.nansum(found.weights) == pytest.approx(1)  # an equilibrium strategy


def test_best_sits_down_at_other_tables_too() -> None:
    agent = kibitz.load_agent("best:sims=50", kibitz.load_game("nimmt:players=4"))
    assert isinstance(agent, BestAgent)
    assert isinstance(agent.before, McsAgent)


@pytest.mark.parametrize("bad", ["best:cards=0", "best:cards=9", "best:sims=0", "best:time=-1"])
def test_budgets_out_of_range_are_refused(bad: str) -> None:
    with pytest.raises(SpecError):
        kibitz.load_agent(bad, OPEN)
