"""What `kibitz review` finds in games, and what `kibitz play` keeps for it."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import kibitz
from kibitz.cli.app import app
from kibitz.cli.saves import finished_path
from kibitz.core.errors import KibitzError
from tests.cli.test_play import SEED, play_first
from tests.cli.test_play import run as play

WIDE = ("--agent", "uct:sims=300,c=2")  # visits bad moves often enough to judge them


@pytest.fixture(autouse=True)
def _state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.fixture
def blunder(tmp_path: Path) -> str:
    """Write a game of Connect 4 whose seventh move passes over a win, and stops there."""
    table = kibitz.load_game("connect4").deal(0)
    for k, column in enumerate("1212127"):
        table.play(k % 2, column)
    path = tmp_path / "blunder.jsonl"
    path.write_text(table.record(["person", "random"]).to_line() + "\n")
    return str(path)


def shown(*words: str) -> str:
    """Return what the command prints."""
    result = CliRunner().invoke(app, ["review", *words])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def test_the_dearest_mistake_comes_first_with_its_size_and_the_rule(blunder: str) -> None:
    text = shown(blunder, *WIDE)
    row = next(line for line in text.splitlines() if line.startswith("│ 7 "))
    assert "blunder" in row
    assert "7: 1 makes four" in text
    assert "a slip costs 5 % or more, a mistake 10 %, a blunder 20 %" in " ".join(text.split())
    assert "o is a mistake" in text


def test_the_document_has_all_that_is_printed(blunder: str) -> None:
    found: dict[str, Any] = json.loads(shown(blunder, *WIDE, "--json"))
    assert found["thresholds"] == {"slip": 0.05, "mistake": 0.1, "blunder": 0.2}
    worst = found["mistakes"][0]
    assert (worst["move"], worst["size"]) == (7, "blunder")
    assert worst["reasons"] == [{"text": "makes four", "code": "connect4.wins", "facts": {}}]
    assert {one["seat"] for one in found["decisions"]} == {0}  # the person's own
    last = found["expected"][-1]
    assert last["best"] - last["played"] == pytest.approx(worst["loss"])
    losses = [one["loss"] for one in found["mistakes"]]
    assert losses == sorted(losses, reverse=True)


def test_a_page_has_graph_losses_and_reasons(blunder: str, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    assert str(folder / "index.html") in shown(blunder, *WIDE, "--report", str(folder))
    page = (folder / "index.html").read_text()
    assert "<svg" in page
    assert "makes four" in page
    german = shown(blunder, *WIDE, "--report", str(folder), "--language", "de")
    assert "Patzer" in german
    assert "macht vier" in (folder / "index.html").read_text()


def test_a_finished_game_is_kept_and_found(tmp_path: Path) -> None:
    for seed in (SEED, SEED + 1):
        _, typed = play_first("connect4", 0, "random", seed)
        output = play("connect4", "--vs", "random", "--seed", str(seed), typed=typed).output
        assert "kibitz review --last" in output
    kept = list(kibitz.read_records(finished_path()))
    assert [record.seed for record in kept] == [SEED, SEED + 1]
    found = json.loads(shown("--last", "--agent", "uct:sims=50", "--json"))
    own = [action for seat, action in kept[-1].actions if seat == 0]
    assert [one["played"] for one in found["decisions"]] == own[: len(found["decisions"])]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "name a file of records, or say --last"),
        (["--last"], "no finished game is kept yet: play one with kibitz play"),
        (["x.jsonl", "--last"], "name a file of records, or say --last"),
        (["nowhere.jsonl"], "cannot read 'nowhere.jsonl'"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(words: list[str], sentence: str) -> None:
    result = CliRunner().invoke(app, ["review", *words])
    assert isinstance(result.exception, KibitzError), result.output
    assert sentence in str(result.exception)
