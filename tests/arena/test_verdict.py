"""Matches that go on until a sequential test has its verdict."""

import pytest

import kibitz
from kibitz.arena import Match
from kibitz.arena.sequential import Hypotheses
from kibitz.arena.verdict import make_test, play_until_verdict


@pytest.mark.parametrize(("spec", "reach"), [("nimmt:players=5", 171), ("connect4", 2)])
def test_a_test_knows_how_far_scores_can_be_apart(spec: str, reach: float) -> None:
    test = make_test(kibitz.load_game(spec), Hypotheses(0, 2, "points"))
    assert test.reach == reach


def test_an_agent_against_itself_gets_a_verdict_without_any_spread() -> None:
    game = kibitz.load_game("nimmt:players=3")
    twins = [kibitz.load_agent("highest", game) for _ in range(2)]
    test = make_test(game, Hypotheses(0, 2, "points"))
    for _ in play_until_verdict(Match(game, twins, deals=2000, seed=1), test):
        pass
    assert test.verdict == "H0"
    assert test.status().deviation == 0
