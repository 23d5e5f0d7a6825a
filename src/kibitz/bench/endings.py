"""Endings of Connect 4 to count mistakes on: drawn at random, and solved here.

They are quiet: whoever moves cannot win at once, and need not stop the other from it. And there is
something to lose: some columns keep the result of perfect play, and some do not.
"""

import numpy as np
import numpy.typing as npt

from kibitz.bench.mistakes import COLUMNS, FULL, Solved
from kibitz.bench.positions import draw_open, room
from kibitz.core.errors import KibitzError
from kibitz.core.game import States
from kibitz.core.kernels import kernel
from kibitz.core.rng import Purpose, Rng, derive
from kibitz.games.connect4.lines import has_four
from kibitz.games.connect4.rules import BOARD, CELLS, NO_CELL, column_cells, landing_cells

MOST_EMPTY = 28
"""Empty cells of an ending; more take the small solver too long."""

_CENTRE_FIRST = np.array([4, 3, 5, 2, 6, 1, 7])
_PLACES = 1_000_003  # of the table of positions: a prime
_FOUR = np.uint64(4)

Table = npt.NDArray[np.uint64]
"""Positions with what was found out about them, four times their key plus 2 * least + answer."""


@kernel
def _wins_at_once(own: np.uint64, other: np.uint64) -> bool:
    landing = landing_cells(own | other) & BOARD
    for column in range(1, COLUMNS + 1):
        disc = landing & column_cells(column)
        if disc != NO_CELL and has_four(own | disc):
            return True
    return False


@kernel
def reaches(own: np.uint64, other: np.uint64, least: int, table: Table) -> bool:
    """Whether who moves gets at least a draw (`least` is 0), or wins (1).

    The other then gets at least 1 - `least`, or not: so one search answers for both.
    """
    landing = landing_cells(own | other) & BOARD
    if landing == NO_CELL:
        return least == 0
    if _wins_at_once(own, other):
        return True
    key = _FOUR * (own + landing_cells(own | other)) + np.uint64(2 * least)
    place = key % np.uint64(len(table))
    if table[place] | np.uint64(1) == key | np.uint64(1):
        return table[place] != key
    answer = False
    for i in range(COLUMNS):
        disc = landing & column_cells(_CENTRE_FIRST[i])
        if disc != NO_CELL and not reaches(other, own | disc, 1 - least, table):
            answer = True
            break
    table[place] = key + np.uint64(answer)
    return answer


@kernel
def _score(own: np.uint64, other: np.uint64, column: int, table: Table) -> int:
    """Return what a column is worth to who moves: 1, 0 or -1, or FULL."""
    disc = landing_cells(own | other) & BOARD & column_cells(column)
    if disc == NO_CELL:
        return FULL
    if has_four(own | disc):
        return 1
    if reaches(other, own | disc, 1, table):
        return -1
    return 0 if reaches(other, own | disc, 0, table) else 1


@kernel
def _draw_quiet(states: States, n_moves: int, rng: Rng) -> None:
    """Play at random from the beginning, until a game gets so far and is quiet there."""
    while True:
        draw_open(states, n_moves, rng)
        first, second = states[1].discs[0], states[1].discs[1]
        if not _wins_at_once(first, second) and not _wins_at_once(second, first):
            return


def draw_endings(n: int, empty: int, seed: int) -> Solved:
    """Draw and solve endings with so many empty cells, the same for the same seed."""
    if not 1 <= empty <= MOST_EMPTY:
        raise KibitzError(f"endings have 1 to {MOST_EMPTY} empty cells, got {empty}")
    states = room()
    table = np.zeros(_PLACES, np.uint64)
    moves: list[str] = []
    scores: list[list[int]] = []
    drawn = 0
    while len(moves) < n:
        _draw_quiet(states, CELLS - empty, derive(seed, Purpose.PLAYOUT, empty, drawn))
        drawn += 1
        own, other = states[1].discs[empty & 1], states[1].discs[1 - (empty & 1)]
        worth = [int(_score(own, other, column, table)) for column in range(1, COLUMNS + 1)]
        if len({one for one in worth if one != FULL}) > 1:
            moves.append("".join(map(str, states[1].line[: CELLS - empty])))
            scores.append(worth)
    return Solved(moves, np.array(scores))
