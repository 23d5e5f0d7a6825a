"""How the rule bot picks, buries, calls, shows queens and cracks.

A hand is judged by its trumps: 3 for a queen or the joker, 2 for a jack, 1 for a diamond.
"""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Action, Seat, State
from kibitz.core.kernels import allocating_kernel, inner_kernel, kernel
from kibitz.games.sheephead.cards import (
    ACE,
    ALONE,
    BLITZ_BLACK,
    CALL_ACE,
    CALL_TEN,
    CALL_UNKNOWN,
    CRACK,
    FAIL_CARDS,
    FAIL_SUITS,
    FIRST_TRUMP,
    PASS,
    POINTS,
    TRUMPS,
    bit,
    cards_of_suit,
)
from kibitz.games.sheephead.declaring import (
    buried_by,
    card_laid_by,
    list_buries,
    list_declarations,
    suit_called_by,
)
from kibitz.games.sheephead.doubling import pairs_held
from kibitz.games.sheephead.state import SEATS

JACKS = np.uint64(0xF << (FIRST_TRUMP + 5))
QUEENS = np.uint64(0x1F << (FIRST_TRUMP + 9))  # and the joker

PICK_FROM, ALONE_FROM = 7, 13
"""Strength of a hand that picks, and of six kept cards that play alone."""

CRACK_FROM = 9
"""Strength of a defender who doubles the payments."""

# What a bury is worth beside its points.
_VOID = 6  # a fail suit of which nothing is left
_TRUMP_GONE = -12
_ACE_GONE = -6  # it may take a trick
_NO_CALL = -25  # nobody can be called any more

_NONE = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def strength(cards: np.uint64) -> int:
    """Judge a set of cards by its trumps."""
    return popcount(cards & TRUMPS) + popcount(cards & JACKS) + 2 * popcount(cards & QUEENS)


@allocating_kernel
def choose_bury(view: State, seat: Seat) -> Action:
    """Bury points of short suits; keep trumps, and a card of a suit that can be called."""
    listed = np.empty(28, np.int64)
    best, best_worth = -1, 0
    for i in range(list_buries(view, seat, listed)):
        worth = _worth_of_bury(view.hand[seat], buried_by(listed[i]))
        if best < 0 or worth > best_worth:
            best, best_worth = listed[i], worth
    return best


@inner_kernel
def _worth_of_bury(held: np.uint64, buried: np.uint64) -> int:
    """Judge a bury by its points and by what is kept."""
    kept = held & ~buried
    worth = _TRUMP_GONE * popcount(buried & TRUMPS)
    must_call, can_call = False, False
    cards = buried
    while cards != _NONE:
        card = lowest(cards)
        cards &= cards - _ONE
        worth += POINTS[card]
        worth += _ACE_GONE if card < FIRST_TRUMP and card % FAIL_CARDS == ACE else 0
    for suit in range(FAIL_SUITS):
        own = cards_of_suit(suit)
        if buried & own != _NONE and kept & own == _NONE:
            worth += _VOID
        if held & bit(FAIL_CARDS * suit + ACE) == _NONE and held & own != _NONE:
            must_call = True
            can_call |= kept & own != _NONE
    return worth + (_NO_CALL if must_call and not can_call else 0)


@allocating_kernel
def choose_declaration(view: State, seat: Seat, alone: int) -> Action:
    """Play alone on the strongest hands; else call, where few cards of the suit are kept."""
    hand = view.hand[seat]
    listed = np.empty(28, np.int64)
    n = list_declarations(view, seat, listed)
    if n == 1 or strength(hand) >= alone:
        return ALONE
    best, best_worth = ALONE, -1000
    for i in range(1, n):
        worth = _worth_of_call(hand, listed[i])
        if worth > best_worth:
            best, best_worth = listed[i], worth
    return best


@inner_kernel
def _worth_of_call(hand: np.uint64, action: Action) -> int:
    """Judge a call: the fewer cards of its suit are kept the better, and no points among them.

    Of cards to be laid face down points are good, as the partner's ace is to take them, unless the
    card would take tricks itself.
    """
    if action >= CALL_UNKNOWN:
        card = card_laid_by(action)
        if card >= FIRST_TRUMP:
            return POINTS[card] - card
        is_ace = card % FAIL_CARDS == ACE
        return POINTS[card] - 100 * is_ace + suit_called_by(action)
    suit = action - (CALL_TEN if action >= CALL_TEN else CALL_ACE)
    cards = hand & cards_of_suit(suit)
    worth = -10 * popcount(cards)
    while cards != _NONE:
        worth -= POINTS[lowest(cards)]
        cards &= cards - _ONE
    return worth


@kernel
def choose_blitz(view: State, seat: Seat) -> Action:
    """Show all pairs of queens on the picker's side; on the other only with a hand that cracks."""
    pairs = pairs_held(view, seat)
    is_friend = view.picker == seat + 1 or view.partner == seat + 1
    shows = pairs != 0 and (is_friend or strength(view.hand[seat]) >= CRACK_FROM)
    return BLITZ_BLACK - 1 + pairs if shows else PASS


@kernel
def choose_crack(view: State, seat: Seat, alone: int) -> Action:
    """Double the payments on a strong hand."""
    picks = view.picker == seat + 1
    is_partner = view.partner == seat + 1
    needed = alone if picks else CRACK_FROM
    return CRACK if not is_partner and strength(view.hand[seat]) >= needed else PASS


@kernel
def pass_weight(world: State, pick: int, doubt: float) -> float:
    """Weigh a resampled world by who passed in it: the bidding tells what `resample` does not.

    Args:
        world: all cards; what a seat that passed was dealt is its hand and what it has played.
        pick: strength with which players pick.
        doubt: what is left of the weight for each seat that passed with such a hand; 1 = passes
            say nothing.
    """
    weight = 1.0
    for seat in range(SEATS):
        if (world.passed >> seat) & 1 and strength(world.hand[seat] | world.played[seat]) >= pick:
            weight *= doubt
    return weight
