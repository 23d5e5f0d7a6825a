"""`kibitz import` and `kibitz export`, as a user meets them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kibitz.cli import logs
from kibitz.cli.app import app
from kibitz.core.errors import KibitzError
from kibitz.core.record import read_records, replay

SAMPLE = Path(__file__).parents[1] / "games" / "tichu.tch"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def complaint(result: Result) -> str:
    """Return the one sentence that becomes exit code 2."""
    assert isinstance(result.exception, KibitzError)
    assert "\n" not in str(result.exception)
    return str(result.exception)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Return a log whose second round has another result."""
    path = tmp_path / "damaged.tch"
    parts = SAMPLE.read_text(encoding="utf-8").split("Ergebnis: ")
    parts[2] = "1000 - 0\n" + parts[2].partition("\n")[2]
    path.write_text("Ergebnis: ".join(parts), encoding="utf-8")
    return path


def test_a_log_becomes_records_that_replay(tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    result = run("import", "bsw", SAMPLE, SAMPLE, "--out", out)
    assert result.exit_code == 0
    assert result.stdout.startswith("6 rounds of 2 files replayed with the logged result")
    assert all(replay(record).is_over for record in read_records(out))
    assert len(out.read_text().splitlines()) == 6


def test_records_become_a_log_that_is_the_same(tmp_path: Path) -> None:
    records, log = tmp_path / "records.jsonl", tmp_path / "game.tch"
    run("import", "bsw", SAMPLE, "--out", records)
    result = run("export", "bsw", records, "--out", log, "--json")
    assert json.loads(result.stdout) == {"format": "bsw", "records": 3, "out": str(log)}
    assert log.read_bytes() == SAMPLE.read_bytes()


def test_damaged_rounds_are_told_and_left_out(damaged: Path, tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    result = run("import", "bsw", damaged, "--out", out)
    assert result.exit_code == 0
    assert "1 damaged" in result.stdout
    assert "round 2: the log says" in result.stderr
    assert len(out.read_text().splitlines()) == 2


def test_the_document_tells_where_damages_are(damaged: Path) -> None:
    document = json.loads(run("import", "bsw", damaged, "--json").stdout)
    assert (document["records"], document["damaged"], document["out"]) == (2, 1, None)
    (damage,) = document["damages"]
    assert (damage["file"], damage["round"]) == (str(damaged), 2)
    line = damaged.read_text(encoding="utf-8").splitlines()[damage["line"] - 1]
    assert line.startswith("Ergebnis: 1")
    assert "replaying gives" in damage["reason"]


def test_of_many_damages_some_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_LISTED", 5)
    monkeypatch.setattr(logs, "MOST_DAMAGES", 3)
    path = tmp_path / "headers.tch"
    header = SAMPLE.read_text(encoding="utf-8").partition("Ergebnis")[0]
    path.write_text(header * 7, encoding="utf-8")
    result = run("import", "bsw", path)
    assert result.exit_code == 1
    assert "and 4 more" in result.stderr
    assert len(json.loads(run("import", "bsw", path, "--json").stdout)["damages"]) == 5


def test_what_was_there_before_survives_a_log_without_a_round(tmp_path: Path) -> None:
    out, empty = tmp_path / "records.jsonl", tmp_path / "empty.tch"
    run("import", "bsw", SAMPLE, "--out", out)
    before = out.read_bytes()
    empty.write_text("")
    assert run("import", "bsw", empty, "--out", out).exit_code == 1
    assert out.read_bytes() == before
    (tmp_path / "none.jsonl").write_text("")
    assert "has no records" in complaint(
        run("export", "bsw", tmp_path / "none.jsonl", "--out", out)
    )
    assert out.read_bytes() == before


def test_without_a_single_round_the_command_fails(tmp_path: Path) -> None:
    path = tmp_path / "other.tch"
    path.write_bytes(b"\xff\xfe not a log \x1b[31m\n")
    result = run("import", "bsw", path)
    assert result.exit_code == 1
    assert "belongs to no round" in result.stderr
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("import", "bsw", "nothing.tch"), "cannot read 'nothing.tch': no such file"),
        (("import", "bsw", "."), "is a folder"),
        (("import", "bws", SAMPLE), "unknown format 'bws': did you mean 'bsw'"),
        (("import", "bsw", SAMPLE, "--out", SAMPLE), "is one of the files that are read"),
        (("import", "bsw", SAMPLE, "--out", "."), "is a folder"),
        (("export", "bsw", SAMPLE, "--out", "game.tch"), "tichu.tch:1: not JSON at line 1"),
    ],
)
def test_mistakes_are_one_sentence(
    words: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert why in complaint(run(*words))
    assert not list(tmp_path.iterdir())


def test_records_of_other_games_are_named(tmp_path: Path) -> None:
    import kibitz

    path = tmp_path / "records.jsonl"
    path.write_text(kibitz.load_game("connect4").deal(1).record().to_line() + "\n")
    result = run("export", "bsw", path, "--out", tmp_path / "game.tch")
    assert "record 1: a log has rounds of tichu, not connect4" in complaint(result)
