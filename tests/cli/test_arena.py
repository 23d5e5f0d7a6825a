"""Matches, tournaments and sequential tests, as a user meets them."""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kibitz.cli.app import app
from kibitz.core.record import read_records, replay
from tests.cli.test_commands import MAIN, TOY, environment, kibitz_command, run, without_times

FRAIL = '''
import os
from kibitz.search.random import RandomAgent


class FrailAgent(RandomAgent):
    """Fails in game 31."""

    name = "frail"

    def act(self, views, seats, rngs, games):
        if 31 in games:
            raise RuntimeError("lost")
        return super().act(views, seats, rngs, games)
'''


FORFEIT = ["agent", "deal", "rotation", "seat", "reason", "position"]


def document(*words: str) -> dict[str, Any]:
    """Return what a command prints as JSON."""
    printed: dict[str, Any] = json.loads(run(*words, "--json").stdout)
    return printed


@pytest.fixture
def frail(tmp_path: Path) -> dict[str, str]:
    """Register an agent that fails; return the environment that knows it."""
    (tmp_path / "frail.py").write_text(FRAIL)
    info = tmp_path / "frail-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: frail\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kibitz.agents]\nfrail = frail:FrailAgent\n")
    return {"PYTHONPATH": f"{TOY}{os.pathsep}{tmp_path}"}


def test_a_match_has_the_documented_document() -> None:
    found = document("match", "nimmt:players=5", "highest", "random", "--deals", "50")
    assert found["deals"] == 50
    assert found["games"] == 250
    (pair,) = found["paired"]
    assert (pair["a"], pair["b"]) == ("highest", "random")
    assert pair["ci95"][0] < pair["difference"] < pair["ci95"][1]
    means = {agent["spec"]: agent["mean"] for agent in found["agents"]}
    assert pair["difference"] == pytest.approx(means["highest"] - means["random"])
    for agent in found["agents"]:
        assert sum(agent["ranks"]) == pytest.approx(1)
        for share, (low, high) in zip(agent["ranks"], agent["ranks_ci95"], strict=True):
            assert low <= share <= high
    one_deal = document("match", "nimmt:players=3", "random", "--deals", "1")
    assert one_deal["agents"][0]["ranks_ci95"] == [None] * 3


def test_scores_records_and_report_are_written(tmp_path: Path) -> None:
    scores, records, report = tmp_path / "a.csv", tmp_path / "a.jsonl", tmp_path / "deep" / "report"
    words = ["--csv", str(scores), "--records", str(records), "--report", str(report)]
    found = document("match", "connect4", "random", "centre", "--deals", "5", *words)
    rows = list(csv.DictReader(scores.read_text().splitlines()))
    assert len(rows) == 5 * 2 * 2
    mine = [float(row["score"]) for row in rows if row["agent"] == "centre"]
    means = {agent["spec"]: agent["mean"] for agent in found["agents"]}
    assert sum(mine) / len(mine) == pytest.approx(means["centre"])
    games = list(read_records(records))
    assert [(game.deal, game.rotation) for game in games] == [
        (deal, turn) for deal in range(5) for turn in range(2)
    ]
    assert all(replay(game).is_over for game in games)
    page = (report / "index.html").read_text()
    assert page.count("<svg") == 7
    assert not list(tmp_path.glob("*.part"))


def test_a_place_that_cannot_be_written_is_told_before_anything_is_played(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    place = str(tmp_path / "file" / "x")
    match = ["match", "connect4", "random", "--deals", "1000000"]
    sprt = ["sprt", "connect4", "random", "centre"]
    tried = [(match, option) for option in ("--csv", "--records", "--report", "--database")]
    tried += [(sprt, option) for option in ("--csv", "--report", "--database")]
    for words, option in tried:
        done = kibitz_command(*words, option, place)
        assert done.returncode == 2, option
        assert done.stderr.startswith("error: "), option
        assert done.stderr.count("\n") == 1
    assert (tmp_path / "file").read_text() == "precious"


def test_a_fault_stops_the_match_and_keeps_what_was_played(
    frail: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = kibitz_command(
        "match", "connect4", "frail", "random", "--deals", "90", "--json", **frail
    )
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["deals"] == 15
    assert (
        "agent 'frail' at seat 1 of deal 15, rotation 1, raised RuntimeError (lost)"
        in (found["stopped"])
    )
    assert "Traceback" not in done.stderr
    (record,) = read_records(tmp_path / "kibitz-faults.jsonl")
    assert (record.deal, record.rotation, record.result) == (15, 1, None)


def test_a_fault_in_the_very_first_deal_is_still_told(
    frail: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "frail.py").write_text(FRAIL.replace("31 in games", "True"))
    for command in ("match", "tournament", "sprt"):
        done = kibitz_command(command, "connect4", "frail", "random", **frail)
        assert done.returncode == 1, done.stderr
        assert "error: agent 'frail' at seat 0 of deal 0" in done.stderr
        assert "Traceback" not in done.stderr
    assert len(list(read_records(tmp_path / "kibitz-faults.jsonl"))) == 3


def test_forfeits_are_counted_in_the_table(
    frail: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["match", "connect4", "frail", "random", "--deals", "90", "--on-error", "forfeit"]
    done = kibitz_command(*words, **frail)
    assert done.returncode == 0
    assert "forfeits" in done.stdout
    assert "its record is in kibitz-faults.jsonl" in done.stderr


@pytest.mark.parametrize("command", ["match", "tournament", "sprt"])
def test_forfeits_are_told_one_by_one(
    command: str, frail: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "frail.py").write_text(FRAIL.replace("31 in games", "(games < 7).any()"))
    words = [command, "connect4", "frail", "random", "--on-error", "forfeit", "--json"]
    words += ["--max-deals" if command == "sprt" else "--deals", "8"]
    done = kibitz_command(*words, **frail)
    assert done.returncode == 0, done.stderr
    forfeits = json.loads(done.stdout)["forfeits"]
    assert [(one["deal"], one["rotation"], one["seat"]) for one in forfeits] == [
        (game // 2, game % 2, game % 2) for game in range(7)
    ]
    assert all(list(one) == FORFEIT and one["agent"] == "frail" for one in forfeits)
    assert forfeits[0]["reason"].startswith("raised RuntimeError (lost)")
    told = [line for line in done.stderr.splitlines() if line.startswith("forfeit: ")]
    assert told[4].startswith("forfeit: agent 'frail' at seat 0 of deal 2, rotation 0, raised")
    assert len(told) == 5
    assert "\nand 2 more forfeits: --json lists all\n" in done.stderr


def test_differing_deals_need_a_defender_that_plays() -> None:
    words = ["match", "nimmt:players=2", "closest", "highest", "random", "--deals", "100"]
    (row,) = document(*words, "--defender", "random")["differing"]
    assert (row["a"], row["b"], row["defender"]) == ("closest", "highest", "random")
    assert row["ci95"][0] < row["rate"] < row["ci95"][1]
    assert row["rate"] > 0.7
    done = kibitz_command(*words, "--defender", "randon")
    assert done.returncode == 2
    assert "did you mean 'random'?" in done.stderr


def test_a_match_is_kept_where_it_is_told(tmp_path: Path) -> None:
    place = tmp_path / "results.db"
    words = ["match", "connect4", "random", "centre", "--deals", "7", "--database", str(place)]
    run(*words)
    run(*words)
    with sqlite3.connect(place) as database:
        kept = database.execute("SELECT sum(n_deals) FROM batches").fetchone()
    database.close()
    assert kept == (14,)


def test_a_database_that_fails_in_the_middle_does_not_cost_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kibitz import StoreError
    from kibitz.store import Store

    keep, n = Store.append, 0

    def fail_at_the_third(self: Store, *words: Any) -> None:
        nonlocal n
        n += 1
        if n >= 3:
            raise StoreError("the disk is full")
        keep(self, *words)

    monkeypatch.setattr(Store, "append", fail_at_the_third)
    monkeypatch.setattr(Store, "end_match", fail_at_the_third)
    monkeypatch.setattr(Store, "end_tournament", fail_at_the_third)
    place, scores = str(tmp_path / "r.db"), tmp_path / "s.csv"
    for command in ("match", "tournament"):
        n = 0
        words = [command, "connect4", "random", "centre", "--deals", "500", "--database", place]
        done = CliRunner().invoke(app, [*words, "--csv", str(scores), "--json"])
        assert done.exit_code == 1, done.output
        found = json.loads(done.stdout)
        assert found["stopped"] == "the disk is full"
        assert found["games"] > 0
        assert scores.read_text().count("\n") > 1
        assert not list(tmp_path.glob("*.part"))


def start(*words: str) -> "subprocess.Popen[str]":
    """Start the real command and let it run."""
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_deals(place: Path, n: int) -> None:
    """Wait until a database has so many deals."""
    for _ in range(600):
        time.sleep(0.1)
        if place.exists():
            database = sqlite3.connect(f"file:{place}?mode=ro", uri=True)
            try:
                (kept,) = database.execute("SELECT sum(n_deals) FROM batches").fetchone()
            except sqlite3.Error:
                kept = 0
            finally:
                database.close()
            if (kept or 0) >= n:
                return
    raise AssertionError(f"{place} never had {n} deals")


EVOLVE = ["tournament", "nimmt:players=3", "random", "highest", "lowest", "closest", "--evolve"]


LONG_EVOLVE = [*EVOLVE, "--deals", "60000", "--generation", "30000", "--seed", "3"]


@pytest.fixture(scope="module")
def evolved() -> dict[str, Any]:
    """Play a long tournament that nobody stops; return what it tells at its end."""
    return document(*LONG_EVOLVE, "--database", "none")


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_tournament_that_is_killed_resumes_and_ends_with_the_same_table(
    tmp_path: Path, how: signal.Signals, evolved: dict[str, Any]
) -> None:
    place = tmp_path / "t.db"
    process = start(*LONG_EVOLVE, "--database", str(place), "--json")
    wait_for_deals(place, 8000)
    process.send_signal(how)
    shown, told = process.communicate(timeout=60)
    if how != signal.SIGKILL:
        assert process.returncode == 130
        assert json.loads(shown)["stopped"] == "interrupted"
        assert f"go on with: kibitz tournament --resume 1 --database {place}" in told
    assert "Traceback" not in told
    resumed = document("tournament", "--resume", "1", "--database", str(place))
    assert resumed.pop("tournament") == 1
    whole = dict(evolved)
    assert whole.pop("tournament") is None
    assert without_times(resumed) == without_times(whole)
    assert "stopped" not in resumed


def test_a_tournament_stopped_by_a_fault_goes_on_with_forfeits_from_then_on(
    frail: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fails = FRAIL.replace("31 in games", "31 in games or 35 in games")
    (tmp_path / "frail.py").write_text(fails)
    words = ["tournament", "connect4", "frail", "random", "--deals", "40", "--database", "t.db"]
    stopped = kibitz_command(*words, **frail)
    assert stopped.returncode == 1
    (advice,) = [line for line in stopped.stderr.splitlines() if line.startswith("go on with: ")]
    assert advice.startswith("go on with: kibitz tournament --resume 1 --database ")
    assert advice.endswith("t.db once the agent is mended, or with --on-error forfeit")
    resume = ["tournament", "--resume", "1", "--database", "t.db", "--json"]
    assert kibitz_command(*resume, **frail).returncode == 1
    done = kibitz_command(*resume, "--on-error", "forfeit", "--deadline", "60", **frail)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [one["deal"] for one in found["forfeits"]] == [15, 17]
    later = json.loads(kibitz_command(*resume, "--on-error", "stop", **frail).stdout)
    assert (later["on_error"], later["deadline"]) == ("forfeit", 60)
    assert later["table"] == found["table"]


def test_a_tournament_is_in_the_database_with_its_ratings(tmp_path: Path) -> None:
    place = str(tmp_path / "t.db")
    words = ["connect4", "random", "centre", "winning-move", "--deals", "30", "--records"]
    run("tournament", *words, "--database", place)
    database = sqlite3.connect(place)
    assert database.execute("SELECT count(*) FROM records").fetchone() == (30 * 6,)
    assert database.execute("SELECT status FROM tournaments").fetchone() == ("done",)
    assert database.execute("SELECT count(*) FROM ratings").fetchone() == (3,)
    database.close()


def test_a_tournament_has_the_differences_of_its_ratings() -> None:
    words = ["nimmt", "random", "highest", "lowest", "closest", "--form", "random"]
    found = document("tournament", *words, "--seats", "2-3", "--deals", "60", "--database", "none")
    assert (found["game"], found["sizes"]) == ("nimmt", [2, 3])
    best, *others = found["table"]
    assert len(found["differences"]) == len(others) == 3
    for other, lead in zip(others, found["differences"], strict=True):
        assert (lead["a"], lead["b"]) == (best["name"], other["name"])
        assert lead["difference"] == pytest.approx(best["rating"] - other["rating"])
        apart = sum((row["rating_ci95"][1] - row["rating"]) ** 2 for row in (best, other)) ** 0.5
        # What raises the one lowers the other: as if independent, the margin is too small.
        assert lead["ci95"][1] - lead["difference"] > 1.05 * apart


def test_what_a_database_has_is_listed(tmp_path: Path) -> None:
    place = str(tmp_path / "t.db")
    done = CliRunner().invoke(app, ["results", "--database", place])
    assert "there is no database" in str(done.exception)
    assert not Path(place).exists()
    run("match", "connect4", "random", "--deals", "3", "--database", place)
    run("tournament", "connect4", "random", "centre", "--deals", "3", "--database", place)
    found = document("results", "--database", place)
    assert found["database"] == place
    (tournament,), (match,) = found["tournaments"], found["matches"]
    assert (tournament["id"], tournament["form"], tournament["status"]) == (
        1,
        "round-robin",
        "done",
    )
    assert (tournament["agents"], tournament["deals"]) == (["random", "centre"], 3)
    assert (match["agents"], match["deals"]) == (["random"], 3)
    shown = run("results", "--database", place)
    assert "connect4 round-robin" in shown.stdout
    assert "--resume" not in shown.stderr
    with sqlite3.connect(place) as database:
        database.execute("UPDATE tournaments SET status = 'stopped'")
    database.close()
    assert "kibitz tournament --resume" in run("results", "--database", place).stderr


@pytest.mark.parametrize(
    "words",
    [
        "nimmt:players=3 random highest lowest closest --form random --seats 2-4",
        "nimmt:players=3 closest --form ladder --anchor random --anchor highest",
        "nimmt:players=3 random highest lowest closest --evolve --generation 20",
        "connect4 random centre winning-move",
    ],
)
@pytest.mark.parametrize("columns", ["60", "100"])
def test_every_form_has_its_table_report_and_scores(
    words: str, columns: str, tmp_path: Path
) -> None:
    more = ["--deals", "12", "--report", str(tmp_path / "r"), "--csv", str(tmp_path / "s.csv")]
    done = kibitz_command("tournament", *words.split(), *more, COLUMNS=columns)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= int(columns)
    assert "rating" in done.stdout
    assert "<svg" in (tmp_path / "r" / "index.html").read_text()
    assert len((tmp_path / "s.csv").read_text().splitlines()) > 12


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("tournament nimmt random highest --seats 4-2", "--seats '4-2': expected sizes"),
        ("tournament nimmt random highest --seats x", "--seats 'x': expected sizes"),
        ("tournament nimmt random highest --form ladder", "a ladder needs at least one anchor"),
        ("tournament nimmt random highest --form random", "random tables of 5 need as many agents"),
        ("tournament --resume 77 --database nowhere.db", "there is no database"),
        ("tournament connect4 random", "at least two agents"),
        ("tournament connect4 random --resume 1", "leave out GAME"),
        ("tournament nimmt random highest --evolve --form ladder", "leave out --form ladder"),
        ("tournament connect4 random centre --deadline inf", "invalid value for '--deadline'"),
        ("tournament --resume 1 --deals 5", "leave out --deals"),
        ("tournament --resume 1 --on-error forfeit --records", "leave out --records"),
        ("tournament --resume 1 --database none", "keeps nothing"),
        ("results --database none", "--database none keeps nothing"),
        ("match connect4 random centre --defender centre", "two agents to compare"),
        ("match nimmt random highest lowest --defender lowest", "a game of two sides"),
        ("sprt connect4 random", "missing argument 'B'"),
        ("sprt connect4 random centre --elo0 5 --elo1 0", "is not below"),
        ("sprt connect4 random centre --elo1 5 --points1 1", "in Elo or in points"),
        ("sprt connect4 random centre --points0 1", "needs --points1"),
        ("sprt connect4 random centre --alpha 0.7", "alpha = 0.7 is no error rate"),
        ("match connect4 random --deadline 0", "invalid value for '--deadline'"),
        ("match connect4 random --on-error ignore", "invalid value for '--on-error'"),
        ("match connect4 random --database mysql://x/y", "mysql"),
        ("match connect4 random --pool fibres", "invalid value for '--pool'"),
    ],
)
def test_what_makes_no_sense_gets_one_sentence(words: str, sentence: str) -> None:
    done = kibitz_command(*words.split())
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr


def test_a_sequential_test_ends_with_a_verdict_and_the_plain_estimate() -> None:
    shown = run("sprt", "nimmt:players=5", "highest", "random", "--elo1", "20").stdout
    table, verdict = shown.split("H1: highest is better than random")
    assert "│ 1 │ highest │" in table
    assert "a test stops where it is ahead" in " ".join(table.split())
    assert "plain estimate: highest − random: +" in verdict
    assert "normalised Elo: +" in verdict


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("connect4 winning-move centre", "H1"),
        ("connect4 centre winning-move", "H0"),
        ("connect4 random random --elo0 0 --elo1 40", "H0"),
        ("nimmt:players=4 closest random --points0 0 --points1 1", "H1"),
        ("nimmt:players=4 random closest --points0 0 --points1 1", "H0"),
    ],
)
def test_sequential_tests_tell_the_stronger_one(words: str, verdict: str) -> None:
    one = document("sprt", *words.split(), "--seed", "4")
    assert one["verdict"] == verdict
    other = document("sprt", *words.split(), "--seed", "4", "--workers", "2")
    assert one == other


@pytest.mark.parametrize(("game", "unit"), [("sheephead", "cents"), ("nimmt", "points")])
def test_scores_are_named_by_what_the_game_counts(game: str, unit: str) -> None:
    other = {"cents": "points", "points": "cents"}[unit]
    heads = run("match", game, "random", "rule" if unit == "cents" else "highest", "--deals", "4")
    entrants = run("tournament", game, "random", "mcs:sims=2", "--deals", "2")
    test = ("sprt", game, "random", "random", "--max-deals", "20", "--points1", "1")
    for shown in (heads.stdout, entrants.stdout, run(*test).stdout):
        assert unit in shown
        assert other not in shown


def test_a_sequential_test_can_end_without_a_verdict() -> None:
    words = ["connect4", "random", "random", "--max-deals", "40"]
    assert document("sprt", *words)["verdict"] is None
    assert "\nno verdict yet" in run("sprt", *words).stdout


def test_a_sequential_test_leaves_behind_the_deals_that_count(tmp_path: Path) -> None:
    words = ["sprt", "connect4", "winning-move", "random", "--elo1", "40"]
    places = {name: str(tmp_path / name) for name in ("csv", "report", "database")}
    more = [word for name, place in places.items() for word in (f"--{name}", place)]
    found = document(*words, *more)
    rows = list(csv.DictReader(Path(places["csv"]).read_text().splitlines()))
    assert len(rows) == found["deals"] * 2 * 2
    assert f"<dd>{found['deals']}</dd>" in (tmp_path / "report" / "index.html").read_text()
    (match,) = document("results", "--database", places["database"])["matches"]
    assert (match["agents"], match["status"]) == (["winning-move", "random"], "done")
    with sqlite3.connect(places["database"]) as database:
        kept = database.execute("SELECT sum(n_deals) FROM batches").fetchone()
    database.close()
    assert kept == (found["deals"],)
    assert document(*words, "--workers", "2") == found
