"""What the picker may bury, and what he may declare.

What may be declared is judged on all eight cards, the buried ones included: either some fail suit
is held without its ace (C-a: one of those aces is called, if a card of its suit is kept); or not
all aces are held (C-b: a kept card is laid face down, and any other ace is called); or all three
are (C-c: a ten is called of which the suit is kept). Alone is always possible.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Action, Actions, Seat, State
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng, below
from kibitz.games.sheephead.cards import (
    ACE,
    ALONE,
    BURY,
    CALL_ACE,
    CALL_TEN,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    FAIL,
    FAIL_CARDS,
    FAIL_SUITS,
    TEN,
    bit,
    bury_action,
    cards_of_suit,
    unknown_action,
)
from kibitz.games.sheephead.state import ANY_CARD

_NONE = np.uint64(0)
_ONE = np.uint64(1)
N_PAIRS = CARDS * (CARDS - 1) // 2


def _pairs() -> npt.NDArray[np.uint64]:
    """Return the two cards of every action that buries."""
    pairs = np.zeros(N_PAIRS, np.uint64)
    for high in range(CARDS):
        for low in range(high):
            pairs[bury_action(low, high) - BURY] = bit(low) | bit(high)
    return pairs


_PAIRS = _pairs()


@kernel
def is_bury(action: Action) -> bool:
    """Whether an action buries two cards."""
    return BURY <= action < CRACK


@kernel
def buried_by(action: Action) -> np.uint64:
    """Return the two cards that an action buries."""
    return _PAIRS[action - BURY]


@kernel
def draw_card(cards: np.uint64, rng: Rng) -> int:
    """Draw one card of a set."""
    for _ in range(below(rng, popcount(cards))):
        cards &= cards - _ONE
    return lowest(cards)


@kernel
def may_bury(state: State, seat: Seat, pair: np.uint64) -> bool:
    """Whether the picker may bury two cards."""
    hand = state.hand[seat]
    if pair & ~hand != _NONE:
        return False
    return state.bury == ANY_CARD or popcount(pair & FAIL) == min(popcount(hand & FAIL), 2)


@kernel
def list_buries(state: State, seat: Seat, out: Actions) -> int:
    """List all pairs that may be buried, by ascending numbers."""
    n = 0
    highs = state.hand[seat]
    while highs != _NONE:
        high = lowest(highs)
        highs &= highs - _ONE
        lows = state.hand[seat] & (bit(high) - _ONE)
        while lows != _NONE:
            low = lowest(lows)
            lows &= lows - _ONE
            if may_bury(state, seat, bit(low) | bit(high)):
                out[n] = bury_action(low, high)
                n += 1
    return n


@kernel
def random_bury(state: State, seat: Seat, rng: Rng) -> Action:
    """Draw one of the pairs that may be buried."""
    hand = state.hand[seat]
    firsts, seconds = hand, hand
    if state.bury != ANY_CARD:
        n_fail = popcount(hand & FAIL)
        firsts = hand & FAIL if n_fail > 0 else hand
        seconds = hand & ~FAIL if n_fail == 1 else firsts
    one = draw_card(firsts, rng)
    other = draw_card(seconds & ~bit(one), rng)
    return bury_action(min(one, other), max(one, other))


@kernel
def declarations(state: State, seat: Seat) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return what may be declared.

    Returns:
        Actions from ALONE to the last CALL_TEN, as a set of their distances from ALONE; the cards
        that may be laid face down, and the suits of the aces that may be called with them.
    """
    kept = state.hand[seat]
    held = kept | state.buried
    aces, tens, missing = _NONE, _NONE, _NONE  # sets of suits
    must_call_ace = False
    for suit in range(FAIL_SUITS):
        here = _ONE << np.uint64(suit)
        cards = cards_of_suit(suit)
        keeps = kept & cards != _NONE
        if held & bit(FAIL_CARDS * suit + ACE) == _NONE:
            missing |= here
            must_call_ace |= held & cards != _NONE
            aces |= here if keeps else _NONE
        elif keeps and held & bit(FAIL_CARDS * suit + TEN) == _NONE:
            tens |= here
    if must_call_ace:
        return _ONE | aces << np.uint64(CALL_ACE - ALONE), _NONE, _NONE
    if missing == _NONE:
        return _ONE | tens << np.uint64(CALL_TEN - ALONE), _NONE, _NONE
    return _ONE, kept if state.unknown == ANY_CARD else kept & FAIL, missing


@kernel
def list_declarations(state: State, seat: Seat, out: Actions) -> int:
    """List what may be declared, by ascending numbers."""
    plain, cards, suits = declarations(state, seat)
    n = 0
    while plain != _NONE:
        out[n] = ALONE + lowest(plain)
        plain &= plain - _ONE
        n += 1
    while cards != _NONE:
        for suit in range(FAIL_SUITS):
            if suits >> np.uint64(suit) & _ONE != _NONE:
                out[n] = unknown_action(lowest(cards), suit)
                n += 1
        cards &= cards - _ONE
    return n


@kernel
def may_declare(state: State, seat: Seat, action: Action) -> bool:
    """Whether the picker may declare this."""
    plain, cards, suits = declarations(state, seat)
    if ALONE <= action < CALL_UNKNOWN:
        return plain >> np.uint64(action - ALONE) & _ONE != _NONE
    if CALL_UNKNOWN <= action < BURY:
        card, suit = card_laid_by(action), suit_called_by(action)
        return cards & bit(card) != _NONE and suits >> np.uint64(suit) & _ONE != _NONE
    return False


@kernel
def random_declaration(state: State, seat: Seat, rng: Rng) -> Action:
    """Draw one of the things that may be declared."""
    plain, cards, suits = declarations(state, seat)
    n_plain = popcount(plain)
    n = below(rng, n_plain + popcount(cards) * popcount(suits))
    if n < n_plain:
        for _ in range(n):
            plain &= plain - _ONE
        return ALONE + lowest(plain)
    return unknown_action(draw_card(cards, rng), draw_card(suits, rng))


@kernel
def card_laid_by(action: Action) -> int:
    """Return the card that a call lays face down."""
    return (action - CALL_UNKNOWN) // FAIL_SUITS


@kernel
def suit_called_by(action: Action) -> int:
    """Return the suit of the ace that is called with an unknown card."""
    return (action - CALL_UNKNOWN) % FAIL_SUITS


@kernel
def card_called_by(action: Action) -> int:
    """Return the card that a declaration calls, or -1."""
    if action == ALONE:
        return -1
    if action >= CALL_UNKNOWN:
        return FAIL_CARDS * suit_called_by(action) + ACE
    if action >= CALL_TEN:
        return FAIL_CARDS * (action - CALL_TEN) + TEN
    return FAIL_CARDS * (action - CALL_ACE) + ACE
