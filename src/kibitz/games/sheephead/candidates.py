"""What an action of Sheephead is in three numbers, and its row of features for networks."""

import numpy as np

from kibitz.core.bits import highest, lowest, popcount
from kibitz.core.encoding import Candidates, Layout
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.sheephead.cards import (
    ALONE,
    BLITZ_BLACK,
    CALL_TEN,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    PASS,
    POINTS,
    bit,
    suit_of,
)
from kibitz.games.sheephead.declaring import (
    buried_by,
    card_called_by,
    card_laid_by,
    is_bury,
    suit_called_by,
)
from kibitz.games.sheephead.play import cards_in, power_now, suit_in
from kibitz.games.sheephead.state import HAND_CARDS, NOLA_PLAYING, wide

# What is done: the first number of a description.
PLAYED = 0  # suit, card
PASSED = 1
PICKED = 2
WENT_ALONE = 3
CALLED_ACE = 4  # suit, card
CALLED_TEN = 5  # suit, card
LAID_FACE_DOWN = 6  # suit of the ace that is called, card laid face down
BURIED = 7  # lower card, higher card
CRACKED = 8
BLITZED = 9  # 0, and black queens 0, red ones 1, all four 2
KINDS = 10

SUITS = 4

LAYOUT: Layout = (
    ("kind", (KINDS,)),  # what is done, as above
    ("cards", (CARDS,)),  # 1 = played, buried, called or laid face down
    ("suit", (SUITS,)),  # of the card played, or of the one called
    ("points", (1,)),  # of the cards played or buried, divided by 22, the most that two have
    ("wins", (1,)),  # 1 = led, or takes the trick so far
    ("follows", (1,)),  # 1 = of the suit led
    ("left", (1,)),  # cards of its suit that are kept, divided by 8
    ("blitz", (3,)),  # black queens, red ones, all four
)

_MOST_POINTS = 22
_LARGEST_HAND = HAND_CARDS + 2


@kernel
def describe(state: State, seat: Seat, action: Action) -> tuple[int, int, int]:
    """Say what is done, and with what: see the list above; 0 where there is nothing to say."""
    if action < CARDS:
        return PLAYED, _suit_of(state, action), action
    if action <= ALONE:  # pass, pick and alone, in this order
        return PASSED + action - PASS, 0, 0
    if action < CALL_UNKNOWN:
        card = card_called_by(action)
        return (CALLED_ACE if action < CALL_TEN else CALLED_TEN), suit_of(card), card
    if is_bury(action):
        pair = buried_by(action)
        return BURIED, lowest(pair), highest(pair)
    if action == CRACK:
        return CRACKED, 0, 0
    if action >= BLITZ_BLACK:
        return BLITZED, 0, action - BLITZ_BLACK
    return LAID_FACE_DOWN, suit_called_by(action), card_laid_by(action)


@inner_kernel
def _suit_of(state: State, card: int) -> int:
    return suit_in(NOLA_PLAYING, card) if state.phase == NOLA_PLAYING else suit_of(card)


@inner_kernel
def _takes(view: State, card: int) -> bool:
    """Whether a card takes the trick so far; the unknown card never does."""
    if view.n_laid == 0:
        return True
    if view.face_down == card + 1:
        return False
    winner = view.winner
    best = wide(view.laid[winner]) - 1
    is_unknown = view.face_down_at == view.tricks_played + 1 and view.picker == winner + 1
    return power_now(view, card) > (0 if best < 0 or is_unknown else power_now(view, best))


@kernel
def observe_action(
    view: State, seat: Seat, action: Action, encoding: np.record, out: Features
) -> None:
    """Write the row of a legal action in the order of LAYOUT."""
    for i in range(len(out)):
        out[i] = 0
    kind, first, second = describe(view, seat, action)
    out[kind] = 1
    points_at = KINDS + CARDS + SUITS
    if kind == PLAYED or CALLED_ACE <= kind <= LAID_FACE_DOWN:
        out[KINDS + second] = 1
        out[KINDS + CARDS + first] = 1
    if kind == PLAYED:
        out[points_at] = POINTS[second] / _MOST_POINTS
        out[points_at + 1] = _takes(view, second)
        out[points_at + 2] = view.n_laid > 0 and first == view.led
        kept = view.hand[seat] & cards_in(view.phase, first) & ~bit(second)
        out[points_at + 3] = popcount(kept) / _LARGEST_HAND
    elif kind == BURIED:
        out[KINDS + first] = 1
        out[KINDS + second] = 1
        out[points_at] = (POINTS[first] + POINTS[second]) / _MOST_POINTS
    elif kind == BLITZED:
        out[points_at + 4 + second] = 1


CANDIDATES = Candidates(LAYOUT, observe_action)
