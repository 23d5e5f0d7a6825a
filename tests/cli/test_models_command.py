"""`kibitz models`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import kibitz
from kibitz.cli.app import app
from kibitz.search import models
from tests.cli.test_commands import kibitz_command
from tests.search.networks import random_layers, save

CONNECT4 = kibitz.load_game("connect4")


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let two models ship for Connect 4, of which one is broken."""
    monkeypatch.setattr(models, "MODELS", tmp_path)
    strength = "beats [bold]random[/bold]\x1b[2J"
    save(tmp_path / "connect4" / "tiny", CONNECT4, random_layers(126, 9, 7), strength=strength)
    (tmp_path / "connect4" / "broken").mkdir()
    (tmp_path / "connect4" / "broken" / "card.json").write_text("{")
    return tmp_path


def test_models_are_listed_with_what_they_are(shipped: Path) -> None:
    done = run("models")
    assert done.exit_code == 0
    assert "tiny" in done.stdout
    assert "126-9-7" in done.stdout
    assert "connect4" in done.stdout
    assert "[bold]" in done.stdout.replace("\n", "")  # of a stranger: shown, not obeyed
    assert "\x1b" not in done.stdout
    assert "warning: model 'broken': card.json: not JSON" in done.stderr
    assert "no models ship for nimmt" in run("models", "nimmt").stdout


def test_the_document_holds_the_cards(shipped: Path) -> None:
    (one,) = json.loads(run("models", "connect4", "--json").stdout)
    assert (one["name"], one["schema"], one["layers"]) == ("tiny", 2, [126, 9, 7])
    assert json.loads(run("models", "nimmt", "--json").stdout) == []
    whole = json.loads(run("models", "connect4", "tiny", "--json").stdout)
    assert whole == one


def test_the_card_of_a_folder_is_shown_whole_with_what_is_wrong(tmp_path: Path) -> None:
    folder = save(tmp_path / "mine", CONNECT4, random_layers(126, 7), machine="a slow one")
    done = run("models", "connect4", folder)
    assert done.exit_code == 0
    for words in ("schema", "a slow one", "weights.npz", "policy 7", "126-7"):
        assert words in done.stdout
    assert done.stderr == ""
    (tmp_path / "mine" / "weights.npz").write_bytes(b"")
    changed = run("models", "connect4", folder)
    assert "SHA-256 differs" in changed.stderr
    assert "a slow one" in changed.stdout


def test_what_is_not_there_is_one_sentence() -> None:
    for words in (["conect4"], ["connect4", "x"], ["connect4", "./x"]):
        done = kibitz_command("models", *words)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
