"""What is played is not lost, whatever becomes of the files it goes to."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from kibitz.arena import Match
from kibitz.cli.app import app
from kibitz.core.errors import KibitzError
from kibitz.core.record import read_records
from tests.cli.test_commands import MAIN, environment

MATCH = ["match", "connect4", "random", "centre", "--deals", "30", "--json"]
TOURNAMENT = ["tournament", "connect4", "random", "centre", "--deals", "30", "--json"]


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def _nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Match) -> None:
        raise AssertionError("it was played")

    monkeypatch.setattr(Match, "play", refuse)


def invoke(*words: str) -> Result:
    """Run a command in this process, however it ends."""
    return CliRunner().invoke(app, words, env={"COLUMNS": "100"})


@pytest.mark.parametrize(
    ("command", "failing"),
    [
        *(("match", name) for name in ("s.csv", "r.jsonl", "index.html")),
        *(("tournament", name) for name in ("s.csv", "index.html")),
    ],
)
def test_a_file_that_fails_costs_no_other(
    command: str, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def replace_others(self: Path, target: Path) -> Path:
        if Path(target).name == failing:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replace_others)
    words = [*(MATCH if command == "match" else TOURNAMENT), "--csv", "s.csv", "--report", "page"]
    files = [Path("s.csv"), Path("page/index.html")]
    if command == "match":
        words, files = [*words, "--records", "r.jsonl"], [*files, Path("r.jsonl")]
    done = invoke(*words)
    assert done.exit_code == 1, done.exception
    assert json.loads(done.stdout)["games"] == 60
    assert f"{failing}: no space left on device" in done.stderr.lower()
    assert done.stderr.count("error: ") == 1
    assert {file.name for file in files if file.exists()} == {f.name for f in files} - {failing}
    assert not list(Path().rglob("*.part"))


def test_a_disk_that_fills_while_records_are_written_keeps_the_result() -> None:
    Path("r.jsonl").write_text("precious")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        done = invoke(*MATCH, "--deals", "4000", "--records", "r.jsonl", "--csv", "s.csv")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.exit_code == 1, done.exception
    found = json.loads(done.stdout)
    assert 0 < found["deals"] < 4000
    assert found["stopped"] == "cannot write r.jsonl: file too large"
    assert len(Path("s.csv").read_text().splitlines()) == 1 + 4 * found["deals"]
    assert Path("r.jsonl").read_text() == "precious"
    assert not list(Path().rglob("*.part"))


def make_hazards() -> None:
    """Make things that are no files, and another name for a database."""
    Path("folder").mkdir()
    Path("page/index.html").mkdir(parents=True)
    os.mkfifo("pipe")
    Path("circle").symlink_to("circle")
    Path("alias").symlink_to("x.db")


@pytest.mark.usefixtures("_nothing_is_played")
def test_a_report_needs_the_name_of_a_folder() -> None:
    done = invoke(*MATCH, "--report=")
    assert done.exit_code == 2
    assert "expected the name of a folder" in " ".join(done.output.split())
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--csv=", "is a folder"),
        ("--csv=.", "is a folder"),
        ("--csv=/", "is a folder"),
        ("--records=", "is a folder"),
        ("--records=folder", "folder is a folder: name a file"),
        ("--csv=pipe", "pipe is a device or a pipe"),
        ("--csv=/dev/null", "/dev/null is a device or a pipe"),
        ("--records=/dev/stdin", "is a device or a pipe"),
        ("--csv=circle", "cannot write circle"),
        ("--csv=nowhere/x", "cannot write nowhere/x: no such file"),
        ("--report=page", "page/index.html is a folder"),
        ("--csv=x --records=x", "--csv and --records cannot both go to x"),
        ("--csv=x --records=folder/../x", "--csv and --records cannot both go to"),
        ("--csv=new/index.html --report=new", "--csv and --report cannot both go to"),
        ("--csv=x.db --database=x.db", "the database and --csv cannot both go to x.db"),
        ("--csv=alias --database=sqlite:///x.db", "the database and --csv cannot both go to alias"),
        ("--csv=x.db-wal --database=x.db", "the database and --csv cannot both go to"),
        ("--records=kibitz-faults.jsonl", "the records of faults and --records"),
    ],
)
@pytest.mark.usefixtures("_nothing_is_played")
def test_places_are_refused_before_anything_is_played(words: str, sentence: str) -> None:
    make_hazards()
    before = sorted(Path().rglob("*"))
    done = invoke(*MATCH, *words.split())
    assert isinstance(done.exception, KibitzError), done.exception
    assert sentence in str(done.exception)
    assert sorted(Path().rglob("*")) == before


@pytest.mark.usefixtures("_nothing_is_played")
def test_the_scores_of_a_tournament_do_not_go_to_its_database() -> None:
    done = invoke(*TOURNAMENT, "--csv", os.environ["KIBITZ_DATABASE"])
    assert "the database and --csv cannot both go to" in str(done.exception)


def test_scores_do_not_go_where_the_document_goes() -> None:
    with open("out", "w") as out:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *MATCH, "--csv", "./out"],
            env=environment(),
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "what is printed and --csv cannot both go to out" in done.stderr


def test_links_are_written_through_and_neighbours_are_left_alone() -> None:
    Path("there").mkdir()
    Path("r.jsonl").symlink_to("there/r.jsonl")
    Path("index.html").symlink_to("there/page.html")
    Path("s.csv").write_text("old")
    Path("s.csv").chmod(0o640)
    Path("s.csv.part").write_text("precious")
    done = invoke(*MATCH, "--csv", "s.csv", "--records", "r.jsonl", "--report", ".")
    assert done.exit_code == 0, done.exception
    assert Path("r.jsonl").is_symlink()
    assert "<svg" in Path("there/page.html").read_text()
    assert len(list(read_records(Path("there/r.jsonl")))) == 60
    assert Path("s.csv").stat().st_mode & 0o777 == 0o640
    assert Path("s.csv.part").read_text() == "precious"
    assert sorted(path.name for path in Path().iterdir()) == [
        *("index.html", "r.jsonl", "s.csv", "s.csv.part", "there")
    ]


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Yield what lets Ctrl-C come in the middle of a function."""

    def interrupt(place: str) -> None:
        module, _, name = place.rpartition(".")
        true = getattr(sys.modules[module], name)

        def call(*args: Any) -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            return true(*args)

        monkeypatch.setattr(place, call)

    before = signal.getsignal(signal.SIGINT)
    yield interrupt
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("command", ["match", "tournament"])
@pytest.mark.parametrize("place", ["standings.write_csv", "{}.print_json", "playing._save_faults"])
def test_an_interrupt_does_not_cost_what_has_been_played(
    command: str, place: str, interrupted: Callable[[str], None]
) -> None:
    interrupted(f"kibitz.cli.{place.format(command)}")
    words = MATCH if command == "match" else TOURNAMENT
    done = invoke(*words, "--csv", "s.csv")
    assert done.exit_code == 0, done.exception
    assert json.loads(done.stdout)["games"] == 60
    assert len(Path("s.csv").read_text().splitlines()) == 121


def test_a_second_interrupt_does_not_cost_the_result_of_the_first(
    interrupted: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    play = Match.play

    def stop_early(self: Match) -> Iterator[Any]:
        yield next(play(self))
        raise KeyboardInterrupt

    monkeypatch.setattr(Match, "play", stop_early)
    interrupted("kibitz.cli.standings.write_csv")
    done = invoke(*MATCH, "--csv", "s.csv")
    assert done.exit_code == 130
    assert json.loads(done.stdout)["stopped"] == "interrupted"
    assert len(Path("s.csv").read_text().splitlines()) > 1


def test_none_is_no_database_for_a_match() -> None:
    assert invoke(*MATCH, "--database", "none").exit_code == 0
    assert not Path("none").exists()
