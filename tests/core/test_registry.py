"""Games and agents are found by name, ours and those of packages outside."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kibitz import SpecError, load_agent, load_game
from kibitz.core import registry
from kibitz.core.agent import Agent
from kibitz.core.errors import AgentError
from kibitz.core.registry import agent_class, agent_names, game_facts, game_names
from kibitz.core.table import Game

AGENT = """
import numpy as np
from kibitz.core.agent import Agent
from kibitz.core.decisions import Decisions

class FirstAgent(Agent):
    '''Plays the first legal action.'''
    name = "first"

    def act(self, views, seats, rngs, games):
        pairs = zip(views, seats.tolist(), strict=True)
        return Decisions(np.array([self.game.legal(view, seat)[0] for view, seat in pairs]))
"""


@pytest.fixture
def _guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package that registers the agent `first`."""
    (tmp_path / "guest.py").write_text(AGENT)
    info = tmp_path / "guest-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kibitz.agents]\nfirst = guest:FirstAgent\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


def test_a_game_from_outside_is_listed_among_ours() -> None:
    names = game_names()
    assert {"connect4", "duel", "nimmt"} <= set(names)
    assert names == sorted(names)


@pytest.mark.parametrize("name", game_names())
def test_a_game_is_registered_under_its_own_name(name: str) -> None:
    assert game_facts(name).name == name
    assert load_game(name).rules.__name__ == f"{game_facts(name).package}.rules"


def sit_down(agent: str, game: Game) -> Agent:
    """Load an agent, if it refuses the game then at the table that it names."""
    try:
        return load_agent(agent, game)
    except AgentError as refusal:
        table = re.search(rf"(?<=play ){game.facts.name}:[^ ,]+", str(refusal))
        if table is None:
            raise
        return load_agent(agent, load_game(table[0]))


@pytest.mark.parametrize("name", game_names())
def test_every_listed_agent_can_sit_down_under_its_own_name(name: str) -> None:
    game = load_game(name)
    for agent in agent_names(game.facts):
        assert agent_class(agent, game.facts).name == agent
        if agent == "net":  # a network that is not named cannot play
            with pytest.raises(AgentError, match="net needs a model"):
                load_agent(agent, game)
        else:
            assert sit_down(agent, game).spec == agent


def test_general_agents_come_first_and_the_games_own_bots_keep_their_order() -> None:
    facts = game_facts("nimmt")
    assert agent_names(facts) == [*agent_names(game_facts("duel")), *facts.bots]


def test_agents_for_secrets_are_not_listed_where_there_are_none() -> None:
    everywhere, secrets = agent_names(game_facts("connect4")), agent_names(game_facts("nimmt"))
    assert {"ismcts", "pimc"} <= set(secrets) - set(everywhere)


@pytest.mark.usefixtures("_guest")
def test_an_agent_from_outside_plays_every_game() -> None:
    for name in game_names():
        game = load_game(name)
        table = game.deal(seed=1)
        assert "first" in agent_names(game.facts)
        decisions = load_agent("first", game).decide(table.view(0), 0)
        assert decisions.actions.tolist() == table.legal(0)[:1]


def test_the_bots_of_one_game_are_unknown_in_another() -> None:
    with pytest.raises(SpecError, match="unknown agent 'centre' for nimmt"):
        load_agent("centre", load_game("nimmt"))


@pytest.mark.parametrize("spec", ["duel", "duel:players=3"])
def test_options_for_people_and_matches_fill_only_what_the_spec_leaves_open(spec: str) -> None:
    assert (
        load_game(spec, defaults="arena") == load_game(spec, defaults="people") == load_game(spec)
    )
    assert load_game("connect4", defaults="arena").spec == "connect4:opening=4"
    assert load_game("connect4:opening=0", defaults="arena").spec == "connect4"
    assert load_game("tichu", defaults="people").spec == "tichu:match=1000"
    assert load_game("tichu:rounds=5", defaults="people").spec == "tichu:match=1000,rounds=5"
    assert load_game("tichu:variant=thesis", defaults="people").spec == "tichu:variant=thesis"


@pytest.mark.parametrize(
    ("spec", "game", "sentence"),
    [(None, None, "a spec is a string"), ("random", "nimmt", "expected a game, which load_game")],
)
def test_agents_are_loaded_by_a_spec_and_a_game(spec: Any, game: Any, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        load_agent(spec, game)
