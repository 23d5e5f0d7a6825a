"""What happened in a round, as a seat saw it, and the same again in a world.

A view has who played which cards and not in which order. So an agent that watches keeps a `LOG` of
every game: `note` compares a view with the one before, finds steps that the rules allow from one to
the other, and writes them down. Nothing goes into it that the seat did not see. Windows in which
nobody bombed leave no trace; in `retrace` everybody passes there.

`retrace` plays a round again in a world, which has all hands, and stops at what one seat decided:
what it saw then, and what it did.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Actions, Seat, State, States, apply, conceal, legal
from kibitz.core.kernels import inner_kernel, kernel, record_dtype
from kibitz.games.tichu.cards import (
    CALL,
    DRAGON_TO,
    MAH_JONG_BIT,
    PASS,
    TICHU,
    WISH,
    other_action,
)
from kibitz.games.tichu.choices import MAX_LEGAL
from kibitz.games.tichu.combinations import NOTHING
from kibitz.games.tichu.plays import list_bombs, list_plays
from kibitz.games.tichu.state import (
    DRAGON_TRICK,
    OVER,
    SEATS,
    TICHU_CALLED,
    TURN,
    WINDOW,
    WISHING,
    flushes,
    table_of,
    wide,
)
from kibitz.games.tichu.wishes import clear_wish

MAX_EVENTS = 320
"""Events of a round that are kept: plays and passes, wishes, calls, tricks of the Dragon."""

BOMBED = 8
"""Is added to the actor of a bomb that was laid in a window."""

QUIET = 16
"""Is added to the actor of a step that nobody sees: a window without a bomb."""

UNKNOWN_ORDER = -1

MAX_DEPTH = 100
"""Steps between two views of a seat."""

MAX_STEPS = 32
"""What is tried at each of them."""

MOST_TRIED = 20_000
"""Steps that are tried in all."""

Numbers = npt.NDArray[np.int64]

_NONE = np.uint64(0)
_FILLER = np.uint64(1 << 62)  # no card: a hand that is not empty
_PASS = other_action(PASS, 0)
_CALL_TICHU = other_action(CALL, TICHU)

LOG = record_dtype(
    [
        ("n_events", np.int64),
        ("is_whole", np.int64),  # whether the round was seen from its first card on
        ("actors", np.int64, (MAX_EVENTS,)),
        ("events", np.int64, (MAX_EVENTS,)),  # actions
    ]
)


class Trace(NamedTuple):
    """Scratch of `note`: what is tried, step by step."""

    states: States  # [MAX_DEPTH + 1]
    actors: Numbers  # [MAX_DEPTH + 1, MAX_STEPS]
    actions: Numbers
    n_steps: Numbers  # [MAX_DEPTH + 1]
    taken: Numbers  # how many of them were tried
    listed: Actions


def make_trace(blank: States) -> Trace:
    """Make scratch for one thread; `blank` is a state of the game."""
    n = MAX_DEPTH + 1
    actors, actions = np.zeros((2, n, MAX_STEPS), np.int64)
    n_steps, taken = np.zeros((2, n), np.int64)
    states = np.repeat(blank[:1], n)
    return Trace(states, actors, actions, n_steps, taken, np.zeros(MAX_LEGAL, np.int64))


@inner_kernel
def _is_play(phase: int) -> bool:
    """Whether cards are being played."""
    return TURN <= phase < OVER


@inner_kernel
def _nothing_played(view: State) -> bool:
    return view.played[0] | view.played[1] | view.played[2] | view.played[3] == _NONE


@inner_kernel
def _add(log: np.record, actor: int, action: int) -> None:
    """Write an event down; a log without room is not whole."""
    if log.n_events == MAX_EVENTS:
        log.is_whole = 0
        return
    log.actors[log.n_events] = actor
    log.events[log.n_events] = action
    log.n_events += 1


@inner_kernel
def _prepare(before: State, view: State, trace: "Trace") -> None:
    """Begin at a view, hidden hands filled with what is played later, and something that is not."""
    state = trace.states[0]
    for seat in range(SEATS):
        state.hand[seat] |= view.played[seat] & ~before.played[seat]
        if view.finished[seat] == 0:
            state.hand[seat] |= _FILLER


@inner_kernel
def _list_steps(state: State, view: State, trace: "Trace", depth: int) -> int:
    """List what may have been done next, cards that were played first; return how many."""
    n, phase = 0, state.phase
    actors, actions, listed = trace.actors[depth], trace.actions[depth], trace.listed
    if phase == WISHING:
        actors[0], actions[0] = state.holder, other_action(WISH, view.wished)
        return 1
    if phase == DRAGON_TRICK:
        for k in range(2):
            actors[k], actions[k] = state.holder, other_action(DRAGON_TO, 1 + 2 * k)
        return 2
    for seat in range(SEATS):
        cards = view.played[seat] & ~state.played[seat]
        if cards == _NONE or (phase == TURN and seat != state.turn):
            continue
        kind, length, height = table_of(state)
        if phase == TURN:
            found = list_plays(cards, kind, length, height, 0, flushes(state), listed, 0)
        else:
            found = list_bombs(cards, kind, length, height, flushes(state), listed, 0)
        for i in range(found - 1, -1, -1):  # the largest combinations are listed last
            if n < MAX_STEPS - 1:
                actors[n], actions[n] = seat + (BOMBED if phase == WINDOW else 0), listed[i]
                n += 1
    if phase == WINDOW or state.table_kind != NOTHING:
        actors[n], actions[n] = state.turn + (QUIET if phase == WINDOW else 0), _PASS
        n += 1
    return n


@inner_kernel
def _take(state: State, actor: int, action: int) -> None:
    """Let something be done, in a window with everybody else passing."""
    if state.phase == WINDOW:
        _close(state, actor & 3 if actor < QUIET else -1)
    if actor < QUIET:
        apply(state, actor & 3, action)


@inner_kernel
def _find_way(view: State, trace: "Trace") -> int:
    """Find what leads from `states[0]` to what a view shows; return how many steps, or -1."""
    depth, tried = 0, 0
    trace.n_steps[0] = -1
    while depth >= 0 and tried < MOST_TRIED:
        state = trace.states[depth]
        if trace.n_steps[depth] < 0:
            if _same(state, view):
                return depth
            trace.taken[depth] = 0
            trace.n_steps[depth] = 0
            if depth < MAX_DEPTH and _is_play(state.phase):
                trace.n_steps[depth] = _list_steps(state, view, trace, depth)
        k = trace.taken[depth]
        if k == trace.n_steps[depth]:
            depth -= 1
            continue
        trace.taken[depth] = k + 1
        tried += 1
        trace.states[depth + 1] = state
        _take(trace.states[depth + 1], trace.actors[depth, k], trace.actions[depth, k])
        trace.n_steps[depth + 1] = -1
        depth += 1
    return -1


@kernel
def note(before: State, view: State, log: np.record, trace: "Trace") -> None:
    """Write down what was done between two views of a seat.

    If much was done in between, several orders may lead from one to the other; the first that is
    found is taken. If none is found, the log is not whole.
    """
    if not _is_play(view.phase) or view.dealt != before.dealt or not _is_play(before.phase):
        log.n_events = 0
        log.is_whole = _is_play(view.phase) and _nothing_played(view)
        return
    if log.is_whole == 0:
        return
    trace.states[0] = before
    _prepare(before, view, trace)
    for seat in range(SEATS):
        if view.call[seat] != before.call[seat]:
            _add(log, seat, _CALL_TICHU)
            apply(trace.states[0], seat, _CALL_TICHU)
    n = _find_way(view, trace)
    if n < 0:
        log.is_whole = 0
    for depth in range(n):
        k = trace.taken[depth] - 1
        if trace.actors[depth, k] < QUIET:
            _add(log, trace.actors[depth, k], trace.actions[depth, k])


@kernel
def take_back(world: State, log: np.record, start: State) -> None:
    """Write to `start` what a world was when the first card was to be led."""
    for seat in range(SEATS):
        start.hand[seat] = world.hand[seat] | world.played[seat]
        start.played[seat] = _NONE
        start.laid[seat] = _NONE
        start.pending[seat] = 0
        start.won[seat] = 0
        start.tricks[seat] = 0
        start.finished[seat] = 0
        for kind in range(7):
            start.passed[seat, kind] = 0
        if start.hand[seat] & MAH_JONG_BIT != _NONE:
            start.opener = seat + 1
            start.turn = seat
            start.deciding = 1 << seat
    for kind in range(9):
        start.n_laid[kind] = 0
    for k in range(log.n_events):
        if log.events[k] == _CALL_TICHU and start.call[log.actors[k]] == TICHU_CALLED:
            start.call[log.actors[k]] = 0
    clear_wish(start)
    start.phase = TURN
    start.table = _NONE
    start.table_kind = NOTHING
    start.table_length = 0
    start.table_height = 0
    start.table_phoenix = 0
    start.holder = 0
    start.trick = 0
    start.misfits = 0


@inner_kernel
def _same(state: State, world: State) -> bool:
    """Whether a round that was played again is where the world is."""
    same = state.phase == world.phase and state.turn == world.turn and state.table == world.table
    same = same and state.holder == world.holder and state.trick == world.trick
    same = same and state.wish == world.wish and state.wished == world.wished
    for seat in range(SEATS):
        same = same and state.played[seat] == world.played[seat]
        same = same and state.won[seat] == world.won[seat]
        same = same and state.finished[seat] == world.finished[seat]
        same = same and state.call[seat] == world.call[seat]
    return same


@inner_kernel
def _keep(state: State, seat: Seat, action: int, seen: States, done: Actions, n: int) -> int:
    """Keep what a seat saw and did, if it had a choice; return how many decisions there are."""
    if legal(state, seat, done[n:]) < 2:
        return n
    seen[n] = state
    conceal(seen[n], seat)
    done[n] = action
    return n + 1


@inner_kernel
def _close(state: State, bomber: int) -> None:
    """Let all but a bomber pass in a window, or everybody."""
    waiting = wide(state.deciding)
    for seat in range(SEATS):
        if (waiting >> seat) & 1 and seat != bomber:
            apply(state, seat, _PASS)


@kernel
def retrace(
    world: State, log: np.record, seat: Seat, first: int, seen: States, done: Actions
) -> int:
    """Play a round again in a world; write what a seat decided, with a choice.

    Args:
        world: all hands, as they are now.
        log: what happened.
        seat: whose decisions are wanted.
        first: the event from which on they are; those before are played only.
        seen: gets the views of that seat; the last one is scratch.
        done: gets what it did; needs room for a list of legal actions behind the last.

    Returns:
        How many decisions there are, or UNKNOWN_ORDER if the log does not lead to the world.
    """
    here = len(seen) - 1
    seen[here] = world
    take_back(world, log, seen[here])
    state = seen[here]
    n, most = 0, here
    for k in range(log.n_events):
        actor, action = log.actors[k] & 3, log.events[k]
        bombs = log.actors[k] >= BOMBED
        if state.phase == WINDOW and action != _CALL_TICHU:
            asked = (state.deciding >> seat) & 1 and seat != actor
            # Behind the bomber in the order of turns nobody knows what was answered.
            if bombs:
                asked = asked and (seat - state.turn) & 3 < (actor - state.turn) & 3
            if asked and k >= first and n < most:
                n = _keep(state, seat, _PASS, seen, done, n)
            _close(state, actor if bombs else -1)
        if not (state.deciding >> actor) & 1 and action != _CALL_TICHU:
            return UNKNOWN_ORDER
        if actor == seat and k >= first and n < most:
            n = _keep(state, seat, action, seen, done, n)
        apply(state, actor, action)
    if state.phase == WINDOW and world.phase != WINDOW:
        _close(state, -1)
    return n if _same(state, world) else UNKNOWN_ORDER
