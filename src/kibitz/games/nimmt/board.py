"""The 6 nimmt! table drawn for a terminal: readable with and without colour."""

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from kibitz.core.game import Seat
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


def card_text(card: int) -> Text:
    """Draw a card with its heads: 55⁷."""
    heads = int(BULL_HEADS[card])
    return Text(f"{card:>3}{HEAD_MARKS[heads]}", style=STYLES[heads])


def render(view: np.record, seat: Seat) -> RenderableType:
    """Draw a view as `seat` sees it (-1: as a spectator)."""
    parts: list[RenderableType] = [Text(_headline(view), style="bold")]
    if view.phase != DRAFTING and view.rounds:
        parts.append(_rows(view))
    parts.append(_players(view, seat))
    if 0 <= seat < view.players and view.hand[seat].any():
        parts.append(_hand(view, seat))
    return Group(*parts)


def _headline(view: np.record) -> str:
    words = {
        WAITING: "waiting for cards",
        CHOOSING: "all choose a card",
        TAKING: "a row must be taken",
        DRAFTING: "the draft",
        OVER: "the end",
    }
    match = "" if view.match == ROUND else f"round {view.rounds}, "
    turn = min(int(view.turn) + 1, HAND_CARDS)
    return f"6 nimmt!  {match}turn {turn} of {HAND_CARDS}: {words[int(view.phase)]}"


def _rows(view: np.record) -> Grid:
    """Draw the four rows as lanes of five slots and a marked sixth."""
    grid = Grid(show_header=True, header_style="dim", pad_edge=False)
    grid.add_column("row", justify="right")
    for slot in range(1, FULL_ROW + 1):
        grid.add_column(str(slot), width=4, justify="right")
    grid.add_column("6!", width=2)
    grid.add_column("heads", justify="right")
    for row in range(ROWS):
        cards = [card_text(int(card)) if card else Text("   ·") for card in view.board[row]]
        full = Text("!!", style="bold red1") if view.length[row] == FULL_ROW else Text("")
        cost = str(view.heads[row])
        grid.add_row(str(row + 1), *cards, full, cost)
    return grid


def _players(view: np.record, seat: Seat) -> Grid:
    """List what everybody played, holds (as far as it shows) and has taken."""
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    grid.add_column("seat")
    grid.add_column("this turn", justify="right")
    grid.add_column("last turn", justify="right")
    grid.add_column("heads", justify="right")
    if view.match != ROUND:
        grid.add_column(f"of {MATCH_HEADS}", justify="right")
    grid.add_column("hand")
    for other in range(view.players):
        cells: list[RenderableType] = [
            f"{other} you" if other == seat else str(other),
            _choice(view, other),
            card_text(int(view.last[other])) if view.last[other] else "",
            str(view.taken[other]),
        ]
        if view.match != ROUND:
            cells.append(str(int(view.taken[other]) + int(view.total[other])))
        cells.append("" if other == seat else _cards(view, other))
        grid.add_row(*cells)
    return grid


def _choice(view: np.record, seat: Seat) -> RenderableType:
    """Draw what a seat has chosen this turn: its card, face down, or nothing yet."""
    card = int(view.chosen[seat])
    if card == UNKNOWN:
        return "face down"
    if card:
        return card_text(card)
    return "chooses" if int(view.deciding) >> seat & 1 else ""


def _cards(view: np.record, seat: Seat) -> RenderableType:
    """Draw a hand, or how many cards it has if it is hidden."""
    cards = [card_text(int(card)) for card in view.hand[seat] if card]
    if cards:
        return Text(" ").join(cards)
    n = int(hand_size(view))
    return Text(f"{n} cards" if n else "", style="dim")


def _hand(view: np.record, seat: Seat) -> Text:
    return Text("your hand: ", style="bold").append_text(
        Text(" ").join([card_text(int(card)) for card in view.hand[seat] if card])
    )
