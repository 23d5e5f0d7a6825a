"""The text of BSW logs: lines become rounds, or a reason why they do not.

One file is one game of several rounds. Nothing is believed here beyond the form of the lines;
whether a round can have been played is for `replay` to find out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import BinaryIO

from kibitz.core.errors import clip
from kibitz.games.tichu.cards import DOG, DRAGON, MAH_JONG, PHOENIX, SUITS
from kibitz.games.tichu.state import SEATS
from kibitz.games.tichu.words import rank_of

GRAND_HEADER = "---------------Gr.Tichukarten------------------"
START_HEADER = "---------------Startkarten------------------"
EXCHANGE_HEADER = "Schupfen:"
PLAY_HEADER = "---------------Rundenverlauf------------------"

MAX_LINE = 2000
"""Longest line that is looked at, in bytes."""

MAX_NAME = 100
"""Longer names are cut, so that a line with all four of them stays below that."""

MAX_BYTES = 2_000_000_000
"""Most bytes of a file that are read."""

MAX_EVENTS = 1000
"""Most lines between the exchange and the result; 56 cards and the passes between are fewer."""

COLOURS = "RGBS"
RANK_WORDS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "B", "D", "K", "A")
SPECIALS = {MAH_JONG: "Ma", DOG: "Hu", PHOENIX: "Ph", DRAGON: "Dr"}
CARD_WORDS = [f"{colour}{rank}" for rank in RANK_WORDS for colour in COLOURS]
CARD_WORDS += SPECIALS.values()
_CARD_OF = {word: card for card, word in enumerate(CARD_WORDS)}

# Names have no space in them, but anything else, and may be empty.
_SEAT = r"\(([0-3])\)([^ ]*)"
_HAND = re.compile(rf"{_SEAT} (.*)")
_GIFT = r"([^ ]*): ([^ ]+)"
_GIVE = re.compile(rf"{_SEAT} gibt: {_GIFT} - {_GIFT} - {_GIFT}(?: -)?")
_CALL = re.compile(rf"(Grosses Tichu|Tichu): ?{_SEAT}")
_BOMBS = re.compile(r"BOMBE:((?: \([0-3]\)[^ ]*)*)")
_PLAY = re.compile(rf"{_SEAT}: (.*)")
_PASS = re.compile(rf"{_SEAT} passt\.")
_WISH = re.compile(r"Wunsch: ?([^ ]*)")
_DRAGON = re.compile(r"Drache an:(.*)")
_RESULT = re.compile(r"Ergebnis: (-?[0-9]{1,5}) - (-?[0-9]{1,5})")


class Doing(Enum):
    """What a line of play tells."""

    PLAY = "play"
    PASS = "pass"
    WISH = "wish"
    TICHU = "tichu"
    DRAGON = "dragon"


@dataclass(frozen=True)
class Event:
    """One line of play."""

    line: int
    doing: Doing
    seat: int = -1  # who does it, or gets the Dragon's trick; -1 where the line does not say
    cards: tuple[int, ...] = ()  # in the order they are printed
    rank: int = 0  # of a wish


@dataclass
class LoggedRound:
    """One round as it stands in a log."""

    line: int  # of its first header
    names: list[str] = field(default_factory=list)  # per seat
    first_cards: list[list[int]] = field(default_factory=list)  # the eight before Grand Tichu
    cards: list[list[int]] = field(default_factory=list)  # all fourteen
    grand: set[int] = field(default_factory=set)  # seats that called Grand Tichu
    early: set[int] = field(default_factory=set)  # seats that called Tichu before the exchange
    gifts: list[list[int]] = field(default_factory=list)  # to the right, the partner, the left
    holders: set[int] = field(default_factory=set)  # of bombs after the exchange, as logged
    events: list[Event] = field(default_factory=list)
    result: tuple[int, int] = (0, 0)  # of seats 0 and 2, of seats 1 and 3
    result_line: int = 0


class BadRound(Exception):
    """A round that cannot be read or replayed."""

    def __init__(self, line: int, reason: str) -> None:
        """Name the line, counted from 1 in the file, and what is wrong with it."""
        super().__init__(reason)
        self.line = line
        self.reason = reason


class HeaderTwice(BadRound):
    """A round begins before the one before it came to the exchange."""


@dataclass(frozen=True)
class Stray:
    """Lines outside all rounds."""

    line: int


class Lines:
    """The lines of a log, with the next one known; blank lines are left out."""

    def __init__(self, stream: BinaryIO) -> None:
        """Begin at the first line."""
        self._stream = stream
        self._number = 0
        self.n_bytes = 0  # read so far
        self.move_on()

    def move_on(self) -> None:
        """Go to the next line that is not blank."""
        while True:
            raw = self._read()
            self._number += 1
            is_long = len(raw) > MAX_LINE
            while len(raw) > MAX_LINE and not raw.endswith(b"\n"):
                raw = self._read()
            self.text = "" if is_long else _decode(raw)
            self.is_end = not raw and not is_long
            if self.text or self.is_end or is_long:
                return

    def _read(self) -> bytes:
        """Read a line or the beginning of a long one; nothing at the end of what is read."""
        if self.n_bytes > MAX_BYTES:
            return b""
        raw = self._stream.readline(MAX_LINE + 1)
        self.n_bytes += len(raw)
        return raw

    @property
    def number(self) -> int:
        """Which line it is, from 1; at the end, the last one."""
        return max(1, self._number - self.is_end)

    @property
    def begins_round(self) -> bool:
        """Whether a round begins here."""
        return self.text == GRAND_HEADER

    def bad(self, expected: str) -> BadRound:
        """Say what was expected here instead."""
        if self.is_end:
            return BadRound(self.number, f"the file ends where {expected} was expected")
        if self.begins_round:
            return BadRound(self.number, f"the next round begins where {expected} was expected")
        if not self.text:
            return BadRound(self.number, f"the line has more than {MAX_LINE} bytes")
        return BadRound(self.number, f"expected {expected}, got {clip(self.text)}")

    def take(self, form: re.Pattern[str], expected: str) -> re.Match[str]:
        """Read a line of a form and move on; BadRound if it has another."""
        found = form.fullmatch(self.text)
        if found is None:
            raise self.bad(expected)
        return found

    def take_header(self, header: str) -> None:
        """Read one of the fixed lines and move on."""
        if self.text != header:
            raise self.bad(f"'{header.strip('-')}'")
        self.move_on()


def _decode(raw: bytes) -> str:
    """Read a line as UTF-8, or where it is not, as Latin-1; a hard space belongs to the text."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.removeprefix("\ufeff").strip(" \t\r\n")


def read_rounds(lines: Lines) -> Iterator[tuple[int, LoggedRound | BadRound | Stray]]:
    """Yield the rounds of a log, counted from 1, or what is wrong with one that is damaged.

    A log in which a round begins before the one before it came to the exchange was written by a
    server in trouble: it ends there.
    """
    number = 0
    while not lines.is_end:
        if not lines.begins_round:
            yield number, Stray(lines.number)
        while not lines.is_end and not lines.begins_round:
            lines.move_on()
        if lines.is_end:
            return
        number += 1
        try:
            yield number, _read_round(lines)
        except BadRound as bad:
            yield number, bad
            if isinstance(bad, HeaderTwice):
                return
            while not lines.is_end and not lines.begins_round:
                lines.move_on()


def _read_round(lines: Lines) -> LoggedRound:
    """Read one round, from its header to its result."""
    logged = LoggedRound(lines.number)
    lines.move_on()
    try:
        logged.first_cards = [_read_hand(lines, logged, seat, 8) for seat in range(SEATS)]
        lines.take_header(START_HEADER)
        logged.cards = [_read_hand(lines, logged, seat, 14) for seat in range(SEATS)]
        _read_calls(lines, logged)
        lines.take_header(EXCHANGE_HEADER)
    except BadRound as bad:
        if lines.begins_round:
            reason = "a round begins before the exchange of this one; the rest is not read"
            raise HeaderTwice(bad.line, reason) from None
        raise
    logged.gifts = [_read_gifts(lines, logged, seat) for seat in range(SEATS)]
    _read_late_calls(lines, logged)
    lines.take_header(PLAY_HEADER)
    while not lines.text.startswith("Ergebnis"):
        if len(logged.events) >= MAX_EVENTS:
            raise lines.bad(f"the result after {MAX_EVENTS} lines of play")
        logged.events.append(_read_event(lines, logged))
        lines.move_on()
    found = lines.take(_RESULT, "a result such as 'Ergebnis: 75 - 25'")
    logged.result, logged.result_line = (int(found[1]), int(found[2])), lines.number
    lines.move_on()
    return logged


def _read_card(lines: Lines, word: str) -> int:
    if word not in _CARD_OF:
        raise BadRound(lines.number, f"{clip(word)} is not a card")
    return _CARD_OF[word]


def _read_cards(lines: Lines, text: str) -> list[int]:
    return [_read_card(lines, word) for word in text.split(" ") if word]


def _read_hand(lines: Lines, logged: LoggedRound, seat: int, n_cards: int) -> list[int]:
    """Read the cards that a seat was dealt, and its name."""
    expected = f"{n_cards} cards of seat {seat}"
    found = lines.take(_HAND, expected)
    cards = _read_cards(lines, found[3])
    if int(found[1]) != seat or len(cards) != n_cards:
        raise lines.bad(expected)
    if len(logged.names) == seat:
        logged.names.append("")
    _learn_name(logged, seat, found[2])
    lines.move_on()
    return cards


def _learn_name(logged: LoggedRound, seat: int, name: str) -> None:
    """Take the name of a seat that has none yet: lines of hands may lack what others have."""
    if name and not logged.names[seat]:
        logged.names[seat] = name.replace("\xa0", " ")[:MAX_NAME]


def _read_calls(lines: Lines, logged: LoggedRound) -> None:
    """Read the calls before the exchange, which may be there twice."""
    while found := _CALL.fullmatch(lines.text):
        calls = logged.grand if found[1] == "Grosses Tichu" else logged.early
        calls.add(int(found[2]))
        lines.move_on()


def _read_gifts(lines: Lines, logged: LoggedRound, seat: int) -> list[int]:
    """Read what a seat gives to the right, the partner and the left, and all four names."""
    expected = f"what seat {seat} gives to the three others"
    found = lines.take(_GIVE, expected)
    if int(found[1]) != seat:
        raise lines.bad(expected)
    gifts = [_read_card(lines, found[i]) for i in (4, 6, 8)]
    for step, name in enumerate(found.group(2, 3, 5, 7)):
        _learn_name(logged, (seat + step) % SEATS, name)
    lines.move_on()
    return gifts


def _read_late_calls(lines: Lines, logged: LoggedRound) -> None:
    """Read who holds bombs, which players do not see, and calls before the first card."""
    while True:
        call, bombs = _CALL.fullmatch(lines.text), _BOMBS.fullmatch(lines.text)
        if call is not None and call[1] == "Tichu":
            logged.events.append(Event(lines.number, Doing.TICHU, int(call[2])))
        elif bombs is not None:
            logged.holders |= {int(seat) for seat in re.findall(r" \(([0-3])\)", bombs[1])}
        else:
            return
        if len(logged.events) >= MAX_EVENTS:
            raise lines.bad("the play")
        lines.move_on()


def _read_event(lines: Lines, logged: LoggedRound) -> Event:
    """Read one line of play; `move_on` is left to the caller."""
    text, number = lines.text, lines.number
    if found := _PASS.fullmatch(text):
        _learn_name(logged, int(found[1]), found[2])
        return Event(number, Doing.PASS, int(found[1]))
    if found := _PLAY.fullmatch(text):
        _learn_name(logged, int(found[1]), found[2])
        cards = tuple(_read_cards(lines, found[3]))
        if not cards or len(set(cards)) < len(cards):
            raise lines.bad("different cards")
        return Event(number, Doing.PLAY, int(found[1]), cards)
    if (found := _CALL.fullmatch(text)) and found[1] == "Tichu":
        return Event(number, Doing.TICHU, int(found[2]))
    if found := _WISH.fullmatch(text):
        if found[1] not in RANK_WORDS:
            raise lines.bad("a rank that is wished for")
        return Event(number, Doing.WISH, rank=RANK_WORDS.index(found[1]) + 2)
    if found := _DRAGON.fullmatch(text):
        return Event(number, Doing.DRAGON, _read_receiver(found[1].strip(" "), logged))
    raise lines.bad("a line of play")


def _read_receiver(text: str, logged: LoggedRound) -> int:
    """Find who gets the Dragon's trick; the seat's number or its name may be left out."""
    found = re.match(r"\(([0-3])\)", text)
    if found is not None:
        return int(found[1])
    name = text.replace("\xa0", " ")
    return logged.names.index(name) if logged.names.count(name) == 1 else -1


def card_order(card: int, phoenix_rank: int) -> tuple[int, int]:
    """Sort cards as logs print them: high to low, the Phoenix where it stands for a rank."""
    if card == PHOENIX:
        return -(phoenix_rank or 15), SUITS
    high = {DRAGON: 16, DOG: 0}
    return -high.get(card, rank_of(card)), card % SUITS
