"""Rows of legal actions that say what players look for: who can beat a card, and what is kept.

The encoding `insight` is `full` of a view, and for each legal action the row of `candidates` with
the numbers below after it. All of them follow from the view; they save a network from counting.
"""

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.encoding import Candidates, Layout, size_of
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.sheephead.bidding import QUEENS, strength
from kibitz.games.sheephead.candidates import LAYOUT, observe_action
from kibitz.games.sheephead.cards import (
    ACE,
    ACES,
    ALONE,
    CALL_UNKNOWN,
    CARDS,
    CRACK,
    FAIL_CARDS,
    FAIL_SUITS,
    POINTS,
    TRUMPS,
    bit,
    cards_of_suit,
)
from kibitz.games.sheephead.declaring import (
    buried_by,
    card_called_by,
    card_laid_by,
    is_bury,
)
from kibitz.games.sheephead.outlook import unseen_or_buried
from kibitz.games.sheephead.payments import card_points
from kibitz.games.sheephead.play import power_in, suit_in
from kibitz.games.sheephead.state import HAND_CARDS, PLAYING, SEATS, wide

INSIGHT_LAYOUT: Layout = (
    *LAYOUT,
    # Of a card that is played:
    ("above", (1,)),  # unseen cards that beat it, divided by 14
    ("sure", (1,)),  # 1 = it takes the trick so far and no unseen card beats it
    ("behind", (3,)),  # seats still to play: with the seat, against it, not known; divided by 4
    ("goes_to", (3,)),  # 1 = the trick is then won so far by one of these
    ("held_by", (1,)),  # unseen cards that beat the one that wins it then, divided by 14
    ("stake", (1,)),  # points in the trick with it, divided by 60
    # Of the cards that are kept after any action:
    ("trumps", (1,)),  # divided by 8, as are suits
    ("queens", (1,)),  # with the joker, divided by 5
    ("strength", (1,)),  # as `rule` counts it, divided by 20
    ("aces", (1,)),  # of fail suits, divided by 3
    ("kept_points", (1,)),  # divided by 60
    ("suits", (FAIL_SUITS,)),
    ("voids", (FAIL_SUITS,)),  # 1 = none left of a fail suit
    # Of a bury or a call:
    ("ready", (1,)),  # 1 = an ace can still be called with a card kept of its suit
    ("called_kept", (1,)),  # cards kept of the suit that is called, divided by 6
)

_AT = size_of(LAYOUT)
_KEPT_AT = _AT + 10
_CALL_AT = _KEPT_AT + 5 + 2 * FAIL_SUITS
_MOST_TRUMPS = 14
_LARGEST_HAND = HAND_CARDS + 2
_NONE = np.uint64(0)


@kernel
def is_with(view: State, seat: Seat, other: Seat) -> int:
    """Return whether two seats play together: 1 yes, -1 no, 0 not known.

    Unlike `outlook.side_of` it takes no notice of seats that have shown not to hold the called card
    (`without`): trained models were shown sides like that.
    """
    if seat == other:
        return 1
    if view.picker == 0:
        return -1
    own, its = view.picker == seat + 1, view.picker == other + 1
    if view.called == 0:
        return -1 if own or its else 1
    if view.partner == 0:
        return -1 if its else 0
    own, its = own or view.partner == seat + 1, its or view.partner == other + 1
    return 1 if own == its else -1


@inner_kernel
def _slot(view: State, seat: Seat, other: Seat) -> int:
    """Return the place of a seat among: with this one, against it, not known."""
    together = is_with(view, seat, other)
    return 0 if together > 0 else 1 if together < 0 else 2


@inner_kernel
def _n_above(view: State, led: int, power: int, unseen: np.uint64) -> int:
    """Count unseen cards of more than a power in a trick where a suit is led."""
    n = 0
    for card in range(CARDS):
        is_out = unseen >> np.uint64(card) & np.uint64(1) != _NONE
        n += 1 if is_out and power_in(view.phase, led, card) > power else 0
    return n


@inner_kernel
def _power_laid(view: State, seat: Seat) -> int:
    """Return the power of the card that a seat has laid; an unknown one has none."""
    laid = wide(view.laid[seat])
    is_unknown = view.picker == seat + 1 and view.face_down_at == view.tricks_played + 1
    return 0 if laid < 0 or is_unknown else power_in(view.phase, view.led, laid - 1)


@inner_kernel
def _observe_card(view: State, seat: Seat, card: int, out: Features) -> None:
    """Write what a card does in the trick."""
    unseen = unseen_or_buried(view, seat)
    is_unknown = view.face_down == card + 1
    called = (wide(view.called) - 1) // FAIL_CARDS if view.called > 0 else 0
    own_suit = called if is_unknown else suit_in(view.phase, card)
    led = own_suit if view.n_laid == 0 else view.led
    power = 0 if is_unknown else power_in(view.phase, led, card)
    winner, best, stake = seat, power, POINTS[card]
    if view.n_laid > 0:
        held = _power_laid(view, view.winner)
        if held >= power:
            winner, best = view.winner, held
        for other in range(SEATS):
            laid = wide(view.laid[other])
            stake += POINTS[laid - 1] if laid > 0 else 0
    above = _n_above(view, led, power, unseen)
    out[_AT] = above / _MOST_TRUMPS
    out[_AT + 1] = winner == seat and above == 0
    other, left = wide(view.left[seat]), SEATS - 1 - view.n_laid
    for _ in range(left):
        out[_AT + 2 + _slot(view, seat, other)] += 1 / (SEATS - 1)
        other = wide(view.left[other])
    out[_AT + 5 + _slot(view, seat, winner)] = 1
    out[_AT + 8] = _n_above(view, led, best, unseen) / _MOST_TRUMPS
    out[_AT + 9] = stake / 60


@inner_kernel
def _observe_kept(kept: np.uint64, out: Features) -> None:
    """Write what a hand has."""
    out[_KEPT_AT] = popcount(kept & TRUMPS) / _LARGEST_HAND
    out[_KEPT_AT + 1] = popcount(kept & QUEENS) / 5
    out[_KEPT_AT + 2] = strength(kept) / 20
    out[_KEPT_AT + 3] = popcount(kept & ACES) / FAIL_SUITS
    out[_KEPT_AT + 4] = card_points(kept) / 60
    for suit in range(FAIL_SUITS):
        n = popcount(kept & cards_of_suit(suit))
        out[_KEPT_AT + 5 + suit] = n / _LARGEST_HAND
        out[_KEPT_AT + 5 + FAIL_SUITS + suit] = n == 0


@kernel
def observe_insight(
    view: State, seat: Seat, action: Action, encoding: np.record, out: Features
) -> None:
    """Write the row of a legal action in the order of INSIGHT_LAYOUT."""
    observe_action(view, seat, action, encoding, out[:_AT])
    for i in range(_AT, len(out)):
        out[i] = 0
    held = view.hand[seat]
    kept = held
    if action < CARDS:
        kept = held & ~bit(action)
        if view.phase >= PLAYING:
            _observe_card(view, seat, action, out)
    elif is_bury(action):
        kept = held & ~buried_by(action)
        for suit in range(FAIL_SUITS):
            is_open = held & bit(FAIL_CARDS * suit + ACE) == _NONE
            if is_open and kept & cards_of_suit(suit) != _NONE:
                out[_CALL_AT] = 1
    elif ALONE < action < CRACK:
        if action >= CALL_UNKNOWN:
            kept = held & ~bit(card_laid_by(action))
        suit = card_called_by(action) // FAIL_CARDS
        out[_CALL_AT + 1] = popcount(kept & cards_of_suit(suit)) / FAIL_CARDS
    _observe_kept(kept, out)


INSIGHT = Candidates(INSIGHT_LAYOUT, observe_insight)
