"""Endings of Connect 4 that are drawn and solved."""

import numpy as np
import pytest

import kibitz
from kibitz import KibitzError
from kibitz.bench.endings import draw_endings
from kibitz.bench.mistakes import FULL
from kibitz.core.table import Table


def play(moves: str) -> Table:
    """Open the table after some moves."""
    return kibitz.open_table(f"connect4 {moves}")


def value(moves: str) -> int:
    """Value a position for who has just moved, by the rules alone."""
    table = play(moves)
    if table.is_over:
        return int(table.scores[(len(moves) - 1) % 2])
    mover = table.movers[0]
    return -max(value(f"{moves}{action}") for action in table.legal(mover))


def test_scores_are_those_of_the_whole_tree() -> None:
    endings = draw_endings(4, 6, 1)
    for moves, scores in zip(endings.moves, endings.scores, strict=True):
        legal = play(moves).legal(len(moves) % 2)
        for column in range(1, 8):
            expected = value(f"{moves}{column}") if column in legal else FULL
            assert scores[column - 1] == expected


def test_endings_are_quiet_and_have_something_to_lose() -> None:
    endings = draw_endings(10, 15, 2)
    for moves, scores in zip(endings.moves, endings.scores, strict=True):
        assert len(moves) == 42 - 15
        assert len(set(scores[scores != FULL])) > 1
        for column in np.flatnonzero(scores != FULL) + 1:
            assert not play(f"{moves}{column}").is_over


def test_the_same_seed_draws_the_same_endings() -> None:
    assert draw_endings(3, 10, 5).moves == draw_endings(5, 10, 5).moves[:3]
    assert draw_endings(3, 10, 5).moves != draw_endings(3, 10, 6).moves


def test_too_many_empty_cells_are_refused() -> None:
    with pytest.raises(KibitzError, match="1 to 28 empty cells, got 29"):
        draw_endings(1, 29, 1)
