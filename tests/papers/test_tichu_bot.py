"""The paper on Tichu: its tables are all there, and what its learners told makes curves."""

import math

import pytest

from kibitz.arena.statistics import Estimate
from kibitz.papers import load_paper
from kibitz.papers.lines import mean_of_tables
from kibitz.papers.tichu_bot.curves import NORMAL, smooth
from kibitz.papers.tichu_bot.players import LADDER, MATRIX


def test_it_has_its_tables_and_figures() -> None:
    made = {table.name: table for table in load_paper("tichu-bot").make_tables({})}
    figures = [f"figure-7.{n}" for n in range(1, 4)]
    assert list(made) == ["table-7.1", "table-7.1/search", *figures, "table-b.1"]
    assert len(made["table-b.1"].rows) == 20
    assert len(made["table-b.1"].series) == 10
    assert len(made["table-7.1"].series) == 10 + 5 + 5
    assert all(
        point.y.has_interval for one in made["figure-7.2"].studies for point in one.run(1, 1, 1)
    )


def test_all_is_the_mean_of_a_row_of_the_matrix() -> None:
    for rung, row in zip(LADDER, MATRIX, strict=True):
        others = [number for number in row if number is not None]
        assert sum(others) / 4 == pytest.approx(rung.against_all, abs=0.06)


def test_the_mean_of_tables_has_a_smaller_interval() -> None:
    found = mean_of_tables([Estimate(10.0, 7.0, 13.0), Estimate(20.0, 16.0, 24.0)])
    assert (found.mean, found.low, found.high) == (15.0, 12.5, 17.5)


def test_points_are_means_of_lines_and_scatter_as_their_neighbours_do() -> None:
    points = smooth("score", [1.0, 2.0, 3.0, 4.0, 5.0], [math.nan, 10.0, 12.0, 14.0, 12.0])
    assert [(point.x, point.y.mean) for point in points] == [(2.5, 11.0), (4.5, 13.0)]
    assert points[0].y.high - 11 == pytest.approx(1.96 * NORMAL * 2 / math.sqrt(2) / math.sqrt(2))
