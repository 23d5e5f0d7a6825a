"""A Connect 4 board as pages draw it: see `kibitz.core.hints` and ui/src/wire.ts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.core.wording import words
from kibitz.games.connect4.rules import COLUMN_BITS, COLUMNS, NOBODY, ROWS
from kibitz.games.connect4.text import format_action, winning_cells

NO_DISC = -1


def picture(view: np.record, viewer: Seat) -> dict[str, Any]:
    """Return the board; all see the same."""
    moves = [int(column) for column in view.line[: int(view.n_moves)]]
    winner = None if view.winner == NOBODY else int(view.winner) - 1
    return {
        "game": "connect4",
        "phase": _phase(view),
        "board": [[_owner(view, row, column) for column in range(COLUMNS)] for row in range(ROWS)],
        "turn": None if view.turn == NOBODY else int(view.turn) - 1,
        "winner": winner,
        "line": [] if winner is None else _line(view, winner),
        "last": _last(view, moves),
        "moves": moves,
    }


def _phase(view: np.record) -> str:
    if view.turn != NOBODY:
        return "play"
    return "over" if view.n_moves else "wait"


def _owner(view: np.record, row: int, column: int) -> int:
    """Return whose disc lies in a cell; rows count from the top here, as one reads them."""
    cell = COLUMN_BITS * column + ROWS - 1 - row
    return next((seat for seat in range(2) if int(view.discs[seat]) >> cell & 1), NO_DISC)


def _line(view: np.record, winner: Seat) -> list[list[int]]:
    """List row and column of the discs that made four."""
    cells = winning_cells(int(view.discs[winner]))
    return sorted([ROWS - 1 - cell % COLUMN_BITS, cell // COLUMN_BITS] for cell in cells)


def _last(view: np.record, moves: list[int]) -> list[int] | None:
    """Return row and column of the disc that was dropped last."""
    if not moves:
        return None
    return [ROWS - moves.count(moves[-1]), moves[-1] - 1]


def choices(view: np.record, seat: Seat, actions: Sequence[Action]) -> list[dict[str, Any]]:
    """Return what a page offers for each open column, with the row where the disc lands."""
    moves = [int(column) for column in view.line[: int(view.n_moves)]]
    return [
        {
            "text": format_action(view, seat, action),
            "kind": "column",
            "words": words(Message("connect4.drop", {"column": int(action)})),
            "column": int(action),
            "row": ROWS - 1 - moves.count(int(action)),
        }
        for action in actions
    ]


def prompt(view: np.record, seat: Seat, actions: Sequence[Action]) -> Message:
    """Say the next thing to do."""
    return Message("connect4.ask-column")
