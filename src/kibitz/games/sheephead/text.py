"""Sheephead as text: actions; positions.py has positions, reasons.py refusals, board.py the table.

`pass`, `pick`, `bury AH 10H`, `alone`, `call AC`, `call 10H`, `unknown 8D call AC`, `blitz black`,
`blitz red`, `blitz both`, `crack`, and a card alone is played: `QC`, `10H`, `joker`. Who types may
leave out the first word where only one thing can be meant: two cards where cards are buried, an ace
or a ten where a partner is called. And `call clubs` calls its ace, or its ten, if
the picker has all three aces.
"""

import re

import numpy as np

from kibitz.core.errors import PositionError, clip
from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.games.sheephead.board import render
from kibitz.games.sheephead.cards import (
    ACES,
    ALONE,
    BLITZ_BLACK,
    BLITZ_BOTH,
    BLITZ_RED,
    CALL_ACE,
    CALL_TEN,
    CRACK,
    FAIL_CARDS,
    FAIL_SUITS,
    PASS,
    PICK,
    TEN,
    bury_action,
    unknown_action,
)
from kibitz.games.sheephead.merits import merits
from kibitz.games.sheephead.people import guide, outcome, suggest, tell
from kibitz.games.sheephead.positions import format_position, parse_position
from kibitz.games.sheephead.reasons import QUESTIONS, explain
from kibitz.games.sheephead.state import BIDDING, BLITZING, BURYING, CRACKING, DECLARING
from kibitz.games.sheephead.words import CALLABLE, parse_card, read_card, read_suit, write_action

__all__ = [
    "explain",
    "format_action",
    "format_position",
    "guide",
    "merits",
    "outcome",
    "parse_action",
    "parse_position",
    "render",
    "suggest",
    "tell",
]

_WORDS = {
    "pass": PASS,
    "no blitz": PASS,
    "no crack": PASS,
    "pick": PICK,
    "alone": ALONE,
    "call alone": ALONE,
    "blitz black": BLITZ_BLACK,
    "black blitz": BLITZ_BLACK,
    "blitz red": BLITZ_RED,
    "red blitz": BLITZ_RED,
    "blitz both": BLITZ_BOTH,
    "crack": CRACK,
    "recrack": CRACK,
    "re-crack": CRACK,
}
_COMMANDS = {"bury": BURYING, "call": DECLARING, "unknown": DECLARING, "blitz": BLITZING}
"""The first words of what is typed, and when."""

_WORD_QUESTIONS = (BIDDING, BLITZING, CRACKING)
"""What is answered without naming a card."""

_SHAPES = (
    ("unknown", re.compile(r"(?:unknown )?(\S+) call (\S+)|unknown (\S+) (\S+)")),
    ("call", re.compile(r"call (\S+)")),
    ("bury", re.compile(r"bury (\S+) (\S+)")),
    ("play", re.compile(r"(?:play )?(\S+)")),
)


def format_action(state: np.record, seat: Seat, action: Action) -> str:
    """Write an action in the words that are read again."""
    return write_action(int(action))


def parse_action(state: np.record, seat: Seat, text: str) -> Action:
    """Read an action; PositionError if it is none."""
    line = " ".join(re.sub(r"[,+&]", " ", text.lower()).split())
    if line in _WORDS:
        return _WORDS[line]
    if not line:
        raise PositionError(QUESTIONS[int(state.phase)])
    words = line.split(" ")
    _check_complete(int(state.phase), words)
    if state.phase == BURYING and len(words) == 2 and words[0] not in _COMMANDS:
        line = f"bury {line}"
    if state.phase == DECLARING and words[0] not in _COMMANDS:
        line = f"call {line}" if len(words) == 1 else f"unknown {line}" if len(words) == 2 else line
    if state.phase == BLITZING and f"blitz {line}" in _WORDS:
        return _WORDS[f"blitz {line}"]
    if state.phase in _WORD_QUESTIONS and len(words) == 1 and read_card(line) is None:
        raise _unanswered(int(state.phase), text)
    for name, shape in _SHAPES:
        if found := shape.fullmatch(line):
            named = [word for word in found.groups() if word is not None]
            return _READERS[name](state, seat, named)
    raise _unanswered(int(state.phase), text)


def _check_complete(phase: int, words: list[str]) -> None:
    """Say what is missing of what has only been begun."""
    command, n = words[0], len(words)
    if _COMMANDS.get(command, phase) != phase:
        if n == 1:
            raise _unanswered(phase, command)
        return
    if command == "bury" and n != 3:
        first = words[1].upper() if n == 2 and read_card(words[1]) is not None else "7C"
        codes = {1: "sheephead.buries-none", 2: "sheephead.buries-one"}
        code = codes.get(n, "sheephead.buries-many")
        raise PositionError(Message(code, {"count": n - 1, "first": first}))
    if command == "blitz":
        raise PositionError(Message("sheephead.which-queens"))
    if command == "call" and n == 1:
        raise PositionError(Message("sheephead.which-card"))
    if command == "unknown" and n == 1:
        raise PositionError(Message("sheephead.which-unknown"))
    if command == "unknown" and (n == 2 or words[2:] == ["call"]):
        raise PositionError(Message("sheephead.which-ace"))


def _unanswered(phase: int, text: str) -> PositionError:
    """Repeat the question that something typed does not answer."""
    facts = {"question": QUESTIONS[phase], "text": clip(text)}
    return PositionError(Message("sheephead.answer", facts))


def _read_bury(state: np.record, seat: Seat, words: list[str]) -> Action:
    low, high = sorted(map(parse_card, words))
    if low == high:
        raise PositionError(Message("sheephead.buries-twice", {"text": clip(words[0])}))
    return int(bury_action(low, high))


def _read_call(state: np.record, seat: Seat, words: list[str]) -> Action:
    suit = read_suit(words[-1])
    if suit is not None:
        held = int(state.hand[seat]) | int(state.buried)
        return (CALL_TEN if held & int(ACES) == int(ACES) else CALL_ACE) + suit
    suit, rank = divmod(_parse_called(words[-1]), FAIL_CARDS)
    return (CALL_TEN if rank == TEN else CALL_ACE) + suit


def _read_unknown(state: np.record, seat: Seat, words: list[str]) -> Action:
    laid, suit = parse_card(words[0]), read_suit(words[1])
    if suit is None:
        called = _parse_called(words[1])
        if called not in CALLABLE[:FAIL_SUITS]:
            raise PositionError(Message("sheephead.unknown-with-ace", {"text": clip(words[1])}))
        suit = called // FAIL_CARDS
    return int(unknown_action(laid, suit))


def _parse_called(word: str) -> int:
    card = read_card(word)
    if card not in CALLABLE:
        raise PositionError(Message("sheephead.not-callable", {"text": clip(word)}))
    return card


def _read_card(state: np.record, seat: Seat, words: list[str]) -> Action:
    return parse_card(words[0])


_READERS = {
    "unknown": _read_unknown,
    "call": _read_call,
    "bury": _read_bury,
    "play": _read_card,
}
