"""Connect 4's own bots: one that only knows the centre, one that looks a move ahead."""

import numpy as np

from kibitz.core.agent import PolicyAgent, define_policy
from kibitz.core.bits import ONE, lowest, popcount
from kibitz.core.game import Action, Seat, State
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.rng import Rng, below
from kibitz.games.connect4.lines import has_four
from kibitz.games.connect4.rules import (
    BOARD,
    COLUMNS,
    NO_CELL,
    column_cells,
    is_legal,
    landing_cells,
    wins_with,
)

CENTRE = 4

_NO_COLUMN = np.uint64(0)


@kernel
def choose_centre(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Take the open column nearest the centre, the left one of two."""
    best = 0
    for column in range(1, COLUMNS + 1):
        nearer = best == 0 or abs(column - CENTRE) < abs(best - CENTRE)
        if nearer and is_legal(view, seat, column):
            best = column
    return best


@kernel
def choose_winning_move(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Win, else block, else draw among the columns that hand the opponent nothing."""
    for player in (seat, 1 - seat):
        for column in range(1, COLUMNS + 1):
            if wins_with(view, player, column):
                return column
    open_columns = _NO_COLUMN
    safe_columns = _NO_COLUMN
    for column in range(1, COLUMNS + 1):
        if is_legal(view, seat, column):
            open_columns |= ONE << np.uint64(column)
            if not _hands_a_win(view, seat, column):
                safe_columns |= ONE << np.uint64(column)
    return _draw(safe_columns if safe_columns != _NO_COLUMN else open_columns, rng)


@inner_kernel
def _hands_a_win(view: State, seat: Seat, column: Action) -> bool:
    """Whether a disc here lets the opponent make four in the cell above it."""
    landing = landing_cells(view.discs[0] | view.discs[1]) & column_cells(column)
    above = (landing << ONE) & BOARD
    return above != NO_CELL and has_four(view.discs[1 - seat] | above)


@inner_kernel
def _draw(columns: np.uint64, rng: Rng) -> Action:
    """Draw a member of a set of columns."""
    for _ in range(below(rng, popcount(columns))):
        columns &= columns - ONE
    return lowest(columns)


class CentreAgent(PolicyAgent):
    """Plays the open column nearest the centre, the left one of two."""

    name = "centre"
    policy = define_policy("connect4_centre", choose_centre)


class WinningMoveAgent(PolicyAgent):
    """Wins at once if it can, else blocks, else avoids handing over a win, else plays at random."""

    name = "winning-move"
    policy = define_policy("connect4_winning_move", choose_winning_move)
