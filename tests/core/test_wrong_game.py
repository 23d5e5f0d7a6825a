"""Agents at games they were not made for: one sentence, and no memory beyond their own."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, Game, SpecError, arena
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.driver import Memory, Schedule, play, play_out
from kibitz.core.game import States
from kibitz.core.rng import RNG, Purpose, Rngs, derive

# What these do without a check ends the process, and the tests with it.
SCRIPT = """
import numpy as np
import kibitz
from kibitz import arena
from kibitz.core.driver import Schedule, play
from kibitz.core.rng import RNG

small, large = kibitz.load_game("nimmt:players=2"), kibitz.load_game("nimmt:players=10")
one = np.zeros(1, np.int64)
schedule = Schedule(1, one, one, np.zeros((1, 10), np.int64))
for spec in ("uct:sims=100", "mcs:sims=200", "mast:sims=100", "ismcts:sims=100", "pimc:sims=100"):
    agent = kibitz.load_agent(spec, small)
    view = large.deal(seed=1).view(0)
    doors = {
        "decide": lambda: [agent.decide(view, 0) for _ in range(5)],
        "act": lambda: agent.act(view.reshape(1), one, np.zeros(1, RNG), one),
        "play_out": lambda: kibitz.play_out(large.deal(seed=1), [agent] * 10),
        "arena": lambda: arena.play(large, [agent], 3, 1),
        "play": lambda: play(large, [agent], schedule),
    }
    for name, door in doors.items():
        try:
            door()
            print(spec, name, "went through")
        except kibitz.AgentError as error:
            print(error)
"""


def test_agents_for_two_are_refused_at_a_table_of_ten_at_every_door() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 25
    for line in lines:
        assert "sims" in line
        assert "was made for nimmt:players=2, not for " in line
        assert line.endswith("nimmt:players=10: make one for that game")


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("connect4", "nimmt:players=2"),
        ("nimmt:match=round", "nimmt:match=66"),  # the target is an option like any other
        ("nimmt:rows=free", "nimmt:rows=lowest"),
    ],
)
def test_an_agent_sits_at_tables_of_its_own_spec_alone(own: str, other: str) -> None:
    agent, game = kibitz.load_agent("random", kibitz.load_game(own)), kibitz.load_game(other)
    table = game.deal(seed=1)
    with pytest.raises(AgentError, match=f"^agent 'random' was made for {agent.game.spec}, not "):
        play_out(table, [agent] * game.n_seats)
    with pytest.raises(AgentError, match="^agent 'random' "):
        agent.decide(table.view(table.movers[0]), table.movers[0])


def test_equal_specs_are_one_game_however_they_are_written() -> None:
    agent = kibitz.load_agent("random", kibitz.load_game("nimmt:players=4"))
    table = kibitz.load_game("nimmt:rows=lowest,players=4").deal(seed=1)
    play_out(table, [agent] * 4)
    assert table.is_over


def test_a_seat_that_is_not_to_move_is_not_asked() -> None:
    game = kibitz.load_game("connect4")
    agent = kibitz.load_agent("random", game)
    table = game.deal(seed=1)
    assert table.movers == [0]
    with pytest.raises(AgentError, match="^agent 'random' is asked for seat 1, not to move in con"):
        agent.decide(table.view(1), 1)
    with pytest.raises(AgentError, match="is asked for seat 0, not to move"):
        agent.decide(game.blank(1)[0], 0)


def test_zeros_are_no_random_stream() -> None:
    game = kibitz.load_game("duel")
    view, stuck = game.deal(seed=1).view(0), np.zeros(1, RNG)[0]
    with pytest.raises(SpecError, match="^expected a random stream, which derive makes, got "):
        kibitz.load_agent("random", game).decide(view, 0, stuck)
    with pytest.raises(SpecError, match="^expected a random stream, which derive makes, got "):
        game.resample(view, 0, stuck)


class Forgetful(Agent):
    """Does not call the __init__ of its base."""

    name = "forgetful"

    def __init__(self, game: Game, config: Any = None) -> None:
        self.table = game

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        return Decisions(np.zeros(len(views), np.int64))


def test_an_agent_that_does_not_know_its_game_is_told_how_to() -> None:
    game = kibitz.load_game("duel")
    agent, table = Forgetful(game), game.deal(seed=1)
    sentence = r"^agent 'Forgetful' does not say which game it plays: .* call super\(\).__init__"
    with pytest.raises(AgentError, match=sentence):
        agent.decide(table.view(0), 0)
    with pytest.raises(AgentError, match=sentence):
        play_out(table, [agent] * game.n_seats)
    with pytest.raises(AgentError, match=sentence):
        arena.Match(game, [agent], 1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"views": np.zeros(2)},
        {"seats": np.zeros(1, np.int64)},
        {"seats": np.zeros(2)},
        {"seats": np.array([0, 7])},
        {"seats": np.array([0, -1])},
        {"rngs": np.zeros(1, RNG)},
        {"rngs": np.zeros(2)},
        {"rngs": np.zeros(2, RNG)},  # they stand still
        {"games": np.zeros(3, np.int64)},
    ],
)
def test_arrays_that_do_not_fit_each_other_reach_no_kernel(change: dict[str, Any]) -> None:
    game = kibitz.load_game("duel")
    table, agent = game.deal(seed=1), kibitz.load_agent("random", game)
    asked: dict[str, Any] = {
        "views": np.repeat(table.batch.states, 2),
        "seats": np.zeros(2, np.int64),
        "rngs": np.repeat(derive(1, Purpose.AGENT).reshape(1), 2),
        "games": np.zeros(2, np.int64),
    }
    assert len(agent.act(**asked).actions) == 2
    with pytest.raises(AgentError, match="^agent 'random' "):
        agent.act(**(asked | change))


def test_a_memory_that_held_another_game_holds_this_one() -> None:
    memory, one = Memory(), np.zeros(1, np.int64)
    for players in (2, 4, 3):
        game = kibitz.load_game(f"duel:players={players}")
        schedule = Schedule(1, one, one, np.zeros((1, players), np.int64))
        agents = [kibitz.load_agent("random", game)]
        fresh = play(game, agents, schedule)
        assert (play(game, agents, schedule, memory=memory).scores == fresh.scores).all()
