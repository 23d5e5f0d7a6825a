"""`kibitz paper`, as a user meets it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.papers.results import Results
from tests.cli.test_commands import TOY, kibitz_command, run

NAME = "nimmt-monte-carlo"
SOURCES = f"{TOY}{os.pathsep}{Path(kibitz.__file__).parents[1]}"


PLAYED = ("known", "figure-7/full")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play all tables of one deck, and one of the other; return the file that keeps them."""
    path = tmp_path_factory.mktemp("paper") / "results.json"
    run("paper", NAME, *PLAYED, "--budget", "quick", "--out", str(path))
    return path


SMALL = "figure-5/known"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play one table; return the file that keeps it."""
    path = tmp_path_factory.mktemp("paper") / "small.json"
    run("paper", NAME, SMALL, "--budget", "quick", "--out", str(path))
    return path


def tables(path: Path, *names: str) -> dict[str, Any]:
    shown = run("paper", NAME, *names, "--minutes", "0", "--out", str(path), "--json")
    return {table["name"]: table for table in json.loads(shown.stdout)["tables"]}


def test_the_quick_budget_plays_every_row_of_a_table(small: Path) -> None:
    found = tables(small, SMALL)
    rows = found[SMALL]["rows"]
    assert {row["deals"] for row in rows} == {6}
    assert sum(row["ours"] for row in rows) / len(rows) > 0.85


@pytest.mark.slow
def test_the_quick_budget_plays_every_row_of_every_table(results: Path) -> None:
    found = tables(results, *PLAYED)
    assert len(found) == 10
    rows = [row for table in found.values() for row in table["rows"]]
    assert len(rows) == 4 + 11 + 6 + 9 + 18 + 18 + 2 * 9 + 6 + 13
    assert {row["deals"] for row in rows} == {6}
    assert all(row["ours"] is None or 0 <= row["ours"] <= 1 for row in rows)


@pytest.mark.slow
def test_searches_beat_random_as_often_as_the_paper_says(results: Path) -> None:
    for name, table in tables(results, *PLAYED).items():
        rows = table["rows"]
        if rows[0]["rival_seconds_per_game"] is None:
            share = sum(row["ours"] for row in rows) / len(rows)
            assert share > 0.85, name
            assert sum(row["agrees"] is False for row in rows) <= len(rows) / 4, name
        else:
            assert sum(row["games"] for row in rows) > 0, name


@pytest.mark.slow
def test_budgets_of_equal_time_are_measured_and_kept(results: Path) -> None:
    measured = json.loads(results.read_text())["measured"]
    assert measured["mast"] == 1000
    assert 800 < measured["uct"] < 3000
    assert 100 < measured["flat"] < 1000
    labels = {
        label
        for row in tables(results, "equal-time")["equal-time/known"]["rows"]
        for label in row["labels"]
    }
    assert f"UCT({measured['uct']})" in labels


def test_what_was_played_is_shown_again_and_reported(small: Path, tmp_path: Path) -> None:
    words = (SMALL, "--out", str(small), "--report", str(tmp_path / "page"))
    before = small.read_bytes()
    shown = " ".join(run("paper", NAME, *words, "--minutes", "0").stdout.split())
    assert "PPA against random, by alpha" in shown
    assert "500 games leave the paper's numbers up to" in shown
    assert "figure-6" not in shown
    assert "<svg" in (tmp_path / "page" / "index.html").read_text("utf-8")
    assert small.read_bytes() == before


def test_a_finished_file_is_not_played_again(small: Path) -> None:
    before = json.loads(small.read_text())["series"]
    run("paper", NAME, SMALL, "--out", str(small))
    assert json.loads(small.read_text())["series"] == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nimt"], "error: unknown paper 'nimt': did you mean 'nimmt-rl'?"),
        ([NAME, "figure-9"], f"error: {NAME} has no table 'figure-9': did you mean 'figure-"),
        ([NAME, "--budget", "huge"], "error: invalid value for '--budget'"),
        (
            [NAME, "--minutes", "0", "--out", "none.json"],
            "error: there are no results in none.json",
        ),
        ([NAME, "--out", "/nowhere/at/all.json"], "error: cannot write /nowhere/at/all.json: no"),
        ([NAME, "--out", "text.json"], f"error: text.json holds no results of {NAME}"),
        ([NAME, "--out", "other.json", "--seed", "2"], "error: other.json was played with seed 1"),
    ],
)
def test_bad_input_is_answered_in_one_sentence(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.json").write_text("hello")
    Results(NAME, 1).save(Path("other.json"), [])
    done = kibitz_command("paper", *words, PYTHONPATH=SOURCES)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.lower().startswith(said.lower())
    assert done.stderr.count("\n") == 1


def test_mean_scores_at_a_table_of_five_are_played_shown_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "rl.json"
    words = ("paper", "nimmt-rl", "figure-4.2", "--out", str(path), "--report", str(tmp_path))
    shown = " ".join(run(*words).stdout.split())
    assert "Random with the point rig, by its strength" in shown
    document = json.loads(run(*words, "--minutes", "0", "--json").stdout)
    (table,) = document["tables"]
    assert {row["games"] for row in table["rows"]} == {300}
    assert all(-18 < row["ours"] < -8 for row in table["rows"])
    assert all(0.05 < row["wins"] < 0.4 for row in table["rows"])
    assert "scores" not in document
    assert "point, ours (300 games each)" in (tmp_path / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_the_quick_budget_plays_everything_of_the_paper_on_learning(tmp_path: Path) -> None:
    path = tmp_path / "rl.json"
    run("paper", "nimmt-rl", "--out", str(path))
    tables = {table["name"]: table for table in json.loads(path.read_text("utf-8"))["tables"]}
    assert len(tables) == 25
    for name in ("figure-4.3", "table-4.1", "table-5.4", "table-5.6", "figure-a.1"):
        assert all(row["ours"] is not None for row in tables[name]["rows"]), name
    scores = {row["labels"][0]: row["ours"] for row in tables["table-5.6"]["rows"]}
    assert min(scores, key=lambda label: scores[label]) == "HIGHEST"
