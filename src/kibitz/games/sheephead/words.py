"""Cards, suits and actions of Sheephead in words.

A card is its rank and its suit, `7C` to `AC`, `10H`, `QD`, and `joker`. People may write in lower
case, with symbols (`10♥`), `TH` for `10H`, and `spitz` or `7D` for the joker. Where people read,
suits are drawn as symbols.
"""

import re
from collections.abc import Iterable

import numpy as np

from kibitz.core.errors import PositionError, clip
from kibitz.core.messages import Message
from kibitz.games.sheephead.cards import (
    ACE,
    ALONE,
    BLITZ_BLACK,
    BLITZ_BOTH,
    BLITZ_RED,
    BURY,
    CALL_ACE,
    CALL_TEN,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    FAIL_CARDS,
    FAIL_SUITS,
    JOKER,
    N_ACTIONS,
    NAMES,
    NOLA_RANK,
    NOLA_SUIT,
    NOLA_SUITS,
    PASS,
    PICK,
    POINTS,
    TEN,
    cards_of_suit,
    suit_of,
)
from kibitz.games.sheephead.state import NOLA, NOLA_PLAYING, OVER, WAITING

LETTERS, SYMBOLS = "CSHD", "♣♠♥♦"
CARD_WORDS = ["joker" if card == JOKER else name for card, name in enumerate(NAMES)]
SUIT_WORDS = ("clubs", "spades", "hearts")
TRUMP = Message("sheephead.trump")
SUIT_NAMES = (*(Message(f"sheephead.{word}") for word in SUIT_WORDS), TRUMP)
NOLA_SUIT_NAMES = (*SUIT_NAMES[:3], Message("sheephead.diamonds"))
ONE_OF = tuple(Message(f"sheephead.{word}") for word in ("club", "spade", "heart"))

_CARD_OF = {word.upper(): card for card, word in enumerate(CARD_WORDS)}
_CARD_OF |= {f"T{word[2:]}": card for word, card in _CARD_OF.items() if word.startswith("10")}
_CARD_OF |= {"SPITZ": JOKER, "7D": JOKER}
_TO_LETTERS = str.maketrans(dict(zip(SYMBOLS + "♧♤♡♢", LETTERS * 2, strict=True)))
_VARIANTS = re.compile("[\ufe0e\ufe0f]")  # how a symbol is to be drawn

_SUIT_OF = {
    name: suit
    for suit in range(FAIL_SUITS)
    for name in (SUIT_WORDS[suit], SUIT_WORDS[suit][:-1], LETTERS[suit].lower())
}

CALLABLE = [FAIL_CARDS * suit + rank for rank in (ACE, TEN) for suit in range(FAIL_SUITS)]
"""The cards that can be called: three aces, three tens."""

_ACTION_WORDS = {
    **{PASS: "pass", PICK: "pick", ALONE: "alone", CRACK: "crack"},
    **{BLITZ_BLACK: "blitz black", BLITZ_RED: "blitz red", BLITZ_BOTH: "blitz both"},
}

PAIRS = [(low, high) for high in range(CARDS) for low in range(high)]
"""The two cards of every bury, in the order of its actions."""


def read_card(word: str) -> int | None:
    """Read a card; None if it is none."""
    return _CARD_OF.get(_VARIANTS.sub("", word).translate(_TO_LETTERS).upper())


def parse_card(word: str) -> int:
    """Read a card; PositionError if it is none."""
    card = read_card(word)
    if card is None:
        raise PositionError(Message("sheephead.not-a-card", {"text": clip(word)}))
    return card


def read_suit(word: str) -> int | None:
    """Read clubs, spades or hearts; None if it is none of them."""
    return _SUIT_OF.get(_VARIANTS.sub("", word).translate(_TO_LETTERS).lower())


def show_card(card: int) -> str:
    """Write a card for people: 10♥."""
    word = CARD_WORDS[card]
    return word if card == JOKER else word[:-1] + SYMBOLS[LETTERS.index(word[-1])]


def show_cards(cards: int, is_nola: bool = False) -> str:
    """Write cards for people, highest first."""
    return " ".join(show_card(card) for card in sort_cards(cards, is_nola))


def members(cards: int) -> list[int]:
    """List the cards of a set, lowest number first."""
    return [card for card in range(CARDS) if int(cards) >> card & 1]


def set_of(cards: Iterable[int]) -> int:
    """Make a set of cards."""
    return sum(1 << card for card in set(cards))


def sort_cards(cards: int, is_nola: bool = False) -> list[int]:
    """List cards as people hold them: trumps, then clubs, spades, hearts, the highest first.

    In Nola: clubs, spades, hearts, diamonds.
    """
    held = members(cards)
    if is_nola:
        return sorted(held, key=lambda card: (NOLA_SUIT[card], -NOLA_RANK[card]))
    return sorted(held, key=lambda card: ((int(suit_of(card)) + 1) % 4, -card))


def cards_text(cards: int, between: str = " ") -> str:
    """Write cards so that they can be read again, trumps and high cards first."""
    return between.join(CARD_WORDS[card] for card in sort_cards(cards))


def points_of(cards: int) -> int:
    """Count the points of a set of cards."""
    return sum(int(POINTS[card]) for card in members(cards))


def is_nola(state: np.record) -> bool:
    """Whether the hand is Nola, or was until it ended."""
    has_ended = state.phase in (WAITING, OVER) and state.dealt > 0
    return bool(
        state.phase == NOLA_PLAYING or (has_ended and state["pass"] == NOLA and state.picker == 0)
    )


def suit_in(state: np.record, card: int) -> int:
    """Return the suit of a card in this hand; the last of the four is trump, in Nola diamonds."""
    return int(NOLA_SUIT[card]) if is_nola(state) else int(suit_of(card))


def suit_cards(state: np.record, suit: int) -> int:
    """Return all cards of a suit in this hand."""
    return int(NOLA_SUITS[suit]) if is_nola(state) else int(cards_of_suit(suit))


def suit_names(state: np.record) -> tuple[Message, ...]:
    """Return the names of the four suits in this hand."""
    return NOLA_SUIT_NAMES if is_nola(state) else SUIT_NAMES


def buried_cards(action: int) -> tuple[int, int]:
    """Return the two cards of a bury, the lower number first."""
    return PAIRS[action - BURY]


def called_card(action: int) -> int:
    """Return the card that an action calls."""
    if action >= CALL_UNKNOWN:
        return FAIL_CARDS * ((action - CALL_UNKNOWN) % FAIL_SUITS) + ACE
    if action >= CALL_TEN:
        return FAIL_CARDS * (action - CALL_TEN) + TEN
    return FAIL_CARDS * (action - CALL_ACE) + ACE


def unknown_card(action: int) -> int:
    """Return the card that an action lays face down."""
    return (action - CALL_UNKNOWN) // FAIL_SUITS


def write_action(action: int) -> str:
    """Write an action in the words that are read again."""
    if action < CARDS:
        return CARD_WORDS[action]
    if action in _ACTION_WORDS:
        return _ACTION_WORDS[action]
    if action >= BURY:
        return f"bury {cards_text(set_of(buried_cards(action)))}"
    call = f"call {CARD_WORDS[called_card(action)]}"
    if action >= CALL_UNKNOWN:
        return f"unknown {CARD_WORDS[unknown_card(action)]} {call}"
    return call


def is_action(action: int) -> bool:
    """Whether a number is an action of the game at all."""
    return 0 <= action < N_ACTIONS
