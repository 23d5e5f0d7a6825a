"""Logged rounds followed by a kernel: lines of play become actions, as far as they are legal.

Everything happens on a *desk*: the actions so far, the ways that were chosen where a log leaves
something open, and what is wrong with the line that cannot be followed. The state stands where that
line was met, so that the reason can be told in words.
"""

import numpy as np

from kibitz.core.game import Action, Seat, State, States
from kibitz.core.kernels import inner_kernel, kernel, record_dtype
from kibitz.games.tichu.cards import (
    ACE,
    CALL,
    DRAGON_TO,
    GIVE,
    GRAND,
    LOWEST_RANK,
    NO_GRAND,
    NO_TICHU,
    PASS,
    PHOENIX_BIT,
    TICHU,
    WISH,
    other_action,
    play_action,
)
from kibitz.games.tichu.choices import is_legal
from kibitz.games.tichu.combinations import NOTHING
from kibitz.games.tichu.ranks import NONE
from kibitz.games.tichu.rules import apply
from kibitz.games.tichu.state import CALLING, DRAGON_TRICK, OVER, SEATS, WINDOW, WISHING

# What a line of play tells.
LAYS, PASSES, WISHES, CALLS, GIVES_DRAGON = 0, 1, 2, 3, 4

# What is wrong.
FINE, REFUSED, IS_OVER, IS_EARLY, CALLS_LATE, NO_MAH_JONG, NO_DRAGON, OWN_TEAM = range(8)

MAX_ACTIONS = 1200
MAX_PICKS = 64

EVENT = record_dtype(
    [
        ("doing", np.int64),
        ("seat", np.int64),  # -1 where the line does not say
        ("rank", np.int64),  # of a wish
        ("cards", np.uint64),
        ("orders", np.int64),  # ranks for which the Phoenix would stand in order, as bits
    ]
)
DESK = record_dtype(
    [
        ("grand", np.int64),  # seats that called before the exchange, as bits
        ("early", np.int64),
        ("gifts", np.int64, (SEATS, 3)),  # cards to the right, the partner, the left
        ("n_actions", np.int64),
        ("seats", np.int8, (MAX_ACTIONS,)),
        ("actions", np.int64, (MAX_ACTIONS,)),
        ("n_taken", np.int64),  # ways that are prescribed; the first one everywhere else
        ("taken", np.int8, (MAX_PICKS,)),
        ("n_picks", np.int64),
        ("widths", np.int8, (MAX_PICKS,)),  # how many ways there were
        ("wrong", np.int64),  # of the codes above, and in which line: -1 before the first
        ("place", np.int64),
        ("seat", np.int64),  # who was refused what
        ("action", np.int64),
    ]
)
Events = np.ndarray[tuple[int], np.dtype[np.record]]

_PASS = other_action(PASS, 0)
_TICHU = other_action(CALL, TICHU)


@kernel
def retrace(states: States, events: Events, desk: np.record) -> bool:
    """Follow a round from its deal to its end; return whether it could be followed.

    Args:
        states: the deal, which is played on, and room for another state.
        events: the lines of play.
        desk: what comes before them, and which ways to take; gets all that is found out.
    """
    state = states[0]
    desk.n_actions = 0
    desk.n_picks = 0
    desk.wrong = FINE
    desk.place = -1
    if not _begin(state, events, desk):
        return False
    for place in range(len(events)):
        desk.place = place
        if state.phase == OVER and events[place].doing != CALLS:
            return _fail(desk, IS_OVER)
        if not _follow(states, events, place, desk):
            return False
    desk.place = len(events)
    if not _give_dragon(state, -1, desk):
        return False
    return True if state.phase == OVER else _fail(desk, IS_EARLY)


@inner_kernel
def _fail(desk: np.record, wrong: int) -> bool:
    desk.wrong = wrong
    return False


@inner_kernel
def _play(state: State, seat: Seat, action: Action, desk: np.record) -> bool:
    """Commit one action, if the rules allow it."""
    if not is_legal(state, seat, action) or desk.n_actions >= MAX_ACTIONS:
        desk.seat = seat
        desk.action = action
        return _fail(desk, REFUSED)
    desk.seats[desk.n_actions] = seat
    desk.actions[desk.n_actions] = action
    desk.n_actions += 1
    apply(state, seat, action)
    return True


@inner_kernel
def _pick(desk: np.record, n: int) -> int:
    """Choose one of n ways."""
    place = desk.n_picks
    if place >= MAX_PICKS:
        return 0
    desk.widths[place] = n
    desk.n_picks += 1
    return np.int64(desk.taken[place]) if place < desk.n_taken else 0  # type: ignore[return-value]


@inner_kernel
def _begin(state: State, events: Events, desk: np.record) -> bool:
    """Play what comes before the first card: calls and the exchange."""
    for seat in range(SEATS):
        answer = GRAND if (desk.grand >> seat) & 1 else NO_GRAND
        if not _play(state, seat, other_action(CALL, answer), desk):
            return False
    if not _answer_calls(state, desk.early, desk):
        return False
    for seat in range(SEATS):
        for k in range(3):
            gift = other_action(GIVE, np.int64(1) << desk.gifts[seat, k])
            if not _play(state, seat, gift, desk):
                return False
    callers = 0
    for place in range(len(events)):
        if events[place].doing != CALLS:
            break
        callers |= 1 << events[place].seat
    return _answer_calls(state, callers, desk)


@inner_kernel
def _answer_calls(state: State, callers: int, desk: np.record) -> bool:
    """Answer the question for Tichu, if it is asked at all."""
    if state.phase != CALLING:
        return True
    asked = state.deciding
    for seat in range(SEATS):
        if (asked >> seat) & 1:
            answer = TICHU if (callers >> seat) & 1 else NO_TICHU
            if not _play(state, seat, other_action(CALL, answer), desk):
                return False
    return True


@inner_kernel
def _next_but(events: Events, place: int, doing: int) -> int:
    """Find the first of the two lines that follow which tells something else; -1 if none does."""
    for other in range(place + 1, min(place + 3, len(events))):
        if events[other].doing != doing:
            return other
    return -1


@inner_kernel
def _follow(states: States, events: Events, place: int, desk: np.record) -> bool:
    """Do what one line says; the two lines after it may belong to it."""
    state, event = states[0], events[place]
    seat = event.seat
    if event.doing == CALLS:
        return _hear(state, seat, desk)
    if event.doing == LAYS:
        after = _next_but(events, place, WISHES)
        meant = after >= 0 and events[after].doing == CALLS and events[after].seat == seat
        if meant and not _hear(state, seat, desk):
            return False
        if not _lay(states, events, place, desk):
            return False
        after = _next_but(events, place, CALLS)
        if state.phase == WISHING and (after < 0 or events[after].doing != WISHES):
            return _play(state, seat, other_action(WISH, 0), desk)
        return True
    if event.doing == PASSES:
        return _pass(state, seat, desk)
    if event.doing == WISHES:
        if state.phase != WISHING:
            return _fail(desk, NO_MAH_JONG)
        return _play(state, state.holder, other_action(WISH, event.rank), desk)
    if not _close_window(state, desk):
        return False
    return (
        _give_dragon(state, seat, desk) if state.phase == DRAGON_TRICK else _fail(desk, NO_DRAGON)
    )


@inner_kernel
def _hear(state: State, seat: Seat, desk: np.record) -> bool:
    """Call Tichu, in turn or not; the line may be there twice."""
    if state.call[seat] != 0:
        return True
    if state.played[seat] != NONE:
        desk.seat = seat
        return _fail(desk, CALLS_LATE)
    return _play(state, seat, _TICHU, desk)


@inner_kernel
def _close_window(state: State, desk: np.record) -> bool:
    """Let nobody bomb."""
    return _answer_window(state, -1, _PASS, desk) if state.phase == WINDOW else True


@inner_kernel
def _answer_window(state: State, bomber: Seat, bomb: Action, desk: np.record) -> bool:
    """Let one seat bomb, or none."""
    asked = state.deciding
    for seat in range(SEATS):
        answer = bomb if seat == bomber else _PASS
        if (asked >> seat) & 1 and not _play(state, seat, answer, desk):
            return False
    return True


@inner_kernel
def _pass(state: State, seat: Seat, desk: np.record) -> bool:
    """Pass in turn, or take the trick."""
    if not _give_dragon(state, -1, desk):
        return False
    holder, lay_there = state.holder, state.table_kind != NOTHING
    if not _close_window(state, desk):
        return False
    is_won = state.table_kind == NOTHING or state.phase == DRAGON_TRICK
    if lay_there and is_won and holder == seat:
        return True
    return _play(state, seat, _PASS, desk)


@inner_kernel
def _lay(states: States, events: Events, place: int, desk: np.record) -> bool:
    """Lay cards: as a bomb in the window, or in turn."""
    state, event = states[0], events[place]
    seat, cards = event.seat, event.cards
    if state.phase == WINDOW and _is_out_of_turn(states, seat, cards, desk):
        return _answer_window(state, seat, play_action(cards, 0), desk)
    if not _close_window(state, desk) or not _give_dragon(state, -1, desk):
        return False
    return _play(state, seat, _read_play(state, seat, cards, event.orders, desk), desk)


@inner_kernel
def _is_out_of_turn(states: States, seat: Seat, cards: np.uint64, desk: np.record) -> bool:
    """Whether cards are a bomb in the window, and not played in the turn after it.

    In its turn a seat is bound by the wish. When all have passed and the holder of the trick is
    out, who leads next may either bomb or lead: both are tried.
    """
    state, bomb = states[0], play_action(cards, 0)
    if not is_legal(state, seat, bomb):
        return False
    states[1] = states[0]
    for other in range(SEATS):
        if (state.deciding >> other) & 1:
            apply(states[1], other, _PASS)
    if not is_legal(states[1], seat, bomb):
        return True
    all_passed = state.turn == state.holder
    if all_passed and seat != state.holder:
        return _pick(desk, 2) == 1
    return all_passed


@inner_kernel
def _read_play(state: State, seat: Seat, cards: np.uint64, orders: int, desk: np.record) -> Action:
    """Find out what the Phoenix stands for: ranks in order first, then high ones."""
    if cards & PHOENIX_BIT == NONE or cards == PHOENIX_BIT:
        return play_action(cards, 0)
    legal = 0
    n = 0
    for rank in range(LOWEST_RANK, ACE + 1):
        if is_legal(state, seat, play_action(cards, rank)):
            legal |= 1 << rank
            n += 1
    if n == 0:
        return play_action(cards, 0)
    k = _pick(desk, n)
    for ranks in (legal & orders, legal & ~orders):
        for rank in range(ACE, LOWEST_RANK - 1, -1):
            if (ranks >> rank) & 1:
                if k == 0:
                    return play_action(cards, rank)
                k -= 1
    return play_action(cards, 0)


@inner_kernel
def _give_dragon(state: State, receiver: Seat, desk: np.record) -> bool:
    """Give the Dragon's trick away, if it is due; the receiver may be known."""
    if state.phase != DRAGON_TRICK:
        return True
    giver = state.holder
    step = (receiver - giver) & 3 if receiver >= 0 else 1 + 2 * _pick(desk, 2)
    if step != 1 and step != 3:
        return _fail(desk, OWN_TEAM)
    return _play(state, giver, other_action(DRAGON_TO, step), desk)
