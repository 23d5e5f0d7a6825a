"""Replay: what lives, what is drawn how often, and what a resumed run draws."""

from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import SpecError
from kibitz.learn.replay import PrioritisedReplay, Replay, SequenceReplay

FIELDS: dict[str, Any] = {"x": (np.float64, ()), "pair": (np.int64, (2,))}


def rows(*numbers: int) -> dict[str, Any]:
    """Make rows whose content tells their number."""
    x = np.array(numbers, np.float64)
    return {"x": x, "pair": np.stack([x, -x], axis=1).astype(np.int64)}


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_last_rows_live_and_are_found_by_their_numbers() -> None:
    replay = Replay(4, FIELDS)
    assert replay.add(rows(0, 1, 2)).tolist() == [0, 1, 2]
    assert replay.add(rows(3, 4, 5)).tolist() == [3, 4, 5]
    assert (len(replay), replay.oldest) == (4, 2)
    taken = replay.take(np.array([5, 2, 2]))
    assert taken["x"].tolist() == [5, 2, 2]
    assert taken["pair"].tolist() == [[5, -5], [2, -2], [2, -2]]
    assert list(replay.take(np.array([3]), "x")) == ["x"]
    for dead in (1, 6):
        with pytest.raises(SpecError, match="rows 2 to 5 live here"):
            replay.take(np.array([dead]))


def test_rows_that_do_not_fit_are_refused() -> None:
    replay = Replay(2, FIELDS)
    with pytest.raises(SpecError, match="3 rows at once do not fit"):
        replay.add(rows(1, 2, 3))
    with pytest.raises(SpecError, match="have x, pair"):
        replay.add({"x": np.zeros(1)})
    with pytest.raises(SpecError, match="empty replay"):
        replay.sample(1, rng())
    with pytest.raises(SpecError, match="1 to"):
        Replay(0, FIELDS)


def test_views_are_kept_as_they_are() -> None:
    game = kibitz.load_game("nimmt:players=2")
    view = game.deal(1).view(1)
    views = np.array([view, view], dtype=game.rules.STATE)
    replay = Replay(3, {"views": (game.rules.STATE, ())})
    replay.add({"views": views})
    replay.add({"views": views})
    taken = replay.take(np.array([1, 2, 3]))["views"]
    assert taken.dtype == game.rules.STATE
    assert {one.tobytes() for one in taken} == {view.tobytes()}


def test_uniform_replay_draws_every_living_row_equally_often() -> None:
    replay = Replay(4, FIELDS)
    replay.add(rows(0, 1, 2))
    replay.add(rows(3, 4, 5))
    drawn = replay.sample(4000, rng())
    assert drawn.weights.tolist() == [1] * 4000
    counts = np.bincount(drawn.rows, minlength=6)
    assert counts[:2].tolist() == [0, 0]
    assert np.abs(counts[2:] - 1000).max() < 120  # four standard deviations are 110


def test_sequences_are_drawn_whole_and_die_whole() -> None:
    replay = SequenceReplay(6, FIELDS)
    replay.add_sequences(rows(0, 1, 2), np.array([False, True, True]))
    assert replay.n_sequences == 2
    replay.add_sequences(rows(3, 4, 5), np.array([False, False, True]))
    assert replay.n_sequences == 3
    replay.add_sequences(rows(6), np.array([True]))  # row 0 has died, and row 1 with it
    assert replay.n_sequences == 3
    found = set()
    for seed in range(30):
        drawn = replay.sample(1, rng(seed)).rows
        found.add(tuple(drawn.tolist()))
    assert found == {(2,), (3, 4, 5), (6,)}
    two = replay.sample(2, rng(3)).rows
    assert replay.take(two)["x"].tolist() == two.tolist()


def test_prioritised_replay_draws_by_errors() -> None:
    replay = PrioritisedReplay(3, FIELDS, alpha=0.5, floor=0.0)
    replay.add(rows(0, 1, 2))
    assert [replay.priority(k) for k in range(3)] == [1, 1, 1]
    replay.update(np.array([0, 1, 2]), np.array([4.0, -16.0, 0.25]))
    # the roots of the errors: 2, 4 and 0.5 of 6.5
    assert [replay.priority(k) for k in range(3)] == [2, 4, 0.5]
    drawn = replay.sample(6500, rng(), beta=0.5)
    assert np.abs(np.bincount(drawn.rows) - [2000, 4000, 500]).max() <= 2  # it is stratified
    # weights (N P)^-beta = (3 * 2 / 6.5)^-1/2 and so on, over that of row 2:
    # sqrt(0.5 / 2) = 1/2 for row 0, sqrt(0.5 / 4) for row 1
    weights = {int(row): w for row, w in zip(drawn.rows, drawn.weights, strict=True)}
    assert weights == pytest.approx({0: 0.5, 1: 0.125**0.5, 2: 1.0})


def test_new_rows_have_the_highest_priority_and_dead_ones_are_left_alone() -> None:
    replay = PrioritisedReplay(3, FIELDS, alpha=1.0, floor=0.0)
    replay.add(rows(0, 1, 2))
    replay.update(np.array([1]), np.array([5.0]))
    replay.add(rows(3))  # in the place of row 0
    assert replay.priority(3) == 5
    replay.update(np.array([0]), np.array([100.0]))
    assert replay.priority(3) == 5
    assert set(replay.sample(50, rng()).rows.tolist()) == {1, 2, 3}


@pytest.mark.parametrize("capacity", [1, 5, 8])
def test_the_tree_holds_the_sums_of_its_leaves(capacity: int) -> None:
    replay = PrioritisedReplay(capacity, FIELDS, alpha=1.0, floor=0.5)
    for k in range(12):
        replay.add(rows(k))
        replay.update(np.array([k]), np.array([float(k)]))
    living = range(12 - capacity, 12)
    total = sum(replay.priority(k) for k in living)
    assert total == sum(k + 0.5 for k in living)
    assert replay.state()["tree"][1] == total  # type: ignore[index]


def filled(kind: str) -> Replay:
    if kind == "sequences":
        return SequenceReplay(5, FIELDS)
    return PrioritisedReplay(5, FIELDS, 0.6) if kind == "prioritised" else Replay(5, FIELDS)


@pytest.mark.parametrize("kind", ["uniform", "prioritised", "sequences"])
def test_a_restored_replay_draws_the_same(kind: str) -> None:
    def go_on(replay: Replay, first: int) -> None:
        arrays = rows(first, first + 1, first + 2)
        if isinstance(replay, SequenceReplay):
            replay.add_sequences(arrays, np.array([False, True, True]))
            return
        added = replay.add(arrays)
        if isinstance(replay, PrioritisedReplay):
            replay.update(added, added.astype(np.float64))

    one, other = filled(kind), filled(kind)
    go_on(one, 0)
    go_on(one, 3)
    other.restore(one.state())
    for replay in (one, other):
        go_on(replay, 6)
    first, second = one.sample(20, rng(5)), other.sample(20, rng(5))
    assert first.rows.tolist() == second.rows.tolist()
    assert first.weights.tolist() == second.weights.tolist()
    assert one.take(first.rows)["x"].tolist() == other.take(second.rows)["x"].tolist()


def test_a_replay_of_another_size_is_not_restored() -> None:
    replay = Replay(5, FIELDS)
    replay.add(rows(1, 2, 3))
    with pytest.raises(SpecError, match="other x"):
        Replay(2, FIELDS).restore(replay.state())
