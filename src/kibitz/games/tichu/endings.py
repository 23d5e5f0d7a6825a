"""The end of a round with all cards open, searched to its last card: alpha-beta with a memory.

Two sides play against each other, so a position has a value: the points of the round for the side
of seats 0 and 2 minus those of the other, calls included. In a window seats answer in turn order,
and the first bomb settles it, which with open cards comes to the same as answers face down. Nobody
calls Tichu on the way: a call with open cards is no art.

A position is known by the hands, the trick, who has won which points, who is out and the wish; the
memory keeps bounds of its value, and the best action.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import popcount
from kibitz.core.game import Actions, Seat, State, States, apply, legal
from kibitz.core.kernels import inner_kernel, kernel, record_dtype
from kibitz.core.rng import mix
from kibitz.games.tichu.cards import CALL, PASS, cards_of, kind_of, other_action
from kibitz.games.tichu.choices import MAX_LEGAL, can_bomb
from kibitz.games.tichu.state import OVER, SEATS, WAITING, WINDOW, wide

MAX_DEPTH = 160
"""Decisions on one way to the end of a round; more are not searched."""

MOST = 10_000
"""Above every value."""

UNSOLVED = 1 << 20
"""In place of a value: the budget of positions was used up."""

_PASS = other_action(PASS, 0)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

ENTRY = record_dtype(
    [
        ("position", np.uint64),
        ("lower", np.int32),
        ("upper", np.int32),
        ("reply", np.int64),
    ]
)

FRAME = record_dtype(
    [
        ("alpha", np.int64),
        ("beta", np.int64),
        ("worth", np.int64),  # the best so far
        ("chosen", np.int64),
        ("n_moves", np.int64),
        ("tried", np.int64),
        ("mover", np.int64),
        ("at", np.int64),  # in the memory
        ("frame_key", np.uint64),
        ("first_alpha", np.int64),
        ("first_beta", np.int64),
    ]
)


class Board(NamedTuple):
    """Memory of one search."""

    states: States  # [MAX_DEPTH + 2]
    frames: npt.NDArray[np.record]  # [MAX_DEPTH + 2]
    moves: npt.NDArray[np.int64]  # [MAX_DEPTH + 2, MAX_LEGAL]
    entries: npt.NDArray[np.record]  # a power of two
    budget: npt.NDArray[np.int64]  # [2] positions searched, and how many may be


def make_board(blank: States, n_entries: int = 1 << 16) -> Board:
    """Make the memory of a search; `blank` is a state of the game."""
    states = np.repeat(blank[:1], MAX_DEPTH + 2)
    return Board(
        states,
        np.zeros(MAX_DEPTH + 2, FRAME),
        np.zeros((MAX_DEPTH + 2, MAX_LEGAL), np.int64),
        np.zeros(n_entries, ENTRY),
        np.zeros(2, np.int64),
    )


@kernel
def forget_positions(board: Board) -> None:
    """Empty the memory: another world has other hands, but calls are not looked at either."""
    for i in range(len(board.entries)):
        board.entries[i].position = np.uint64(0)


@inner_kernel
def _key(state: State, mover: int) -> np.uint64:
    """Hash all that the rest of the round depends on."""
    key = np.uint64(mover + 1)
    for seat in range(SEATS):
        key = mix(key ^ (state.hand[seat] + _GOLDEN))
    scored, out = 0, 0
    for seat in range(SEATS):
        scored = scored * 512 + wide(state.won[seat]) + 128
        out = out * 8 + wide(state.finished[seat])
    key = mix(key ^ np.uint64(scored * 1024 + wide(state.trick) + 256))
    trick = (state.table_kind * 16 + state.table_length) * 64 + state.table_height
    where = ((state.phase * 4 + state.turn) * 4 + state.holder) * 16 + state.wish
    key = mix(key ^ np.uint64(trick * 8192 + where * 2))
    key = mix(key ^ np.uint64(out * 16 + state.deciding))
    # The Dragon on the table is given away: of its height there is nothing else.
    return key | np.uint64(1)


@inner_kernel
def _go_on(state: State, moves: Actions) -> tuple[int, int]:
    """Play what is forced; return who has a choice and how many actions, or -1 at the end."""
    while state.phase != WAITING and state.phase != OVER:
        if state.phase == WINDOW:
            seat = _next_bomber(state)
            if seat < 0:
                _all_pass(state)
                continue
        else:
            seat = 0
            while not (state.deciding >> seat) & 1:
                seat += 1
        n = legal(state, seat, moves)
        if n > 1 and kind_of(moves[n - 1]) == CALL:
            n -= 1
        if n > 1:
            return seat, n
        apply(state, seat, moves[0])
    return -1, 0


@inner_kernel
def _next_bomber(state: State) -> int:
    """Return the first seat in turn order that is still asked and holds a bomb, or -1."""
    for step in range(SEATS):
        seat = (wide(state.turn) + step) & 3
        if (state.deciding >> seat) & 1 and can_bomb(state, seat):
            return seat
    return -1


@inner_kernel
def _all_pass(state: State) -> None:
    """Let everybody pass who is still asked in a window."""
    waiting = wide(state.deciding)
    for seat in range(SEATS):
        if (waiting >> seat) & 1:
            apply(state, seat, _PASS)


@inner_kernel
def play(state: State, seat: Seat, action: int) -> None:
    """Apply an action; a bomb settles a window at once."""
    if state.phase == WINDOW and action != _PASS:
        waiting = wide(state.deciding)
        for other in range(SEATS):
            if (waiting >> other) & 1 and other != seat:
                apply(state, other, _PASS)
    apply(state, seat, action)


@inner_kernel
def _order(moves: Actions, n: int, first: int) -> None:
    """Put actions with many cards first, a pass last, and the reply that was best before all."""
    for i in range(1, n):
        move, k = moves[i], i
        rank = _rank(move, first)
        while k > 0 and _rank(moves[k - 1], first) < rank:
            moves[k] = moves[k - 1]
            k -= 1
        moves[k] = move


@inner_kernel
def _rank(move: int, first: int) -> int:
    if move == first:
        return 1000
    return popcount(cards_of(move)) if move != _PASS else -1


@inner_kernel
def _enter(board: Board, depth: int, alpha: int, beta: int) -> bool:
    """Arrive at `states[depth]`; whether its value is known, which is then in its frame."""
    frame = board.frames[depth]
    mover, n = _go_on(board.states[depth], board.moves[depth])
    frame.mover, frame.n_moves, frame.tried = mover, n, 0
    if mover < 0:
        points = board.states[depth].points
        frame.worth = wide(points[0]) - wide(points[1])
        return True
    board.budget[0] += 1
    if board.budget[0] > board.budget[1] or depth >= MAX_DEPTH:
        board.budget[0] = board.budget[1] + 1
        frame.worth = 0
        return True
    key = _key(board.states[depth], mover)
    at = np.int64(key >> np.uint64(1)) & (len(board.entries) - 1)
    entry, reply = board.entries[at], 0
    frame.frame_key, frame.at = key, at
    if entry.position == key:
        reply = entry.reply
        lower, upper = wide(entry.lower), wide(entry.upper)
        if lower >= beta or lower == upper:
            frame.worth = lower
            return True
        if upper <= alpha:
            frame.worth = upper
            return True
        alpha, beta = max(alpha, lower), min(beta, upper)
    frame.alpha, frame.beta = alpha, beta
    frame.first_alpha, frame.first_beta = alpha, beta
    frame.worth = MOST if mover & 1 else -MOST
    frame.chosen = 0
    _order(board.moves[depth], n, reply)
    return False


@inner_kernel
def _leave(board: Board, depth: int) -> None:
    """Keep what was found about a position."""
    frame = board.frames[depth]
    entry = board.entries[frame.at]
    worth = frame.worth
    if entry.position != frame.frame_key:
        entry.position = frame.frame_key
        entry.lower, entry.upper = -MOST, MOST
    if worth > frame.first_alpha:
        entry.lower = max(wide(entry.lower), worth)
    if worth < frame.first_beta:
        entry.upper = min(wide(entry.upper), worth)
    entry.reply = frame.chosen


@inner_kernel
def _learn(frame: np.record, worth: int, action: int) -> None:
    """Let a position know what one of its actions is worth."""
    if frame.mover & 1:
        if worth < frame.worth:
            frame.worth, frame.chosen = worth, action
        frame.beta = min(wide(frame.beta), worth)
    else:
        if worth > frame.worth:
            frame.worth, frame.chosen = worth, action
        frame.alpha = max(wide(frame.alpha), worth)


@kernel
def solve(board: Board, alpha: int, beta: int) -> int:
    """Return the value of `states[0]` for seats 0 and 2, exact between alpha and beta; or UNSOLVED.

    `budget[1]` says how many positions may be searched, together with those of `budget[0]`.
    """
    depth = 0
    if _enter(board, 0, alpha, beta):
        return board.frames[0].worth if board.budget[0] <= board.budget[1] else UNSOLVED
    while True:
        frame = board.frames[depth]
        if frame.tried == frame.n_moves or frame.alpha >= frame.beta:
            _leave(board, depth)
            if depth == 0:
                return frame.worth
            depth -= 1
            above = board.frames[depth]
            _learn(above, frame.worth, board.moves[depth, above.tried - 1])
            continue
        action = board.moves[depth, frame.tried]
        frame.tried += 1
        board.states[depth + 1] = board.states[depth]
        play(board.states[depth + 1], frame.mover, action)
        if _enter(board, depth + 1, frame.alpha, frame.beta):
            if board.budget[0] > board.budget[1]:
                return UNSOLVED
            _learn(frame, board.frames[depth + 1].worth, action)
        else:
            depth += 1


@kernel
def solve_actions(
    board: Board, world: State, seat: Seat, actions: Actions, out: npt.NDArray[np.float64]
) -> bool:
    """Write what a seat's side gets of the round after each action in a world with open cards.

    Returns:
        False if the budget was too small; nothing is known then.
    """
    forget_positions(board)
    board.budget[0] = 0
    sign = -1 if seat & 1 else 1
    for i in range(len(actions)):
        board.states[0] = world
        play(board.states[0], seat, actions[i])
        worth = solve(board, -MOST, MOST)
        if worth == UNSOLVED:
            return False
        out[i] = sign * worth
    return True
