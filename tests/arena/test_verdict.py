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


@pytest.mark.parametrize("batch_size", [2, 30, 4000])
def test_deals_after_the_verdict_are_forgotten(batch_size: int) -> None:
    game = kibitz.load_game("connect4")
    players = [kibitz.load_agent(spec, game) for spec in ("centre", "random")]
    test = make_test(game, Hypotheses(0, 40, "elo"))
    match = Match(game, players, deals=5000, seed=1, batch_size=batch_size, records=True)
    played = list(play_until_verdict(match, test))
    result = match.result()
    assert test.verdict == "H1"
    assert sum(len(batch.scores) for batch in played) == len(result.deals) == test.deals
    assert len(result.records) == result.n_games
    assert list(play_until_verdict(match, test)) == []
