"""Cards, ranks and combinations of Tichu in words.

A card is its rank and its colour: `2R` to `9S`, `TB`, `JG`, `QR`, `KS`, `AB`, in red, green, blue
and black; the others are `Ma`, `Dog`, `Ph` and `Dr`. The Phoenix in a combination shows what it
stands for: `Ph=8`. People may write in lower case, and `10B` for `TB`.
"""

import re
from collections.abc import Iterable

from kibitz.core.errors import PositionError, clip
from kibitz.core.game import Action
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

_PLURALS = {
    2: "twos",
    3: "threes",
    4: "fours",
    5: "fives",
    6: "sixes",
    7: "sevens",
    8: "eights",
    9: "nines",
    10: "tens",
    11: "jacks",
    12: "queens",
    13: "kings",
    14: "aces",
}


def rank_of(card: int) -> int:
    """Give the rank of a card: 2 to 14, the Mah Jong 1, the other three 0."""
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
        raise PositionError(f"{clip(word)} is not a card: expected such as 5R, TG, QB, AS, Ma, Dog")
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


def describe(kind: int, length: int, height: int) -> str:
    """Say what a combination is: `the pair of nines`, `the straight of 5 up to J`."""
    rank = height // 2
    if kind == SINGLE:
        return _describe_single(height)
    if kind in (PAIR, TRIO):
        return f"the {'pair' if kind == PAIR else 'trio'} of {_PLURALS[rank]}"
    if kind == FULL_HOUSE:
        return f"the full house of {_PLURALS[rank]}"
    if kind == STRAIGHT:
        return f"the straight of {length} up to {rank_word(rank)}"
    if kind == STEPS:
        return f"the {length // 2} pairs in a row up to {_PLURALS[rank]}"
    if kind == BOMB and length == QUAD:
        return f"the bomb of four {_PLURALS[rank]}"
    if kind == BOMB:
        return f"the straight flush of {length} up to {rank_word(rank)}"
    return "the Dog"


def _describe_single(height: int) -> str:
    """Say which single card has this height."""
    if height == 2 * (ACE + 1):
        return "the Dragon"
    if height % 2:
        return "the Phoenix" if height < 4 else f"the Phoenix above {rank_word(height // 2)}"
    return "the Mah Jong" if height == 2 else f"the {rank_word(height // 2)}"
