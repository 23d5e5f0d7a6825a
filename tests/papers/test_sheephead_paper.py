"""The paper on Sheephead: its figures are all there, and its studies find what is known."""

import math
from dataclasses import fields

import numpy as np
import pytest

from kibitz.arena.statistics import Estimate
from kibitz.learn.actor_critic import ActorCriticConfig
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
    shares = {point.line: point.y for point in points if point.line.startswith("share")}
    assert list(shares) == [f"share: {factor}" for factor in studies.FACTORS]
    assert sum(share.mean for share in shares.values()) == pytest.approx(1)
    assert all(share.has_interval for share in shares.values())


def test_five_rule_players_differ_by_their_cards_alone() -> None:
    points = studies.seats(("rule",) * 5)(300, 1, 1)
    found = {point.line: point.y.mean for point in points if point.line != "position"}
    for factor in ("who plays", "place beside whom", "rest"):
        assert found[f"share: {factor}"] == pytest.approx(0, abs=1e-9)
    by_place = [point.y.mean for point in points if point.line == "position"]
    assert sum(by_place) == pytest.approx(0, abs=1e-9)


RULE_AND_RANDOM = ("rule",) + ("random",) * 4
LINEUP = np.array([[(s - r) % 5 for s in range(5)] for r in range(5)])
BESIDE = np.array([0, 0.5, 0.25, -0.25, -0.5])
KINDS = np.array([2, -0.5, -0.5, -0.5, -0.5])
PLACES = np.array([1, 0.5, 0, -0.5, -1])


def zero_sum(rng: np.random.Generator, spread: float, *size: int) -> studies.Floats:
    drawn = spread * rng.normal(size=(*size, 5))
    centred: studies.Floats = drawn - drawn.mean(axis=-1, keepdims=True)
    return centred


def simulated(
    seed: int, n: int, cards: float, noise: float, taste: float = 0, effects: float = 1
) -> list[Estimate]:
    """Share out money with known effects: of players, places, deals, and of players by deal."""
    rng = np.random.default_rng(seed)
    of_players = effects * (KINDS + BESIDE) + zero_sum(rng, taste, n)  # [deals, players]
    by_seat = effects * PLACES + np.take(of_players, LINEUP, axis=1)
    by_seat = by_seat + zero_sum(rng, cards, n, 1) + zero_sum(rng, noise, n, 5)
    order = np.broadcast_to(np.argsort(LINEUP, axis=1), by_seat.shape)
    by_player = np.take_along_axis(by_seat, order, axis=2)
    return studies.shares(RULE_AND_RANDOM, by_seat, by_player)


def true_shares(cards: float, noise: float, taste: float, effects: float) -> studies.Floats:
    squares = [np.square(effects * one).sum() for one in (KINDS, BESIDE, PLACES)]
    parts = np.array([*squares, 4 * cards**2, 4 * noise**2 + 4 * taste**2])
    shared: studies.Floats = parts / parts.sum()
    return shared


def test_where_cards_mean_nothing_their_share_is_zero() -> None:
    found = simulated(1, 2000, cards=0, noise=5, effects=0)[3]
    assert found.mean == pytest.approx(0, abs=0.015)  # raw sums of squares give 0.2


@pytest.mark.parametrize(
    ("cards", "noise", "taste", "effects"),
    [(2, 3, 0, 1), (1, 3, 2, 1), (3, 1, 1, 1), (0, 5, 0, 1), (2, 3, 0, 0.1), (2, 3, 1, 0)],
)
def test_shares_of_known_effects_are_found_and_covered(
    cards: float, noise: float, taste: float, effects: float
) -> None:
    true = true_shares(cards, noise, taste, effects)
    runs = [simulated(seed, 250, cards, noise, taste, effects) for seed in range(200)]
    means = np.array([[share.mean for share in run] for run in runs])
    error = means.std(axis=0) / np.sqrt(len(runs))
    assert (np.abs(means.mean(axis=0) - true) < 4 * error + 1e-3).all()
    covered = [
        [one.low <= share <= one.high for one, share in zip(run, true, strict=True)] for run in runs
    ]
    assert (np.mean(covered, axis=0) > 0.9).all()


def test_the_gap_of_equals_is_of_a_pair_that_is_settled_beforehand() -> None:
    points = studies.seats(RULE_AND_RANDOM)(300, 1, 1)
    found = {point.line: point.y for point in points}
    money = {one.line: one.y.mean for one in studies.money_of(RULE_AND_RANDOM)(300, 1, 1)}
    first, last = (money[f"random, place {place}: cents"] for place in (2, 5))
    assert found[studies.GAP].mean == pytest.approx(last - first)
    # The widest gap of chance alone would cover zero less often than it says.
    rng = np.random.default_rng(1)
    gaps = [
        studies._gaps(RULE_AND_RANDOM, rng.normal(size=(100, 5, 5)), 500)[0].y for _ in range(400)
    ]
    assert np.mean([gap.low <= 0 <= gap.high for gap in gaps]) == pytest.approx(0.95, abs=0.03)


def test_luck_is_that_of_a_run_in_which_the_deal_goes_round() -> None:
    money = np.random.default_rng(1).normal(size=(5000, 5, 5)) * np.arange(5)[:, None]
    half = studies._gaps(RULE_AND_RANDOM, money, 25_000)[1].y.mean
    spread = np.sqrt(2 * (np.arange(5) ** 2).mean())  # of two players, over all five seats
    assert half == pytest.approx(1.96 * spread / np.sqrt(25_000), rel=0.05)


def test_money_of_few_steps_has_students_interval() -> None:
    told = [{"score": cents, "opponents": -cents} for cents in (1.0, 2.0, 4.0)]
    points = [one for one in studies._money(told, 100) if one.line == "learner: money"]
    margin = 4.302653 * np.std([1, 2, 4], ddof=1) * np.sqrt(3)
    assert points[-1].y.mean == pytest.approx(7)
    assert points[-1].y.margin == pytest.approx(margin)


def test_money_is_cumulated_in_dollars() -> None:
    points = studies.money_of(RULE_AND_RANDOM)(1000, 1, 1)
    for name in ("rule, place 1", "random, place 5"):
        curve = [one for one in points if one.line == f"{name}: money"]
        cents = next(one.y for one in points if one.line == f"{name}: cents")
        assert curve[-1].x == 1000
        assert curve[-1].y.mean == pytest.approx(10 * cents.mean)
        assert curve[-1].y.margin == pytest.approx(10 * cents.margin)
    figure = load_paper("sheephead").make_tables({})[0]
    assert {one.line for one in figure.curves} <= {one.line for one in points}
    assert figure.drawn is not None
    assert "dollars" in figure.drawn.label


def test_the_setting_of_a_lesson_names_all_its_parameters() -> None:
    settled = {"learners", "predictor", "cooling"}
    known = {one.name for one in fields(ActorCriticConfig)} - {"workers"}
    assert set(studies.LESSON) == known - settled
    setting = studies.lesson_setting(3, "rule")
    assert all(f"{name}=" in setting for name in known)
    assert {"learners=3", "predictor=rule", "cooling=hands/4,"} <= set(setting.split())


def test_a_lesson_follows_money_and_measures_what_was_learnt() -> None:
    points = studies.lesson(4, "rule")(120, 1, 1)
    lines = {point.line for point in points}
    measured = {"learners", "rule players", "lead", studies.BEHIND}
    assert lines == {"learner: money", "rule player: money", *measured}
    money = {point.line: point.y.mean for point in points if point.line.endswith("money")}
    assert 4 * money["learner: money"] + money["rule player: money"] == pytest.approx(0)
    found = {point.line: point.y for point in points}
    assert math.isfinite(found["lead"].low)
    assert found[studies.BEHIND].mean == 100


def test_what_was_learnt_rests_on_its_own_games() -> None:
    tables = {table.name: table for table in load_paper("sheephead").make_tables({})}
    assert {row.behind for row in tables["after-learning"].readings} == {studies.BEHIND}
