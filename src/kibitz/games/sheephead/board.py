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
from kibitz.core.wording import word, words
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
        text.append(f" ({word('sheephead.face-down')})", "dim")
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
        owners = [*others, *([seat] if 0 <= seat < SEATS and view.hand[seat] else [])]
        parts += [_hand(view, owner, seat) for owner in owners]
    return Group(*parts)


def _name(other: Seat, seat: Seat) -> str:
    return words(Message("core.seat", {"seat": other}), seat)


def _headline(view: np.record, seat: Seat) -> Text:
    """Say which hand and trick it is, and what is to be done."""
    line = Text("Sheephead", style="bold")
    if view.dealt and view.hands > 1:
        line.append(f"  {word('sheephead.of-hand', hand=int(view.dealt), hands=int(view.hands))}")
    if view.phase in TRICK_PHASES:
        trick = int(view.tricks_played) + 1
        line.append(f"  {word('sheephead.of-trick', trick=trick, tricks=TRICKS)}")
    return line.append(f"  {_status(view, seat)}", style="dim")


def _status(view: np.record, seat: Seat) -> str:
    """Say what happens now."""
    phase = int(view.phase)
    if phase in TRICK_PHASES:
        code = "sheephead.now-plays" if view.n_laid else "sheephead.leads"
    else:
        code = {
            WAITING: "sheephead.now-ended" if view.dealt else "sheephead.now-waiting",
            BIDDING: "sheephead.now-bids",
            BURYING: "sheephead.now-buries",
            DECLARING: "sheephead.now-calls",
            BLITZING: "sheephead.now-shows",
            CRACKING: "sheephead.now-cracks",
            OVER: "sheephead.now-over",
        }[phase]
    return words(Message(code, {"seat": int(view.turn)}), seat)


def _contract(view: np.record, seat: Seat) -> Text:
    """Say who plays with whom."""
    if view.phase == BIDDING:
        return Text(word("sheephead.unpicked"))
    if view.picker == 0:
        kind, rule = nobody_picked(view)
        told = word("sheephead.nobody-picked", kind=kind)
        return Text.assemble((told, "bold"), (f" ({words(rule)})", "dim"))
    picker = {"seat": int(view.picker) - 1}
    line = Text(words(Message("sheephead.has-picked", picker), seat), style="bold")
    if view.phase in (BURYING, DECLARING):
        return line
    if view.called == 0:
        return line.append(words(Message("sheephead.and-alone", picker), seat))
    line.append(words(Message("sheephead.and-calls", picker), seat))
    line.append_text(card_text(int(view.called) - 1))
    if view.face_down and view.face_down_at == 0 and picker["seat"] != seat:
        line.append(word("sheephead.with-unknown"))
    return line.append(f"; {_partner(view, seat)}")


def nobody_picked(view: np.record) -> tuple[Message, Message]:
    """Say what follows where nobody picked, and how it is played."""
    kind = {NOLA: "nola", LEASTER: "leaster", DOUBLER: "doubler"}.get(int(view["pass"]), "redeal")
    return Message(f"sheephead.none-{kind}"), Message(f"sheephead.none-{kind}-rule")


def _partner(view: np.record, seat: Seat) -> str:
    """Say who the partner is, as far as it is known."""
    if view.partner == 0:
        return word("sheephead.partner-unknown")
    code = "sheephead.partner-known" if view.revealed else "sheephead.partner-secret"
    return words(Message(code, {"seat": int(view.partner) - 1}), seat)


def _queens_of_blitz(view: np.record, seat: Seat) -> int:
    """Return the queens that a seat has shown in this hand."""
    pairs = ((view.black, BLACK_QUEENS), (view.red, RED_QUEENS))
    return sum(int(queens) for shown, queens in pairs if shown == seat + 1)


def _payments(view: np.record, seat: Seat) -> list[Text]:
    """Say what the hand pays, or has paid, if it is more than usual."""
    has_ended = view.phase in ENDED
    shown = {other: _queens_of_blitz(view, other) for other in range(SEATS)}
    lines = [
        words(Message("sheephead.has-shown", {"seat": other, "cards": show_cards(queens)}), seat)
        for other, queens in shown.items()
        if queens
    ]
    told = []
    if view.cracks:
        told.append(word("sheephead.cracked-twice" if view.cracks > 1 else "sheephead.cracked"))
    hands = int(view.doubled)  # that pay double; when a hand has ended, of those to come
    if hands:
        code = "sheephead.next-double" if has_ended else "sheephead.this-double"
        told.append(word(code, n=hands, more=hands - 1))
    if view.redeals and not has_ended:
        told.append(word("sheephead.redealt", times=int(view.redeals)))
    if not has_ended and n_doublings(view):
        told.append(word("sheephead.times", times=1 << int(n_doublings(view))))
    lines += ["; ".join(told)] if told else []
    return [Text(line, "bold yellow") for line in lines]


def _seats(view: np.record, seat: Seat) -> Grid:
    """List the seats in the order of play."""
    grid = Grid(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    has_ended = view.phase in ENDED
    cents = ["paid"] if has_ended else ["last-hand"] if view.dealt > 1 else []
    cents += ["money"] if view.hands > 1 or has_ended else []
    grid.add_column("", width=8)
    grid.add_column("", width=15)
    for title in ("last-trick",) if has_ended else ("trick", "last-trick"):
        grid.add_column(word(f"sheephead.head-{title}"), width=11)
    counts = [view.tricks] if is_nola(view) else [view.tricks, view.points]
    for title in ("tricks", "points")[: len(counts)] + tuple(cents):
        grid.add_column(word(f"sheephead.head-{title}"), justify="right", no_wrap=True)
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
        facts = {"n": int(view.tricks[other]), "points": int(view.points[other])}
        code = "sheephead.taken-nola" if is_nola(view) else "sheephead.taken"
        taken = f", {word(code, **facts)}"
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
    told = []
    if view.picker == other + 1:
        told.append(word("sheephead.role-picker"))
    if view.partner == other + 1:
        told.append(word("sheephead.role-partner"))
    if view.dealer == other:
        told.append(word("sheephead.role-dealer"))
    if view.phase == BIDDING and int(view.passed) >> other & 1:
        told.append(word("sheephead.role-passed"))
    return Text(", ".join(told))


def _laid(card: int, wins: bool) -> Text:
    """Draw a card in a trick, with a star if it wins."""
    if card == 0:
        return Text("")
    text = Text(word("sheephead.face-down"), "dim") if card == HIDDEN else card_text(card - 1)
    return Text.assemble(text, (" *" if wins else ""))


def _trick(view: np.record, seat: Seat) -> Text:
    """Say what is led and who wins the trick so far; or what came of the hand."""
    if view.phase in ENDED:
        return Text(result(view, seat), "bold")
    if view.phase not in TRICK_PHASES or not view.n_laid:
        return Text("")
    led, winner = suit_names(view)[int(view.led)], int(view.winner)
    leader = Message("sheephead.led-by", {"seat": int(view.leader), "suit": led})
    told = f"{words(leader, seat)}, {words(Message('sheephead.wins-it', {'seat': winner}), seat)}"
    if not is_nola(view):
        points = sum(int(POINTS[card - 1]) for card in view.laid if card > 0)
        told += word("sheephead.points-in-it", points=points)
    return Text(told, "dim")


def result(view: np.record, seat: Seat) -> str:
    """Say who won the hand that has ended, with how many points and tricks."""
    if view.picker == 0:
        return _result_for_all(view, seat)
    side = {int(view.picker) - 1, int(view.partner) - 1} - {-1}
    buried = points_of(int(view.buried))
    points = sum(int(view.points[other]) for other in side) + buried
    tricks = sum(int(view.tricks[other]) for other in side)
    won = tricks == TRICKS or points > TOTAL_POINTS // 2
    facts = {"points": points, "buried": buried, "n": tricks}
    if len(side) == 1:
        code = "sheephead.one-wins" if won else "sheephead.one-loses"
        told = words(Message(code, {"seat": min(side)}), seat)
    else:
        who = [Message("core.seat", {"seat": other}) for other in sorted(side)]
        told = words(Message("sheephead.win" if won else "sheephead.lose", {"who": who}), seat)
    code = "sheephead.with-buried" if buried else "sheephead.with-points"
    return f"{told} {word(code, **facts)}"


def _result_for_all(view: np.record, seat: Seat) -> str:
    """Say who won or lost a hand that nobody picked."""
    taker = int(view.last_winner) - 1
    if taker < 0:
        return ""
    if view["pass"] == NOLA:
        if view.tricks[taker] == TRICKS:
            return words(Message("sheephead.wins-all", {"seat": taker}), seat)
        return words(Message("sheephead.pays-last", {"seat": taker}), seat)
    winner = int(np.argmax(view.paid))
    if not view.paid[winner]:
        return word("sheephead.fewest-shared")
    points = int(view.points[winner]) + (points_of(int(view.blind)) if winner == taker else 0)
    return words(Message("sheephead.wins-leaster", {"seat": winner, "points": points}), seat)


def _away(view: np.record, seat: Seat) -> Text:
    """Draw the bury, the unknown card and the blind, where they may be seen."""
    parts: list[Text] = []
    if view.buried:
        points = points_of(int(view.buried))
        told = f" ({word('sheephead.points', points=points)})"
        cards = draw_cards(int(view.buried))
        parts.append(Text.assemble(word("sheephead.buried"), cards, (told, "dim")))
    if view.face_down > 0 and (view.face_down_at == 0 or view.phase in ENDED):
        unknown = card_text(int(view.face_down) - 1)
        parts.append(Text.assemble(word("sheephead.unknown"), unknown))
    if view.blind:
        points = points_of(int(view.blind))
        with_trick = view.phase in ENDED and view["pass"] == LEASTER
        told = f" ({word('sheephead.points-last', points=points)})" if with_trick else ""
        cards = draw_cards(int(view.blind), is_nola(view))
        parts.append(Text.assemble(word("sheephead.blind"), cards, (told, "dim")))
    return Text("   ").join(parts)


def _hand(view: np.record, owner: Seat, seat: Seat) -> Text:
    title = words(Message("sheephead.hand-of", {"seat": owner}), seat)
    return Text.assemble((f"{title}: ", "bold"), draw_hand(view, int(view.hand[owner])))
