"""`kibitz judge` as a user meets it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import kibitz_command, run


def judge(*words: str) -> dict[str, Any]:
    """Return the document of a judgement."""
    document: dict[str, Any] = json.loads(run("judge", *words, "--json").stdout)
    return document


def test_a_rig_is_judged_beside_the_agent_inside() -> None:
    found = judge("nimmt", "rig:kind=value,of=closest", "--deals", "3", "--seed", "2")
    assert (found["game"], found["agent"], found["beside"]) == (
        "nimmt",
        "rig:kind=value,of=closest",
        "closest",
    )
    assert found["table"] == [found["agent"], "closest", "closest", "random", "random"]
    assert (found["deals"], found["games"], found["decisions"], found["seed"]) == (3, 15, 135, 2)
    assert found["similarity"]["mean"] == 1  # whoever is certain cannot be moved
    assert found["performance"]["ci95"][0] < found["performance"]["mean"]
    (habit,) = found["habits"]
    assert [row["at"] for row in habit["by_level"]] == [0, 1, 2, 3, 4]
    assert set(habit["by_group"]) == {"0", "1", "2", "3", "4"}
    assert all(4 <= row["at"] <= 20 for row in habit["by_group"]["0"])


def test_any_pair_can_be_judged_and_the_same_seed_says_the_same() -> None:
    words = ("nimmt:players=3", "random", "--beside", "highest", "--deals", "4")
    first, second = judge(*words), judge(*words, "--workers", "2")
    for document in (first, second):
        del document["seconds"]
    assert first == second
    assert first["table"] == ["random", "highest", "random"]


def test_agents_without_a_rig_are_judged_beside_random() -> None:
    assert judge("nimmt", "highest", "--deals", "2")["beside"] == "random"


def test_a_judgement_is_printed_in_tables() -> None:
    shown = " ".join(run("judge", "nimmt", "rig:of=highest", "--deals", "3").stdout.split())
    assert "rig:of=highest beside highest" in shown
    for word in ("similarity", "performance", "plays a close card when it can", "distance", "±"):
        assert word in shown


def test_habits_are_told_in_german_too() -> None:
    words = ("judge", "sheephead", "rule", "--beside", "random", "--deals", "2")
    told = run(*words, "--language", "de").stdout
    assert "rule neben random" in told
    assert "spielt als Gegner die gerufene Farbe aus" in told
    assert "leads the called suit" in run(*words, "--language", "en").stdout


def test_perfect_play_is_told_in_german_too(tmp_path: Path) -> None:
    words = ("judge", "connect4", "winning-move", "--deals", "2", "--language", "de")
    told = run(*words, "--report", str(tmp_path / "page")).stdout
    assert all(one in told for one in ("neben perfektem Spiel", "4 bis 9", "Startwert"))
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert all(one in page for one in ("Steine auf dem Brett", "Startwert", "% bis 100,0%"))
    assert json.loads(run(*words, "--json").stdout)["stage"] == "discs on the board"


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("de", ("gewinnt, was er angesagt hat", "spielt den Hund aus", "Anteile der Runden")),
        ("en", ("wins what it has called", "leads the Dog when it can", "shares of rounds")),
    ],
)
def test_what_became_of_calls_is_told(language: str, told: tuple[str, ...], tmp_path: Path) -> None:
    words = ("judge", "tichu", "rule", "--beside", "random", "--deals", "2", "--report")
    shown = run(*words, str(tmp_path / "page"), "--language", language).stdout
    assert all(one in shown for one in told)
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert {"de": "Der Anteil der Runden", "en": "The share of rounds"}[language] in page


def test_a_report_has_plots(tmp_path: Path) -> None:
    run("judge", "nimmt", "rig:of=highest", "--deals", "3", "--report", str(tmp_path / "page"))
    page = (tmp_path / "page" / "index.html").read_text("utf-8")
    assert page.count("<svg") == 6  # by distance, and for each distance by cards on the table
    assert "judged beside highest" in page


def test_a_game_without_habits_is_judged_all_the_same() -> None:
    found = judge("connect4", "winning-move", "--beside", "centre", "--deals", "2")
    assert (found["performance"], found["habits"]) == (None, [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nimt", "random"], "error: unknown game 'nimt': did you mean 'nimmt'?"),
        (["nimmt", "rig:of=nobody"], "error: unknown agent 'nobody' for nimmt"),
        (["nimmt", "rig", "--beside", "x"], "error: unknown agent 'x' for nimmt"),
        (["nimmt", "rig", "--deals", "1"], "error: invalid value for '--deals'"),
        (["nimmt", "rig", "--deals", "9999999"], "error: invalid value for '--deals'"),
        (["nimmt"], "error: missing argument 'spec'"),
        (["nimmt", "rig", "--report", "/proc/nowhere"], "error: cannot make the folder"),
    ],
)
def test_bad_input_is_answered_in_one_sentence(words: list[str], said: str) -> None:
    done = kibitz_command("judge", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.lower().startswith(said)
    assert done.stderr.count("\n") == 1


def test_a_solved_game_is_judged_by_perfect_play() -> None:
    found = judge("connect4", "winning-move", "--deals", "3", "--seed", "4")
    assert (found["agent"], found["stage"], found["positions"]) == (
        "winning-move",
        "discs on the board",
        18,
    )
    assert [(row["from"], row["to"]) for row in found["by_stage"]] == [
        (4, 9),
        (10, 15),
        (16, 21),
        (22, 27),
        (28, 33),
        (34, 39),
    ]
    for row in (found, *found["by_stage"]):
        assert 0 <= row["perfect"]["mean"] <= row["good"]["mean"] <= 1
        assert row["good"]["ci95"][0] <= row["good"]["mean"] <= row["good"]["ci95"][1]
        assert 0 < row["chance"] <= 1


def test_grades_are_printed_and_drawn(tmp_path: Path) -> None:
    done = run("judge", "connect4", "centre", "--deals", "2", "--report", str(tmp_path / "page"))
    shown = " ".join(done.stdout.split())
    assert "centre beside perfect play" in shown
    assert "34 to 39" in shown
    page = (tmp_path / "page" / "index.html").read_text("utf-8")
    assert page.count("<svg") == 1
    assert "judged by perfect play" in page


def test_agents_of_a_solved_game_can_still_be_compared() -> None:
    found = judge("connect4", "winning-move", "--beside", "random", "--deals", "3")
    assert (found["beside"], found["deals"]) == ("random", 3)
