"""Encodings of Connect 4 for networks.

`planes` is the input of the thesis on planning in a learned model, section 4.1.2: three planes of
6 x 7, the discs of seat 0, the discs of seat 1, and whose turn it is (all zeros: seat 0, all ones:
seat 1). The planes do not depend on the seat that looks. Row 0 is the top row of the board and
column 0 its left column, so that a printed plane looks like the board. When the game is over the
third plane names the seat that would have moved.

`own` is two planes of the same shape, the discs of the seat that looks and those of the other one.
It is quickly written, and so are the rows of a network that skips zeros. Whose turn it is follows
from the discs where the seat that looks is to move, as it is when it decides.

`history` is the four-step move history of the thesis, section 4.2.1: the planes of the position and
of those one, two and three moves ago, 12 planes; those before the first move are empty.

Nothing is hidden, so the oracle shows what `own` does, and whether the seat is to move.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, lowest
from kibitz.core.encoding import Encoding, define_encoding, define_oracle
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import kernel
from kibitz.games.connect4.rules import (
    CELLS,
    COLUMN_BITS,
    COLUMNS,
    NO_CELL,
    ROWS,
    column_cells,
)

PLANES_LAYOUT = (("planes", (3, ROWS, COLUMNS)),)
TURN_PLANE = 2  # planes 0 and 1 belong to seats 0 and 1

OWN_LAYOUT = (("own", (ROWS, COLUMNS)), ("other", (ROWS, COLUMNS)))
HISTORY_STEPS = 4
HISTORY_LAYOUT = (("history", (3 * HISTORY_STEPS, ROWS, COLUMNS)),)
ORACLE_LAYOUT = (*OWN_LAYOUT, ("turn", (1,)))  # 1 = the seat that looks is to move

_PLACES = np.array(
    [(ROWS - 1 - bit % COLUMN_BITS) * COLUMNS + bit // COLUMN_BITS for bit in range(49)], np.int64
)
"""Where the cell of each bit of a board stands in a plane."""


@kernel
def observe_planes(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the three planes, row by row from the top."""
    second_to_move = np.float32(view.n_moves & 1)
    for row in range(ROWS):
        for column in range(COLUMNS):
            place = row * COLUMNS + column
            bit = np.uint64(COLUMN_BITS * column + ROWS - 1 - row)
            for owner in range(2):
                out[owner * CELLS + place] = np.float32((view.discs[owner] >> bit) & np.uint64(1))
            out[TURN_PLANE * CELLS + place] = second_to_move


@kernel
def observe_own(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the discs of the seat, then those of the other one."""
    for i in range(2 * CELLS):
        out[i] = 0
    for k in range(2):
        discs = view.discs[seat ^ k]
        while discs != NO_CELL:
            out[k * CELLS + _PLACES[np.uint64(lowest(discs))]] = 1
            discs &= discs - ONE


@kernel
def observe_history(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the planes of the position, and of those up to three moves ago."""
    for i in range(3 * HISTORY_STEPS * CELLS):
        out[i] = 0
    first, second = view.discs[0], view.discs[1]
    for step in range(min(HISTORY_STEPS, view.n_moves + 1)):
        at = 3 * step * CELLS
        for owner in range(2):
            discs = first if owner == 0 else second
            while discs != NO_CELL:
                out[at + owner * CELLS + _PLACES[np.uint64(lowest(discs))]] = 1
                discs &= discs - ONE
        moved = view.n_moves - step
        for place in range(CELLS):
            out[at + TURN_PLANE * CELLS + place] = moved & 1
        if moved > 0:  # take the last disc back: the highest of its column
            column = column_cells(int(view.line[moved - 1]))
            occupied = first | second
            disc = ((occupied & column) + (column & ~(column << ONE))) >> ONE
            first, second = first & ~disc, second & ~disc


@kernel
def observe_oracle(state: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write the discs of both, and whether the seat is to move."""
    observe_own(state, seat, encoding, out)
    out[2 * CELLS] = state.turn == seat + 1


@kernel
def action_index_planes(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Number the columns from 0."""
    return action - 1


def mirror_features(features: Features) -> Features:
    """Exchange left and right in observations under `planes`: [..., size], a new array."""
    planes = features.reshape(*features.shape[:-1], 3, ROWS, COLUMNS)
    return planes[..., ::-1].reshape(features.shape)


PLANES = define_encoding(
    "connect4", "planes", PLANES_LAYOUT, COLUMNS, observe_planes, action_index_planes
)

OWN = define_encoding("connect4", "own", OWN_LAYOUT, COLUMNS, observe_own, action_index_planes)

HISTORY = define_encoding(
    "connect4", "history", HISTORY_LAYOUT, COLUMNS, observe_history, action_index_planes
)

ENCODINGS: dict[str, Encoding] = {one.name: one for one in (PLANES, OWN, HISTORY)}


def _mirror(encoding: Encoding) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where each feature and each action of the mirrored position comes from."""
    places = np.arange(encoding.size).reshape(-1, COLUMNS)
    return places[:, ::-1].ravel(), np.arange(COLUMNS)[::-1].copy()


SYMMETRIES = {encoding.name: [_mirror(encoding)] for encoding in ENCODINGS.values()}
"""By encoding: positions that are worth the same, as permutations of features and of actions."""

ORACLE = define_oracle("connect4", ORACLE_LAYOUT, observe_oracle)
