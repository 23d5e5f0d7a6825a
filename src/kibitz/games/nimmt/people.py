"""What people are told at a 6 nimmt! table: the log, who took which row, and the rules at hand."""

from collections.abc import Sequence

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.games.nimmt import MATCH_HEADS
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    FIRST_ROW_ACTION,
    FREE,
    FULL_ROW,
    MATCH,
    ROWS,
)

Rows = list[list[int]]
Taken = tuple[Seat, int, int, int]  # who, which row, with which card, how many heads


def tell(state: np.record, seat: Seat, action: Action, viewer: Seat) -> Message:
    """Say what was played, for a log."""
    if action < FIRST_ROW_ACTION:
        return Message("nimmt.card", {"card": int(action)})
    return Message("nimmt.row", {"row": int(action) - FIRST_ROW_ACTION + 1})


def outcome(before: np.record, after: np.record, viewer: Seat) -> list[Message]:
    """Say who took which row."""
    return [
        Message("nimmt.takes-row", {"seat": seat, "row": row + 1, "card": card, "n": heads})
        for seat, row, card, heads in rows_taken(before, after)
    ]


def rows_taken(before: np.record, after: np.record) -> list[Taken]:
    """Find out which rows were taken in the turn that ended between two views."""
    if after.turn <= before.turn:
        return []
    rows, end = ([_cards(view.board[row]) for row in range(ROWS)] for view in (before, after))
    played = sorted((int(after.last[seat]), seat) for seat in range(int(after.players)))
    for chosen in range(ROWS):  # who was below all rows took one of them
        taken, left = _lay(rows, played, chosen)
        if left == end:
            return taken
    return []


def _cards(cells: Sequence[int]) -> list[int]:
    return [int(card) for card in cells if card]


def _lay(rows: Rows, played: Sequence[tuple[int, Seat]], chosen: int) -> tuple[list[Taken], Rows]:
    """Lay cards from the lowest on; who is below all rows takes the one that is `chosen`."""
    rows, taken = [list(row) for row in rows], []
    for card, seat in played:
        below = [row for row in range(ROWS) if rows[row][-1] < card]
        row = max(below, key=lambda one: rows[one][-1]) if below else chosen
        if not below or len(rows[row]) == FULL_ROW:
            heads = int(BULL_HEADS[rows[row]].sum())
            taken.append((seat, row, card, heads))
            rows[row] = []
        rows[row].append(card)
    return taken, rows


def guide(view: np.record, seat: Seat) -> Message:
    """Explain the game, under the options of the table."""
    how = "nimmt.rows-free" if view.rows == FREE else "nimmt.rows-lowest"
    end = Message("nimmt.ends-match", {"heads": MATCH_HEADS})
    return Message(
        "nimmt.guide",
        {"below": Message(how), "end": end if view.match == MATCH else Message("nimmt.ends-round")},
    )
