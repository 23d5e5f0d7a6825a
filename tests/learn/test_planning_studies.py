"""Studies of the paper on planning models, at their smallest."""

from typing import Any

import pytest

from kibitz.papers.planning_model import studies

pytestmark = pytest.mark.train

SIZE = 700
"""Selections: far fewer than anybody could learn from."""


def test_a_planner_is_rated_beside_the_base_at_every_stage(torch: Any) -> None:
    points = studies.planner_growth("MLP QV")(SIZE, 1, 1)
    found = {(point.line, point.x): point.y for point in points}
    assert 0.1 < found["accuracy", 0].mean < 1
    assert found["games played", 0].mean == 2 * 2 * 2  # rivals, deals, sides
    assert found["simulations of the empty board", 0].mean == studies.VISIT_SIMS
    assert {x for line, x in found if line == "elo"} == {0, 1}
    shares = [found["visits 1", k].mean for k in range(7)]
    assert sum(shares) == pytest.approx(1)


def test_a_base_plays_what_it_was_after_parts_of_its_training(torch: Any) -> None:
    lesson = studies.SMALL_BASE
    small = {**lesson.config, "games": 4, "lanes": 4, "sims": 4, "filters": 2, "gate_deals": 2}
    points = studies.base_growth(small)(4, 1, 1)
    shares = {point.x: point.y.mean for point in points if point.line == "share won"}
    assert list(shares) == [0, 25, 50, 75, 100]
    assert sum(shares.values()) == pytest.approx(5 * 0.5)
    counted = [point.y.mean for point in points if point.line == "games"]
    assert all(games % 4 == 0 for games in counted)
    assert sum(counted) <= 16
