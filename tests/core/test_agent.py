"""Agents and their spec strings."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest

import kibitz
from kibitz import Agent, SpecError
from kibitz.core.agent import Games, Seats, parse_config
from kibitz.core.decisions import Decisions
from kibitz.core.game import States
from kibitz.core.rng import Rngs
from kibitz.testing import check_agent_decides_view_by_view


@dataclass(frozen=True)
class Config:
    """One parameter of every kind."""

    sims: int = 100
    c: float = 1.5
    deep: bool = False
    value: Literal["score", "rank"] = "score"
    depth: int | None = None


class Thinker(Agent):
    """An agent with parameters."""

    name = "thinker"
    Config = Config


def test_parameters_are_read_by_their_hints() -> None:
    given = {"sims": "7", "c": "0.5", "deep": "true", "value": "rank"}
    assert parse_config(Thinker, given) == Config(7, 0.5, True, "rank")


def test_the_spec_shows_what_differs_from_the_defaults() -> None:
    game = kibitz.load_game("duel")
    assert Thinker(game).spec == "thinker"
    assert Thinker(game, Config(sims=7, deep=True)).spec == "thinker:sims=7,deep=true"


def test_what_may_be_left_open_is_a_value_or_auto() -> None:
    assert parse_config(Thinker, {"depth": "3"}) == Config(depth=3)
    assert parse_config(Thinker, {"depth": "auto"}) == Config()
    assert Thinker(kibitz.load_game("duel"), Config(depth=3)).spec == "thinker:depth=3"
    with pytest.raises(SpecError, match="thinker:depth='x': expected int"):
        parse_config(Thinker, {"depth": "x"})


def test_the_rest_of_a_spec_is_written_last() -> None:
    class Wrapper(Thinker):
        name = "wrapper"
        rest = "sims"

    agent = Wrapper(kibitz.load_game("duel"), Config(sims=7, deep=True))
    assert agent.spec == "wrapper:deep=true,sims=7"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sim": "7"}, r"thinker has no parameter 'sim': did you mean 'sims'\?"),
        ({"sims": "many"}, "thinker:sims='many': expected int"),
        ({"sims": "1.5"}, "expected int"),
        ({"sims": "1_0"}, "expected int"),
        ({"sims": "٣"}, "expected int"),
        ({"sims": "9" * 19}, "expected at most 18 digits"),
        ({"sims": "-" + "9" * 400}, "expected at most 18 digits"),
        ({"c": "nan"}, "expected a finite number"),
        ({"deep": "1"}, "expected true or false"),
        ({"value": "money"}, r"expected score\|rank"),
    ],
)
def test_bad_parameters_are_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_config(Thinker, given)


def test_one_view_can_be_decided_alone() -> None:
    game = kibitz.load_game("duel")
    table = game.deal(seed=1)
    decisions = kibitz.load_agent("random", game).decide(table.view(0), 0)
    assert decisions.actions.shape == (1,)
    assert int(decisions.actions[0]) in table.legal(0)


def test_random_plays_every_legal_action_equally_often() -> None:
    game = kibitz.load_game("duel")
    agent = kibitz.load_agent("random", game)
    table = game.deal(seed=1)
    views = np.repeat(np.array([table.view(0)]).view(game.rules.STATE), 3000)
    from kibitz.core.rng import RNG, derive

    rngs = np.zeros(3000, RNG)
    for i in range(3000):
        rngs[i] = derive(5, i)
    actions = agent.act(views, np.zeros(3000, np.int64), rngs, np.arange(3000)).actions
    counts = [int((actions == card).sum()) for card in table.legal(0)]
    assert sum(counts) == 3000
    assert max(abs(count - 1000) for count in counts) < 130  # five standard deviations


class Peeker(Agent):
    """Looks at everybody's cards, if they are shown to it together."""

    name = "peeker"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        asked = zip(views, seats.tolist(), strict=True)
        return Decisions(
            np.array([self.game.legal(view, seat)[-(len(views) > 1)] for view, seat in asked])
        )


def test_answers_in_a_batch_can_be_compared_with_answers_one_by_one() -> None:
    game = kibitz.load_game("duel")
    check_agent_decides_view_by_view(kibitz.load_agent("random", game))
    with pytest.raises(AssertionError, match=r"seat \d decides by other views in duel "):
        check_agent_decides_view_by_view(Peeker(game))
