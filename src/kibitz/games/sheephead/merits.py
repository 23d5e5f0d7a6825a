"""What speaks for and against an action of Sheephead, in facts that can be counted from a seat."""

import numpy as np

from kibitz.core.game import Action, Seat
from kibitz.core.messages import Message
from kibitz.games.sheephead.cards import (
    ALL_CARDS,
    ALONE,
    BURY,
    CALL_ACE,
    CARDS,
    CRACK,
    FAIL_CARDS,
    FAIL_SUITS,
    PASS,
    PICK,
    POINTS,
    TRUMPS,
    cards_of_suit,
)
from kibitz.games.sheephead.rules import apply
from kibitz.games.sheephead.state import BIDDING, NOLA_PLAYING, PLAYING, SEATS
from kibitz.games.sheephead.words import (
    CARD_WORDS,
    SUIT_NAMES,
    buried_cards,
    called_card,
    members,
    points_of,
    set_of,
    suit_cards,
    suit_in,
    suit_names,
)


def merits(view: np.record, seat: Seat, action: Action) -> list[Message]:
    """Return what speaks for or against an action, the weightiest first."""
    if action < CARDS:
        return _of_card(view, seat, int(action))
    if action in (PASS, PICK) and view.phase == BIDDING:
        return [_of_hand(view, seat)]
    if action == ALONE:
        return [Message("sheephead.alone-pays")]
    if CALL_ACE <= action < BURY:
        return [_of_call(view, seat, int(action))]
    if BURY <= action < CRACK:
        return _of_bury(view, seat, set_of(buried_cards(action)))
    return [] if action == PASS else [Message("sheephead.points-doubled")]


def is_own_side(view: np.record, seat: Seat, other: Seat) -> bool | None:
    """Whether two seats play together; None if the first does not know."""
    if other == seat:
        return True
    if view.picker == 0:
        return False
    if view.called > 0 and view.partner == 0:  # the partner does know; the others do not
        return False if view.picker == other + 1 else None
    side = {int(view.picker), int(view.partner)} - {0}
    return (seat + 1 in side) == (other + 1 in side)


def _of_hand(view: np.record, seat: Seat) -> Message:
    """Count what a hand is picked on."""
    hand = int(view.hand[seat])
    trumps = members(hand & int(TRUMPS))
    high = sum(CARD_WORDS[card][0] in "QJ" for card in trumps)
    suits = sum(bool(hand & int(cards_of_suit(suit))) for suit in range(FAIL_SUITS))
    facts = {"trumps": len(trumps), "high": high, "fail": suits}
    return Message("sheephead.hand-trumps", facts)


def _of_call(view: np.record, seat: Seat, action: Action) -> Message:
    suit = called_card(action) // FAIL_CARDS
    cards = int(cards_of_suit(suit))
    kept = (int(view.hand[seat]) & cards).bit_count()
    own = (int(view.hand[seat]) | int(view.buried)) & cards
    out = FAIL_CARDS - own.bit_count()
    return Message("sheephead.calls-suit", {"kept": kept, "out": out, "suit": SUIT_NAMES[suit]})


def _of_bury(view: np.record, seat: Seat, cards: int) -> list[Message]:
    found = [Message("sheephead.bury-points", {"points": points_of(cards)})]
    left = int(view.hand[seat]) & ~cards
    voids = [
        suit
        for suit in range(FAIL_SUITS)
        if cards & int(cards_of_suit(suit)) and not left & int(cards_of_suit(suit))
    ]
    return found + [Message("sheephead.voids", {"suit": SUIT_NAMES[suit]}) for suit in voids]


def _of_card(view: np.record, seat: Seat, card: int) -> list[Message]:
    found = _of_trick(view, seat, card) if view.n_laid else _of_lead(view, seat, card)
    suit = suit_in(view, card)
    left = int(view.hand[seat]) & ~(1 << card)
    if suit != len(SUIT_NAMES) - 1 and not left & suit_cards(view, suit) and left:
        found.append(Message("sheephead.voids", {"suit": suit_names(view)[suit]}))
    if _is_trump(view, card):
        found.append(_higher_trumps(view, seat, card))
    return found


def _is_trump(view: np.record, card: int) -> bool:
    return view.phase != NOLA_PLAYING and bool(int(TRUMPS) >> card & 1)


def _higher_trumps(view: np.record, seat: Seat, card: int) -> Message:
    """Count the trumps above a card that others may hold."""
    gone = int(view.hand[seat]) | int(view.buried)
    for other in range(SEATS):
        gone |= int(view.played[other])
    higher = int(ALL_CARDS) >> (card + 1) << (card + 1) & ~gone
    return Message("sheephead.higher-trumps", {"n": higher.bit_count()})


def _of_lead(view: np.record, seat: Seat, card: int) -> list[Message]:
    if view.phase != PLAYING:
        return []
    if _is_trump(view, card):
        own = is_own_side(view, seat, int(view.picker) - 1)
        code = "sheephead.lead-trump-picker" if own else "sheephead.lead-trump-defender"
        return [Message(code)]
    is_open = view.called and not view.called_led
    if is_open and suit_in(view, card) == (int(view.called) - 1) // FAIL_CARDS:
        return [Message("sheephead.leads-called")]
    return []


def _of_trick(view: np.record, seat: Seat, card: int) -> list[Message]:
    """Say who takes the trick with a card in it, and what that gives to whom."""
    after = view.copy()
    apply(after, seat, card)
    is_last = after.tricks_played > view.tricks_played
    winner = int(after.last_winner) - 1 if is_last else int(after.winner)
    points, before = int(POINTS[card]), int(view.winner)
    in_trick = points + sum(int(POINTS[one - 1]) for one in view.laid if one > 0)
    if winner == seat:
        found = [Message("sheephead.over-partner")] if is_own_side(view, seat, before) else []
        code = "sheephead.wins-sure" if is_last else "sheephead.wins-now"
        found.append(Message(code, {"points": in_trick}))
        if _is_trump(view, card) and int(view.led) != suit_in(view, card):
            found.append(Message("sheephead.trumps-in"))
        return found
    own = is_own_side(view, seat, winner)
    if view.phase == NOLA_PLAYING or own is None:
        return []
    if own:
        code = "sheephead.schmears-sure" if is_last else "sheephead.schmears"
        return [Message(code, {"points": points})]
    code = "sheephead.gives-away" if points > POINTS_KEPT else "sheephead.throws-low"
    return [Message(code, {"points": points})]


POINTS_KEPT = 4
"""Cards of more points than a king's are a pity to give away."""
