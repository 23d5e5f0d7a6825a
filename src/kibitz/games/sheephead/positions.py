"""Positions of Sheephead as one line of `key=value` words; checks.py finds out if they can be.

Seats are separated by `/`, cards and lists of seats by `.`, `-` is nothing and `?` is hidden:

    deal=1 phase=play turn=2 dealer=4 hands=?/?/QC.AS.7S/?/? buried=? played=... picker=1 called=AC

Keys that have their usual value, nothing, zero or seat + 1 to the left, are left out. What follows
from the rest is not written: who the partner is, how many tricks are played, what suit is led and
who wins the trick.
"""

import re
from collections.abc import Callable, Iterable

import numpy as np

from kibitz.core.errors import PositionError, clip
from kibitz.core.lines import HIDDEN, NONE, Words, read_number
from kibitz.core.messages import Message
from kibitz.games.sheephead import state as codes
from kibitz.games.sheephead.checks import check_position
from kibitz.games.sheephead.state import (
    BIDDING,
    BLITZING,
    BURYING,
    CRACKING,
    DECLARING,
    HAND_CARDS,
    LEASTER_PLAYING,
    MOST_REDEALS,
    NOLA_PLAYING,
    OVER,
    PLAYING,
    SEATS,
    TRICKS,
    WAITING,
)
from kibitz.games.sheephead.tricks import blind_is_hidden, bury_is_hidden, hand_is_hidden, winner_of
from kibitz.games.sheephead.words import CARD_WORDS, cards_text, is_nola, parse_card, set_of

PHASES = {
    WAITING: "wait",
    BIDDING: "bid",
    BURYING: "bury",
    DECLARING: "declare",
    BLITZING: "blitz",
    CRACKING: "crack",
    PLAYING: "play",
    NOLA_PLAYING: "nola",
    LEASTER_PLAYING: "leaster",
    OVER: "over",
}
KEYS = (
    *("deal", "phase", "turn", "dealer", "left", "hands", "blind", "buried", "played"),
    *("leader", "laid", "last", "last-leader", "last-winner", "tricks", "points"),
    *("passed", "picker", "called", "called-led", "without", "unknown", "void"),
    *("shown", "cracks", "redeals", "doubled", "money", "paid", "misfits"),
)
MOST_HANDS = 1000
MOST_CENTS = 9_999_999
MOST_POINTS = 120
TO_THE_LEFT = (1, 2, 3, 4, 0)
LARGEST_PILE = HAND_CARDS + 2


def format_position(state: np.record) -> str:
    """Write a state or a view as one line."""
    values = {
        "deal": str(state.dealt),
        "phase": PHASES[int(state.phase)],
        "turn": str(state.turn),
        "dealer": str(state.dealer),
        "left": _numbers(state.left),
        "hands": _by_seat(lambda seat: _write_hand(state, seat)),
        "blind": HIDDEN if blind_is_hidden(state) else _write_cards(state.blind),
        "buried": HIDDEN if bury_is_hidden(state) else _write_cards(state.buried),
        "played": _by_seat(lambda seat: _write_cards(state.played[seat])),
        "leader": str(state.leader),
        "laid": _by_seat(lambda seat: _write_card(state.laid[seat])),
        "last": _by_seat(lambda seat: _write_card(state.last[seat])),
        "last-leader": str(state.last_leader),
        "last-winner": _write_seat(state.last_winner),
        "tricks": _numbers(state.tricks),
        "points": _numbers(state.points),
        "passed": _write_seats(int(state.passed)),
        "picker": _write_seat(state.picker),
        "called": _write_card(state.called),
        "called-led": str(state.called_led),
        "without": _write_seats(int(state.without)),
        "unknown": _write_unknown(state),
        "void": _by_seat(lambda seat: _write_suits(state, seat)),
        "shown": f"{_write_seat(state.black)}/{_write_seat(state.red)}",
        "cracks": str(state.cracks),
        "redeals": str(state.redeals),
        "doubled": str(state.doubled),
        "money": _numbers(state.money),
        "paid": _numbers(state.paid),
        "misfits": str(state.misfits),
    }
    shown = (key for key in KEYS if _is_shown(state, key, values[key]))
    return " ".join(f"{key}={values[key]}" for key in shown)


def _is_shown(state: np.record, key: str, value: str) -> bool:
    """Whether a value is not the usual one, or one that people look for."""
    if key in ("turn", "dealer"):
        return state.phase not in (WAITING, OVER) or value != "0"
    if key == "left":
        return state.dealt > 0 and value != _numbers(TO_THE_LEFT)
    if key == "shown":
        return bool(state.black or state.red)
    is_seat = key in ("passed", "picker", "without", "last-winner")
    return key == "phase" or bool(value.strip("-" if is_seat else "-/0"))


def _by_seat(write: Callable[[int], str]) -> str:
    return "/".join(write(seat) for seat in range(SEATS))


def _numbers(values: Iterable[int]) -> str:
    return "/".join(str(int(value)) for value in values)


def _write_cards(cards: int) -> str:
    return cards_text(int(cards), between=".") or NONE


def _write_card(card: int) -> str:
    """Write a field that holds a card + 1, or that a card is hidden."""
    if card == codes.HIDDEN:
        return HIDDEN
    return CARD_WORDS[int(card) - 1] if card else NONE


def _write_seat(seat: int) -> str:
    return str(int(seat) - 1) if seat else NONE


def _write_seats(mask: int) -> str:
    return ".".join(str(seat) for seat in range(SEATS) if mask >> seat & 1) or NONE


def _write_hand(state: np.record, seat: int) -> str:
    return HIDDEN if hand_is_hidden(state, seat) else _write_cards(state.hand[seat])


def _write_unknown(state: np.record) -> str:
    """Write the unknown card, the trick in which it was played and who took that: `8D@3>1`."""
    text = _write_card(state.face_down)
    text += f"@{state.face_down_at}" if state.face_down_at else ""
    return text + (f">{int(state.face_down_to) - 1}" if state.face_down_to else "")


def _suit_letters(state: np.record) -> str:
    return "CSHD" if is_nola(state) else "CSHT"


def _write_suits(state: np.record, seat: int) -> str:
    void, letters = int(state.void[seat]), _suit_letters(state)
    return "".join(letters[suit] for suit in range(4) if void >> suit & 1) or NONE


def parse_position(text: str, state: np.record) -> None:
    """Fill a blank state, whose options are set, from a line of text.

    Raises:
        PositionError: something in the line is malformed, contradictory or impossible.
    """
    words = Words(text, KEYS, SEATS)
    state.phase = words.choice("phase", PHASES)
    state.dealt = words.number("deal", 0, MOST_HANDS)
    for name in ("turn", "dealer", "leader", "last-leader"):
        state[name.replace("-", "_")] = words.number(name, 0, SEATS - 1)
    if "left" in words:
        state.left[:] = words.numbers("left", SEATS, 0, SEATS - 1)
    elif state.dealt:
        state.left[:] = TO_THE_LEFT
    state.hand[:] = words.seats("hands", _read_hidden_cards)
    state.blind, state.buried = (words.read(key, _read_hidden_cards) for key in ("blind", "buried"))
    state.played[:] = words.seats("played", _read_cards)
    for key in ("laid", "last"):
        state[key][:] = words.seats(key, _read_card)
    for name in ("last-winner", "picker"):
        state[name.replace("-", "_")] = words.read(name, _read_seat)
    state.tricks[:] = words.numbers("tricks", SEATS, 0, TRICKS)
    state.points[:] = words.numbers("points", SEATS, 0, MOST_POINTS)
    for name in ("passed", "without"):
        state[name] = words.read(name, _read_seats)
    state.called = words.read("called", _read_known_card)
    state.called_led = words.number("called-led", 0, TRICKS)
    words.read("unknown", lambda word: _read_unknown(word, state))
    state.void[:] = words.seats("void", lambda word: _read_suits(word, _suit_letters(state)))
    words.read("shown", lambda word: _read_shown(word, state))
    state.cracks = words.number("cracks", 0, 2)
    state.redeals = words.number("redeals", 0, MOST_REDEALS)
    state.doubled = words.number("doubled", 0, codes.DOUBLED_HANDS * MOST_HANDS)
    state.money[:] = words.numbers("money", SEATS, -MOST_CENTS, MOST_CENTS)
    state.paid[:] = words.numbers("paid", SEATS, -MOST_CENTS, MOST_CENTS)
    state.misfits = words.number("misfits", 0, 1)
    _conclude(state)
    check_position(state)
    _check_hidden(words, state)


def _conclude(state: np.record) -> None:
    """Fill in what follows from the rest."""
    state.tricks_played = int(state.tricks.sum())
    state.n_laid = int(np.count_nonzero(state.laid))
    if state.called:
        for seat in range(SEATS):
            here = int(state.hand[seat]) | int(state.played[seat])
            if here >> int(state.called) - 1 & 1:
                state.partner = seat + 1
        state.revealed = any(int(cards) >> int(state.called) - 1 & 1 for cards in state.played)
    if state.n_laid and state.laid[state.leader]:
        state.led, state.winner = winner_of(state, int(state.tricks_played) + 1)


def _check_hidden(words: Words, state: np.record) -> None:
    """Check that what is hidden can be, and that nothing else is missing."""
    hidden = words.seats("hands", lambda word: word == HIDDEN)
    for seat in range(SEATS):
        if hidden[seat] != hand_is_hidden(state, seat):
            code = "sheephead.at-hand-hidden" if hidden[seat] else "sheephead.at-hand-has-cards"
            raise PositionError(Message(code, {"seat": seat}))
    for key, is_hidden in (("blind", blind_is_hidden(state)), ("buried", bury_is_hidden(state))):
        if (words.word(key) == HIDDEN) != is_hidden:
            code = "sheephead.at-two-hidden" if is_hidden else "sheephead.at-nothing-to-hide"
            raise PositionError(Message(code, {"key": key}))


def _read_cards(word: str) -> int:
    """Read a set of cards."""
    if word == NONE:
        return 0
    cards = [parse_card(name) for name in word.split(".")[: LARGEST_PILE + 1]]
    if len(cards) > LARGEST_PILE:
        raise PositionError(
            Message("sheephead.at-more-than-cards-one", {"largest_pile": LARGEST_PILE})
        )
    for card in cards:
        if cards.count(card) > 1:
            raise PositionError(Message("sheephead.at-twice", {"card": CARD_WORDS[card]}))
    return set_of(cards)


def _read_hidden_cards(word: str) -> int:
    return 0 if word == HIDDEN else _read_cards(word)


def _read_known_card(word: str) -> int:
    return 0 if word == NONE else parse_card(word) + 1


def _read_card(word: str) -> int:
    return codes.HIDDEN if word == HIDDEN else _read_known_card(word)


def _read_seat(word: str) -> int:
    return 0 if word == NONE else read_number(word, 0, SEATS - 1) + 1


def _read_seats(word: str) -> int:
    """Read a list of seats as a mask."""
    if word == NONE:
        return 0
    mask = 0
    for name in word.split(".")[: SEATS + 1]:
        seat = 1 << read_number(name, 0, SEATS - 1)
        if mask & seat:
            raise PositionError(Message("sheephead.at-seat-twice", {"name": name}))
        mask |= seat
    return mask


def _read_unknown(word: str, state: np.record) -> None:
    """Read the unknown card, when it was played and who took it."""
    found = re.fullmatch(r"([^@>]{1,10})(?:@([1-6])(?:>([0-4]))?)?", word)
    if found is None:
        raise PositionError(Message("sheephead.at-expected-such-d-or", {"text": clip(word)}))
    state.face_down = _read_card(found[1])
    state.face_down_at = int(found[2] or 0)
    state.face_down_to = int(found[3]) + 1 if found[3] else 0


def _read_shown(word: str, state: np.record) -> None:
    """Read who has shown the black queens, and who the red ones: `2/-`."""
    if word == NONE:
        return
    seats = word.split("/", 2)
    if len(seats) != 2:
        raise PositionError(Message("sheephead.at-expected-two-seats-or", {"text": clip(word)}))
    state.black, state.red = map(_read_seat, seats)


def _read_suits(word: str, letters: str) -> int:
    """Read suits as a mask."""
    if word == NONE:
        return 0
    if not re.fullmatch(f"[{letters}]{{1,4}}", word) or len(set(word)) < len(word):
        raise PositionError(
            Message(
                "sheephead.at-expected-suits-out-each", {"letters": letters, "text": clip(word)}
            )
        )
    return sum(1 << letters.index(letter) for letter in word)
