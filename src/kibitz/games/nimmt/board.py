"""The 6 nimmt! table drawn for a terminal: readable with and without colour."""

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from kibitz.core.drawing import Fitted
from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.core.wording import word, words
from kibitz.games.nimmt import MATCH_HEADS
from kibitz.games.nimmt.state import (
    BULL_HEADS,
    CHOOSING,
    DRAFTING,
    FULL_ROW,
    HAND_CARDS,
    OVER,
    ROUND,
    ROWS,
    TAKING,
    UNKNOWN,
    WAITING,
    hand_size,
)

# By heads, told apart by colour-blind people too (blue, orange, vermilion, purple); the number of
# heads is always written as well.
STYLES = {
    1: "",
    2: "bright_cyan",
    3: "bold dark_orange",
    5: "bold red1",
    7: "bold white on magenta",
}
HEAD_MARKS = "·¹²³⁴⁵⁶⁷"


WIDE = 58
"""Columns below which the table is drawn without lines."""


def card_text(card: int, is_plain: bool = False) -> Text:
    """Draw a card with its heads: 55⁷, or 55:7 in plain letters."""
    heads = int(BULL_HEADS[card])
    mark = f":{heads}" if is_plain else HEAD_MARKS[heads]
    return Text(f"{card:>3}{mark}", style=STYLES[heads])


def render(view: np.record, seat: Seat) -> RenderableType:
    """Draw a view as `seat` sees it (-1: as a spectator)."""
    view = view.copy()  # it is drawn later

    def draw(width: int, is_plain: bool) -> RenderableType:
        parts: list[RenderableType] = [Text(_headline(view), style="bold")]
        if view.phase != DRAFTING and view.rounds:
            parts.append(_rows(view, width < WIDE, is_plain))
        parts.append(_players(view, seat, width < WIDE, is_plain))
        if 0 <= seat < view.players and view.hand[seat].any():
            parts.append(_hand(view, seat, is_plain))
        return Group(*parts)

    return Fitted(draw)


def _headline(view: np.record) -> str:
    codes = {
        WAITING: "nimmt.now-waiting",
        CHOOSING: "nimmt.now-choosing",
        TAKING: "nimmt.now-taking",
        DRAFTING: "nimmt.now-drafting",
        OVER: "nimmt.now-over",
    }
    match = "" if view.match == ROUND else word("nimmt.of-round", number=int(view.rounds))
    turn = min(int(view.turn) + 1, HAND_CARDS)
    now = Message(codes[int(view.phase)])
    return f"6 nimmt!  {match}{word('nimmt.of-turn', turn=turn, turns=HAND_CARDS, now=now)}"


def _rows(view: np.record, is_narrow: bool, is_plain: bool) -> Grid:
    """Draw the four rows as lanes of five slots and a marked sixth."""
    grid = Grid(show_header=True, header_style="dim", pad_edge=False)
    if is_narrow:
        grid = Grid(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    grid.add_column("" if is_narrow else word("nimmt.head-row"), justify="right")
    for slot in range(1, FULL_ROW + 1):
        grid.add_column(str(slot), width=4 + is_plain, justify="right")
    grid.add_column("6!", width=2)
    grid.add_column(word("nimmt.head-heads"), justify="right")
    for row in range(ROWS):
        cards = [
            card_text(int(card), is_plain) if card else Text("   ·") for card in view.board[row]
        ]
        full = Text("!!", style="bold red1") if view.length[row] == FULL_ROW else Text("")
        cost = str(view.heads[row])
        grid.add_row(str(row + 1), *cards, full, cost)
    return grid


def _players(view: np.record, seat: Seat, is_narrow: bool, is_plain: bool) -> Grid:
    """List what everybody played, holds (as far as it shows) and has taken."""
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    grid.add_column(word("nimmt.head-seat"))
    turns = ("nimmt.head-now", "nimmt.head-last")
    if not is_narrow:
        turns = ("nimmt.head-this-turn", "nimmt.head-last-turn")
    for head in (*turns, "nimmt.head-heads"):
        grid.add_column(word(head), justify="right")
    if view.match != ROUND:
        grid.add_column(word("nimmt.head-of", heads=MATCH_HEADS), justify="right")
    grid.add_column(word("nimmt.head-hand"))
    for other in range(view.players):
        cells: list[RenderableType] = [
            f"{other} {words(Message('core.seat', {'seat': other}), seat)}"
            if other == seat
            else str(other),
            _choice(view, other, is_plain),
            card_text(int(view.last[other]), is_plain) if view.last[other] else "",
            str(view.taken[other]),
        ]
        if view.match != ROUND:
            cells.append(str(int(view.taken[other]) + int(view.total[other])))
        cells.append("" if other == seat else _cards(view, other, is_plain))
        grid.add_row(*cells)
    return grid


def _choice(view: np.record, seat: Seat, is_plain: bool) -> RenderableType:
    """Draw what a seat has chosen this turn: its card, face down, or nothing yet."""
    card = int(view.chosen[seat])
    if card == UNKNOWN:
        return word("nimmt.face-down")
    if card:
        return card_text(card, is_plain)
    return word("nimmt.chooses") if int(view.deciding) >> seat & 1 else ""


def _cards(view: np.record, seat: Seat, is_plain: bool) -> RenderableType:
    """Draw a hand, or how many cards it has if it is hidden."""
    cards = [card_text(int(card), is_plain) for card in view.hand[seat] if card]
    if cards:
        return Text(" ").join(cards)
    n = int(hand_size(view))
    return Text(word("nimmt.cards", n=n) if n else "", style="dim")


def _hand(view: np.record, seat: Seat, is_plain: bool) -> Text:
    return Text(word("nimmt.your-hand"), style="bold").append_text(
        Text(" ").join([card_text(int(card), is_plain) for card in view.hand[seat] if card])
    )
