"""What a seat may do: list it, draw from it, check it."""

import numpy as np

from kibitz.core.bits import lowest, popcount
from kibitz.core.game import Action, Actions, Seat, State
from kibitz.core.kernels import allocating_kernel, inner_kernel, kernel
from kibitz.core.rng import Rng, below
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
    PLAY,
    RANKED,
    TICHU,
    WISH,
    cards_of,
    kind_of,
    low_bits,
    other_action,
    phoenix_of,
)
from kibitz.games.tichu.combinations import BOMB, DOG, NOTHING, SINGLE, classify, is_play
from kibitz.games.tichu.plays import MAX_PLAYS, has_bomb, list_bombs, list_plays
from kibitz.games.tichu.ranks import lowest_suits
from kibitz.games.tichu.state import (
    ANY,
    CALLING,
    EXCHANGE,
    GRAND_CALLING,
    OVER,
    SEATS,
    THESIS,
    TURN,
    WAITING,
    WINDOW,
    WISHING,
    cards_of_rank,
    flushes,
    may_call,
    table_of,
    wide,
)
from kibitz.games.tichu.wishes import must_fulfil

MAX_LEGAL = MAX_PLAYS + 2
"""The most actions a seat may choose from: its plays, a pass and a call."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_PASS = other_action(PASS, 0)
_CALL_TICHU = other_action(CALL, TICHU)


@kernel
def legal(state: State, seat: Seat, out: Actions) -> int:
    """List what a seat may do, in this order: pass or no, plays by kind, a call of Tichu."""
    if state.phase == TURN:
        return _list_turn(state, seat, out)
    if state.phase == WINDOW:
        return _list_window(state, seat, out)
    if state.phase == EXCHANGE:
        return _list_gifts(state, seat, out)
    if state.phase == GRAND_CALLING:
        out[0] = other_action(CALL, NO_GRAND)
        out[1] = other_action(CALL, GRAND)
        return 2
    if state.phase == CALLING:
        out[0] = other_action(CALL, NO_TICHU)
        out[1] = _CALL_TICHU
        return 2
    if state.phase == WISHING:
        out[0] = other_action(WISH, 0)
        for rank in range(LOWEST_RANK, ACE + 1):
            out[rank - LOWEST_RANK + 1] = other_action(WISH, rank)
        return ACE - LOWEST_RANK + 2
    out[0] = other_action(DRAGON_TO, 1)
    out[1] = other_action(DRAGON_TO, 3)
    return 2


@inner_kernel
def _list_turn(state: State, seat: Seat, out: Actions) -> int:
    """List the plays that fulfil the wish; if there are none, a pass and all plays."""
    kind, length, height = table_of(state)
    wish = state.wish if must_fulfil(state, seat) else 0
    n = 0
    if kind != NOTHING and wish == 0:
        out[0] = _PASS
        n = 1
    n = list_plays(state.hand[seat], kind, length, height, wish, flushes(state), out, n)
    if may_call(state, seat):
        out[n] = _CALL_TICHU
        n += 1
    return n


@inner_kernel
def can_bomb(state: State, seat: Seat) -> bool:
    """Whether a seat holds a bomb that beats the table."""
    kind, length, height = table_of(state)
    return has_bomb(state.hand[seat], kind, length, height, flushes(state))


@inner_kernel
def _list_bombs(state: State, seat: Seat, out: Actions) -> int:
    """List no bomb, and the bombs that beat the table."""
    kind, length, height = table_of(state)
    out[0] = _PASS
    return list_bombs(state.hand[seat], kind, length, height, flushes(state), out, 1)


@inner_kernel
def _is_asked_to_call(state: State, seat: Seat) -> bool:
    """Whether a call of Tichu is listed in a window."""
    return state.calls == ANY and may_call(state, seat)


@inner_kernel
def _list_window(state: State, seat: Seat, out: Actions) -> int:
    """List no bomb, bombs, and perhaps a call."""
    n = _list_bombs(state, seat, out)
    if _is_asked_to_call(state, seat):
        out[n] = _CALL_TICHU
        n += 1
    return n


@inner_kernel
def _gifts(state: State, seat: Seat) -> np.uint64:
    """Return the cards that a seat may still give away."""
    cards = state.hand[seat]
    for k in range(3):
        card = wide(state.given[seat, k]) - 1
        if card >= 0:
            cards &= ~(_ONE << np.uint64(card))
    return cards


@inner_kernel
def _different_gifts(state: State, seat: Seat) -> np.uint64:
    """Return the cards that a seat may still give away; where suits do not matter, one per rank."""
    cards = _gifts(state, seat)
    return cards & ~RANKED | lowest_suits(cards & RANKED) if state.variant == THESIS else cards


@inner_kernel
def _give_lowest(cards: np.uint64) -> Action:
    """Make the action that gives the lowest of some cards."""
    return other_action(GIVE, np.int64(cards & (~cards + _ONE)))  # type: ignore[arg-type]


@inner_kernel
def _list_gifts(state: State, seat: Seat, out: Actions) -> int:
    cards = _different_gifts(state, seat)
    n = 0
    while cards != _NONE:
        out[n] = _give_lowest(cards)
        cards &= cards - _ONE
        n += 1
    return n


@inner_kernel
def describe_play(state: State, action: Action) -> tuple[int, int, int]:
    """Say what is laid: kind, length and height (of a Phoenix alone, on what it is laid)."""
    on_height = state.table_height if state.table_kind == SINGLE else 0
    return classify(cards_of(action), phoenix_of(action), on_height, flushes(state))


@kernel
def describe(state: State, seat: Seat, action: Action) -> tuple[int, int, int]:
    """Say what an action is: kind, length and height of a play; of anything else see README.md."""
    kind, what = kind_of(action), low_bits(action)
    if kind == PLAY:
        return describe_play(state, action)
    if kind == GIVE:
        n = 0
        while n < 2 and state.given[seat, n] != 0:
            n += 1
        return DOG + kind, n + 1, lowest(cards_of(action))
    return DOG + kind, 0, what


@allocating_kernel
def random_action(state: State, seat: Seat, rng: Rng) -> Action:
    """Draw from what a seat may do; most seats in most windows hold no bomb and cost nothing."""
    phase = state.phase
    if phase == WINDOW and not can_bomb(state, seat) and not _is_asked_to_call(state, seat):
        return _PASS
    if phase in (WINDOW, TURN):
        listed = np.empty(MAX_LEGAL, np.int64)
        window = phase == WINDOW
        n = _list_window(state, seat, listed) if window else _list_turn(state, seat, listed)
        return listed[below(rng, n)]
    if phase == EXCHANGE:
        cards = _different_gifts(state, seat)
        for _ in range(below(rng, popcount(cards))):
            cards &= cards - _ONE
        return _give_lowest(cards)
    if phase == GRAND_CALLING:
        return other_action(CALL, NO_GRAND + below(rng, 2))
    if phase == CALLING:
        return other_action(CALL, NO_TICHU + below(rng, 2))
    if phase == WISHING:
        rank = LOWEST_RANK - 1 + below(rng, ACE - LOWEST_RANK + 2)
        return other_action(WISH, rank if rank >= LOWEST_RANK else 0)
    return other_action(DRAGON_TO, 1 + 2 * below(rng, 2))


@kernel
def is_legal(state: State, seat: Seat, action: Action) -> bool:
    """Whether a seat may do this now: any correct choice of cards, and a call out of turn."""
    if seat < 0 or seat >= SEATS or action <= 0:
        return False
    phase, kind = state.phase, kind_of(action)
    if action == _CALL_TICHU:
        return _is_time_to_call(phase) and may_call(state, seat)
    if not (state.deciding >> seat) & 1:
        return False
    if phase == TURN:
        return _is_legal_turn(state, seat, action)
    if phase == WINDOW:
        return action == _PASS or _is_bomb(state, seat, action)
    what = low_bits(action)
    if kind == PLAY or action != other_action(kind, what):
        return False
    if phase == EXCHANGE:
        card = cards_of(action)
        return kind == GIVE and popcount(card) == 1 and card & _gifts(state, seat) != _NONE
    if phase == GRAND_CALLING:
        return kind == CALL and what in (NO_GRAND, GRAND)
    if phase == CALLING:
        return kind == CALL and what == NO_TICHU  # a call is judged above
    if phase == WISHING:
        return kind == WISH and (what == 0 or LOWEST_RANK <= what <= ACE)
    return kind == DRAGON_TO and (what == 1 or what == 3)


@inner_kernel
def _is_time_to_call(phase: int) -> bool:
    """Whether Tichu may be called: from the ninth card to the end of the round."""
    return phase not in (WAITING, GRAND_CALLING, OVER)


@inner_kernel
def _is_legal_turn(state: State, seat: Seat, action: Action) -> bool:
    """Whether the seat on turn may pass, or play this, under the wish."""
    if action == _PASS:
        return state.table_kind != NOTHING and not must_fulfil(state, seat)
    if not _is_play(state, seat, action):
        return False
    wished = cards_of_rank(state.wish) if state.wish != 0 else _NONE
    return cards_of(action) & wished != _NONE or not must_fulfil(state, seat)


@inner_kernel
def _is_play(state: State, seat: Seat, action: Action) -> bool:
    kind, length, height = table_of(state)
    return is_play(state.hand[seat], action, kind, length, height, flushes(state))


@inner_kernel
def _is_bomb(state: State, seat: Seat, action: Action) -> bool:
    """Whether a seat may lay this bomb on the table."""
    if not _is_play(state, seat, action):
        return False
    kind, _, _ = classify(cards_of(action), phoenix_of(action), 0, flushes(state))
    return kind == BOMB
