"""The paper on Sheephead: its figures are all there, and its studies find what is known."""

import math

import numpy as np
import pytest

from kibitz.papers import load_paper
from kibitz.papers.sheephead import studies

pytestmark = pytest.mark.compiled


def test_it_has_all_its_figures_and_the_open_question() -> None:
    made = load_paper("sheephead").make_tables({})
    names = [f"figure-{n}" for n in range(6, 14)]
    assert [table.name for table in made] == [*names, "after-learning", "seats", "seat-effects"]
    assert all(table.x_label for table in made[:8])
    assert len({study.key for table in made for study in table.studies}) == 4 + 8 + 3


def test_shares_of_the_variance_add_up() -> None:
    points = studies.seats(("rule",) + ("random",) * 4)(300, 1, 1)
    shares = {point.line: point.y.mean for point in points if point.line.startswith("share")}
    assert list(shares) == [f"share: {factor}" for factor in studies.FACTORS]
    assert sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) >= 0


def test_five_rule_players_differ_by_their_cards_alone() -> None:
    points = studies.seats(("rule",) * 5)(300, 1, 1)
    found = {point.line: point.y.mean for point in points if point.line != "position"}
    for factor in ("who plays", "place beside whom", "rest"):
        assert found[f"share: {factor}"] == pytest.approx(0, abs=1e-9)
    by_place = [point.y.mean for point in points if point.line == "position"]
    assert sum(by_place) == pytest.approx(0, abs=1e-9)


def test_known_effects_of_players_and_seats_are_found() -> None:
    rng = np.random.default_rng(1)
    players, seats_, n = np.array([4.0, -1, -1, -1, -1]), np.array([2.0, 1, 0, -1, -2]), 400
    lineup = [[(s - r) % 5 for s in range(5)] for r in range(5)]
    by_seat = np.array([[seats_ + players[row] for row in lineup] for _ in range(n)])
    cards = rng.normal(size=(n, 1, 5))
    by_seat = by_seat + cards - cards.mean(axis=2, keepdims=True)
    order = np.argsort(np.array(lineup), axis=1)
    by_player = np.take_along_axis(by_seat, np.broadcast_to(order, by_seat.shape), axis=2)
    specs = ("rule",) + ("random",) * 4
    shares = np.array(studies._shares(specs, by_seat, by_player)) * (by_seat**2).mean()
    assert shares == pytest.approx([4, 0, 2, 0.8, 0], abs=0.1)


def test_a_lesson_follows_money_and_measures_what_was_learnt() -> None:
    points = studies.lesson(4, "rule")(120, 1, 1)
    lines = {point.line for point in points}
    assert lines == {"learner: money", "rule player: money", "learners", "rule players", "lead"}
    money = {point.line: point.y.mean for point in points if point.line.endswith("money")}
    assert 4 * money["learner: money"] + money["rule player: money"] == pytest.approx(0)
    lead = next(point.y for point in points if point.line == "lead")
    assert math.isfinite(lead.low)
