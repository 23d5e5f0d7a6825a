"""What a player of Connect 4 is sure of by answering every disc in the same column.

Who does not move may follow: each disc of the mover is answered right above it. Then it is known
beforehand who gets which cell. If the mover makes no four with all the cells that he would get, he
does not win; if the follower makes one, or the mover runs out of columns that do not let the
follower make four, he loses, and not later than when all other cells are taken.

Columns end below the first cell that the mover may not fill, as the follower makes four above it.
A column with an even number of cells left gives the mover every other one from the lowest on. Two
columns with an odd number make a pair: who takes the lowest cell of one leaves that of the other to
the follower, and the rest of both is even. The rules go back to claimeven and baseinverse of Allis,
A Knowledge-based Approach of Connect-Four (1988). Boards are those of `rules.py`.
"""

import numpy as np

from kibitz.core.bits import ONE, popcount
from kibitz.core.kernels import inner_kernel
from kibitz.games.connect4.lines import has_four
from kibitz.games.connect4.rules import (
    BOARD,
    CELLS,
    COLUMN_BITS,
    COLUMNS,
    NO_CELL,
    landing_cells,
)

NO_BOUND = 99
"""Following proves nothing."""

_BOTTOM = np.uint64(sum(1 << COLUMN_BITS * column for column in range(COLUMNS)))
_ROOFS = _BOTTOM << np.uint64(6)  # the bit above each column
_EVEN = _BOTTOM * np.uint64(0b1010101)  # rows 0, 2, 4, and the roofs
_ODD = _BOTTOM * np.uint64(0b0101010)


@inner_kernel
def _cannot_win(mine: np.uint64, lowest: np.uint64) -> bool:
    """Whether cells make no four, together with one of each pair of lowest cells."""
    if has_four(mine):
        return False
    if lowest == NO_CELL or not has_four(mine | lowest):
        return True
    second = lowest & (lowest - ONE)
    if second & (second - ONE) != NO_CELL:
        return False
    return not has_four(mine | second) and not has_four(mine | (lowest ^ second))


@inner_kernel
def _bound_with(own: np.uint64, occupied: np.uint64, ends: np.uint64, ply: int, least: int) -> int:
    """Return a bound below `least` if columns end where told at the latest, or NO_BOUND."""
    ends |= _ROOFS
    end = ends & ~(ends - _BOTTOM)  # the first of every column
    free = (ends - _BOTTOM) & ~ends & (BOARD ^ occupied)
    even = end & _EVEN
    even = (even | even >> np.uint64(2) | even >> np.uint64(4) | even >> np.uint64(6)) & _BOTTOM
    movers = _ODD ^ ((even << np.uint64(7)) - even)  # rows that are those of the column's end
    lowest = landing_cells(occupied) & free & ~movers  # in columns with an odd number of cells
    if popcount(lowest) & 1 == 1:
        return NO_BOUND
    left, last = CELLS - ply - popcount(free), end & BOARD
    if last != NO_CELL:
        bound = -(left // 2)
    elif least > 0:
        bound = 0
    elif has_four((own ^ occupied) | (free & ~movers & ~lowest)):
        bound = -(left // 2) - 1
    else:
        return NO_BOUND
    if bound < least and _cannot_win(own | (free & movers) | last, lowest):
        return bound
    return NO_BOUND


@inner_kernel
def bound_by_following(
    own: np.uint64, occupied: np.uint64, threats: np.uint64, ply: int, least: int
) -> int:
    """Return an upper bound of the mover's score below `least`, or NO_BOUND.

    Nobody can win at once; `threats` are the cells in which the other, who follows, makes four.
    """
    ends = threats | threats >> ONE
    bound = _bound_with(own, occupied, ends, ply, least)
    if bound == NO_BOUND and ends != NO_CELL:
        return _bound_with(own, occupied, NO_CELL, ply, least)
    return bound
