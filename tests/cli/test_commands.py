"""The commands that list, compile and compare, as a user meets them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group
from typer.testing import CliRunner, Result

import kibitz
from kibitz.cli.app import app
from kibitz.core.registry import agent_names, game_facts, game_names

TOY = Path(__file__).parents[1] / "toy"
SOURCE = Path(kibitz.__file__).parents[1]
MAIN = "from kibitz.cli import main; main()"
COMMANDS = list(get_group(app).commands)
TIMES = ("seconds", "seconds_per_move")


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a command: it has the source that is tested, and the toy game."""
    path = os.pathsep.join([more.pop("PYTHONPATH", str(TOY)), str(SOURCE)])
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "100", **more}


def kibitz_command(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the real command; it knows the toy game, so that it shares our compiler's cache."""
    return subprocess.run(
        [sys.executable, "-c", MAIN, *words],
        env=environment(**environ),
        capture_output=True,
        encoding="utf-8",
        timeout=600,  # some compile
        check=False,
    )


def run(*words: str) -> Result:
    """Run a command in this process, which has the compiler loaded."""
    result = CliRunner().invoke(app, words, env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result


def match(*words: str) -> dict[str, Any]:
    """Return the document of a match."""
    document: dict[str, Any] = json.loads(run("match", *words, "--json").stdout)
    return document


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version").stdout == f"kibitz {kibitz.__version__}\n"


def test_nothing_typed_shows_the_help() -> None:
    result = CliRunner().invoke(app, [])
    assert all(command in result.output for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_of_every_command_has_an_example_of_it(command: str, flag: str) -> None:
    assert f"Example: kibitz {command}" in run(command, flag).stdout


def test_games_are_listed_with_their_options() -> None:
    shown = " ".join(run("games").stdout.split())
    for facts in map(game_facts, game_names()):
        assert f"{facts.name} {facts.title}: {facts.summary}" in shown
        for option in facts.options:
            assert f"{option.name}={option.allowed} default {option.default}" in shown


def test_the_document_of_games_says_all_that_a_spec_needs() -> None:
    document = json.loads(run("games", "--json").stdout)
    assert [game["name"] for game in document] == game_names()
    for game in document:
        facts = game_facts(game["name"])
        plain = {"name", "title", "summary", "version", "unit", "options", "bots"}
        assert set(game) == plain | {"arena", "people"}
        assert (game["title"], game["version"]) == (facts.title, facts.version)
        assert game["bots"] == list(facts.bots)
        assert [option["name"] for option in game["options"]] == [o.name for o in facts.options]
        assert all(set(o) == {"name", "default", "allowed", "help"} for o in game["options"])


def test_a_game_from_outside_is_listed() -> None:
    done = kibitz_command("games", "--json")
    assert "duel" in [game["name"] for game in json.loads(done.stdout)]
    assert done.stderr == ""


def test_agents_are_listed_with_what_they_do() -> None:
    shown = run("agents", "nimmt").stdout
    assert shown.startswith("agents for 6 nimmt!")
    assert all(f" {name} " in shown for name in agent_names(game_facts("nimmt")))


def test_the_document_of_agents_names_parameters_and_defaults() -> None:
    document = json.loads(run("agents", "nimmt", "--json").stdout)
    assert [agent["name"] for agent in document] == agent_names(game_facts("nimmt"))
    for agent in document:
        assert set(agent) == {"name", "summary", "parameters"}
        assert agent["summary"].endswith(".")
        assert isinstance(agent["parameters"], dict)


def test_agents_of_a_spec_are_those_of_its_game() -> None:
    assert run("agents", "nimmt:players=4").stdout == run("agents", "nimmt").stdout


def test_warming_up_tells_when_it_is_ready() -> None:
    done = kibitz_command("warmup", "connect4")
    assert done.returncode == 0
    assert done.stderr.endswith("ready: connect4\n")
    assert done.stdout == ""


def test_a_match_is_a_table_with_a_line_per_agent() -> None:
    shown = run("match", "connect4", "random", "winning-move", "--deals", "20").stdout
    rows = [line for line in shown.splitlines() if "●" in line]
    assert [row.split()[1:4:2] for row in rows] == [["1", "winning-move"], ["2", "random"]]
    assert all("±" in row and "%" in row for row in rows)
    assert "Connect 4" in shown.splitlines()[0]
    assert "20 deals from every seat, seed 0: 40 games" in " ".join(shown.split())


def test_one_deal_has_no_interval() -> None:
    words = ("connect4", "random", "centre", "--deals", "1")
    assert "±" not in "".join(
        line for line in run("match", *words).stdout.splitlines() if "●" in line
    )
    assert [agent["ci95"] for agent in match(*words)["agents"]] == [None, None]


def test_the_document_of_a_match_is_all_there_is_on_stdout() -> None:
    words = ("match", "connect4", "random", "centre", "--deals", "9", "--seed", "3", "--json")
    done = kibitz_command(*words)
    document = json.loads(done.stdout)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    keys = {"game", "deals", "games", "seed", "seconds", "agents", "paired", "forfeits"}
    assert set(document) == keys
    assert (document["deals"], document["games"], document["seed"]) == (9, 18, 3)
    assert document["game"] == "connect4:opening=4"
    for agent in document["agents"]:
        assert set(agent) == {
            *("spec", "label", "mean", "ci95", "win_share", "win_ci95", "ranks", "ranks_ci95"),
            *("seconds_per_move", "faults"),
        }
        assert agent["ci95"][0] <= agent["mean"] <= agent["ci95"][1]


def test_the_same_seed_gives_the_same_document_except_for_times() -> None:
    words = ("nimmt:players=2", "random", "lowest", "--deals", "40", "--seed")
    first, again, other = (match(*words, seed) for seed in ("1", "1", "2"))
    threaded = match(*words, "1", "--workers", "3")
    assert without_times(first) == without_times(again) == without_times(threaded)
    assert without_times(first)["agents"] != without_times(other)["agents"]


@pytest.mark.parametrize(
    ("game", "agents", "games_per_deal"),
    [
        ("connect4", ["random"], 2),
        ("connect4", ["random", "centre", "winning-move"], 3 * 2),
        ("nimmt:players=5", ["random", "lowest"], 5),
        ("nimmt:players=2", ["random", "highest", "lowest", "closest"], 6 * 2),
    ],
)
def test_any_number_of_agents_can_play(game: str, agents: list[str], games_per_deal: int) -> None:
    document = match(game, *agents, "--deals", "3")
    assert document["games"] == 3 * games_per_deal
    assert sorted(agent["spec"] for agent in document["agents"]) == sorted(agents)
    means = [agent["mean"] for agent in document["agents"]]
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("agents nimt", "unknown game 'nimt': did you mean 'nimmt'?"),
        ("warmup conect4", "unknown game 'conect4': did you mean 'connect4'?"),
        ("tournament", "a tournament needs a game and agents"),
        ("tournament nimt random", "unknown game 'nimt': did you mean 'nimmt'?"),
        (
            "tournament connect4 cente",
            "unknown agent 'cente' for connect4: did you mean 'centre'?",
        ),
        ("tournament connect4: random", "malformed spec 'connect4:': '' is not key=value"),
        ("tournament connect4:opening=9 random", "option opening=9: expected 0..8"),
        ("tournament nimmt:player=3 random", "did you mean 'players'?"),
        ("tournament connect4 random:sims=3", "random takes no parameters, got sims"),
        ("tournament connect4 random --seed 99999999999999999999", "a seed lies between 0 and"),
        ("agents nimmt:foo=3", "nimmt has no option 'foo'"),
        ("tournement connect4", "no such command 'tournement'. Did you mean 'tournament'?"),
        ("match connect4", "missing argument 'agents'; see kibitz match --help"),
        ("tournament connect4 random --deal 3", "no such option: --deal"),
        ("tournament connect4 random --deals 0", "invalid value for '--deals'"),
        ("tournament connect4 random --deals many", "invalid value for '--deals'"),
        ("match connect4 random --workers 65", "invalid value for '--workers'"),
        (
            "tournament nimmt:players=10" + 40 * " random",
            "takes 8,476,605,280 games per deal, more than 1,000",
        ),
    ],
)
def test_what_makes_no_sense_gets_one_sentence_and_exit_code_2(words: str, sentence: str) -> None:
    done = kibitz_command(*words.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr


@pytest.mark.parametrize(
    "words",
    ["--help", "games", "games --json", "tournament connect4 random centre --deals 5"],
)
def test_nobody_listening_to_stdout_is_no_error_to_tell(words: str) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *words.split()],
        env=environment(),
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    said = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert said == []


def test_a_full_disk_is_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, "games"],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "error: No space left on device: output\n"


def test_a_terminal_without_our_characters_gets_others() -> None:
    done = kibitz_command(
        "tournament", "connect4", "random", "centre", "--deals", "5", PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0
    assert "centre" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.parametrize("columns", ["60", "80", "140"])
def test_the_table_of_a_tournament_fits_the_terminal(columns: str) -> None:
    words = ["tournament", "connect4", "random", "centre", "winning-move", "--deals", "5"]
    done = kibitz_command(*words, COLUMNS=columns)
    assert max(map(len, done.stdout.splitlines())) <= int(columns)
    assert "winning-move" in done.stdout
    assert "…" not in done.stdout


@pytest.mark.parametrize("size", ["0", "-3", "²", "9" * 30])
def test_no_size_of_the_terminal_loses_the_result_of_a_match(size: str) -> None:
    words = ["match", "connect4", "centre", "random", "--deals", "3"]
    done = kibitz_command(*words, COLUMNS=size, LINES=size)
    assert done.returncode == 0, done.stderr
    assert "centre" in done.stdout
    assert "points" in done.stdout


def test_a_broken_package_from_outside_does_not_hide_the_games(tmp_path: Path) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[kibitz.games]\nghost = nowhere:GAME\n[kibitz.agents]\nghost = nowhere:Agent\n"
    )
    for words, shown in (("games", "6 nimmt!"), ("agents connect4", "winning-move")):
        done = kibitz_command(*words.split(), PYTHONPATH=str(tmp_path))
        assert done.returncode == 0, done.stderr
        assert shown in done.stdout
        assert "'ghost' of the package 'broken' cannot be loaded" in " ".join(done.stderr.split())
    done = kibitz_command("tournament", "ghost", "random", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
