"""What players of Tichu are judged by: what they give, call, wish for, lead, stop and break.

Each habit is counted where it is possible, which is said in its title; decisions are grouped by the
cards that the deciding seat holds. What becomes of calls is seen when a round has ended.
"""

import numpy as np

from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Action, Actions, Seat, State, States
from kibitz.core.habits import Battery, Ints
from kibitz.core.kernels import allocating_kernel, inner_kernel, kernel
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DOG,
    DOG_BIT,
    GRAND,
    LOWEST_RANK,
    MAH_JONG,
    PASS,
    PHOENIX_BIT,
    PLAY,
    RANKED_CARDS,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    low_bits,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.choices import MAX_LEGAL, legal
from kibitz.games.tichu.combinations import BOMB, NOTHING, classify
from kibitz.games.tichu.plays import has_bomb
from kibitz.games.tichu.ranks import NONE
from kibitz.games.tichu.sight import n_given
from kibitz.games.tichu.state import (
    ANY,
    CALLING,
    EXCHANGE,
    GRAND_CALLED,
    GRAND_CALLING,
    OVER,
    TICHU_CALLED,
    TURN,
    WAITING,
    WINDOW,
    WISHING,
    flushes,
    is_exchanged,
    is_out,
    may_call,
    n_cards,
    n_out,
)
from kibitz.games.tichu.wishes import must_fulfil

STOP, STOP_CALL, DOG_AWAY, MAH_JONG_AWAY, GIFT_LOW, GIFT_TOP = 0, 1, 2, 3, 4, 5
BREAK, PHOENIX_LED, OVER_PARTNER, WISH_PARTNER, WISH_HIGH, CALLS = 6, 7, 8, 9, 10, 11
DOG_LED, WON = 12, 13

BY_GRAND, BEFORE, AFTER, LATE = 1, 2, 3, 4
"""Levels of calls: Grand Tichu; Tichu before the exchange, when all are asked after it, later."""

_PASS = other_action(PASS, 0)
_CALL_TICHU = other_action(CALL, TICHU)


@kernel
def _watch(
    habit: int, levels: Ints, views: States, seats: Ints, actions: Actions, found: Ints
) -> None:
    """Look for a habit; decisions are grouped by the cards in the hand."""
    for k in range(len(views)):
        found[k, len(levels)] = popcount(views[k].hand[seats[k]])
        for i in range(len(levels)):
            found[k, i] = _look(habit, levels[i], views[k], seats[k], actions[k])


@inner_kernel
def _look(habit: int, level: int, view: State, seat: Seat, action: Action) -> int:
    """Return what is seen of one habit at one level in a decision, or at the end of a round."""
    if view.phase == WAITING or view.phase == OVER:
        return _look_at_end(habit, level, view, seat)
    if habit == CALLS:
        return _look_at_call(level, view, seat, action)
    if view.phase == TURN:
        return _look_at_turn(habit, level, view, seat, action)
    if view.phase == EXCHANGE:
        return _look_at_gift(habit, level, view, seat, action)
    if view.phase == WISHING:
        return _look_at_wish(habit, level, view, seat, action)
    return 0


@inner_kernel
def _look_at_call(level: int, view: State, seat: Seat, action: Action) -> int:
    """Judge a decision of which a call is a choice; calls that nobody asked for are not counted."""
    if view.phase == GRAND_CALLING:
        return 1 + (action == other_action(CALL, GRAND)) if level == BY_GRAND else 0
    if not may_call(view, seat):
        return 0
    if view.phase == CALLING:
        when = AFTER if is_exchanged(view) else BEFORE
    elif view.phase == TURN or (view.phase == WINDOW and view.calls == ANY):
        when = LATE
    else:
        return 0
    return 1 + (action == _CALL_TICHU) if level == when else 0


@inner_kernel
def _look_at_end(habit: int, level: int, view: State, seat: Seat) -> int:
    """Judge what came of a call: it is won by who is out first."""
    called = GRAND_CALLED if level == BY_GRAND else TICHU_CALLED
    if habit != WON or view.call[seat] != called:
        return 0
    return 1 + (view.finished[seat] == 1)


@inner_kernel
def _look_at_gift(habit: int, level: int, view: State, seat: Seat, action: Action) -> int:
    """Judge what is given: special cards when the last of three is, the partner's at once."""
    n = n_given(view, seat)
    if habit in (DOG_AWAY, MAH_JONG_AWAY) and n == 2:
        card = ONE << np.uint64(DOG if habit == DOG_AWAY else MAH_JONG)
        if view.hand[seat] & card == NONE:
            return 0
        to_partner = ONE << np.uint64(int(view.given[seat, 1]) - 1) == card
        to_right = ONE << np.uint64(int(view.given[seat, 0]) - 1) == card
        to_opponent = to_right or cards_of(action) == card
        return 1 + (to_partner if level == 2 else to_opponent)
    if habit in (GIFT_LOW, GIFT_TOP) and n == 1:
        rank = LOWEST_RANK + (lowest(cards_of(action)) >> 2)  # above the ace: special cards
        return 1 + (rank <= level if habit == GIFT_LOW else rank == level)
    return 0


@inner_kernel
def _look_at_wish(habit: int, level: int, view: State, seat: Seat, action: Action) -> int:
    """Judge a wish: for what the partner was given, or for a rank."""
    if habit == WISH_HIGH:
        return 1 + (action == other_action(WISH, level))
    card = int(view.given[seat, 1]) - 1
    if habit != WISH_PARTNER or card < 0 or card >= RANKED_CARDS:
        return 0
    if view.played[(seat + 2) & 3] & (ONE << np.uint64(card)) != NONE:
        return 0
    return 1 + (low_bits(action) == LOWEST_RANK + (card >> 2))


@inner_kernel
def _look_at_turn(habit: int, level: int, view: State, seat: Seat, action: Action) -> int:
    """Judge a pass, a lead or a play; a call of Tichu, which leaves the turn as it is, is none."""
    hand = view.hand[seat]
    cards = cards_of(action) if kind_of(action) == PLAY else NONE
    if kind_of(action) == CALL:
        return 0
    if habit == PHOENIX_LED:
        if view.table_kind != NOTHING or hand & PHOENIX_BIT == NONE or hand == PHOENIX_BIT:
            return 0
        return 1 + (cards == PHOENIX_BIT)
    if habit == DOG_LED:
        if view.table_kind != NOTHING or hand & DOG_BIT == NONE or hand == DOG_BIT:
            return 0
        return 0 if must_fulfil(view, seat) else 1 + (cards == DOG_BIT)
    if habit == BREAK:
        if not has_bomb(hand, NOTHING, 0, 0, flushes(view)):
            return 0
        is_bomb = classify(cards, phoenix_of(action), 0, flushes(view))[0] == BOMB
        whole = has_bomb(hand & ~cards, NOTHING, 0, 0, flushes(view))
        return 1 + (not is_bomb and not whole and cards != hand)
    if view.table_kind == NOTHING or not _can_answer(view, seat):
        return 0
    holder = int(view.holder)
    if habit == OVER_PARTNER:
        ours = holder == (seat + 2) & 3 and (view.call[holder] != 0) == (level == 1)
        return 1 + (cards != NONE and cards != hand) if ours else 0
    if (holder - seat) & 1 == 0 or is_out(view, holder) or not _is_last(view, seat):
        return 0
    n = n_cards(view, holder)
    if habit == STOP and n == level:
        return 1 + (action == _PASS)
    if habit == STOP_CALL and view.call[holder] != 0 and n_out(view) == 0 and n <= level:
        return 1 + (action == _PASS)
    return 0


@inner_kernel
def _is_last(view: State, seat: Seat) -> bool:
    """Whether nobody can play between a seat and who holds the trick."""
    other = (seat + 1) & 3
    while other != view.holder and is_out(view, other):
        other = (other + 1) & 3
    return other == view.holder


@allocating_kernel
def _can_answer(view: State, seat: Seat) -> bool:
    """Whether a seat may pass, and may lay something that is no bomb."""
    listed = np.empty(MAX_LEGAL, np.int64)
    n = legal(view, seat, listed)
    if listed[0] != _PASS:
        return False
    for i in range(1, n):
        if kind_of(listed[i]) == PLAY:
            cards = cards_of(listed[i])
            if classify(cards, phoenix_of(listed[i]), 0, flushes(view))[0] != BOMB:
                return True
    return False


_ARE = Battery("tichu", "cards", _watch)

HABITS = (
    _ARE.habit(STOP, "stop", "left", 1, 2),
    _ARE.habit(STOP_CALL, "caller", "left", 4, 14),
    _ARE.habit(DOG_AWAY, "dog", "to", 1, 2),
    _ARE.habit(MAH_JONG_AWAY, "mah-jong", "to", 1, 2),
    _ARE.habit(GIFT_LOW, "low-gift", "rank", 8),
    _ARE.habit(GIFT_TOP, "top-gift", "rank", ACE),
    _ARE.habit(BREAK, "bomb", "level", 0),
    _ARE.habit(PHOENIX_LED, "phoenix", "level", 0),
    _ARE.habit(OVER_PARTNER, "overtake", "partner", 0, 1),
    _ARE.habit(WISH_PARTNER, "wish-gift", "level", 0),
    _ARE.habit(WISH_HIGH, "wish", "rank", 0, ACE),
    _ARE.habit(CALLS, "calls", "call", BY_GRAND, BEFORE, AFTER, LATE),
    _ARE.habit(DOG_LED, "dog-led", "level", 0),
    _ARE.outcome(WON, "won", "called", BY_GRAND, AFTER),
)
