"""`kibitz solve`: what it prints, and what it refuses."""

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from kibitz.cli import solve as command
from kibitz.core.errors import KibitzError, SpecError
from kibitz.core.registry import load_game

OPEN = "nimmt:players=2,hands=open"
MIXED = (
    "turn=7 rows=80.81.89.90.98/47.79.82.86/41.45.61.74/4.13.25.37.38 "
    "hands=29.31.52/21.28.36 last=74/38"
)
"""Both seats mix two of three cards."""

FIRST = "rows=1/2/3/4 hands=11.12.13.14.15.16.17.18.19.20/21.22.23.24.25.26.27.28.29.30"

SHEEPHEAD = (
    "deal=1 phase=play turn=3 dealer=4 hands=KS.8S.7H/QC.QD.9S/AS.7S.KH/QS.10D.9C/joker.10H.9H "
    "buried=AC.7C played=JD.AH.8H/KD.9D.8D/QH.KC.10S/JS.JH.8C/JC.AD.10C leader=3 "
    "last=AH/KD/10S/JH/AD last-leader=1 last-winner=3 tricks=0/1/1/1/0 points=0/14/9/38/0 "
    "passed=0 picker=1 called=AS without=1 void=CT/C/T/-/-"
)

PARTIAL_APP = typer.Typer(callback=lambda: None)
command.add_to(PARTIAL_APP)


def run(*words: str) -> str:
    result = CliRunner().invoke(PARTIAL_APP, ["solve", *words], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    "words", [["nimmt", *MIXED.split()], ["nimmt", MIXED], [f"{OPEN} {MIXED}"]]
)
def test_tiny_the_command_prints_value_and_strategies(words: list[str]) -> None:
    lines = [line.split() for line in run(*words).splitlines()]
    assert ["expected", "lead:", "seat", "0", "-1.500,", "seat", "1", "+1.500"] in lines
    assert ["0", "29", "25.0%", "━━━━━", "-1.500"] in lines
    assert ["31", "0.0%", "-2.250"] in lines


def test_tiny_the_command_prints_one_document() -> None:
    words = ("nimmt", MIXED, "--objective", "win", "--agent", "highest", "--json")
    document: dict[str, Any] = json.loads(run(*words))
    assert document["game"] == OPEN
    assert document["objective"] == "win"
    assert document["values"] == pytest.approx([0.25, 0.75])
    assert [play["seat"] for play in document["strategies"]] == [0, 1]
    rows = document["strategies"][0]["actions"]
    assert [row["text"] for row in rows] == ["29", "31", "52"]
    assert sum(row["probability"] for row in rows) == pytest.approx(1)
    assert [row["seat"] for row in document["responses"]] == [0, 1]
    for row in document["responses"]:
        assert row["exploitability"] == pytest.approx(row["at_least"])  # it does not draw
        assert row["exploitability"] >= -1e-9
    game = load_game(document["game"])
    assert game.format(game.parse(document["position"])) == f"{OPEN} {document['position']}"


def test_tiny_the_command_tells_what_an_agent_gives_away() -> None:
    lines = [line.split() for line in run("nimmt", MIXED, "--agent", "highest").splitlines()]
    assert ["highest", "0", "-1.500", "-3.000", "1.500", "1.500"] in lines


def test_a_game_may_show_its_other_objectives_too() -> None:
    lines = [" ".join(line.split()) for line in run("sheephead", SHEEPHEAD).splitlines()]
    assert "cents of this hand: seat 0 +10, seat 1 -20, seat 2 -10, seat 3 +10, seat 4 +10" in lines
    assert "points of its side: seat 0 76, seat 1 44, seat 2 44, seat 3 76, seat 4 76" in lines
    assert f"3 9C 100.0% {'━' * 20} +10 76" in lines
    assert "QS 0.0% -5 38" in lines
    document = json.loads(run("sheephead", SHEEPHEAD, "--objective", "points", "--json"))
    assert document["objective"] == "points"
    assert document["values"] == document["points"] == [76, 44, 44, 76, 76]
    assert document["money"] == [10, -20, -10, 10, 10]
    rows = document["strategies"][0]["actions"]
    assert [(row["text"], row["value"], row["money"]) for row in rows] == [
        ("9C", 76, 10),
        ("10D", 66, 10),
        ("QS", 38, -5),
    ]


def test_an_interrupt_leaves_the_endings_that_were_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    test_one = command._test_one

    def stop_at_the_third(*words: Any) -> dict[str, Any]:
        if words[-1] == 2:
            raise KeyboardInterrupt
        return test_one(*words)

    monkeypatch.setattr(command, "_test_one", stop_at_the_third)
    words = ["solve", "nimmt", "--agent", "random", "--endings", "6", "--cards", "2", "--json"]
    done = CliRunner().invoke(PARTIAL_APP, words)
    assert done.exit_code == 130
    document = json.loads(done.stdout)
    assert document["stopped"] == "interrupted"
    assert document["endings"] == len(document["each"]) == 2


def test_random_endings_have_an_interval() -> None:
    words = ("nimmt", "--agent", "random", "--endings", "6", "--cards", "2", "--seed", "4")
    document: dict[str, Any] = json.loads(run(*words, "--json"))
    assert (document["cards"], document["endings"], document["seed"]) == (2, 6, 4)
    assert len({row["position"] for row in document["each"]}) == 6
    each = [sum(row["exploitability"]) / 2 for row in document["each"]]
    low, high = document["exploitability_ci95"]
    assert document["exploitability"] == pytest.approx(sum(each) / 6)
    assert low < document["exploitability"] < high
    assert document["at_least"] <= document["exploitability"] + 1e-9
    shown = run(*words)
    assert f"{document['exploitability']:.3f}" in shown
    assert "points per ending of 2 cards each" in shown


def test_one_random_ending_has_none() -> None:
    words = ("nimmt", "--agent", "highest", "--endings", "1", "--cards", "2", "--objective", "win")
    document: dict[str, Any] = json.loads(run(*words, "--json"))
    assert document["exploitability_ci95"] is None
    assert f"{document['exploitability']:.1%}" in run(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nimmt"], "expected a position of nimmt:players=2,hands=open after the game"),
        (["nimmt", "rows=1"], "needs hands"),
        (["nimmt", FIRST], "at most 8 cards"),
        (["nimmt", MIXED, "--objective", "wins"], "did you mean 'win'"),
        (["nimmt", MIXED, "--agent", "hihgest"], "did you mean 'highest'"),
        (["nimmt:players=4", MIXED], "only games of 2 seats"),
        (["nimmt:hands=hidden", MIXED], "only open hands"),
        (["nimmd", MIXED], "did you mean 'nimmt'"),
        (["sheephead", SHEEPHEAD, "--agent", "random"], "agents are not tested in sheephead"),
        (["sheephead", "phase=wait"], "only hands in play are solved"),
        (["nimmt", "--endings", "3"], "--endings tests an agent: add --agent SPEC"),
        (["nimmt", MIXED, "--endings", "3", "--agent", "random"], "leave out the position"),
        (["nimmt", "--endings", "3", "--cards", "7", "--agent", "random"], "at most 6 cards"),
        (["nimmt", "--endings", "3", "--cards", "11", "--agent", "random"], "1 to 10 cards"),
    ],
)
def test_the_command_refuses_in_one_sentence(words: list[str], message: str) -> None:
    result = CliRunner().invoke(PARTIAL_APP, ["solve", *words])
    assert isinstance(result.exception, KibitzError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


def test_a_game_without_a_solver_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_is_solvable", lambda facts: facts.name == "nimmt")
    result = CliRunner().invoke(PARTIAL_APP, ["solve", "connect4", "44"])
    assert isinstance(result.exception, SpecError)
    assert "connect4 is not solved: known: nimmt" in str(result.exception)


def test_the_example_in_the_help_is_one_that_runs() -> None:
    assert "probability to win" in run(*command.EXAMPLE.split())


def test_connect4_says_who_wins_when_and_what_every_column_is_worth() -> None:
    lines = [" ".join(line.split()) for line in run("connect4", "1112223334").splitlines()]
    assert "seat 0 moves, and seat 1 wins after 28 moves: score -3" in lines
    assert f"0 1 100.0% {'━' * 20} -3 loses in 28" in lines
    assert "7 0.0% -16 loses in 2" in lines


def test_connect4_prints_scores_and_null_for_full_columns() -> None:
    document = json.loads(run("connect4", "7422341735647741166133573473242566", "--json"))
    assert (document["score"], document["distance"]) == (1, 7)
    assert document["columns"] == [-3, 1, None, None, -4, 1, None]


@pytest.mark.parametrize("line", ["48", "1122334", "11111112", "undealt"])
def test_connect4_refuses_what_cannot_be_solved_in_one_sentence(line: str) -> None:
    with pytest.raises(KibitzError) as told:
        CliRunner().invoke(PARTIAL_APP, ["solve", "connect4", line], catch_exceptions=False)
    assert "\n" not in str(told.value)
