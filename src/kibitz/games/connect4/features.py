"""Encodings of Connect 4 for networks.

`planes` is the input of the thesis on planning in a learned model, section 4.1.2: three planes of
6 x 7, the discs of seat 0, the discs of seat 1, and whose turn it is (all zeros: seat 0, all ones:
seat 1). The planes do not depend on the seat that looks. Row 0 is the top row of the board and
column 0 its left column, so that a printed plane looks like the board. When the game is over the
third plane names the seat that would have moved.
"""

import numpy as np

from kibitz.core.encoding import Encoding, define_encoding
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import kernel
from kibitz.games.connect4.rules import CELLS, COLUMN_BITS, COLUMNS, ROWS

PLANES_LAYOUT = (("planes", (3, ROWS, COLUMNS)),)
TURN_PLANE = 2  # planes 0 and 1 belong to seats 0 and 1


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

ENCODINGS: dict[str, Encoding] = {PLANES.name: PLANES}
