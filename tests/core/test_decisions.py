"""Answers of agents: what pads them, and answers to parts of a batch put together."""

import numpy as np
import pytest

import kibitz
from kibitz import AgentError
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind, kinds_of
from kibitz.core.rng import RNG, Purpose, derive

ONE = Decisions(
    np.array([5]),
    np.array([[5, 0, NO_ACTION]]),
    np.array([2]),
    np.array([[0.75, 0.25, np.nan]]),
    values=np.array([[1.5, -2, np.nan]]),
    kinds=kinds_of(1, ValueKind.SCORE),
    info={"sims": [100]},
)
OTHERS = Decisions(np.array([7, 8]))
ROWS = np.array([0, 2])


def test_a_part_that_knows_nothing_takes_nothing_from_the_others() -> None:
    whole = Decisions.merge(3, [(ROWS, OTHERS), (np.array([1]), ONE)])
    assert whole.actions.tolist() == [7, 5, 8]
    assert whole.choices is not None
    assert whole.choices.tolist() == [[-1, -1, -1], [5, 0, -1], [-1, -1, -1]]
    assert whole.n_choices is not None
    assert whole.n_choices.tolist() == [0, 2, 0]
    assert whole.values is not None
    np.testing.assert_array_equal(whole.values[1], [1.5, -2, np.nan])
    assert np.isnan(whole.values[ROWS]).all()
    assert [whole.kind(row).name for row in range(3)] == ["NONE", "SCORE", "NONE"]
    assert whole.info == {"sims": [None, 100, None]}


def test_what_no_part_knows_the_whole_does_not_know() -> None:
    whole = Decisions.merge(4, [(np.array([3, 1]), OTHERS), (np.array([0, 2]), OTHERS)])
    assert whole.actions.tolist() == [7, 8, 8, 7]
    for name in ("choices", "n_choices", "weights", "visits", "values", "errors", "kinds"):
        assert getattr(whole, name) is None
    assert whole.kind(2) == ValueKind.NONE


@pytest.mark.parametrize("rows", [[0, 1], [0, 3], [2, 2], [0]])
def test_every_row_is_answered_once(rows: list[int]) -> None:
    with pytest.raises(AgentError, match="an answer to each of 3 rows, once"):
        Decisions.merge(3, [(np.array(rows), OTHERS), (np.array([1]), ONE)])


def test_no_card_that_somebody_holds_pads_a_row() -> None:
    game = kibitz.load_game("sheephead")
    agent = kibitz.load_agent("uct:sims=5", game)
    tables = [game.deal(seed=1), game.deal(seed=1)]
    while len(tables[1].legal()) < 3:  # two may be picked or passed, more may be led
        seat = tables[1].seat_to_move
        assert seat is not None
        tables[1].play(seat, tables[1].legal(seat)[0])
    seats = np.array([table.seat_to_move for table in tables])
    views = np.concatenate([t.view(int(s)).reshape(1) for t, s in zip(tables, seats, strict=True)])
    rngs = np.array([derive(1, Purpose.AGENT, k) for k in range(2)], RNG)
    found = agent.act(views, seats, rngs, np.arange(2))
    assert found.choices is not None
    assert found.n_choices is not None
    assert found.n_choices.tolist() == [2, len(tables[1].legal())]
    assert (found.choices[0, 2:] == NO_ACTION).all()
    assert found.visits is not None
    assert np.isnan(found.visits[0, 2:]).all()


def test_some_rows_can_be_taken() -> None:
    whole = Decisions.merge(3, [(ROWS, OTHERS), (np.array([1]), ONE)])
    one = whole.take(np.array([1]))
    assert one.actions.tolist() == [5]
    assert one.n_choices is not None
    assert one.n_choices.tolist() == [2]
    assert one.kind(0) == ValueKind.SCORE
    assert (one.visits, one.info) == (None, {"sims": [100]})
    assert OTHERS.take(np.array([1, 0])).actions.tolist() == [8, 7]
