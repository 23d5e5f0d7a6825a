"""Cards, ranks and combinations of Tichu in words.

A card is its rank and its colour: `2R` to `9S`, `TB`, `JG`, `QR`, `KS`, `AB`, in red, green, blue
and black; the others are `Ma`, `Dog`, `Ph` and `Dr`. The Phoenix in a combination shows what it
stands for: `Ph=8`. People may write in lower case, and `10B` for `TB`.
"""

import re
from collections.abc import Iterable

from kibitz.core.errors import PositionError, clip
from kibitz.core.game import Action
from kibitz.core.messages import Message
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    CARDS,
    DOG,
    DRAGON,
    DRAGON_TO,
    GIVE,
    GRAND,
    LOWEST_RANK,
    MAH_JONG,
    NO_GRAND,
    NO_TICHU,
    PHOENIX,
    PLAY,
    RANKED_CARDS,
    SUITS,
    TICHU,
    WISH,
    kind_of,
    low_bits,
    phoenix_of,
)
from kibitz.games.tichu.combinations import (
    BOMB,
    FULL_HOUSE,
    PAIR,
    QUAD,
    SINGLE,
    STEPS,
    STRAIGHT,
    TRIO,
)

COLOURS = "RGBS"
RANKS = "23456789TJQKA"
ANSWERS = {NO_GRAND: "no grand", GRAND: "grand", NO_TICHU: "no tichu", TICHU: "tichu"}
SIDES = {1: "right", 3: "left"}
SPECIALS = {MAH_JONG: "Ma", DOG: "Dog", PHOENIX: "Ph", DRAGON: "Dr"}

CARD_WORDS = [f"{rank}{colour}" for rank in RANKS for colour in COLOURS] + list(SPECIALS.values())
_CARD_OF = {word.lower(): card for card, word in enumerate(CARD_WORDS)}
_CARD_OF |= {f"10{colour.lower()}": _CARD_OF[f"t{colour.lower()}"] for colour in COLOURS}
_CARD_OF |= {"1": MAH_JONG, "mahjong": MAH_JONG, "hu": DOG, "phoenix": PHOENIX, "dragon": DRAGON}
_RANK_OF = {word.lower(): rank for rank, word in enumerate(RANKS, LOWEST_RANK)} | {"10": 10}


def rank_of(card: int) -> int:
    """Return the rank of a card: 2 to 14, the Mah Jong 1, the other three 0."""
    if card < RANKED_CARDS:
        return card // SUITS + LOWEST_RANK
    return 1 if card == MAH_JONG else 0


def rank_word(rank: int) -> str:
    """Write a rank, 2 to 14, in one character."""
    return RANKS[rank - LOWEST_RANK]


def read_rank(word: str) -> int | None:
    """Read a rank, 2 to 14; None if it is none."""
    return _RANK_OF.get(word.lower())


def read_card(word: str) -> int | None:
    """Read a card; None if it is none."""
    return _CARD_OF.get(word.lower())


def parse_card(word: str) -> int:
    """Read a card; PositionError if it is none."""
    card = read_card(word)
    if card is None:
        raise PositionError(Message("tichu.at-not-card-expected-such", {"text": clip(word)}))
    return card


def members(cards: int) -> list[int]:
    """List the cards of a set, lowest first."""
    return [card for card in range(CARDS) if int(cards) >> card & 1]


def set_of(cards: Iterable[int]) -> int:
    """Make a set of cards."""
    return sum(1 << card for card in set(cards))


def sort_cards(cards: int, phoenix_rank: int = 0) -> list[int]:
    """List cards in the order people hold them: Dog, Mah Jong, 2 to ace, Phoenix, Dragon.

    A Phoenix that stands for a rank comes after the cards of that rank.
    """

    def place(card: int) -> tuple[int, int]:
        if card == PHOENIX and phoenix_rank:
            return phoenix_rank, CARDS
        outside = {DOG: 0, PHOENIX: ACE + 1, DRAGON: ACE + 2}
        return outside.get(card, rank_of(card)), card

    return sorted(members(cards), key=place)


def cards_text(cards: int, phoenix_rank: int = 0, between: str = " ") -> str:
    """Write cards in the order people hold them: `5R 6R 7G Ph=8 9S`."""
    words = [CARD_WORDS[card] for card in sort_cards(cards, phoenix_rank)]
    text = between.join(words)
    return re.sub(r"\bPh\b", f"Ph={rank_word(phoenix_rank)}", text) if phoenix_rank else text


def write_action(action: Action) -> str:
    """Write an action in the words that are read again."""
    kind, what = int(kind_of(action)), int(low_bits(action))
    if kind == PLAY:
        return cards_text(what, int(phoenix_of(action)))
    if kind == CALL:
        return ANSWERS[what]
    if kind == GIVE:
        return f"give {cards_text(what)}"
    if kind == WISH:
        return f"wish {rank_word(what)}" if what else "no wish"
    return f"dragon {SIDES[what]}" if kind == DRAGON_TO else "pass"


def describe(kind: int, length: int, height: int) -> Message:
    """Say what a combination is: `pair of nines`, `straight of 5 up to J`."""
    rank = height // 2
    if kind == SINGLE:
        return _describe_single(height)
    if kind in (PAIR, TRIO, FULL_HOUSE):
        code = {PAIR: "tichu.pair", TRIO: "tichu.trio", FULL_HOUSE: "tichu.full-house"}[kind]
        return Message(code, {"ranks": _plural(rank)})
    if kind == STRAIGHT:
        return Message("tichu.straight", {"length": length, "rank": rank_word(rank)})
    if kind == STEPS:
        return Message("tichu.steps", {"pairs": length // 2, "ranks": _plural(rank)})
    if kind == BOMB and length == QUAD:
        return Message("tichu.four", {"ranks": _plural(rank)})
    if kind == BOMB:
        return Message("tichu.flush", {"length": length, "rank": rank_word(rank)})
    return Message("tichu.dog")


def _plural(rank: int) -> Message:
    """Name several cards of a rank: `nines`."""
    return Message(f"tichu.plural-{rank}")


def _describe_single(height: int) -> Message:
    """Say which single card has this height."""
    if height == 2 * (ACE + 1):
        return Message("tichu.dragon")
    rank = {"rank": rank_word(height // 2)} if height > 3 else {}
    if height % 2:
        return Message("tichu.phoenix-above", rank) if rank else Message("tichu.phoenix")
    return Message("tichu.single", rank) if rank else Message("tichu.mah-jong")
