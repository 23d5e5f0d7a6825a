"""Solve Connect 4 slowly and obviously: every game to its end, by the reference rules."""

from tests.reference.connect4 import COLUMNS, ROWS, ReferenceGame


def score_of(moves: str) -> int:
    """Return the score of a position that is not over.

    Whoever wins has one more than the discs that he does not need, the loser minus that.
    """
    return max(score_after(moves, column) for column in ReferenceGame(moves).legal())


def score_after(moves: str, column: int) -> int:
    """Return what a column is worth to who moves."""
    after = f"{moves}{column}"
    game = ReferenceGame(after)
    if game.winner is not None:
        return 1 + (COLUMNS * ROWS - len(moves) - 1) // 2
    return 0 if game.is_over() else -score_of(after)
