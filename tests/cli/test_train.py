"""`kibitz train`, as a user meets it; most of this needs no torch."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from kibitz import KibitzError, SpecError, TrainingError
from kibitz.cli.app import app
from kibitz.learn import recipe as recipes
from tests.cli.test_commands import environment, kibitz_command

TEXT = """
title = "[bold]a toy[/bold]"
game = "duel"
algorithm = "duel-line"
steps = 10
checkpoint = 5
minutes = 3
strength = "none"
"""


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["train", *words], env={"COLUMNS": "140"})


def refusal(*words: str) -> str:
    """Return the sentence with which a command is refused."""
    error = run(*words).exception
    assert isinstance(error, KibitzError)
    assert "\n" not in str(error)
    return str(error)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let two recipes ship, of which one is broken."""
    monkeypatch.setattr(recipes, "RECIPES", tmp_path)
    (tmp_path / "toy.toml").write_text(TEXT)
    (tmp_path / "broken.toml").write_text("steps =")
    return tmp_path


def test_recipes_are_listed_with_time_and_strength(shipped: Path) -> None:
    done = run("--list")
    assert done.exit_code == 0
    for words in ("toy", "duel", "3", "[bold]a toy[/bold]", "none"):
        assert words in done.stdout
    assert "warning: recipe" in done.stderr
    (one,) = json.loads(run("--list", "--json").stdout)
    assert (one["name"], one["minutes"], one["strength"]) == ("toy", 3, "none")


@pytest.mark.usefixtures("shipped")
def test_a_command_that_makes_no_sense_is_one_sentence() -> None:
    assert refusal() == "name a recipe: kibitz train --list shows those that ship"
    assert "unknown recipe 'tuy': did you mean 'toy'?" in refusal("tuy")
    assert refusal("seed=2").startswith("name a recipe")
    assert "lr=0.1/toy.toml' cannot be read" in refusal("lr=0.1/toy.toml")
    assert "leave out the name" in refusal("toy", "--list")
    assert "--minutes is a number above 0" in refusal("toy", "--minutes", "-1")
    assert "there is no run to resume in 'runs/toy'" in refusal("toy", "--resume")


def test_without_the_extra_one_sentence_says_how_to_install_it(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "NEEDED", ("no_such_package",))
    assert refusal("toy") == (
        "training needs no_such_package, not installed here: pip install 'kibitz[train]'"
    )


def test_the_real_command_says_it_too(tmp_path: Path) -> None:
    (tmp_path / "toy.toml").write_text(TEXT)
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda n, *a: None if n in ('torch', 'tensorboard') else find(n, *a)\n"
    )
    path = environment()["PYTHONPATH"]
    words = "train", str(tmp_path / "toy.toml"), "--out", str(tmp_path / "run")
    done = kibitz_command(*words, PYTHONPATH=f"{tmp_path}:{path}")
    assert done.returncode == 2
    assert done.stderr == (
        "error: training needs torch and tensorboard, not installed here: "
        "pip install 'kibitz[train]'\n"
    )
    assert not (tmp_path / "run").exists()


@pytest.mark.train
def test_a_run_is_told_in_words_and_as_a_document(shipped: Path) -> None:
    pytest.importorskip("torch", reason="needs torch: pip install 'kibitz[train]'")
    folder = shipped / "run"
    done = run("toy", "rate=0.5", "--out", str(folder), "--minutes", "1e-9")
    assert done.exit_code == 0, done.exception
    assert "toy: stopped after a checkpoint, step 1 of 10" in done.stdout
    assert "strength: not measured" in done.stdout
    assert f"kibitz play duel --vs net:model={folder}" in done.stderr
    assert "--resume" in done.stderr
    document: Any = json.loads(run("--out", str(folder), "--resume", "--json").stdout)
    assert (document["step"], document["finished"]) == (10, True)
    assert document["metrics"].keys() <= {"loss"}
    assert "rate = 0.5" in (folder / "recipe.toml").read_text()
    assert "did you mean 'rate'" in refusal("rat=1", "--out", str(folder), "--resume")
    assert "did you mean 'rate'" in refusal("toy", "--out", str(folder), "--resume", "rat=1")
    (shipped / "other.toml").write_text(TEXT)
    assert "holds a run of toy, not of other" in refusal("other", "--out", str(folder), "--resume")
    assert isinstance(run("toy", "--out", str(folder)).exception, TrainingError)
    assert isinstance(run("toy", "steps=x").exception, SpecError)
