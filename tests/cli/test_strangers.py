"""Agents of other packages that do what they should not, as a user meets them."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from tests.cli.test_commands import TOY, kibitz_command

STRANGERS = '''
import os
import sys
from dataclasses import dataclass
from kibitz.search.random import RandomAgent


class Noisy(RandomAgent):
    """Prints in every way there is."""

    name = "noisy"

    def __init__(self, *words):
        print("hello")
        super().__init__(*words)

    def act(self, views, seats, rngs, games):
        print("thinking")
        sys.__stdout__.write("aloud")
        os.write(1, b"and aside")
        return super().act(views, seats, rngs, games)


@dataclass(frozen=True)
class Name:
    of: str = ""


class Named(RandomAgent):
    """Is called what it likes."""

    name = "named"
    Config = Name


class Unborn(RandomAgent):
    """Cannot be made."""

    name = "unborn"

    def __init__(self, *words):
        raise RuntimeError("no weights\\nhere")


class Unnamed(RandomAgent):
    """Does not know its spec."""

    name = "unnamed"

    @property
    def spec(self):
        raise KeyError("spec")


class Quitter(RandomAgent):
    """Leaves."""

    name = "quitter"

    def __init__(self, *words):
        sys.exit(7)


class Wanderer(RandomAgent):
    """Goes elsewhere."""

    name = "wanderer"

    def act(self, *words):
        os.chdir("/")
        return super().act(*words)


class Stone:
    """Is no agent."""

    Config = Name

    def __init__(self, *words):
        pass


class Frail(RandomAgent):
    """Fails at once."""

    name = "frail"

    def act(self, *words):
        raise RuntimeError("lost")


nothing = None
'''
ENTRIES = """[kibitz.agents]
noisy = strangers:Noisy
named = strangers:Named
unborn = strangers:Unborn
unnamed = strangers:Unnamed
quitter = strangers:Quitter
wanderer = strangers:Wanderer
stone = strangers:Stone
nothing = strangers:nothing
frail = strangers:Frail
"""


@pytest.fixture
def strangers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Register strange agents; return the environment that knows them."""
    (tmp_path / "strangers.py").write_text(STRANGERS)
    info = tmp_path / "strangers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.chdir(tmp_path)
    return {"PYTHONPATH": f"{TOY}{os.pathsep}{tmp_path}"}


@pytest.mark.parametrize(
    "words",
    [
        "match connect4 noisy random --deals 4",
        "match connect4 noisy random --deals 4 --workers 2 --pool processes",
        "tournament connect4 noisy random --deals 4 --database none",
        "sprt connect4 noisy random --max-deals 4",
    ],
)
def test_what_agents_print_is_not_among_the_results(words: str, strangers: dict[str, str]) -> None:
    done = kibitz_command(*words.split(), "--json", **strangers)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["game"] == "connect4:opening=4"
    for said in ("hello", "thinking", "aloud", "and aside"):
        assert said in done.stderr


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("unborn", "agent 'unborn' cannot be made: it raised RuntimeError (no weights here)"),
        ("unnamed", "agent 'unnamed' cannot be made: it raised KeyError ('spec')"),
        ("quitter", "agent 'quitter' cannot be made: it raised SystemExit (7)"),
        ("stone", "'stone' is not an agent but a Stone"),
        ("nothing", "agent 'nothing' cannot be made: it raised AttributeError"),
        ("named:of=\udcff", "agent 'named:of=\\udcff': its spec has bytes that are no text"),
        (f"named:of={600 * 'x'}", "a spec has at most 500 characters"),
    ],
)
def test_what_is_no_agent_gets_one_sentence(
    agent: str, sentence: str, strangers: dict[str, str]
) -> None:
    for command in ("match", "tournament"):
        done = kibitz_command(command, "connect4", agent, "random", **strangers)
        assert done.returncode == 2, done.stderr
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


def test_people_are_told_the_same_and_the_others_are_listed(strangers: dict[str, str]) -> None:
    done = kibitz_command("play", "connect4", "--vs", "unborn", **strangers)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: agent 'unborn' cannot be made")
    done = kibitz_command("agents", "connect4", **strangers)
    assert done.returncode == 0, done.stderr
    assert "noisy" in done.stdout
    assert "warning: 'stone' is not an agent" in done.stderr
    assert "warning: 'nothing' is not an agent" in done.stderr


def test_what_is_written_goes_where_it_was_asked_for(strangers: dict[str, str]) -> None:
    words = ["connect4", "wanderer", "random", "--deals", "4", "--report", "page", "--csv", "a.csv"]
    done = kibitz_command("match", *words, **strangers)
    assert done.returncode == 0, done.stderr
    assert Path("page/index.html").exists()
    assert Path("a.csv").exists()


def test_a_name_may_look_like_markup(strangers: dict[str, str]) -> None:
    words = ["connect4", "named:of=[/b]", "random", "--deals", "20", "--report", "[/b]"]
    for command in ("match", "tournament"):
        done = kibitz_command(command, *words, FORCE_COLOR="1", **strangers)
        assert done.returncode == 0, done.stderr
        assert "named:of=[/b]" in done.stdout


def test_a_fault_in_the_very_first_deal_has_its_document(strangers: dict[str, str]) -> None:
    for command, rows in (("match", "agents"), ("tournament", "table")):
        done = kibitz_command(command, "connect4", "frail", "random", "--json", **strangers)
        assert done.returncode == 1, done.stderr
        found = json.loads(done.stdout)
        assert (found["game"], found["games"], found[rows]) == ("connect4:opening=4", 0, [])
        assert found["stopped"].startswith("agent 'frail' at seat 0 of deal 0, rotation 0, raised")


def test_an_impossible_tournament_is_not_entered(tmp_path: Path) -> None:
    place = str(tmp_path / "t.db")
    words = ["tournament", "connect4", *40 * ["random"], "--form", "random", "--deals", "1000000"]
    done = kibitz_command(*words, "--database", place, "--json")
    assert done.returncode == 2
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "play fewer deals" in done.stderr
    with sqlite3.connect(place) as database:
        assert database.execute("SELECT count(*) FROM tournaments").fetchone() == (0,)
    database.close()


def test_nobody_is_told_to_go_on_with_a_damaged_database(tmp_path: Path) -> None:
    place = tmp_path / "t.db"
    words = ["tournament", "connect4", "random", "centre", "--deals", "5", "--database", str(place)]
    assert kibitz_command(*words).returncode == 0
    with sqlite3.connect(place) as database:
        database.execute("UPDATE tournaments SET status = 'stopped'")
        database.execute("UPDATE batches SET scores = x'00'")
    database.close()
    done = kibitz_command("tournament", "--resume", "1", "--database", str(place))
    assert done.returncode == 1
    assert "is damaged" in done.stderr
    assert "go on with" not in done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("match connect4 frail random --deals 4", 1),
        ("match connect4 frail random --deals 4 --workers 2", 1),
        ("tournament connect4 frail random --deals 4 --database none", 1),
        ("sprt connect4 frail random --max-deals 4", 1),
        ("analyse connect4 44 --agent frail", 2),
        ("play connect4 --vs frail --seat 1", 1),
    ],
)
def test_bot_writers_see_where_their_exception_comes_from(
    words: str, code: int, strangers: dict[str, str]
) -> None:
    here = Path("strangers.py").read_text().splitlines().index('        raise RuntimeError("lost")')
    told = [kibitz_command(*words.split(), *more, **strangers) for more in ([], ["--debug"])]
    assert told[1].returncode == code, told[1].stderr
    assert "Traceback" not in told[0].stderr
    assert f'strangers.py", line {here + 1}, in act' in told[1].stderr
    assert "RuntimeError: lost" in told[1].stderr


def test_debugging_does_not_go_with_forfeits(strangers: dict[str, str]) -> None:
    words = ["match", "connect4", "frail", "random", "--debug", "--on-error", "forfeit"]
    done = kibitz_command(*words, **strangers)
    assert done.returncode == 2
    assert done.stderr == (
        "error: --debug ends the play at the first fault: leave out --on-error forfeit\n"
    )
