"""Grades by perfect play: what they count, and who gets which."""

import numpy as np
import pytest

from kibitz.arena.grading import Examination, Report
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.errors import AgentError
from kibitz.core.game import States
from kibitz.core.habits import Grading
from kibitz.core.registry import load_agent, load_game
from kibitz.core.rng import Rngs
from kibitz.games.connect4 import judging
from kibitz.games.connect4.alphabeta import key_of
from kibitz.games.connect4.book import positions
from kibitz.games.connect4.exact import boards_of
from kibitz.games.connect4.rules import CELLS

GAME = load_game("connect4")
LATE = Grading(
    "discs",
    ((34, 39),),
    lambda game, stage, n, seed: judging.draw_positions(game, 5, n, seed),
    judging.grade,
)
EARLY = Grading("discs", ((4, 9),), judging.draw_positions, judging.grade)


def examine(spec: str, n: int, seed: int = 1, grading: Grading = LATE) -> Report:
    exam = Examination(GAME, load_agent(spec, GAME), grading, n, seed)
    assert sum(exam.run()) == n
    return exam.report()


def test_exact_is_always_perfect() -> None:
    whole = examine("exact", 20).whole
    assert (whole.n, whole.good.mean, whole.perfect.mean) == (20, 1.0, 1.0)
    assert whole.good.low > 0.8


def test_the_beginning_is_judged_by_the_book() -> None:
    assert judging.STAGES[0] == EARLY.stages[0]
    whole = examine("exact", 4, grading=EARLY).whole
    assert (whole.n, whole.good.mean, whole.perfect.mean) == (4, 1.0, 1.0)


def test_random_gets_what_chance_gives() -> None:
    whole = examine("random", 300).whole
    assert whole.good.low <= whole.chance <= whole.good.high
    assert whole.perfect.mean < whole.good.mean


def test_what_loses_the_result_is_neither_good_nor_perfect() -> None:
    position = GAME.parse("7422341735647741166133573473242566")  # worth -3, 1, ., ., -4, 1, .
    views = np.repeat(position.reshape(1), 4)
    found = judging.grade(views, np.zeros(4, np.int64), np.array([1, 2, 5, 6]))
    assert found.good.tolist() == found.perfect.tolist() == [False, True, False, True]
    assert found.chance.tolist() == [0.5] * 4


def test_a_win_that_comes_later_is_good_and_not_perfect() -> None:
    position = GAME.parse("4444433221")  # worth +1, +4, +3, +2, +2, +2, +2
    views = np.repeat(position.reshape(1), 2)
    found = judging.grade(views, np.zeros(2, np.int64), np.array([2, 3]))
    assert found.good.tolist() == [True, True]
    assert found.perfect.tolist() == [True, False]


def test_positions_are_spread_over_the_plies_of_a_stage() -> None:
    views, seats = judging.draw_positions(GAME, 2, 12, 3)
    again, _ = judging.draw_positions(GAME, 2, 12, 3)
    assert views["n_moves"].tolist() == [16, 17, 18, 19, 20, 21] * 2
    assert np.array_equal(views, again)
    assert (views["turn"] == seats + 1).all()
    assert (views["n_moves"] < CELLS).all()


def test_no_early_position_comes_twice_nor_its_mirror_image() -> None:
    views, seats = judging.draw_positions(GAME, 0, 600, 1)
    assert views["n_moves"].tolist() == [4, 5, 6, 7, 8, 9] * 100
    seen = {
        int(key_of(own, occupied, ply))
        for own, occupied, ply in zip(
            *boards_of(views, seats), views["n_moves"].tolist(), strict=True
        )
    }
    assert len(seen) == 600


def test_positions_come_again_where_there_are_too_few() -> None:
    views, _ = judging.draw_positions(GAME, 0, 6 * 600, 1)
    some = views[views["n_moves"] == 4]
    assert len(some) == 600 > len(positions(4))


def test_illegal_choices_are_told_with_the_position() -> None:
    class Wild(Agent):
        name = "wild"

        def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
            return Decisions(np.full(len(views), 9))

    with pytest.raises(AgentError, match="wild chose '?9'?, illegal in connect4 "):
        list(Examination(GAME, Wild(GAME), LATE, 3, 1).run())
