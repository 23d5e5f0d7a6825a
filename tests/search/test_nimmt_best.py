"""The player that we ship: in the open game of two, and wherever hands are hidden."""

import time

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError, arena
from kibitz.core.decisions import ValueKind
from kibitz.core.rng import derive
from kibitz.games.nimmt.best import BestAgent, BestConfig
from kibitz.games.nimmt.foresight import ForesightAgent, ForesightConfig
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
    assert isinstance(agent.before, ForesightAgent)


@pytest.mark.parametrize("bad", ["best:cards=0", "best:cards=9", "best:sims=0", "best:time=-1"])
def test_budgets_out_of_range_are_refused(bad: str) -> None:
    with pytest.raises(SpecError):
        kibitz.load_agent(bad, OPEN)


TABLES = [
    "nimmt:players=2",
    "nimmt:players=3,rows=free",
    "nimmt:players=10",
    "nimmt:players=10,rows=free,deck=known",
    "nimmt:players=4,match=66",
    "nimmt:players=3,hands=open,rows=free",
    "nimmt:players=3,draft=true",
]


@pytest.mark.parametrize("spec", TABLES)
def test_best_plays_every_variant_by_the_rules(spec: str) -> None:
    game = kibitz.load_game(spec)
    result = arena.play(game, ["best:sims=20", "random"], 2, 4)  # a fault would raise
    assert np.isfinite(result.scores).all()


def test_best_values_every_choice_with_its_error() -> None:
    game = kibitz.load_game("nimmt:players=5")
    table = game.deal(seed=3)
    found = kibitz.load_agent("best:sims=400", game).decide(table.view(2), 2)
    assert found.kind(0) is ValueKind.SCORE
    assert found.choices is not None
    assert found.values is not None
    assert found.errors is not None
    assert found.weights is not None
    assert found.choices[0].tolist() == table.legal(2)
    assert (found.values[0] < 0).all()
    assert (found.errors[0] > 0).all()
    assert found.choices[0][np.argmax(found.weights[0])] == found.actions[0]


def test_values_count_what_was_taken_before() -> None:
    game = kibitz.load_game("nimmt:players=5")
    view = game.deal(seed=3).view(0)
    agent = kibitz.load_agent("best:sims=100", game)
    fresh = agent.decide(view, 0, derive(1, 2)).values
    view.taken[0] = 7
    later = agent.decide(view, 0, derive(1, 2)).values
    assert fresh is not None
    assert later is not None
    assert later[0] == pytest.approx(fresh[0] - 7)


def test_rows_to_take_are_searched() -> None:
    game = kibitz.load_game("nimmt:players=3,rows=free")
    agent = kibitz.load_agent("best:sims=200", game)
    for deal in range(50):
        table = game.deal(seed=deal)
        for seat in range(3):
            table.play(seat, table.legal(seat)[0])
        if table.movers and len(table.movers) == 1:
            break
    seat = table.movers[0]
    found = agent.decide(table.view(seat), seat)
    assert found.choices is not None
    assert found.choices[0].tolist() == [105, 106, 107, 108]


def test_best_decides_the_same_again_alone_and_in_thought() -> None:
    game = kibitz.load_game("nimmt:players=5")
    agent = kibitz.load_agent("best:sims=300", game)
    view = game.deal(seed=8).view(1)
    first = agent.decide(view, 1, derive(5, 2))
    again = agent.decide(view, 1, derive(5, 2))
    *_, last = agent.think(view, 1, derive(5, 2))
    for other in (again, last):
        np.testing.assert_array_equal(first.values, other.values)
        assert first.actions[0] == other.actions[0]


def test_best_keeps_to_the_clock() -> None:
    game = kibitz.load_game("nimmt:players=5")
    agent = kibitz.load_agent("best:time=0.05", game)
    view = game.deal(seed=8).view(1)
    agent.decide(view, 1)  # compiles
    began = time.process_time()
    agent.decide(view, 1)
    assert time.process_time() - began < 0.1


def test_a_model_of_something_else_is_refused() -> None:
    game = kibitz.load_game("nimmt:players=5")
    with pytest.raises(SpecError, match="unknown model"):
        kibitz.load_agent("best:model=nothing", game)
    with pytest.raises((AgentError, SpecError)):
        kibitz.load_agent("best:model=nimmt-best-value", game)


@pytest.mark.slow
def test_best_beats_flat_monte_carlo() -> None:
    game = kibitz.load_game("nimmt:players=5,rows=lowest")
    result = arena.play(game, ["best:sims=300", "mcs:sims=600"], 60, 9)
    assert result.sample.paired(0, 1).low > 0


def test_best_beats_random_by_far() -> None:
    game = kibitz.load_game("nimmt:players=5,rows=lowest")
    result = arena.play(game, ["best:sims=60", "random"], 20, 9)
    assert result.sample.paired(0, 1).low > 3


def test_its_policy_plays_alone() -> None:
    game = kibitz.load_game("nimmt:players=4,rows=lowest")
    result = arena.play(game, ["net:model=nimmt-best", "random"], 150, 9)
    assert result.sample.score(0).mean > -7.3


@pytest.mark.parametrize(
    ("rival", "is_random"), [("random", True), ("net:model=nimmt-best", False)]
)
def test_best_finds_out_who_plays_at_random(rival: str, is_random: bool) -> None:
    game = kibitz.load_game("nimmt:players=5,rows=lowest")
    agent = ForesightAgent(game, ForesightConfig(sims=20))
    other = kibitz.load_agent(rival, game)
    doubts = []
    for deal in range(8):
        table = game.deal(seed=deal)
        while len(table.legal(0)) > 3:
            here = table.view(0)
            views, seats = np.array([here]), np.zeros(1, np.int64)
            told = agent._recall(views, seats, np.array([deal]))
            cards = [int(agent.decide(here, 0).actions[0])]
            cards += [int(other.decide(table.view(seat), seat).actions[0]) for seat in range(1, 5)]
            for seat, card in enumerate(cards):
                table.play(seat, card)
        doubts.append(told[0].doubts[1:5].mean())
    assert (np.mean(doubts) > 0.4) == is_random
    assert told[0].doubts[0] == 0
    agent.end(np.arange(8))
    assert list(agent._kept) in ([], [(0, 0)])


def test_what_was_seen_of_another_game_is_not_used() -> None:
    game = kibitz.load_game("nimmt:players=5,rows=lowest")
    agent = ForesightAgent(game, ForesightConfig(sims=20))
    seats, games = np.zeros(1, np.int64), np.zeros(1, np.int64)
    first = np.array([game.deal(seed=1).view(0)])
    second = np.array([game.deal(seed=2).view(0)])
    prior = agent._recall(first, seats, games)
    np.testing.assert_array_equal(agent._recall(second, seats, games), prior)
    assert 0 < prior[0].doubts[1] < 0.2
