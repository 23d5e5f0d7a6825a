"""Cards of Sheephead as numbers, sets of them as words, and the numbers of actions.

A card is a number: clubs 7 8 9 K 10 A are 0 to 5, spades 6 to 11, hearts 12 to 17, and trumps from
the eight of diamonds to the queen of clubs 18 to 31. In a picked hand the higher number of a suit
wins. A set of cards is a uint64 with one bit per card.

Nola knows no trumps: there, each of the four suits runs 7 8 9 10 J Q K A, and the joker is the
seven of diamonds.
"""

import numpy as np

from kibitz.core.game import Action
from kibitz.core.kernels import kernel

CARDS = 32
FAIL_SUITS, FAIL_CARDS = 3, 6  # clubs, spades and hearts, six cards each
CLUBS, SPADES, HEARTS, TRUMP = 0, 1, 2, 3
DIAMONDS = TRUMP  # in Nola
FIRST_TRUMP = 18
JOKER, QUEEN_OF_CLUBS = 30, 31
SEVEN, EIGHT, NINE, KING, TEN, ACE = 0, 1, 2, 3, 4, 5  # within a fail suit

NAMES = (
    *(rank + suit for suit in "CSH" for rank in ("7", "8", "9", "K", "10", "A")),
    *("8D", "9D", "KD", "10D", "AD", "JD", "JH", "JS", "JC", "QD", "QH", "QS", "JOKER", "QC"),
)
"""How a card is written; the joker stands for the seven of diamonds."""

_POINTS = {"A": 11, "1": 10, "K": 4, "Q": 3}
POINTS = np.array(
    [2 if name[0] == "J" and len(name) == 2 else _POINTS.get(name[0], 0) for name in NAMES],
    np.int64,
)
TOTAL_POINTS = 120

ALL_CARDS = np.uint64((1 << CARDS) - 1)
TRUMPS = np.uint64((1 << CARDS) - (1 << FIRST_TRUMP))
FAIL = np.uint64((1 << FIRST_TRUMP) - 1)
ACES = np.uint64(sum(1 << (FAIL_CARDS * suit + ACE) for suit in range(FAIL_SUITS)))
"""The three that can be called."""
BLACK_QUEENS = np.uint64(sum(1 << NAMES.index(name) for name in ("QC", "QS")))
RED_QUEENS = np.uint64(sum(1 << NAMES.index(name) for name in ("QH", "QD")))
_SUIT = np.uint64((1 << FAIL_CARDS) - 1)

_NOLA_RANKS = ("7", "8", "9", "10", "J", "Q", "K", "A")
_NOLA_NAMES = ["7D" if name == "JOKER" else name for name in NAMES]
NOLA_SUIT = np.array(["CSHD".index(name[-1]) for name in _NOLA_NAMES], np.int64)
NOLA_RANK = np.array([_NOLA_RANKS.index(name[:-1]) for name in _NOLA_NAMES], np.int64)
NOLA_SUITS = np.array(
    [sum(1 << card for card in range(CARDS) if NOLA_SUIT[card] == suit) for suit in range(4)],
    np.uint64,
)
"""The cards of each suit in Nola."""

# Actions: a card is played by its own number.
PASS, PICK = 32, 33  # PASS is also: no blitz, no crack
ALONE = 34
CALL_ACE = 35  # + suit
CALL_TEN = 38  # + suit
CALL_UNKNOWN = 41  # + 3 * card laid face down + suit of the ace
BURY = 137  # + index of the pair, see `bury_action`
CRACK = 633
BLITZ_BLACK, BLITZ_RED, BLITZ_BOTH = 634, 635, 636
N_ACTIONS = 637


@kernel
def suit_of(card: int) -> int:
    """Return the suit of a card in a picked hand."""
    return card // FAIL_CARDS if card < FIRST_TRUMP else TRUMP


@kernel
def cards_of_suit(suit: int) -> np.uint64:
    """Return all cards of a suit in a picked hand."""
    return TRUMPS if suit == TRUMP else _SUIT << np.uint64(FAIL_CARDS * suit)


@kernel
def bit(card: int) -> np.uint64:
    """Return the set that holds one card."""
    return np.uint64(1) << np.uint64(card)


@kernel
def bury_action(low: int, high: int) -> Action:
    """Make the action that buries two cards, the lower number first."""
    return BURY + high * (high - 1) // 2 + low


@kernel
def unknown_action(card: int, suit: int) -> Action:
    """Make the action that lays a card face down and calls the ace of a suit."""
    return CALL_UNKNOWN + FAIL_SUITS * card + suit
