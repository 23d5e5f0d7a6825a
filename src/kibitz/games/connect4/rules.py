"""The rules of Connect 4, as kernels on one state.

Two seats take turns to drop a disc into one of seven columns of six cells; it falls to the lowest
free cell. Four discs of one seat in a line (across, up or diagonal) win at once; a full board
without such a line is a draw. Seat 0 moves first. The winner scores +1, the loser -1, a draw 0.

House variant: with the option `opening`, `deal` drops that many random discs before the first
decision. The sequence is drawn uniformly from all sequences of that length that contain no win and
leave the seat to move without a winning move. After an odd number seat 1 decides first.

Simplifications: none. Nothing is hidden, so every view equals the state, and `conceal` and
`resample` do nothing.

Action codes are the columns 1 to 7, from the left, so that code and text agree. `legal` lists them
ascending.

A board is a set of cells in a uint64, seven bits to a column: row r (0 = bottom) of column c is bit
7 (c - 1) + r. The seventh bit of a column stays empty, so that no line runs on into the next one.
"""

import numpy as np

from kibitz.core.bits import popcount
from kibitz.core.game import Action, Actions, Scores, Seat, State, register, state_dtype
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng, below
from kibitz.games.connect4.lines import has_four

COLUMNS = 7
ROWS = 6
CELLS = COLUMNS * ROWS
COLUMN_BITS = ROWS + 1  # one column's share of a board, with its empty top bit

NOBODY = 0
"""In `turn` and `winner`: no seat. A seat stands there as seat + 1, which here is also its bit."""

OPENING_TRIES = 100
"""Sequences drawn before an opening falls back to columns 1, 2, 3 ...: see `deal`."""

NO_CELL = np.uint64(0)
_COLUMN = (1 << ROWS) - 1
_BOTTOM_ROW = np.uint64(sum(1 << COLUMN_BITS * c for c in range(COLUMNS)))
BOARD = np.uint64(sum(_COLUMN << COLUMN_BITS * c for c in range(COLUMNS)))
"""All 42 cells."""

COLUMN_CELLS = np.array([0] + [_COLUMN << COLUMN_BITS * c for c in range(COLUMNS)], np.uint64)
"""The six cells of each column, by its number; there is no column 0."""

_LEFT_CELLS = np.array([(1 << COLUMN_BITS * c) - 1 for c in range(COLUMNS)], np.uint64)

STATE = state_dtype(
    [
        ("discs", np.uint64, (2,)),  # the cells each seat holds
        ("opening", np.int64),  # option: random plies before the first decision
        ("n_moves", np.int64),  # discs dropped so far, the opening included
        ("turn", np.int64),  # seat to move + 1; NOBODY before the deal and when the game is over
        ("winner", np.int64),  # winning seat + 1; NOBODY while there is none, and after a draw
        ("line", np.int8, (CELLS,)),  # the columns played, in order; zero from n_moves on
    ]
)


@kernel
def landing_cells(occupied: np.uint64) -> np.uint64:
    """Return the cell above the discs of every column; of a full column that is its seventh bit."""
    return occupied + _BOTTOM_ROW


@kernel
def column_cells(column: Action) -> np.uint64:
    """Return the six cells of a column."""
    # An unsigned place spares the look whether it counts from the end: here that is measurable.
    return COLUMN_CELLS[np.uint64(column)]


@kernel
def wins_with(state: State, seat: Seat, column: Action) -> bool:
    """Whether a disc of `seat` in this column would make four; never in a full column."""
    landing = landing_cells(state.discs[0] | state.discs[1])
    disc = landing & column_cells(column)
    return disc != NO_CELL and has_four(state.discs[seat] | disc)


@kernel
def deal(state: State, rng: Rng) -> None:
    """Empty the board and play the random opening.

    Whole sequences are drawn until one is allowed, which makes all allowed ones equally likely. One
    in five is refused at worst (with eight plies), so the fallback after OPENING_TRIES of them (the
    columns 1, 2, 3 ... in order, which is allowed) exists only to bound the loop.
    """
    _empty(state)
    if state.opening > 0:
        _play_opening(state, rng)


@inner_kernel
def _empty(state: State) -> None:
    state.discs[0] = NO_CELL
    state.discs[1] = NO_CELL
    state.n_moves = 0
    state.turn = 1
    state.winner = NOBODY
    for i in range(CELLS):
        state.line[i] = 0


@inner_kernel
def _play_opening(state: State, rng: Rng) -> None:
    for _ in range(OPENING_TRIES):
        if _draw_opening(state, rng):
            return
        _empty(state)
    for i in range(state.opening):
        apply(state, i & 1, 1 + i % COLUMNS)


@inner_kernel
def _draw_opening(state: State, rng: Rng) -> bool:
    """Play a sequence drawn from all column numbers; False if it is not an allowed opening."""
    for i in range(state.opening):
        column = 1 + below(rng, COLUMNS)
        # Drawing among the open columns only would favour sequences that fill one.
        if not is_legal(state, i & 1, column):
            return False
        apply(state, i & 1, column)
    for column in range(1, COLUMNS + 1):
        if wins_with(state, state.opening & 1, column):
            return False
    return state.turn != NOBODY


@kernel
def movers(state: State) -> int:
    """Return the seat that must decide now, as a bit mask."""
    return state.turn


@kernel
def legal(state: State, seat: Seat, out: Actions) -> int:
    """List the columns that are not full, ascending."""
    free = landing_cells(state.discs[0] | state.discs[1]) & BOARD
    for i in range(COLUMNS):
        # The place of a column is the number of open ones left of it: a full one is overwritten.
        out[popcount(free & _LEFT_CELLS[i])] = i + 1
    return popcount(free)


@kernel
def random_action(state: State, seat: Seat, rng: Rng) -> Action:
    """Draw columns until one is open: nearly always the first."""
    landing = landing_cells(state.discs[0] | state.discs[1])
    while True:
        column = 1 + below(rng, COLUMNS)
        if landing & column_cells(column) != NO_CELL:
            return column


@kernel
def is_legal(state: State, seat: Seat, action: Action) -> bool:
    """Whether it is the seat's turn and the column exists and is not full."""
    if state.turn == NOBODY or state.turn != seat + 1 or action < 1 or action > COLUMNS:
        return False
    landing = landing_cells(state.discs[0] | state.discs[1])
    return landing & column_cells(action) != NO_CELL


@kernel
def apply(state: State, seat: Seat, action: Action) -> None:
    """Drop a disc into a column."""
    landing = landing_cells(state.discs[0] | state.discs[1])
    own = state.discs[seat] | (landing & column_cells(action))
    n_moves = state.n_moves
    state.discs[seat] = own
    state.line[np.uint64(n_moves)] = action
    state.n_moves = n_moves + 1
    state.turn = 2 - seat
    if has_four(own):
        state.turn = NOBODY
        state.winner = seat + 1
    if n_moves + 1 == CELLS:
        state.turn = NOBODY


@kernel
def is_over(state: State) -> bool:
    """Whether somebody has won or the board is full."""
    return state.turn == NOBODY and state.n_moves > 0


@kernel
def scores(state: State, out: Scores) -> None:
    """Write +1 for the winner and -1 for the loser; 0 after a draw and while the game goes on."""
    # Comparisons and no branch: who wins cannot be predicted.
    out[0] = np.float64(state.winner == 1) - np.float64(state.winner == 2)
    out[1] = np.float64(state.winner == 2) - np.float64(state.winner == 1)


@kernel
def conceal(state: State, seat: Seat) -> None:
    """Do nothing: everybody sees the whole board."""


@kernel
def resample(view: State, seat: Seat, rng: Rng) -> None:
    """Do nothing: a view has no blanks."""


@kernel
def max_legal(state: State) -> int:
    """Return the number of columns."""
    return COLUMNS


@kernel
def describe(state: State, seat: Seat, action: Action) -> tuple[int, int, int]:
    """Say where a disc lands: 0, the row from 1 at the bottom, the column."""
    discs = (state.discs[0] | state.discs[1]) & column_cells(action)
    return 0, popcount(discs) + 1, action


@kernel
def mirror_action(action: Action) -> Action:
    """Return the column that a column becomes when left and right are exchanged."""
    return COLUMNS + 1 - action


@kernel
def mirror(state: State) -> None:
    """Exchange left and right, in place: the boards and the moves that led to them."""
    for seat in range(2):
        mirrored = NO_CELL
        for column in range(1, COLUMNS + 1):
            cells = state.discs[seat] & column_cells(column)
            cells >>= np.uint64(COLUMN_BITS * (column - 1))
            mirrored |= cells << np.uint64(COLUMN_BITS * (COLUMNS - column))
        state.discs[seat] = mirrored
    for i in range(state.n_moves):
        state.line[i] = COLUMNS + 1 - np.int64(state.line[i])


register(
    STATE,
    deal=deal,
    movers=movers,
    legal=legal,
    random_action=random_action,
    is_legal=is_legal,
    apply=apply,
    is_over=is_over,
    scores=scores,
    conceal=conceal,
    resample=resample,
    max_legal=max_legal,
    describe=describe,
)
