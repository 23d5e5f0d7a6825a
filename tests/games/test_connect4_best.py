"""Connect 4's `best`: it solves what it can, keeps what is proven, and keeps to its budget."""

import random
import time

import numpy as np
import pytest

from kibitz import SpecError, load_agent, load_game
from kibitz.core.decisions import Decisions, ValueKind, kinds_of
from kibitz.games.connect4 import best
from kibitz.games.connect4.alphabeta import UNKNOWN
from kibitz.games.connect4.best import Proven, prove
from kibitz.games.connect4.solver import solve
from tests.games.test_connect4_solver import boards, random_line

GAME = load_game("connect4")
FULL = UNKNOWN

pytestmark = pytest.mark.compiled


def proven(lows: list[int], highs: list[int]) -> Proven:
    return Proven(np.array(lows), np.array(highs))


def test_late_positions_are_played_perfectly_and_valued_exactly() -> None:
    agent = load_agent("best", GAME)
    for seed in range(20):
        line = random_line(random.Random(seed), 24)
        found, decisions = solve(GAME, line), agent.decide(GAME.parse(line), 0)
        assert int(decisions.actions[0]) in found.best
        assert decisions.values is not None
        known = [np.sign(score) for score in found.columns if score is not None]
        assert decisions.values[0].tolist() == known
        assert decisions.kind(0) == ValueKind.SCORE


def test_what_is_proven_in_a_short_time_is_true() -> None:
    for seed in range(12):
        line = random_line(random.Random(seed), 14)
        own, occupied = boards([line])
        truth = solve(GAME, line).columns
        for positions in (1, 300, 5_000):
            found = prove(own[0], occupied[0], positions)
            for score, low, high in zip(truth, found.lows, found.highs, strict=True):
                assert low == high == FULL if score is None else low <= score <= high


def test_the_candidates_keep_what_is_proven() -> None:
    wins = proven([-9, 2, 5, FULL, -9, 0, -9], [9, 9, 6, FULL, 9, 9, -1])
    assert np.flatnonzero(wins.candidates).tolist() == [2]
    draws = proven([-9, 0, 0, FULL, -9, -2, -9], [0, 0, 0, FULL, 0, -2, -1])
    assert np.flatnonzero(draws.candidates).tolist() == [1, 2]
    open_ones = proven([-9, -5, -9, FULL, -9, -2, -9], [9, -5, 0, FULL, -1, -2, -1])
    assert np.flatnonzero(open_ones.candidates).tolist() == [0, 2]
    lost = proven([-9, -5, -9, FULL, -9, -2, -9], [-9, -5, -9, FULL, -9, -2, -9])
    assert np.flatnonzero(lost.candidates).tolist() == [5]
    assert lost.results[[0, 3]].tolist() == pytest.approx([-1.0, np.nan], nan_ok=True)


def test_a_draw_that_is_sure_does_not_end_the_search_for_a_win() -> None:
    for high in (0, 3):
        sure = proven([-9, 0, -9, FULL, -9, -2, -9], [9, high, 0, FULL, -1, -2, 4])
        assert np.flatnonzero(sure.candidates).tolist() == [0, 1, 6]
        assert np.flatnonzero(sure.gambles).tolist() == [0, 6]
        assert not sure.is_decided
    both = proven([0, 0, -9, FULL, -9, -2, -9], [9, 0, 9, FULL, -1, -2, 0])
    assert np.flatnonzero(both.candidates).tolist() == [0, 2]
    rest = proven([-9, 0, -9, FULL, -9, -2, -9], [0, 3, -2, FULL, 0, -2, -1])
    assert np.flatnonzero(rest.candidates).tolist() == [1]
    assert rest.is_decided
    unsure = proven([-9, -9, -9, FULL, -9, -2, -9], [9, 0, -2, FULL, 0, -2, -1])
    assert not unsure.gambles.any()


def test_a_solver_that_ends_with_a_draw_asks_the_network() -> None:
    line = "74224444222"  # worth 0, 0, 1, 1, 1, -4, 0; column 2 is soon known not to lose
    own, occupied = boards([line])
    known = prove(own[0], occupied[0], 100 * best.POSITIONS_PER_SIM)
    assert np.flatnonzero(known.lows == 0).tolist() == [1]
    assert np.flatnonzero(known.gambles).tolist() == [0, 2, 3, 4, 5, 6]
    said = load_agent("best:sims=100", GAME).decide(GAME.parse(line), 1)
    assert said.values is not None
    assert not np.isnan(said.values[0]).any()


def keep(known: Proven, weights: list[float], values: list[float]) -> Decisions:
    """Let a network that would play column 1 choose from the columns 1, 2, 3, 4, 6 and 7."""
    choices, errors = np.array([[1, 2, 3, 4, 6, 7]]), np.full((1, 6), 0.1)
    said = Decisions(
        np.array([1]),
        choices,
        np.array([6]),
        np.array([weights]),
        None,
        np.array([values]),
        errors,
        kinds_of(1, ValueKind.WIN),
    )
    return best._keep_to(said, [known])


def test_a_search_plays_no_column_that_is_refuted() -> None:
    known = proven([-9, -9, 0, 0, FULL, -9, -9], [0, -2, 0, 0, FULL, -9, -1])
    kept = keep(known, [0.5, 0.3, 0.05, 0.1, 0.05, 0.0], [0.6] * 6)
    assert kept.actions.tolist() == [4]
    assert kept.weights is not None
    assert kept.values is not None
    assert kept.weights[0].tolist() == [0, 0, 0.05, 0.1, 0, 0]
    assert kept.values[0].tolist() == [0.6, 0.0, 0.5, 0.5, 0.0, 0.0]


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ([0.52, 0.4, 0.3, 0.9, 0.2, 0.1], 3),  # a draw is worth 0.5, whatever the network says
        ([0.60, 0.4, 0.3, 0.9, 0.2, 0.1], 1),
        ([0.60, 0.4, 0.7, 0.9, 0.2, 0.1], 3),  # what cannot lose may be expected to win, too
        ([0.60, 0.4, 0.7, 0.9, 0.8, 0.1], 6),
        ([np.nan] * 6, 3),
    ],
)
def test_a_sure_draw_is_risked_only_for_clearly_more(values: list[float], column: int) -> None:
    known = proven([-9, -9, 0, 0, FULL, -9, -9], [9, -2, 9, 0, FULL, 9, 0])
    kept = keep(known, [0.5, 0.2, 0.05, 0.1, 0.15, 0.0], values)
    assert kept.actions.tolist() == [column]
    assert kept.weights is not None
    assert kept.weights[0, [1, 3, 5]].tolist() == [0, 0, 0]


def test_decisions_do_not_depend_on_what_was_decided_before() -> None:
    lines = ["4444", "12", "3555321"]
    agent = load_agent("best:sims=16", GAME)
    found = []
    for order in (lines, lines[::-1]):
        said = {line: agent.decide(GAME.parse(line), len(line) % 2) for line in order}
        found.append([(said[line].actions.tolist(), repr(said[line].values)) for line in lines])
    assert found[0] == found[1]


def test_the_solver_keeps_to_its_positions_and_its_time() -> None:
    own, occupied = boards([""])
    prove(own[0], occupied[0], 20_000)
    assert int(best._own.memory.n_searched) <= 20_050
    began = time.process_time()
    prove(own[0], occupied[0], 0, 0.2)
    assert time.process_time() - began < 0.6


def test_it_begins_in_the_centre_and_thinks_as_it_decides() -> None:
    agent = load_agent("best:sims=32", GAME)
    *_, last = agent.think(GAME.parse("-"), 0)
    assert last.actions.tolist() == agent.decide(GAME.parse("-"), 0).actions.tolist() == [4]


def test_budgets_out_of_range_are_refused() -> None:
    with pytest.raises(SpecError, match="expected seconds"):
        load_agent("best:time=-1", GAME)
