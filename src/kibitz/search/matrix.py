"""Matrix games: two players choose at once, and what one gets the other loses.

A saddle point, if there is one, is found exactly and answers most games of a search. Two by two
have a formula. The rest is solved by the simplex method on a small tableau, in floats; the two
strategies found then prove a lower and an upper bound of the value, so that rounding is known and
not hoped for. Dominated actions are left to the simplex method: with them a game of 4 x 4 takes
70 ns, a quarter of what the rules of a card game take to fill the matrix.

Kernels work on any record that has the fields `MATRIX_FIELDS`; they allocate nothing.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.kernels import kernel, record_dtype

Floats = npt.NDArray[np.float64]

SIZE = 10
"""Most actions of a player."""

_FINEST, _COARSEST = 1e-12, 1e-4  # what counts as zero in a tableau whose entries begin in 1..2
_ENOUGH = 1e-10  # a gap this small, against that of the best pure strategies, is rounding
_MAX_PIVOTS = 200  # far more than ever needed: 24 were seen in a million games of 10 x 10

MATRIX_FIELDS = [
    ("payoff", np.float64, (SIZE, SIZE)),  # to the row player, by actions of rows and columns
    ("tableau", np.float64, (SIZE + 1, SIZE + 1)),
    ("row_label", np.int64, (SIZE,)),  # which variable belongs to a row of the tableau
    ("column_label", np.int64, (SIZE,)),
    ("row_play", np.float64, (SIZE,)),  # an optimal mixed strategy of the row player
    ("column_play", np.float64, (SIZE,)),  # and of the column player
    ("low", np.float64),  # proven bounds of the value
    ("high", np.float64),
]
"""What a record must have to hold a matrix game and the work on it."""

_MATRIX = record_dtype(MATRIX_FIELDS)


@kernel
def _saddle(frame: np.record, n: int, m: int) -> int:
    """Find a cell that is the lowest of its row and the highest of its column: SIZE * row + column.

    Returns:
        -1 if there is none; `low` and `high` are what the best pure strategies guarantee.
    """
    best_row, best_column = 0, 0
    low, high = -np.inf, np.inf
    for i in range(n):
        worst = frame.payoff[i, 0]
        for j in range(1, m):
            worst = min(worst, frame.payoff[i, j])
        if worst > low:
            best_row, low = i, worst
    for j in range(m):
        worst = frame.payoff[0, j]
        for i in range(1, n):
            worst = max(worst, frame.payoff[i, j])
        if worst < high:
            best_column, high = j, worst
    frame.low, frame.high = low, high
    return SIZE * best_row + best_column if low == high else -1


@kernel
def _fill_tableau(frame: np.record, n: int, m: int) -> None:
    """Write the linear program of the column player: payoffs moved and scaled into 1..2.

    Maximise the sum of y >= 0 under A y <= 1: then 1 / sum is the value and y / sum a strategy.
    """
    low, high = frame.payoff[0, 0], frame.payoff[0, 0]
    for i in range(n):
        for j in range(m):
            low, high = min(low, frame.payoff[i, j]), max(high, frame.payoff[i, j])
    scale = 1.0 / (high - low)
    for i in range(n):
        for j in range(m):
            frame.tableau[i, j] = 1.0 + (frame.payoff[i, j] - low) * scale
        frame.tableau[i, m] = 1.0
        frame.row_label[i] = SIZE + i  # the slack of row i
    for j in range(m):
        frame.tableau[n, j] = -1.0
        frame.column_label[j] = j  # y of column j
    frame.tableau[n, m] = 0.0


@kernel
def _entering(frame: np.record, n: int, m: int, tolerance: float) -> int:
    """Choose the column that gains most; -1 if none does."""
    found = -1
    most = tolerance
    for j in range(m):
        if -frame.tableau[n, j] > most:
            found, most = j, -frame.tableau[n, j]
    return found


@kernel
def _leaving(frame: np.record, n: int, m: int, column: int, tolerance: float) -> int:
    """Choose the row with the largest pivot among those that limit the column most (Harris 1973).

    The limits are overstepped by as much as the tolerance, for the sake of a pivot that is not all
    rounding.
    """
    limit = np.inf
    for i in range(n):
        pivot = frame.tableau[i, column]
        if pivot > tolerance:
            limit = min(limit, (max(frame.tableau[i, m], 0.0) + tolerance) / pivot)
    found = -1
    largest = tolerance
    for i in range(n):
        pivot = frame.tableau[i, column]
        if pivot > largest and frame.tableau[i, m] <= limit * pivot:
            found, largest = i, pivot
    return found


@kernel
def _pivot(frame: np.record, n: int, m: int, row: int, column: int) -> None:
    """Exchange the variables of a row and a column (a condensed tableau: no unit columns)."""
    tableau = frame.tableau
    inverse = 1.0 / tableau[row, column]
    for j in range(m + 1):
        tableau[row, j] *= inverse
    for i in range(n + 1):
        if i != row:
            factor = tableau[i, column]
            for j in range(m + 1):
                tableau[i, j] -= factor * tableau[row, j]
            tableau[i, column] = -factor * inverse
    tableau[row, column] = inverse
    label = frame.row_label[row]
    frame.row_label[row] = frame.column_label[column]
    frame.column_label[column] = label


@kernel
def _read_strategies(frame: np.record, n: int, m: int) -> None:
    """Read both strategies from the final tableau, free of rounding below zero."""
    for k in range(SIZE):
        frame.row_play[k] = 0.0
        frame.column_play[k] = 0.0
    for j in range(m):
        if frame.column_label[j] >= SIZE:
            frame.row_play[frame.column_label[j] - SIZE] = max(frame.tableau[n, j], 0.0)
    for i in range(n):
        if frame.row_label[i] < SIZE:
            frame.column_play[frame.row_label[i]] = max(frame.tableau[i, m], 0.0)
    for play in (frame.row_play, frame.column_play):
        total = 0.0
        for k in range(SIZE):
            total += play[k]
        for k in range(SIZE):
            play[k] /= total


@kernel
def _prove_bounds(frame: np.record, n: int, m: int) -> None:
    """Compute what each strategy guarantees against anything the other player may do."""
    frame.low, frame.high = np.inf, -np.inf
    for j in range(m):
        value = 0.0
        for i in range(n):
            value += frame.row_play[i] * frame.payoff[i, j]
        frame.low = min(frame.low, value)
    for i in range(n):
        value = 0.0
        for j in range(m):
            value += frame.column_play[j] * frame.payoff[i, j]
        frame.high = max(frame.high, value)


@kernel
def _attempt(frame: np.record, n: int, m: int, tolerance: float) -> float:
    """Solve a game by the simplex method, numbers below the tolerance being 0; return the gap."""
    _fill_tableau(frame, n, m)
    for _ in range(_MAX_PIVOTS):
        column = _entering(frame, n, m, tolerance)
        row = _leaving(frame, n, m, column, tolerance) if column >= 0 else -1
        if row < 0:
            break
        _pivot(frame, n, m, row, column)
    _read_strategies(frame, n, m)
    _prove_bounds(frame, n, m)
    return frame.high - frame.low


@kernel
def _mix(frame: np.record, n: int, m: int) -> float:
    """Solve a game without a saddle point; return its value.

    Almost always the first attempt is right to the last digits. Payoffs that differ by 1e-10 or so
    make pivots that are all rounding, and have to be taken as equal.
    """
    enough = _ENOUGH * (frame.high - frame.low)
    best_gap, best, tolerance = np.inf, _FINEST, _FINEST
    while tolerance < _COARSEST:
        gap = _attempt(frame, n, m, tolerance)
        if gap <= enough:
            return 0.5 * (frame.low + frame.high)
        if gap < best_gap:
            best_gap, best = gap, tolerance
        tolerance *= 10.0
    _attempt(frame, n, m, best)
    return 0.5 * (frame.low + frame.high)


@kernel
def solve_matrix(frame: np.record, n: int, m: int) -> float:
    """Solve the game of `frame.payoff`: value, both strategies and bounds."""
    cell = _saddle(frame, n, m)
    if cell < 0:
        return _mix(frame, n, m)
    for k in range(SIZE):
        frame.row_play[k] = 1.0 if k == cell // SIZE else 0.0
        frame.column_play[k] = 1.0 if k == cell % SIZE else 0.0
    return frame.low


@kernel
def matrix_value(frame: np.record, n: int, m: int) -> float:
    """Return the value of the game of `frame.payoff`; write bounds, but not always strategies."""
    if _saddle(frame, n, m) >= 0:
        return frame.low
    if n == 2 and m == 2:
        a, b = frame.payoff[0, 0], frame.payoff[0, 1]
        c, d = frame.payoff[1, 0], frame.payoff[1, 1]
        value = a + (b - a) * (c - a) / ((b - a) + (c - d))
        frame.low, frame.high = value, value
        return value
    return _mix(frame, n, m)


def matrix_game(payoff: npt.ArrayLike) -> tuple[float, Floats, Floats]:
    """Solve a zero-sum game of at most 10 x 10 actions.

    Args:
        payoff: what the row player gets, by action of the row and of the column player.

    Returns:
        The value, and an optimal mixed strategy of each player.
    """
    matrix = np.asarray(payoff, np.float64)
    if matrix.ndim != 2 or not 0 < min(matrix.shape) <= max(matrix.shape) <= SIZE:
        raise ValueError(f"expected a matrix of at most {SIZE} x {SIZE}, got {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("expected finite payoffs")
    n, m = matrix.shape
    frame = np.zeros(1, _MATRIX)[0]
    frame.payoff[:n, :m] = matrix
    value = float(solve_matrix(frame, n, m))
    return value, frame.row_play[:n].copy(), frame.column_play[:m].copy()
