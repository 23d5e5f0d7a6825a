"""Coaches with other budgets, and those that see all cards."""

from dataclasses import replace

import pytest

import kibitz
from kibitz.core.wording import speaking, words
from kibitz.review.coaches import coach_spec, load_coach, load_open_coach, patient, quick
from kibitz.review.judgement import ask, think
from kibitz.review.questions import Question


def first_question(spec: str, *, is_open: bool = False) -> Question:
    table = kibitz.load_game(spec).deal(seed=4)
    seat = table.movers[0]
    return Question(table.game, table.state.copy() if is_open else table.view(seat), seat)


def test_a_game_without_a_coach_of_its_own_has_the_usual_one() -> None:
    assert coach_spec(replace(kibitz.load_game("connect4").facts, coach="")) == "uct:sims=10000"


def test_a_quick_coach_spends_less_and_a_patient_one_more() -> None:
    coach = kibitz.load_agent("uct:sims=5000", kibitz.load_game("connect4"))
    assert (quick(coach).spec, patient(coach).spec) == ("uct:sims=500", "uct:sims=100000")
    clocked = kibitz.load_agent("uct:time=1", coach.game)
    assert patient(clocked) is clocked


def test_a_flat_coach_is_patient_until_it_is_stopped() -> None:
    coach = kibitz.load_agent("mcs:sims=300", kibitz.load_game("nimmt:players=2"))
    assert patient(coach).config.sims == 10_000_000


def test_a_coach_that_asks_another_first_leaves_a_quick_look_to_it() -> None:
    coach = load_coach(kibitz.load_game("sheephead"))
    assert quick(coach).spec.startswith("mcs:sims=800,playout=rule")


def test_a_patient_coach_has_a_patient_one_before_it() -> None:
    coach = kibitz.load_agent("exact:before=uct:sims=500", kibitz.load_game("connect4"))
    assert patient(coach).spec == "exact:before=uct:sims=10000"


def connect4_after(moves: str) -> Question:
    game = kibitz.load_game("connect4")
    return Question(game, game.parse(moves), len(moves) % 2)


@pytest.mark.parametrize(
    ("language", "first", "last"),
    [
        ("en", ["wins now", "wins in 5"], ["a draw", "loses in 30"]),
        ("de", ["gewinnt sofort", "gewinnt in 5"], ["unentschieden", "verliert in 30"]),
    ],
)
def test_the_coach_of_connect4_knows_how_it_ends(
    language: str, first: list[str], last: list[str]
) -> None:
    question = connect4_after("367555462252")
    answer = ask(load_coach(question.game), question)
    with speaking(language):
        said = [words(one.verdict) for one in answer.opinions if one.verdict]
    assert len(said) == len(question.legal)
    assert (said[:2], said[-2:]) == (first, last)


def test_the_coach_of_connect4_knows_the_opening_by_its_book() -> None:
    question = connect4_after("44")
    assert ask(load_coach(question.game), question).is_exact


def test_the_coach_of_connect4_solves_after_its_book() -> None:
    question = connect4_after("44137417")  # every column loses in 26
    answer = ask(load_coach(question.game), question)
    assert answer.is_exact
    assert {one.verdict.facts["n"] for one in answer.opinions if one.verdict} == {26}


def test_of_equal_ends_the_sooner_win_and_the_later_loss_come_first() -> None:
    question = connect4_after("44444432233")
    answer = ask(load_coach(question.game), question)
    moves = [int(str(one.verdict.facts["n"])) for one in answer.opinions if one.verdict]
    assert moves == sorted(moves, reverse=True)
    assert answer.loss is None


def test_the_coach_of_sheephead_values_bids_too() -> None:
    answer = ask(load_coach(kibitz.load_game("sheephead")), first_question("sheephead"))
    assert answer.has_values
    assert {answer.question.text(one.action) for one in answer.opinions} == {"pick", "pass"}


def test_worlds_are_solved_while_one_looks() -> None:
    game = kibitz.load_game("sheephead")
    table = game.deal(seed=4)
    coach = kibitz.load_agent("pimc:worlds=25", game)
    rule = kibitz.load_agent("rule", game)
    while table.state["phase"] != table.game.rules.PLAYING:
        seat = table.movers[0]
        table.play(seat, int(rule.decide(table.view(seat), seat).actions[0]))
    deciding = table.seat_to_move
    assert deciding is not None
    question = Question(game, table.view(deciding), deciding)
    looks = list(think(coach, question))
    assert len(looks) >= 2
    last, alone = looks[-1].opinions, ask(coach, question).opinions
    assert [one.action for one in last] == [one.action for one in alone]
    assert [one.value for one in last] == pytest.approx([one.value for one in alone])


@pytest.mark.parametrize("spec", ["nimmt:players=2", "connect4"])
def test_an_open_coach_sees_the_true_cards(spec: str) -> None:
    question = first_question(spec, is_open=True)
    answer = ask(load_open_coach(question.game), question)
    assert answer.has_values
    assert set(one.action for one in answer.opinions) == set(question.legal)
