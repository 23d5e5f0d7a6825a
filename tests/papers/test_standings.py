"""Papers with tables of many: mean scores, studies, and how both are kept and drawn."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kibitz.arena.match import play as play_match
from kibitz.arena.result import Result
from kibitz.arena.statistics import Estimate
from kibitz.core.errors import KibitzError
from kibitz.core.registry import load_game
from kibitz.papers import load_paper, run
from kibitz.papers.drawing import curves_of, draw
from kibitz.papers.grids import make_grid, markdown
from kibitz.papers.lines import as_json, lines_of, paper_mean
from kibitz.papers.logs import WIN_PARTS, ScoreLog
from kibitz.papers.plan import (
    SCORES,
    Drawn,
    Measured,
    Paper,
    Player,
    Point,
    Reading,
    Series,
    Standing,
    Study,
    Table,
    Target,
    Unit,
)
from kibitz.papers.results import Results, load_results
from kibitz.papers.run import Runner, score_log

GAME = "nimmt:players=5"
PART = Target(6, 300, 6, part=0.25)
ALL = Target(6, 300, 6)

SEATED = Series(
    "many",
    GAME,
    Player("highest", "highest"),
    (Player("lowest", "lowest"), Player("random", "random")),
    keeps_scores=True,
)


def count(size: int, seed: int, threads: int) -> list[Point]:
    """Find as many points as there are games in tens."""
    found = (Estimate(x * x, x * x - 1, x * x + 1) for x in range(1, size // 10 + 1))
    return [Point("squares", float(i), y) for i, y in enumerate(found, 1)]


STUDY = Study("found", "squares", "squares of whole numbers", 200, 20, count)
TIMES = Unit("time", ".1f", 1.0, 1000.0, ",.0f", is_time=True)


def tables(_: Measured) -> Sequence[Table]:
    """Return a table of many, and what a study has found."""
    rows = tuple(
        Standing((player.label,), SEATED, who, -12.0, 0.2, "bots", float(who))
        for who, player in enumerate(SEATED.players)
    )
    curves = (Drawn(STUDY, "squares", "of numbers"),)
    readings = (
        Reading(("three",), STUDY, "squares", 3.0, 9.5, 0.1),
        Reading(("last",), STUDY, "squares", None),
    )
    return [
        Table("many", "Tables of five", ("bot",), rows, 300, x_label="x", unit=SCORES, deals=24),
        Table("found", "Squares", ("of",), readings, 40, x_label="n", unit=TIMES, curves=curves),
    ]


PAPER = Paper("many", "A paper of tables", tables, dict)


def play(target: Target, results: Results | None = None) -> Results:
    results = Results("many", 3) if results is None else results
    for _ in Runner(tables({}), results, target, 1).play(lambda: False):
        pass
    return results


@pytest.fixture(scope="module")
def played() -> Results:
    """Play all of the paper."""
    return play(ALL)


def hand_made(scores: list[list[float]]) -> Result:
    """Return one deal of five games: agent 0 sits one seat further on in each, 1 beside it."""
    lineup = np.array([np.roll([0, 1, 2, 2, 2], turn) for turn in range(5)], np.int16)[None]
    nothing = np.ones((3, 1))
    return Result(
        load_game(GAME),
        ("a", "b", "c"),
        0,
        np.arange(1),
        lineup,
        np.array(scores, np.float64)[None],
        nothing,
        nothing.astype(np.int64),
        0.0,
        [],
        [],
    )


def test_scores_and_wins_of_a_deal_are_added_up_over_its_rotations() -> None:
    result = hand_made(
        [
            [-1, -2, -3, -4, -5],  # agent 0 in seat 0 wins alone
            [-9, -2, -2, -4, -5],  # 0 in seat 1, 1 in seat 2: they share the win
            [-9, -9, -7, -1, -1],  # 0 in seat 2, 1 in seat 3: 1 and a 2 share it
            [0, 0, 0, 0, 0],  # all five share it
            [-8, -6, -3, -6, -9],  # 0 in seat 4, 1 in seat 0: seat 2, a 2, wins
        ]
    )
    log = score_log(result, 2.0, 1.0)
    assert log.seats == (5, 5, 15)
    assert log.scores.tolist() == [[-1 - 2 - 7 - 0 - 9, -2 - 2 - 1 - 0 - 8, -12 - 18 - 19 - 0 - 15]]
    parts = [1 + 1 / 2 + 1 / 5, 1 / 2 + 1 / 2 + 1 / 5, 1 / 2 + 3 / 5 + 1]
    assert log.wins[0].tolist() == [round(WIN_PARTS * part) for part in parts]
    assert log.squares[:2] == (1 + 4 + 49 + 0 + 81, 4 + 4 + 1 + 0 + 64)
    assert (log.games_per_deal, log.n_games, len(log)) == (5, 5, 1)
    assert log.mean_scores(0).tolist() == pytest.approx([-19 / 5])
    assert log.deviation(0) == pytest.approx(math.sqrt(135 / 5 - (19 / 5) ** 2))


def test_means_and_wins_are_those_of_the_arena(played: Results) -> None:
    specs = [player.spec for player in SEATED.players]
    sample = play_match(GAME, specs, 24, SEATED.seed(3)).sample
    for who, line in enumerate(lines_of(tables({})[0], played)):
        assert line.ours == sample.score(who)
        assert line.wins == sample.wins(who)
        assert (line.n_deals, line.n_games) == (24, 120)


def test_a_smaller_budget_plays_a_part_and_a_larger_one_goes_on(
    played: Results, tmp_path: Path
) -> None:
    path = tmp_path / "results.json"
    part = play(PART)
    assert len(part.score_log(SEATED)) == 6
    assert (part.findings(STUDY).size, len(part.findings(STUDY).points)) == (50, 5)
    part.save(path, [])
    again = play(ALL, load_results(path, PAPER))
    for name in ("scores", "wins"):
        ours, theirs = (getattr(one.score_log(SEATED), name) for one in (again, played))
        assert ours.tolist() == theirs.tolist()
    assert again.score_log(SEATED).squares == played.score_log(SEATED).squares
    assert again.findings(STUDY) == replace(
        played.findings(STUDY), cpu_seconds=again.findings(STUDY).cpu_seconds
    )
    assert list(Runner(tables({}), again, ALL, 1).play(lambda: False)) == []


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("scores", {"totals": [0, 0, 0]}, "has other totals than its scores"),
        ("scores", {"totals": [0, 0]}, "is not about 3 agents"),
        ("scores", {"squares": [0, 0, 0]}, "squares that are too small"),
        ("scores", {"seats": [0, 5, 15]}, "seats.0: expected a number from 1 on"),
        ("scores", {"deals": 5}, "are not those of 5 deals"),
        ("scores", {"opponent": "random"}, "is not a series of the paper"),
        ("scores", {"scores": "AAAA"}, "holds no results of many: "),
        ("studies", {"setting": "cubes"}, "was played in other settings"),
        ("studies", {"size": 0}, "size: expected a number from 1 on"),
        ("studies", {"points": [{"line": "x"}]}, "points.0.x: it is missing"),
        ("studies", {"points": 1}, "points: expected a list in brackets"),
    ],
)
def test_files_that_contradict_themselves_are_refused(
    part: str, change: dict[str, object], said: str, played: Results, tmp_path: Path
) -> None:
    path, document = tmp_path / "results.json", json.loads(json.dumps(played.as_json()))
    next(iter(document[part].values())).update(change)
    path.write_text(json.dumps(document))
    with pytest.raises(KibitzError, match=said):
        load_results(path, PAPER)


def test_a_game_that_two_have_won_is_refused(played: Results, tmp_path: Path) -> None:
    path, log = tmp_path / "results.json", played.score_log(SEATED)
    wins = log.wins.copy()
    wins[0, 0] += WIN_PARTS
    wrong = Results("many", 3)
    wrong.add(SEATED, replace(log, wins=wins))
    wrong.save(path, [])
    with pytest.raises(KibitzError, match="games that nobody or more than one has won"):
        load_results(path, PAPER)


def test_a_mean_of_the_paper_has_the_interval_of_its_games() -> None:
    scores = np.array([[-10, -10], [-14, -6]], np.int32)
    log = ScoreLog(scores, np.ones_like(scores), (1, 1), (296, 136))
    assert log.deviation(0) == pytest.approx(2.0)
    assert paper_mean(-9.0, log, 0, 400).margin == pytest.approx(1.966 * 2.0 / 20, rel=1e-3)


def test_scores_of_the_paper_are_compared_and_written(played: Results) -> None:
    grid = make_grid(tables({})[0], played)
    assert grid.heads == ("bot", "paper", "ours", "paper wins", "wins", "games", "agrees")
    assert grid.rows[0][1] == "-12.00"
    assert grid.rows[0][3] == "20.0%"
    assert "300 games leave the paper's numbers up to ±1.00." in grid.notes[0]
    assert as_json(tables({})[0], played)["rows"][0]["wins"] is not None


def test_readings_are_written_in_their_unit(played: Results) -> None:
    grid = make_grid(tables({})[1], played)
    assert grid.heads == ("of", "paper", "ours", "games", "as fast")
    assert grid.rows[0] == ("three", "9,500", "9000.0 ±1000.0", "200", "1 ×")
    assert grid.rows[1][2] == "400000.0 ±1000.0"
    bare = replace(tables({})[1], rows=())
    assert "|" not in markdown(make_grid(bare, played))


def test_tables_and_studies_are_drawn(played: Results) -> None:
    many, found = tables({})
    svg = draw(many, played)
    assert "bots, ours (120 games each)" in svg
    assert "bots, paper (300 games each)" in svg
    (curve,) = curves_of(found, played)
    assert (curve.name, len(curve.x), curve.theirs) == ("of numbers", 20, None)
    assert "of numbers, ours (200 games each)" in draw(found, played)


def test_a_table_that_was_not_played_can_be_written_and_drawn() -> None:
    for table in tables({}):
        nothing = Results("many", 3)
        assert all("—" in row for row in make_grid(table, nothing).rows)
        assert "<svg" in draw(table, nothing)
        json.dumps(as_json(table, nothing), allow_nan=False)


def test_nobody_learns_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "HAS_TORCH", False)
    learning = replace(STUDY, needs_torch=True)
    table = replace(tables({})[1], rows=(), curves=(Drawn(learning, "squares"),))
    runner = Runner([table], Results("many", 3), ALL, 1)
    assert (runner.open_studies(), runner.left_out()) == ([], [learning])


FIGURES = ["3.1", "3.3", "3.4", *(f"4.{i}" for i in range(2, 8)), "5.1", "5.2", "5.3", "a.1", "a.2"]
TABLES = [*(f"4.{i}" for i in range(1, 5)), *(f"5.{i}" for i in range(1, 8))]


def test_the_paper_on_learning_has_all_its_figures_and_tables() -> None:
    made = load_paper("nimmt-rl").make_tables({})
    wanted = [f"figure-{n}" for n in FIGURES] + [f"table-{n}" for n in TABLES]
    assert sorted(table.name for table in made) == sorted(wanted)
    assert all(table.x_label for table in made if table.name.startswith("figure"))
    keys = [one.key for table in made for one in table.studies]
    settings = {one.key: one.setting for table in made for one in table.studies}
    assert len(keys) >= len(settings) >= 12


def test_the_paper_on_planning_models_has_all_its_figures_and_tables() -> None:
    made = load_paper("planning-model").make_tables({})
    wanted = {f"figure-5.{n}" for n in range(1, 11)} | {"table-5.1", "table-5.2"}
    wanted |= {"figure-5.2/elo", "equal-nodes", "gains", "equal-time"}
    assert {table.name for table in made} == wanted
    assert all(table.x_label for table in made if table.name.startswith("figure"))
