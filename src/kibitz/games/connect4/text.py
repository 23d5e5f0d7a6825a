"""Connect 4 as text: a position is the string of columns played, `4453`.

The empty board is `-`, and a state that still waits for its deal is `undealt`. A position holds the
plies of the opening too; it has to be a legal line, not one that `deal` could have drawn.
"""

import numpy as np
from rich.console import RenderableType
from rich.panel import Panel
from rich.text import Text

from kibitz.core.errors import PositionError, clip
from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.core.wording import word, words
from kibitz.games.connect4 import rules
from kibitz.games.connect4.lines import DIRECTIONS
from kibitz.games.connect4.people import guide, merits, tell
from kibitz.games.connect4.rules import CELLS, COLUMN_BITS, COLUMNS, NOBODY, ROWS

__all__ = [
    "explain",
    "format_action",
    "format_position",
    "guide",
    "merits",
    "parse_action",
    "parse_position",
    "render",
    "tell",
]

EMPTY = "-"
UNDEALT = "undealt"
DIGITS = "1234567"

DISCS = ("●", "○")  # of seat 0 and seat 1: they differ without colour
COLOURS = ("bold red", "bold yellow")


def format_position(state: np.record) -> str:
    """Write the columns played, in order."""
    if state.turn == NOBODY and state.n_moves == 0:
        return UNDEALT
    return "".join(str(column) for column in state.line[: state.n_moves]) or EMPTY


def parse_position(text: str, state: np.record) -> None:
    """Fill a blank state by playing the columns of `text`; PositionError names a bad one."""
    if text == UNDEALT:
        return
    columns = "" if text == EMPTY else text
    if not text or len(columns) > CELLS:
        raise PositionError(
            Message(
                "connect4.at-expected-or-columns-such",
                {"empty": repr(EMPTY), "cells": CELLS, "text": clip(text)},
            )
        )
    state.turn = 1
    for i, digit in enumerate(columns):
        if digit not in DIGITS:
            raise PositionError(
                Message(
                    "connect4.at-not-column-expected", {"text": clip(digit), "text2": clip(text)}
                )
            )
        if state.turn == NOBODY:
            raise PositionError(
                Message("connect4.at-move-comes-after-game", {"move": i + 1, "text": clip(text)})
            )
        if not rules.is_legal(state, i % 2, int(digit)):
            raise PositionError(
                Message(
                    "connect4.at-move-column-full",
                    {"move": i + 1, "text": clip(text), "digit": digit},
                )
            )
        rules.apply(state, i % 2, int(digit))


def format_action(state: np.record, seat: Seat, action: Action) -> str:
    """Write a column."""
    return str(action)


def parse_action(state: np.record, seat: Seat, text: str) -> Action:
    """Read a column; PositionError if there is no such one."""
    if len(text) != 1 or text not in DIGITS:
        raise PositionError(Message("connect4.not-a-column", {"text": clip(text)}))
    return int(text)


def explain(state: np.record, seat: Seat, action: Action) -> Message:
    """Say why an action is refused."""
    if state.turn == NOBODY:
        return Message("connect4.over" if state.n_moves else "connect4.not-begun")
    column = {"column": int(action)}
    if not 1 <= action <= COLUMNS:
        return Message("connect4.no-column", column)
    if state.turn != seat + 1:
        return Message("connect4.turn", {"seat": int(state.turn) - 1})
    if not rules.is_legal(state, seat, action):
        return Message("connect4.full", column)
    return Message("connect4.open", column)


def winning_cells(discs: int) -> set[int]:
    """Return every cell that belongs to four in a line."""
    found: set[int] = set()
    for start in range(COLUMNS * COLUMN_BITS):
        for step in DIRECTIONS:
            four = {start + i * step for i in range(4)}
            if all(discs >> cell & 1 for cell in four):
                found |= four
    return found


def render(view: np.record, seat: Seat) -> RenderableType:
    """Draw the board; the last disc stands in (round) and the winning ones in [square] brackets."""
    drawing = Text()
    for row in reversed(range(ROWS)):
        for column in range(1, COLUMNS + 1):
            drawing.append_text(_draw_cell(view, column, row))
        drawing.append("\n")
    drawing.append("".join(f" {digit} " for digit in DIGITS) + "\n\n", style="bold")
    drawing.append_text(_tell_status(view, seat))
    drawing.append("\n")
    for owner in range(2):
        drawing.append(f"{DISCS[owner]} ", style=COLOURS[owner])
        drawing.append(words(Message("connect4.owner", {"seat": owner}), seat))
    drawing.append(f"\n{word('connect4.moves', moves=format_position(view))}", style="dim")
    return Panel.fit(drawing, title="Connect 4", padding=(1, 2))


def _draw_cell(view: np.record, column: int, row: int) -> Text:
    """Draw one cell, three characters wide."""
    cell = COLUMN_BITS * (column - 1) + row
    boards = [int(discs) for discs in view.discs]
    owner = next((i for i in range(2) if boards[i] >> cell & 1), None)
    if owner is None:
        return Text(" · ", style="dim")
    height = sum((boards[0] | boards[1]) >> (cell - row + i) & 1 for i in range(ROWS))
    left, right = " ", " "
    if view.winner == owner + 1 and cell in winning_cells(boards[owner]):
        left, right = "[", "]"
    elif view.line[view.n_moves - 1] == column and height == row + 1:
        left, right = "(", ")"
    return Text.assemble(left, (DISCS[owner], COLOURS[owner]), right)


def _tell_status(view: np.record, seat: Seat) -> Text:
    """Say whose turn it is, or how the game ended."""
    if view.turn != NOBODY:
        mover = int(view.turn) - 1
        told = words(Message("connect4.to-move", {"seat": mover}), seat)
        return Text.assemble((DISCS[mover], COLOURS[mover]), f" {told}")
    if view.winner != NOBODY:
        winner = int(view.winner) - 1
        told = words(Message("connect4.has-won", {"seat": winner}), seat)
        return Text.assemble((DISCS[winner], COLOURS[winner]), f" {told}")
    return Text(word("connect4.draw" if view.n_moves else "connect4.waiting"))
