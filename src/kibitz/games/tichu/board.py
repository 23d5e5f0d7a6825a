"""The Tichu table drawn for a terminal: 98 columns wide, or a list; readable without colour too.

You sit at the bottom and your partner opposite; your right neighbour, who comes next, sits on the
right. Cards of one rank stand above each other, and ranks that follow each other stand side by
side: pairs are columns, straights are rows without a gap.
"""

import numpy as np
from rich import box
from rich.align import Align
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from kibitz.core.drawing import Fitted
from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.core.wording import NOBODY, word, words
from kibitz.games.tichu.cards import (
    DOG,
    DRAGON,
    MAH_JONG,
    PHOENIX,
    RANKED_CARDS,
    SUITS,
)
from kibitz.games.tichu.combinations import NOTHING
from kibitz.games.tichu.state import (
    CALLING,
    DRAGON_TRICK,
    EXCHANGE,
    GRAND_CALLED,
    GRAND_CALLING,
    OVER,
    ROUND,
    SEATS,
    TICHU_CALLED,
    TURN,
    UNKNOWN,
    WAITING,
    WINDOW,
    WISHING,
    is_exchanged,
    n_cards,
)
from kibitz.games.tichu.words import (
    CARD_WORDS,
    describe,
    members,
    rank_of,
    rank_word,
    sort_cards,
)

WIDTH = 98
SIDE = 28  # of the boxes of the others
CENTRE = WIDTH - 2 * SIDE - 4
OWN = 68
SUIT_STYLES = ("bold red", "bold green", "bold bright_blue", "bold")  # the letter says it too
SPECIAL_STYLES = {
    MAH_JONG: "bold cyan",
    DOG: "bold cyan",
    PHOENIX: "bold magenta",
    DRAGON: "bold yellow",
}
BADGES = {
    TICHU_CALLED: (" TICHU ", "bold black on yellow"),
    GRAND_CALLED: (" GRAND ", "bold white on red"),
}
RELATIONS = ("tichu.you", "tichu.right", "tichu.partner", "tichu.left")


def card_text(card: int, phoenix_rank: int = 0) -> Text:
    """Draw a card in the colour of its suit; a Phoenix with what it stands for."""
    word = CARD_WORDS[card]
    if card == PHOENIX and phoenix_rank:
        word += f"={rank_word(phoenix_rank)}"
    style = SPECIAL_STYLES.get(card) or SUIT_STYLES[card % SUITS]
    return Text(word, style=style)


def draw_cards(cards: int, phoenix_rank: int = 0) -> Text:
    """Draw cards side by side."""
    drawn = [card_text(card, phoenix_rank) for card in sort_cards(cards, phoenix_rank)]
    return Text(" ").join(drawn)


def render(view: np.record, seat: Seat) -> RenderableType:
    """Draw a view as `seat` sees it (-1: as a spectator)."""
    view = view.copy()  # it is drawn later
    return Fitted(lambda width, _: _draw(view, seat) if width >= WIDTH else _list(view, seat))


def _list(view: np.record, seat: Seat) -> RenderableType:
    """Draw a view in few columns: a line or two for each seat, in the order of play."""
    first = seat if 0 <= seat < SEATS else SEATS - 1
    parts: list[RenderableType] = [_headline(view)]
    for step in range(1, SEATS + 1):
        other = (first + step) % SEATS
        relation = _relation(other, seat) if 0 <= seat < SEATS else ""
        is_on_turn = bool(int(view.deciding) >> other & 1)
        line = Text(f"{'>' if is_on_turn else ' '} {_seat(other)}{relation}: ")
        line.append_text(_count(view, other))
        won = Text(_won(view, other) if view.tricks[other] or view.won[other] else "", "dim")
        for part in (_laid(view, other), won):
            if part:
                line.append(", ").append_text(part)
        parts.append(line)
    parts.append(_on_table(view, seat))
    parts += [Text(_got(view, seat), "dim")] if 0 <= seat < SEATS and _got(view, seat) else []
    for other in range(SEATS):
        if view.hand[other]:
            title = words(Message("tichu.hand-of", {"seat": other}), seat)
            parts.append(Text(f"{title}: ").append_text(draw_cards(int(view.hand[other]))))
    return Group(*parts)


def _draw(view: np.record, seat: Seat) -> RenderableType:
    """Draw a view as a table with four sides."""
    bottom = seat if 0 <= seat < SEATS else 0
    right, partner, left = ((bottom + step) % SEATS for step in (1, 2, 3))
    middle = Grid.grid(padding=(0, 1))
    for width in (SIDE, CENTRE, SIDE):
        middle.add_column(width=width, vertical="middle")
    middle.add_row(_player(view, left, seat), _trick(view, seat), _player(view, right, seat))
    parts: list[RenderableType] = [
        _headline(view),
        Align.center(_player(view, partner, seat), width=WIDTH),
        middle,
    ]
    if seat == bottom:
        parts.append(_own(view, seat))
    else:
        parts.append(Align.center(_player(view, bottom, seat), width=WIDTH))
    shown = [other for other in range(SEATS) if view.hand[other] and other != seat]
    hands = [word("tichu.hand-of", seat=other) for other in shown]
    parts += [Group(Text(hand), _hand(view, k)) for hand, k in zip(hands, shown, strict=True)]
    return Group(*parts)


def _headline(view: np.record) -> Text:
    """Say which round it is, how it stands, and what is to be done."""
    line = Text("Tichu", style="bold")
    if view.match != ROUND:
        line.append(f"  {word('tichu.of-round', number=int(view.dealt), match=int(view.match))}")
    totals = [int(view.total[side]) + int(view.points[side]) for side in range(2)]
    if view.match != ROUND or view.phase in (WAITING, OVER):
        line.append(f"  {word('tichu.score', ours=totals[0], theirs=totals[1])}")
    line.append(f"  {_status(view)}", style="dim")
    return line


def _status(view: np.record) -> str:
    """Say what happens now."""
    seats = [seat for seat in range(SEATS) if int(view.deciding) >> seat & 1]
    code = {
        WAITING: "tichu.now-ended" if view.dealt else "tichu.now-waiting",
        GRAND_CALLING: "tichu.now-grand",
        CALLING: "tichu.now-tichu",
        EXCHANGE: "tichu.now-exchange",
        TURN: "tichu.now-leads" if view.table_kind == NOTHING else "tichu.now-on-turn",
        WISHING: "tichu.now-wishes",
        WINDOW: "tichu.now-bombs",
        DRAGON_TRICK: "tichu.now-dragon",
        OVER: "tichu.now-over",
    }[int(view.phase)]
    return words(Message(code, {"seats": seats}))


def _player(view: np.record, other: Seat, seat: Seat) -> Panel:
    """Draw one seat: cards left, calls, what it has laid and won."""
    won = Text(style="dim")
    if view.tricks[other] or view.won[other]:
        won.append(_won(view, other))
    lines = Text("\n").join([_count(view, other), _laid(view, other), won])
    return _boxed(view, other, seat, lines, SIDE)


def _own(view: np.record, seat: Seat) -> RenderableType:
    """Draw the own seat, with the hand in it."""
    line = _count(view, seat)
    for part in (_laid(view, seat), Text(_won(view, seat) if view.tricks[seat] else "", "dim")):
        if part:
            line.append("   ").append_text(part)
    contents: list[RenderableType] = [line]
    if got := _got(view, seat):
        contents.append(Text(got, "dim"))
    if view.hand[seat]:
        contents += [Text(""), _hand(view, seat)]
    return Align.center(_boxed(view, seat, seat, Group(*contents), OWN), width=WIDTH)


def _boxed(view: np.record, other: Seat, seat: Seat, contents: RenderableType, width: int) -> Panel:
    """Put what is told of a seat in a box with its name; heavy if it is to decide."""
    relation = _relation(other, seat) if 0 <= seat < SEATS else ""
    on_turn = bool(int(view.deciding) >> other & 1)
    return Panel(
        contents,
        title=Text(f"{_seat(other)}{relation}", "bold" if on_turn else ""),
        width=width,
        box=box.HEAVY if on_turn else box.ROUNDED,
        border_style="bold" if on_turn else "dim",
    )


def _count(view: np.record, other: Seat) -> Text:
    """Say how many cards a seat holds or when it went out, and what it has called."""
    place, n = int(view.finished[other]), int(n_cards(view, other))
    if place:
        line = Text(word("tichu.out", place=Message(f"tichu.place-{place}")), style="bold green")
    else:
        line = Text(word("tichu.n-cards", n=n), style="bold" if n <= 3 else "")
    badge = BADGES.get(int(view.call[other]))
    return Text.assemble(line, "  ", badge) if badge else line


def _won(view: np.record, other: Seat) -> str:
    return word("tichu.has-won", n=int(view.tricks[other]), points=int(view.won[other]))


def _relation(other: Seat, seat: Seat) -> str:
    return f", {word(RELATIONS[(other - seat) % SEATS])}"


def _seat(other: Seat) -> str:
    """Name a seat, also one's own."""
    return words(Message("core.seat", {"seat": other}), NOBODY)


def _laid(view: np.record, other: Seat) -> Text:
    """Say what a seat has done in this trick, or answered face down."""
    if view.pending[other]:
        return Text(word("tichu.has-answered"), style="dim")
    if view.phase == EXCHANGE:
        n = int(np.count_nonzero(view.given[other]))
        return Text(word("tichu.has-given", count=n) if n else "", style="dim")
    if view.laid[other] and (other != view.holder or view.table_kind == NOTHING):
        return Text.assemble((word("tichu.laid"), "dim"), draw_cards(int(view.laid[other])))
    if view.table_kind != NOTHING and other == view.holder:
        return Text(word("tichu.holds"), style="bold")
    return Text("")


def _trick(view: np.record, seat: Seat) -> Panel:
    """Draw the middle of the table."""
    return Panel(Align.center(_on_table(view, seat)), width=CENTRE, box=box.SQUARE)


def _on_table(view: np.record, seat: Seat) -> Text:
    """Draw what lies on the table, the wish and the points of the trick."""
    lines: list[Text] = []
    if view.table_kind != NOTHING:
        cards = draw_cards(int(view.table), int(view.table_phoenix))
        what = describe(int(view.table_kind), int(view.table_length), int(view.table_height))
        laid = Message("tichu.laid-by", {"what": what, "seat": int(view.holder)})
        lines += [cards, Text(words(laid, seat), style="dim")]
        lines.append(Text(word("tichu.in-trick", points=int(view.trick)), style="dim"))
    elif view.phase in (WAITING, OVER) and view.dealt:
        lines += [
            Text(word("tichu.side", one=side, two=side + 2, points=int(view.points[side])))
            for side in range(2)
        ]
    else:
        lines.append(Text(word("tichu.empty"), style="dim"))
    if view.wish:
        wish = word("tichu.wish-lies", rank=rank_word(int(view.wish)))
        lines.append(Text(f" {wish} ", style="bold black on cyan"))
    return Text("\n", justify="center").join(lines)


def _hand(view: np.record, owner: Seat) -> Grid:
    """Draw a hand: a column for every rank, equal ranks above each other."""
    cards = members(int(view.hand[owner]))
    ranks = [rank_of(card) for card in cards if card < RANKED_CARDS]
    columns = [[card_text(card)] for card in (DOG, MAH_JONG) if card in cards]
    for rank in range(min(ranks, default=2), max(ranks, default=1) + 1):
        held = [card_text(card) for card in cards if card < RANKED_CARDS and rank_of(card) == rank]
        columns.append(held or [Text(" ·", style="dim")])
    columns += [[card_text(card)] for card in (PHOENIX, DRAGON) if card in cards]
    grid = Grid.grid(padding=(0, 1))
    for column in columns:
        grid.add_column(width=max(2, *(text.cell_len for text in column)))
    for level in reversed(range(max(map(len, columns)))):
        grid.add_row(*(column[level] if level < len(column) else "" for column in columns))
    return grid


def _got(view: np.record, owner: Seat) -> str:
    """Say which cards a seat got, while it has played nothing yet."""
    if not is_exchanged(view) or view.played[owner]:
        return ""
    got = [int(view.given[(owner - step) % SEATS, step - 1]) for step in (1, 2, 3)]
    if UNKNOWN in got:
        return ""
    left, partner, right = (CARD_WORDS[card - 1] for card in got)
    return word("tichu.got", left=left, partner=partner, right=right)
