"""The pages of matches and tournaments."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kibitz import arena
from kibitz.arena import Result
from kibitz.arena.report import MOST_IN_SUBTITLE, report_match, report_tournament
from kibitz.arena.tournament import Form, Settings, Tournament


@pytest.fixture(scope="module")
def result() -> Result:
    return arena.play("nimmt:players=3", ["highest", "random", "closest"], 40, 1)


def page_of(folder: Path, result: Result) -> str:
    return report_match(folder, result).read_text(encoding="utf-8")


def test_the_page_of_a_match_has_its_sections(result: Result, tmp_path: Path) -> None:
    titles = re.findall("<h2>(.*?)</h2>", page_of(tmp_path, result))
    assert titles == [
        "Standings",
        "Cross table",
        "Ratings",
        "Scores",
        "Ranks",
        "Convergence",
        "Sums",
        "Time per move",
    ]


def test_the_table_has_intervals_and_durations(result: Result, tmp_path: Path) -> None:
    slow = replace(result, seconds=np.full((3, 1), 0.5), n_decisions=np.full((3, 1), 200))
    page = page_of(tmp_path, slow)
    best = result.standings()[0]
    assert f'<td class="n">{best.score:+.2f}</td>' in page
    assert f'<td class="n">{best.wins:.1%}</td>' in page
    assert page.count('<td class="n">2.5 ms</td>') == 3


def test_scores_are_named_by_what_the_game_counts(tmp_path: Path) -> None:
    page = page_of(tmp_path, arena.play("sheephead", ["random", "rule"], 5, 1))
    assert "cents per game" in page
    assert "How many cents the row is ahead" in page
    assert "points" not in page.split("<body>")[1]


def test_convergence_ends_with_the_games_of_an_agent(result: Result, tmp_path: Path) -> None:
    drawing = page_of(tmp_path, result).split("Convergence</h2>")[1]
    n_games = result.sample.games_so_far(0)[-1]
    assert n_games == result.n_games == 120
    assert ">100</text>" in drawing.split("games so far")[0]


def test_ranks_have_intervals_to_point_at(result: Result, tmp_path: Path) -> None:
    ranks = page_of(tmp_path, result).split("Ranks</h2>")[1].split("<h2>")[0]
    first = result.sample.ranks(2)[0]
    assert "to see it with its ±" in ranks
    assert f"closest: rank 1, {first:.1%}".replace("%", " %") in ranks


def test_an_agent_alone_has_no_ratings(tmp_path: Path) -> None:
    page = page_of(tmp_path, arena.play("nimmt:players=3", ["random"], 5, 1))
    assert "<h2>Standings</h2>" in page
    assert "<h2>Ratings</h2>" not in page


def test_of_very_many_agents_the_top_names_the_best(tmp_path: Path) -> None:
    n = MOST_IN_SUBTITLE + 5
    page = page_of(tmp_path, arena.play("nimmt:players=2", ["random"] * n, 2, 1))
    subtitle = page.split("<h1>")[1].split("<p>")[1].split("</p>")[0]
    assert subtitle.count(" · ") == MOST_IN_SUBTITLE - 1
    assert subtitle.endswith("6 more")


@pytest.mark.parametrize("form", ["round-robin", "evolve", "ladder"])
def test_a_tournament_has_its_page(form: Form, tmp_path: Path) -> None:
    agents = ("highest", "random", "closest", "lowest")
    settings = Settings(
        game="nimmt:players=3",
        agents=agents[:2] if form == "ladder" else agents,
        anchors=agents[2:] if form == "ladder" else (),
        form=form,
        deals=12,
        generation=24,
    )
    tournament = Tournament(settings)
    for _ in tournament.play():
        pass
    page = report_tournament(tmp_path, tournament).read_text(encoding="utf-8")
    for row in tournament.rows():
        assert f'<td class="n">{row.score:+.2f}</td>' in page
    assert ("<h2>Running Elo</h2>" in page) == (form == "evolve")
    assert ("closest (anchor)" in page) == (form == "ladder")
