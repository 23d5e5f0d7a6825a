"""What the networks of the learning scheme see of a hand: inputs of critics and of predictors.

A critic says what a hand will bring to the seat that sees the view. There is one for each role,
one for Nola, and two for the bidding: after a pick, with eight cards, and after a pass, with six. A
predictor says what a seat is going to play: for its situation, and for what a card would do there.

`full` are complete: role, sides as far as they are known, points, called suit, trumps that are
out. `paper` are the tables 1 to 3 of the paper, corrected as `features` says; there all roles see
the same 26 numbers.
Every number is about -1 to 1. All functions take views: what a seat does not know is not there.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, highest, lowest, popcount
from kibitz.core.game import Seat, State
from kibitz.core.kernels import inlined_kernel, inner_kernel
from kibitz.games.sheephead.bidding import JACKS, QUEENS, strength
from kibitz.games.sheephead.cards import (
    ACE,
    ACES,
    CARDS,
    FAIL_CARDS,
    FAIL_SUITS,
    FIRST_TRUMP,
    KING,
    NOLA_RANK,
    NOLA_SUITS,
    POINTS,
    QUEEN_OF_CLUBS,
    TEN,
    TRUMP,
    TRUMPS,
    bit,
    cards_of_suit,
)
from kibitz.games.sheephead.outlook import (
    places_to_the_left,
    points_laid,
    side_of,
    stronger,
    unseen_by,
    winners,
)
from kibitz.games.sheephead.payments import card_points
from kibitz.games.sheephead.play import (
    called_suit,
    cards_in,
    playable,
    suit_in,
)
from kibitz.games.sheephead.state import (
    NOLA_PLAYING,
    PLAYING,
    SEATS,
    wide,
)

Floats = npt.NDArray[np.float64]

# Critics.
PICKER, PARTNER, DEFENDER, NOLA, PICKED, PASSED = 0, 1, 2, 3, 4, 5
N_CRITICS = 6
CRITIC_NAMES = ("picker", "partner", "defender", "nola", "picked", "passed")

HAND_INPUTS, NOLA_INPUTS, BID_INPUTS = 37, 22, 16
CRITIC_INPUTS = (HAND_INPUTS, HAND_INPUTS, HAND_INPUTS, NOLA_INPUTS, BID_INPUTS, BID_INPUTS)
PAPER_INPUTS = 26  # table 1

# Predictors: inputs of a situation, and classes of cards, of which a card may have several.
SITUATION_INPUTS, NOLA_SITUATION = 24, 10
CARD_CLASSES, NOLA_CLASSES = 22, 12
MOST_CLASSES = 16  # more than one card has
TABLE_2, TABLE_3 = 26, 8 + CARDS

MOST_INPUTS = 40
"""More than any of them has."""

_NONE = np.uint64(0)
_HIGH = np.uint64(sum(1 << (FIRST_TRUMP + k) for k in (2, 3, 4)))  # king, ten and ace of diamonds
_ACES_AND_TENS = np.array([[22, 21], [5, 4], [11, 10], [17, 16]], np.int64)  # by suit, trump first


@inlined_kernel
def _put(out: Floats, at: int, value: float) -> int:
    out[at] = value
    return at + 1


@inner_kernel
def role_of(view: State, seat: Seat) -> int:
    """Return the critic of a seat in a hand that is played."""
    if view.phase == NOLA_PLAYING:
        return NOLA
    if view.picker == seat + 1:
        return PICKER
    return PARTNER if view.partner == seat + 1 else DEFENDER


@inner_kernel
def _n_best(trumps: np.uint64, others: np.uint64) -> int:
    """Count the trumps that are higher than all that others may hold."""
    n = 0
    while trumps != _NONE:
        top = highest(trumps)
        if others != _NONE and highest(others) > top:
            return n
        trumps &= ~bit(top)
        n += 1
    return n


@inner_kernel
def _observe_points(view: State, seat: Seat, at: int, out: Floats) -> int:
    """Write what sides have taken, as far as it is known who is on which, and what is decided."""
    mine = theirs = open_points = 0
    own_tricks = their_tricks = 0
    for other in range(SEATS):
        side = side_of(view, seat, other)
        points = wide(view.points[other])
        if side > 0:
            mine += points
            own_tricks += wide(view.tricks[other])
        elif side < 0:
            theirs += points
            their_tricks += wide(view.tricks[other])
        else:
            open_points += points
    mine += card_points(view.buried)  # the picker alone sees them
    picks = view.picker == seat + 1 or view.partner == seat + 1
    picker_has, others_have = (mine, theirs) if picks else (theirs, mine)
    at = _put(out, at, mine / 60)
    at = _put(out, at, theirs / 60)
    at = _put(out, at, open_points / 60)
    at = _put(out, at, own_tricks / 6)
    at = _put(out, at, their_tricks / 6)
    at = _put(out, at, picker_has >= 61)
    at = _put(out, at, others_have >= 60)
    at = _put(out, at, picker_has >= 31)
    return _put(out, at, others_have >= 30)


@inner_kernel
def _observe_trick(view: State, seat: Seat, at: int, out: Floats) -> int:
    """Write the trick, who is winning it and who is still to play."""
    is_open = view.phase == PLAYING and view.n_laid > 0
    points = points_laid(view) if is_open else 0
    side = side_of(view, seat, view.winner) if is_open else 0
    enemies = unknown = 0
    if view.phase == PLAYING and view.turn == seat:
        other = wide(view.left[seat])
        while other != view.leader:
            kind = side_of(view, seat, other)
            enemies += kind < 0
            unknown += kind == 0
            other = wide(view.left[other])
    cards = playable(view, seat) if view.phase == PLAYING else view.hand[seat]
    best, rest = 0, cards
    while rest != _NONE:
        best = max(best, POINTS[lowest(rest)])
        rest &= rest - ONE
    at = _put(out, at, view.tricks_played / 6)
    at = _put(out, at, view.n_laid / 4)
    at = _put(out, at, view.turn == seat and view.n_laid == 0)
    at = _put(out, at, points / 30)
    at = _put(out, at, side * points / 30)
    at = _put(out, at, side)
    at = _put(out, at, enemies / 4)
    at = _put(out, at, unknown / 4)
    at = _put(out, at, is_open and winners(view, cards) != _NONE)
    return _put(out, at, best / 11)


@inner_kernel
def _observe_cards(view: State, seat: Seat, at: int, out: Floats) -> int:
    """Write the own cards, and what is out against them."""
    hand, unseen = view.hand[seat], unseen_by(view, seat)
    trumps, others = hand & TRUMPS, unseen & TRUMPS
    above = others
    if trumps != _NONE:
        above = others & ~((ONE << np.uint64(highest(trumps) + 1)) - ONE)
    suits = risky = 0
    for suit in range(FAIL_SUITS):
        own = hand & cards_of_suit(suit)
        suits += own != _NONE
        for rank in (KING, TEN):
            card = FAIL_CARDS * suit + rank
            if own & bit(card) != _NONE:
                risky += POINTS[card]
    at = _put(out, at, popcount(trumps) / 6)
    at = _put(out, at, popcount(hand & QUEENS) / 4)
    at = _put(out, at, popcount(hand & JACKS) / 4)
    at = _put(out, at, popcount(others) / 14)
    at = _put(out, at, popcount(above) / 7)
    at = _put(out, at, _n_best(trumps, others) / 3)
    at = _put(out, at, popcount(hand & ACES) / 3)
    at = _put(out, at, card_points(hand) / 30)
    at = _put(out, at, suits / 3)
    at = _put(out, at, risky / 20)
    return _put(out, at, card_points(unseen) / 60)


@inner_kernel
def _observe_call(view: State, seat: Seat, at: int, out: Floats) -> int:
    """Write the call, and where picker and enemies sit."""
    suit, to_picker, other = called_suit(view), 0, seat
    while other != view.picker - 1 and to_picker < SEATS:
        other = wide(view.left[other])
        to_picker += 1
    could = 0
    for other in range(SEATS):
        is_enemy = side_of(view, seat, other) <= 0
        could += is_enemy and (view.void[other] >> TRUMP & 1) == 0
    own = popcount(view.hand[seat] & cards_of_suit(suit)) if suit >= 0 else 0
    at = _put(out, at, view.called_led != 0)
    at = _put(out, at, own / 3)
    at = _put(out, at, view.partner != 0)
    at = _put(out, at, view.called == 0)
    at = _put(out, at, view.face_down != 0 and view.face_down_at == 0)
    at = _put(out, at, to_picker / 4)
    return _put(out, at, could / 4)


@inner_kernel
def observe_hand(view: State, seat: Seat, out: Floats) -> None:
    """Write the inputs of a critic in a hand that somebody has picked."""
    at = _observe_points(view, seat, 0, out)
    at = _observe_trick(view, seat, at, out)
    at = _observe_cards(view, seat, at, out)
    _observe_call(view, seat, at, out)


@inner_kernel
def observe_nola(view: State, seat: Seat, out: Floats) -> None:
    """Write the inputs of a critic in Nola: how low and how safe the own cards are, by suit."""
    hand, unseen = view.hand[seat], unseen_by(view, seat)
    most = 0
    for other in range(SEATS):
        if other != seat:
            most = max(most, wide(view.tricks[other]))
    n = popcount(hand)
    at = _put(out, 0, view.tricks_played / 6)
    at = _put(out, at, view.n_laid / 4)
    at = _put(out, at, view.tricks[seat] == view.tricks_played and view.tricks_played > 0)
    at = _put(out, at, most == view.tricks_played and view.tricks_played > 0)
    at = _put(out, at, view.turn == seat and view.n_laid == 0)
    at = _put(out, at, n == 1)
    for suit in range(4):
        own, others = hand & NOLA_SUITS[suit], unseen & NOLA_SUITS[suit]
        low, below = 8, 0
        rest = own
        while rest != _NONE:
            low = min(low, NOLA_RANK[lowest(rest)])
            rest &= rest - ONE
        rest = others
        while rest != _NONE:
            below += NOLA_RANK[lowest(rest)] < low
            rest &= rest - ONE
        has = own != _NONE
        at = _put(out, at, popcount(own) / max(n, 1))
        at = _put(out, at, low / 7 if has else 0.0)
        at = _put(out, at, below / 7 if has else 0.0)
        at = _put(out, at, popcount(others) / 8)


@inner_kernel
def observe_bid(cards: np.uint64, n_after: int, out: Floats) -> None:
    """Write the inputs of a critic after a pick or a pass: the own cards, and who is to bid."""
    trumps = cards & TRUMPS
    points = suits = aces_alone = short = 0
    for suit in range(FAIL_SUITS):
        own = cards & cards_of_suit(suit)
        suits += own != _NONE
        short += popcount(own) == 1
        aces_alone += own == bit(FAIL_CARDS * suit + ACE)
        points += card_points(own & ~ACES)
    ranks, rest = 0, cards
    while rest != _NONE:
        ranks += NOLA_RANK[lowest(rest)]
        rest &= rest - ONE
    at = _put(out, 0, popcount(trumps) / 8)
    at = _put(out, at, popcount(cards & QUEENS) / 4)
    at = _put(out, at, popcount(cards & JACKS) / 4)
    at = _put(out, at, strength(cards) / 14)
    at = _put(out, at, cards & bit(QUEEN_OF_CLUBS) != _NONE)
    at = _put(out, at, cards & bit(QUEEN_OF_CLUBS - 1) != _NONE)
    at = _put(out, at, popcount(cards & _HIGH) / 3)
    at = _put(out, at, popcount(cards & ACES) / 3)
    at = _put(out, at, points / 30)
    at = _put(out, at, suits / 3)
    at = _put(out, at, short / 3)
    at = _put(out, at, aces_alone / 3)
    at = _put(out, at, n_after / 4)
    at = _put(out, at, n_after == 0)
    at = _put(out, at, n_after == 4)
    _put(out, at, ranks / 40)


# Predictors.


@inner_kernel
def observe_situation(view: State, seat: Seat, out: Floats) -> None:
    """Write what a seat that is to play a card decides by."""
    if view.phase == NOLA_PLAYING:
        _observe_nola_situation(view, seat, out)
        return
    leads = view.n_laid == 0
    picks, helps = view.picker == seat + 1, view.partner == seat + 1
    side = 0 if leads else side_of(view, seat, view.winner)
    enemies, other = 0, wide(view.left[seat])
    while other != view.leader:
        enemies += side_of(view, seat, other) <= 0
        other = wide(view.left[other])
    hand, unseen = view.hand[seat], unseen_by(view, seat)
    cards = playable(view, seat)
    trumps, others = hand & TRUMPS, unseen & TRUMPS
    wins = not leads and winners(view, cards) != _NONE
    points = points_laid(view)
    is_called = not leads and view.led == called_suit(view)
    at = _put(out, 0, picks)
    at = _put(out, at, helps)
    at = _put(out, at, leads)
    at = _put(out, at, leads and (picks or helps))
    at = _put(out, at, leads and helps)
    at = _put(out, at, side > 0)
    at = _put(out, at, side < 0)
    at = _put(out, at, wins)
    at = _put(out, at, wins and side > 0)
    at = _put(out, at, enemies / 4)
    at = _put(out, at, enemies == 0 and not leads)
    at = _put(out, at, view.n_laid == SEATS - 1)
    at = _put(out, at, points / 20)
    at = _put(out, at, view.tricks_played / 6)
    at = _put(out, at, not leads and view.led == TRUMP)
    at = _put(out, at, not leads and suit_in(view.phase, lowest(cards)) == view.led)
    at = _put(out, at, is_called)
    at = _put(out, at, view.called_led != 0)
    at = _put(out, at, popcount(trumps) / 6)
    at = _put(out, at, _n_best(trumps, others) / 3)
    at = _put(out, at, popcount(others) / 14)
    at = _put(out, at, view.partner != 0)
    at = _put(out, at, side > 0 and (enemies == 0 or _is_top(view, unseen)))
    _put(out, at, not leads and view.led != TRUMP and trumps != _NONE)


@inner_kernel
def _is_top(view: State, unseen: np.uint64) -> bool:
    """Whether nothing that is unseen beats the card that is winning the trick."""
    laid = wide(view.laid[view.winner])
    return laid > 0 and unseen & stronger(view, laid - 1) == _NONE


@inner_kernel
def _observe_nola_situation(view: State, seat: Seat, out: Floats) -> None:
    hand = view.hand[seat]
    at = _put(out, 0, view.tricks_played / 6)
    at = _put(out, at, view.n_laid / 4)
    at = _put(out, at, view.n_laid == 0)
    at = _put(out, at, view.tricks_played == 4)
    at = _put(out, at, view.tricks[seat] == view.tricks_played and view.tricks_played > 0)
    at = _put(out, at, view.tricks[seat] / 6)
    follows = view.n_laid > 0 and hand & cards_in(view.phase, view.led) != _NONE
    at = _put(out, at, follows)
    at = _put(out, at, follows and winners(view, playable(view, seat)) != _NONE)
    at = _put(out, at, view.n_laid == SEATS - 1)
    _put(out, at, view.tricks_played == 4 and view.n_laid == 0)


@inlined_kernel
def _mark(classes: npt.NDArray[np.int64], n: int, is_so: bool, which: int) -> int:
    if is_so:
        classes[n] = which
        return n + 1
    return n


@inner_kernel
def classes_of(view: State, seat: Seat, card: int, classes: npt.NDArray[np.int64]) -> int:
    """List the classes that a legal card has for who plays it; return how many."""
    cards = playable(view, seat)
    if view.phase == NOLA_PLAYING:
        return _nola_classes(view, cards, card, classes)
    n = _mark(classes, 0, True, _kind(card))  # 0 to 8
    points = POINTS[card]
    fewest = most = True
    spare = cards & ~(QUEENS | JACKS)
    best_spare = spare & bit(card) != _NONE
    rest = cards
    while rest != _NONE:
        other = lowest(rest)
        rest &= rest - ONE
        fewest = fewest and POINTS[other] >= points
        most = most and POINTS[other] <= points
        best_spare = best_spare and (POINTS[other] <= points or spare & bit(other) == _NONE)
    if view.n_laid > 0:
        winning = winners(view, cards)
        wins = winning & bit(card) != _NONE
        n = _mark(classes, n, not wins, 9)
        n = _mark(classes, n, wins and lowest(winning) == card, 10)
        n = _mark(classes, n, wins and highest(winning) == card, 11)
        n = _mark(classes, n, wins, 12)
    own = view.hand[seat] & cards_in(view.phase, suit_in(view.phase, card))
    others = unseen_by(view, seat) & cards_in(view.phase, suit_in(view.phase, card))
    n = _mark(classes, n, others == _NONE or highest(others) < card, 13)
    n = _mark(classes, n, most, 14)
    n = _mark(classes, n, fewest, 15)
    n = _mark(classes, n, best_spare, 16)
    n = _mark(classes, n, lowest(cards) == card, 17)
    n = _mark(classes, n, card < FIRST_TRUMP and card // FAIL_CARDS == called_suit(view), 18)
    n = _mark(classes, n, own & (own - ONE) == _NONE, 19)
    n = _mark(classes, n, popcount(others) >= 4, 20)
    return _mark(
        classes, n, highest(cards & cards_in(view.phase, suit_in(view.phase, card))) == card, 21
    )


@inner_kernel
def _kind(card: int) -> int:
    """Return what sort of card it is, by its use: queens, jacks, diamonds, aces, tens, kings."""
    if card >= FIRST_TRUMP:
        here = bit(card)
        return 0 if here & QUEENS != _NONE else 1 if here & JACKS != _NONE else _diamond(card)
    rank = card % FAIL_CARDS
    return 8 - min(rank - 2, 3) if rank > 2 else 8


@inner_kernel
def _diamond(card: int) -> int:
    return 2 if POINTS[card] >= 10 else 3 if POINTS[card] > 0 else 4


@inner_kernel
def _nola_classes(view: State, cards: np.uint64, card: int, classes: npt.NDArray[np.int64]) -> int:
    rank = NOLA_RANK[card]
    n = _mark(classes, 0, True, min(rank // 2, 3))
    low = high = True
    rest = cards
    while rest != _NONE:
        other = lowest(rest)
        rest &= rest - ONE
        low = low and NOLA_RANK[other] >= rank
        high = high and NOLA_RANK[other] <= rank
    n = _mark(classes, n, high, 4)
    n = _mark(classes, n, low, 5)
    if view.n_laid == 0:
        return n
    winning = winners(view, cards)
    wins = winning & bit(card) != _NONE
    n = _mark(classes, n, wins, 6)
    n = _mark(classes, n, not wins, 7)
    follows = suit_in(view.phase, card) == view.led
    n = _mark(classes, n, follows and not wins and high, 8)
    top = top_loser = True
    rest = cards
    while rest != _NONE:
        other = lowest(rest)
        rest &= rest - ONE
        top = top and NOLA_RANK[other] <= rank
        loses = winning & bit(other) == _NONE
        top_loser = top_loser and (not loses or NOLA_RANK[other] <= rank)
    n = _mark(classes, n, not wins and top_loser, 9)
    n = _mark(classes, n, not follows, 10)
    return _mark(classes, n, wins and top, 11)


# Tables 2 and 3 of the paper, about a seat that knows its own cards.


@inner_kernel
def observe_table_2(view: State, seat: Seat, out: Floats) -> None:
    """Write the 26 inputs of table 2: what a world says is certain, so chances are 0 or 1."""
    for k in range(TABLE_2):
        out[k] = 0
    hand = view.hand[seat]
    if view.n_laid > 0:
        of_suit = hand & cards_in(view.phase, view.led)
        winning = winners(view, of_suit)
        at = 2 * ((wide(view.led) + 1) % 4)  # trump comes first
        out[at] = popcount(of_suit & ~winning) / 3
        out[at + 1] = popcount(winning) / 3
    for k in range(9):
        out[8 + k] = hand & bit(QUEEN_OF_CLUBS - k) != _NONE
    for k in range(4):
        out[17 + k] = hand & bit(_ACES_AND_TENS[k, 0]) != _NONE
        out[21 + k] = hand & bit(_ACES_AND_TENS[k, 1]) != _NONE
    out[25] = places_to_the_left(view, seat, wide(view.leader)) / 4


@inner_kernel
def table_3_classes(view: State, seat: Seat, card: int, classes: npt.NDArray[np.int64]) -> int:
    """List the outputs of table 3 that speak of a card: weaker or stronger, and the card itself.

    The paper has outputs for eighteen cards; here all 32 have one, as somebody may lead the others.
    """
    classes[0] = 8 + card
    if view.n_laid == 0 or suit_in(view.phase, card) != view.led:
        return 1
    wins = winners(view, bit(card)) != _NONE
    classes[1] = 2 * ((wide(view.led) + 1) % 4) + wins
    return 2
