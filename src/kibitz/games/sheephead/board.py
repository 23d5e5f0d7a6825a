"""The Sheephead table drawn for a terminal: readable with and without colour, 80 columns wide.

One line for each seat in the order of play, the own one last, with its card in this trick and in
the one before; below it the own hand, trumps first.
"""

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from kibitz.core.drawing import Fitted
from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.games.sheephead.cards import BLACK_QUEENS, JOKER, POINTS, RED_QUEENS, TOTAL_POINTS
from kibitz.games.sheephead.doubling import n_doublings
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    DOUBLER,
    HIDDEN,
    LEASTER,
    LEASTER_PLAYING,
    NOLA,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    SEATS,
    TRICKS,
    WAITING,
)
from kibitz.games.sheephead.words import (
    is_nola,
    points_of,
    show_card,
    show_cards,
    sort_cards,
    suit_in,
    suit_names,
)

SUIT_STYLES = {"♣": "bold green", "♠": "bold", "♥": "bold red", "♦": "bold bright_blue"}
TRICK_PHASES = (PLAYING, NOLA_PLAYING, LEASTER_PLAYING)
ENDED = (WAITING, OVER)


def card_text(card: int) -> Text:
    """Draw a card in the colour of its suit; the symbol says it too."""
    word = show_card(card)
    return Text(word, "bold yellow" if card == JOKER else SUIT_STYLES[word[-1]])


def draw_cards(cards: int, by_nola: bool = False) -> Text:
    """Draw cards side by side, trumps and high cards first."""
    return Text(" ").join([card_text(card) for card in sort_cards(cards, by_nola)])


def draw_hand(view: np.record, cards: int) -> Text:
    """Draw cards with a gap between suits, in the order in which people hold them.

    The unknown card stands behind the others, and is marked.
    """
    unknown = 1 << int(view.face_down) - 1 if view.face_down > 0 else 0
    text = Text()
    before = -1
    for card in sort_cards(cards & ~unknown, is_nola(view)):
        suit = suit_in(view, card)
        text.append("" if before < 0 else " " if suit == before else "   ")
        text.append_text(card_text(card))
        before = suit
    if cards & unknown:
        text.append("   " if text else "").append_text(card_text(int(view.face_down) - 1))
        text.append(" (face down)", "dim")
    return text


WIDTH = 78
"""Columns below which the seats are a list."""


def render(view: np.record, seat: Seat) -> RenderableType:
    """Draw a view as `seat` sees it (-1: as a spectator)."""
    view = view.copy()  # it is drawn later
    return Fitted(lambda width, _: _draw(view, seat, width < WIDTH))


def _draw(view: np.record, seat: Seat, is_narrow: bool) -> RenderableType:
    """Draw a view from top to bottom."""
    parts: list[RenderableType] = [_headline(view, seat)]
    if view.dealt:
        seats = _listed(view, seat) if is_narrow else [_seats(view, seat)]
        parts += [_contract(view, seat), *_payments(view, seat), *seats]
        parts += [line for line in (_trick(view, seat), _away(view, seat)) if line]
        others = [other for other in range(SEATS) if view.hand[other] and other != seat]
        parts += [_hand(view, other, f"hand of seat {other}") for other in others]
        if 0 <= seat < SEATS and view.hand[seat]:
            parts.append(_hand(view, seat, "your hand"))
    return Group(*parts)


def _name(other: Seat, seat: Seat) -> str:
    return "you" if other == seat else f"seat {other}"


def seat_does(other: Seat, seat: Seat, yours: str, theirs: str) -> str:
    """Say what somebody does, to `seat`: `you take`, `seat 2 takes`."""
    return f"you {yours}" if other == seat else f"seat {other} {theirs}"


def _headline(view: np.record, seat: Seat) -> Text:
    """Say which hand and trick it is, and what is to be done."""
    line = Text("Sheephead", style="bold")
    if view.dealt and view.hands > 1:
        line.append(f"  hand {view.dealt} of {view.hands}")
    if view.phase in TRICK_PHASES:
        line.append(f"  trick {int(view.tricks_played) + 1} of {TRICKS}")
    return line.append(f"  {_status(view, seat)}", style="dim")


def _status(view: np.record, seat: Seat) -> str:
    """Say what happens now."""
    turn = int(view.turn)
    who, verb = ("you", "") if turn == seat else (f"seat {turn}", "s")
    phase = int(view.phase)
    if phase in TRICK_PHASES:
        if not view.n_laid:
            return f"{who} lead{verb}"
        return "you are to play" if turn == seat else f"{who} is to play"
    return {
        WAITING: "the hand is over" if view.dealt else "waiting for cards",
        BIDDING: f"{who} may pick or pass",
        BURYING: f"{who} bur{'y' if turn == seat else 'ies'} two cards",
        DECLARING: f"{who} call{verb} a partner or play{verb} alone",
        BLITZING: f"{who} may show queens",
        CRACKING: f"{who} may crack",
        OVER: "the end",
    }[phase]


def _contract(view: np.record, seat: Seat) -> Text:
    """Say who plays with whom."""
    if view.phase == BIDDING:
        return Text("nobody has picked yet")
    if view.picker == 0:
        kind, rule = nobody_picked(view)
        return Text.assemble((f"nobody picked: {kind}", "bold"), (f" ({rule})", "dim"))
    picker = int(view.picker) - 1
    line = Text(f"{_name(picker, seat)} picked", style="bold")
    if view.phase in (BURYING, DECLARING):
        return line
    if view.called == 0:
        return line.append(f" and play{'' if picker == seat else 's'} alone")
    line.append(f" and call{'' if picker == seat else 's'} ")
    line.append_text(card_text(int(view.called) - 1))
    if view.face_down and view.face_down_at == 0 and picker != seat:
        line.append(" with an unknown card")
    return line.append(f"; {_partner(view, seat)}")


def nobody_picked(view: np.record) -> tuple[Message, Message]:
    """Say what follows where nobody picked, and how it is played."""
    kind = {NOLA: "nola", LEASTER: "leaster", DOUBLER: "doubler"}.get(int(view["pass"]), "redeal")
    return Message(f"sheephead.none-{kind}"), Message(f"sheephead.none-{kind}-rule")


def _partner(view: np.record, seat: Seat) -> str:
    """Say who the partner is, as far as it is known."""
    if view.partner == 0:
        return "the partner is not known yet"
    partner = int(view.partner) - 1
    if partner != seat:
        return f"the partner is seat {partner}"
    return "you are the partner" if view.revealed else "you are the partner, secretly"


def _queens_of_blitz(view: np.record, seat: Seat) -> int:
    """Give the queens that a seat has shown in this hand."""
    pairs = ((view.black, BLACK_QUEENS), (view.red, RED_QUEENS))
    return sum(int(queens) for shown, queens in pairs if shown == seat + 1)


def _payments(view: np.record, seat: Seat) -> list[Text]:
    """Say what the hand pays, or has paid, if it is more than usual."""
    has_ended = view.phase in ENDED
    shown = {other: _queens_of_blitz(view, other) for other in range(SEATS)}
    lines = [
        f"{seat_does(other, seat, 'have', 'has')} shown {show_cards(queens)}"
        for other, queens in shown.items()
        if queens
    ]
    words = ["cracked twice" if view.cracks > 1 else "cracked"] if view.cracks else []
    hands = int(view.doubled)  # that pay double; when a hand has ended, of those to come
    if hands:
        which = "the next hand" if has_ended else "this hand"
        more = f" and {hands - 1} more pay double" if hands > 1 else " pays double"
        words.append(which + more)
    if view.redeals and not has_ended:
        words.append(f"dealt again: {view.redeals}")
    if not has_ended and n_doublings(view):
        words.append(f"payments times {1 << int(n_doublings(view))}")
    lines += ["; ".join(words)] if words else []
    return [Text(line, "bold yellow") for line in lines]


def _seats(view: np.record, seat: Seat) -> Grid:
    """List the seats in the order of play."""
    grid = Grid(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    has_ended = view.phase in ENDED
    cents = ["paid"] if has_ended else ["last hand"] if view.dealt > 1 else []
    cents += ["money"] if view.hands > 1 or has_ended else []
    grid.add_column("", width=8)
    grid.add_column("", width=15)
    for title in ("last trick",) if has_ended else ("trick", "last trick"):
        grid.add_column(title, width=11)
    counts = [view.tricks] if is_nola(view) else [view.tricks, view.points]
    for title in ("tricks", "points")[: len(counts)] + tuple(cents):
        grid.add_column(title, justify="right", no_wrap=True)
    for other in _order(view, seat):
        cells: list[RenderableType] = [_seat_name(view, other, seat), _role(view, other)]
        if not has_ended:
            cells.append(_laid(int(view.laid[other]), bool(view.n_laid and view.winner == other)))
        cells.append(_laid(int(view.last[other]), view.last_winner == other + 1))
        cells += [str(count[other]) for count in counts]
        cells += [
            _cents(view.money[other] if title == "money" else view.paid[other]) for title in cents
        ]
        grid.add_row(*cells)
    return grid


def _listed(view: np.record, seat: Seat) -> list[Text]:
    """Write a line for every seat, in the order of play: what it is, has laid and has taken."""
    lines = []
    for other in _order(view, seat):
        line = _seat_name(view, other, seat)
        if role := _role(view, other):
            line.append(f" ({role})")
        if view.laid[other]:
            wins = bool(view.n_laid and view.winner == other)
            line.append(": ").append_text(_laid(int(view.laid[other]), wins))
        n = int(view.tricks[other])
        taken = f", {n} trick{'' if n == 1 else 's'}"
        taken += "" if is_nola(view) else f", {view.points[other]} points"
        money = view.hands > 1 or view.phase in ENDED
        lines.append(
            line.append(taken + (f", {_cents(view.money[other])}" if money else ""), "dim")
        )
    return lines


def _cents(cents: int) -> str:
    return f"{cents:+d}¢" if cents else "0¢"


def _order(view: np.record, seat: Seat) -> list[Seat]:
    """List the seats to the left of one's own, which comes last."""
    first = seat if 0 <= seat < SEATS else int(view.dealer)
    order = [int(view.left[first])]
    while len(order) < SEATS:
        order.append(int(view.left[order[-1]]))
    return order


def _seat_name(view: np.record, other: Seat, seat: Seat) -> Text:
    is_on_turn = view.phase not in ENDED and view.turn == other
    return Text(("> " if is_on_turn else "  ") + _name(other, seat), "bold" if is_on_turn else "")


def _role(view: np.record, other: Seat) -> Text:
    """Say what is known of a seat: picker, partner, dealer, has passed."""
    words = []
    if view.picker == other + 1:
        words.append("picker")
    if view.partner == other + 1:
        words.append("partner")
    if view.dealer == other:
        words.append("dealer")
    if view.phase == BIDDING and int(view.passed) >> other & 1:
        words.append("passed")
    return Text(", ".join(words))


def _laid(card: int, wins: bool) -> Text:
    """Draw a card in a trick, with a star if it wins."""
    if card == 0:
        return Text("")
    text = Text("face down", "dim") if card == HIDDEN else card_text(card - 1)
    return Text.assemble(text, (" *" if wins else ""))


def _trick(view: np.record, seat: Seat) -> Text:
    """Say what is led and who wins the trick so far; or what came of the hand."""
    if view.phase in ENDED:
        return _result(view, seat)
    if view.phase not in TRICK_PHASES or not view.n_laid:
        return Text("")
    led, winner = suit_names(view)[int(view.led)], int(view.winner)
    wins = "you win" if winner == seat else f"seat {winner} wins"
    words = f"{led} led by {_name(int(view.leader), seat)}, {wins} it so far (*)"
    if not is_nola(view):
        points = sum(int(POINTS[card - 1]) for card in view.laid if card > 0)
        words += f", {points} points in it"
    return Text(words, "dim")


def _result(view: np.record, seat: Seat) -> Text:
    """Say who won the hand, with how many points and tricks."""
    if view.picker == 0:
        return Text(_result_for_all(view, seat), "bold")
    side = {int(view.picker) - 1, int(view.partner) - 1} - {-1}
    buried = points_of(int(view.buried))
    points = sum(int(view.points[other]) for other in side) + buried
    tricks = sum(int(view.tricks[other]) for other in side)
    who = " and ".join(_name(other, seat) for other in sorted(side))
    plural = "s" if len(side) == 1 and seat not in side else ""
    verdict = f"win{plural}" if tricks == TRICKS or points > TOTAL_POINTS // 2 else f"lose{plural}"
    words = f"{who} {verdict} with {points} points"
    words += f", {buried} of them buried," if buried else ""
    words += f" and {tricks} trick{'' if tricks == 1 else 's'}"
    return Text(words, "bold")


def _result_for_all(view: np.record, seat: Seat) -> str:
    """Say who won or lost a hand that nobody picked."""
    taker = int(view.last_winner) - 1
    if taker < 0:
        return ""
    if view["pass"] == NOLA:
        if view.tricks[taker] == TRICKS:
            return f"{seat_does(taker, seat, 'win', 'wins')} with all six tricks"
        return f"{seat_does(taker, seat, 'pay', 'pays')} for the last trick"
    winner = int(np.argmax(view.paid))
    if not view.paid[winner]:
        return "the fewest points are shared: nobody pays"
    points = int(view.points[winner]) + (points_of(int(view.blind)) if winner == taker else 0)
    return f"{seat_does(winner, seat, 'win', 'wins')} the leaster with {points} points"


def _away(view: np.record, seat: Seat) -> Text:
    """Draw the bury, the unknown card and the blind, where they may be seen."""
    parts: list[Text] = []
    if view.buried:
        points = points_of(int(view.buried))
        words = f" ({points} points)"
        parts.append(Text.assemble("buried: ", draw_cards(int(view.buried)), (words, "dim")))
    if view.face_down > 0 and (view.face_down_at == 0 or view.phase in ENDED):
        parts.append(Text.assemble("unknown: ", card_text(int(view.face_down) - 1)))
    if view.blind:
        points = points_of(int(view.blind))
        with_trick = view.phase in ENDED and view["pass"] == LEASTER
        words = f" ({points} points, with the last trick)" if with_trick else ""
        cards = draw_cards(int(view.blind), is_nola(view))
        parts.append(Text.assemble("blind: ", cards, (words, "dim")))
    return Text("   ").join(parts)


def _hand(view: np.record, owner: Seat, title: str) -> Text:
    return Text.assemble((f"{title}: ", "bold"), draw_hand(view, int(view.hand[owner])))
