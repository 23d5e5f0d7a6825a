"""Cards of Tichu as numbers, sets of them as words, and actions as sets with a meaning.

A card is a number: 4 * (rank - 2) + suit for the ranks 2 to 14 (11 jack, 12 queen, 13 king, 14
ace), then the Mah Jong, the Dog, the Phoenix and the Dragon. A set of cards is a uint64 with one
bit per card, so a rank is a nibble and a suit is every fourth bit: whoever looks for equal ranks
shifts by one, whoever looks for runs in one suit shifts by four.

An action is an int64 above zero: the cards in its low 56 bits, above them the rank that the Phoenix
stands for (0 if it is alone or absent), above that what is done.
"""

import numpy as np

from kibitz.core.game import Action
from kibitz.core.kernels import inner_kernel, kernel

CARDS = 56
RANKED_CARDS = 52
MAH_JONG, DOG, PHOENIX, DRAGON = 52, 53, 54, 55
LOWEST_RANK, KING, ACE = 2, 13, 14
SUITS = 4  # red, green, blue, black

ALL_CARDS = np.uint64((1 << CARDS) - 1)
RANKED = np.uint64((1 << RANKED_CARDS) - 1)
MAH_JONG_BIT = np.uint64(1 << MAH_JONG)
DOG_BIT = np.uint64(1 << DOG)
PHOENIX_BIT = np.uint64(1 << PHOENIX)
DRAGON_BIT = np.uint64(1 << DRAGON)

# What an action does.
PLAY = 0  # lay the cards; the Dog too
PASS = 1  # do nothing, in a turn or in a bomb window
CALL = 2  # with one of the four answers below
GIVE = 3  # one card to the next of: right neighbour, partner, left neighbour
WISH = 4  # a rank, or 0 for none
DRAGON_TO = 5  # the trick goes so many seats to the right: 1 or 3

# Answers to the question for a call.
NO_GRAND, GRAND, NO_TICHU, TICHU = 0, 1, 2, 3

_PHOENIX_SHIFT = 56
_KIND_SHIFT = 60
_CARD_MASK = (1 << CARDS) - 1


@inner_kernel
def play_action(cards: np.uint64, phoenix_rank: int) -> Action:
    """Make the action that lays these cards, the Phoenix standing for a rank."""
    return np.int64(cards) | (np.int64(phoenix_rank) << _PHOENIX_SHIFT)  # type: ignore[return-value]


@kernel
def other_action(kind: int, what: int) -> Action:
    """Make an action that is no play; `what` is a card set, an answer, a rank or a distance."""
    return (np.int64(kind) << _KIND_SHIFT) | np.int64(what)  # type: ignore[return-value]


@inner_kernel
def kind_of(action: Action) -> int:
    """Return what an action does."""
    return action >> _KIND_SHIFT


@inner_kernel
def phoenix_of(action: Action) -> int:
    """Return the rank that the Phoenix stands for."""
    return (action >> _PHOENIX_SHIFT) & 15


@inner_kernel
def low_bits(action: Action) -> int:
    """Return what an action is about: a card set, an answer, a rank or a distance."""
    return action & _CARD_MASK


@inner_kernel
def cards_of(action: Action) -> np.uint64:
    """Return the cards of an action."""
    return np.uint64(action & _CARD_MASK)
