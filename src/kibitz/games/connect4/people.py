"""What people are told at a Connect 4 board: the log, the rules, what speaks for a column."""

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.games.connect4.rules import COLUMNS, NOBODY, apply, is_legal, wins_with

MIDDLE = (COLUMNS + 1) // 2


def tell(state: np.record, seat: Seat, action: Action, viewer: Seat) -> Message:
    """Say what was played, for a log."""
    return Message("connect4.column", {"column": int(action)})


def guide(view: np.record, seat: Seat) -> Message:
    """Explain the game."""
    return Message("connect4.guide")


def merits(view: np.record, seat: Seat, action: Action) -> list[Message]:
    """Return what speaks for or against a column, the weightiest first."""
    column, other = int(action), 1 - seat
    if wins_with(view, seat, column):
        return [Message("connect4.wins")]
    found = []
    if wins_with(view, other, column):
        found.append(Message("connect4.blocks"))
    state = view.copy()
    apply(state, seat, column)
    if state.turn == NOBODY:
        return found
    found += _answers(state, seat, column)
    if threats := winning_columns(state, seat):
        facts = {"columns": threats, "n": len(threats)}
        found.append(Message("connect4.threatens", facts))
    if not found and column == MIDDLE:
        found.append(Message("connect4.middle"))
    return found


def _answers(state: np.record, seat: Seat, column: int) -> list[Message]:
    """Say where the other seat wins at once."""
    wins = winning_columns(state, 1 - seat)
    found = [Message("connect4.gives", {"column": column})] if column in wins else []
    left = [one for one in wins if one != column]
    return found + ([Message("connect4.leaves", {"columns": left, "n": len(left)})] * bool(left))


def winning_columns(state: np.record, seat: Seat) -> list[int]:
    """Return the columns in which a disc of `seat` would make four."""
    return [
        column
        for column in range(1, COLUMNS + 1)
        if is_legal(state, int(state.turn) - 1, column) and wins_with(state, seat, column)
    ]
