"""Exact play for the open two-player game: backward induction with a matrix game at every turn.

Both seats see everything but each other's present choice, so a position with n cards each is a
matrix game of n x n joint choices, whose entries are the values of what follows; the choice of a
row (`rows=free`) is a plain maximum. Values are those of seat 0, which the other one wants low:
its expected lead in points, or its probability to win (a tie is half a win).

**Positions that are the same.** What follows depends on the hands, on the length and heads of every
row, and on how the row ends compare with the cards still held, not on the ends themselves. With
`rows=free` the order of the rows is nothing, otherwise it breaks ties. Points to come do not depend
on points so far; whether they win does. A table keyed by that meets the same positions again: the
more cards, the more often.

**Precision.** Floats. Every matrix game is solved by a saddle point, which is exact, or by the
simplex method, after which the two strategies found prove a lower and an upper bound of the value.
`Solution.error` adds the widest gap met over all turns: the value is certain to within it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent
from kibitz.core.batch import conceal_all
from kibitz.core.errors import AgentError, PositionError, SpecError, clip, nearest
from kibitz.core.game import Action, Actions, Seat, State, States, apply, legal, movers, scores
from kibitz.core.kernels import kernel, record_dtype, seconds_compiling
from kibitz.core.rng import RNG, Purpose, Rngs, absorb, key_of, mix, start
from kibitz.core.spec import Options
from kibitz.core.table import Game
from kibitz.games.nimmt.rules import (
    CHOOSING,
    DRAFTING,
    FREE,
    FULL_ROW,
    HAND_CARDS,
    LOWEST,
    ROWS,
    STATE,
    WAITING,
    hand_size,
    row_end,
)

Objective = Literal["points", "win"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
POINTS, WIN = 0, 1

OPTIONS: Options = {"players": 2, "hands": "open"}
"""What a spec that is silent about them means here."""

MAX_CARDS = {LOWEST: 8, FREE: 7}
"""Most cards in a hand that are solved, by the rule for rows."""

SECONDS = {LOWEST: {6: 0.03, 7: 0.6, 8: 15.0}, FREE: {5: 0.03, 6: 0.7, 7: 25.0}}
"""What so many cards cost on one core of 2.6 GHz; a position may take three times as long."""

MAX_RESPONSE_CARDS = {LOWEST: 5, FREE: 4}
"""Most cards in a hand for a best response, which asks the agent in every position there is."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Table = npt.NDArray[np.record]

Progress = Callable[[int, int], None]
"""Told how many joint actions of the root are solved, of how many."""

SIZE = HAND_CARDS  # most actions of a seat
_FINEST, _COARSEST = 1e-12, 1e-4  # what counts as zero in a tableau whose entries begin in 1..2
_ENOUGH = 1e-10  # a gap this small, against that of the best pure strategies, is rounding
_MAX_PIVOTS = 200  # far more than ever needed: 24 were seen in a million games of 10 x 10
BOTH = 3  # the seats that must act, as a bit mask
_MAX_DEPTH = 2 * HAND_CARDS  # a turn is at most two decisions: cards, then a row
_TABLE_BITS = 22  # at most 4 M positions of 32 bytes; a newer one takes the place of an older

# A row in a position's key: cards below its end (at most 16), length, heads (at most 27), index.
_PIECES = (2 * 8 + 1) * FULL_ROW * 28 * ROWS
_PLACES = np.array([512 * _PIECES**place for place in range(ROWS)])  # below 512: the lead

# One matrix game: room for every depth of the recursion.
FRAME = record_dtype(
    [
        ("payoff", np.float64, (SIZE, SIZE)),  # to seat 0, by action of seat 0 and of seat 1
        ("tableau", np.float64, (SIZE + 1, SIZE + 1)),
        ("row_label", np.int64, (SIZE,)),  # which variable belongs to a row of the tableau
        ("column_label", np.int64, (SIZE,)),
        ("row_play", np.float64, (SIZE,)),  # an optimal mixed strategy of seat 0
        ("column_play", np.float64, (SIZE,)),  # and of seat 1
        ("low", np.float64),  # what these two strategies guarantee: bounds of the value
        ("high", np.float64),
        ("choices", np.int64, (2, SIZE)),  # actions of both seats
        ("table_key", np.int64, (3,)),  # of the position: rows and lead, hand 0, hand 1
        ("points", np.float64, (2,)),  # scratch for scores
    ]
)

ENTRY = record_dtype([("known_key", np.int64, (3,)), ("known_value", np.float64)])
"""A position met before: the value of the matrix game, of points to come if those are sought."""

SEARCH = record_dtype([("objective", np.int64), ("n_nodes", np.int64), ("gap", np.float64)])
"""What is sought, and what the search tells about itself."""


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
    """Write the linear program of seat 1: the payoffs moved and scaled into 1..2, all of them.

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
        total = play.sum()
        for k in range(SIZE):
            play[k] /= total


@kernel
def _prove_bounds(frame: np.record, n: int, m: int) -> None:
    """Compute what each strategy guarantees against anything the other seat may do."""
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
    """Solve a game by the simplex method, numbers below the tolerance being zero; give the gap."""
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
    """Solve a game without a saddle point; give its value.

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
def _solve_frame(frame: np.record, n: int, m: int) -> float:
    """Solve the game of `frame.payoff`: value, both strategies and bounds."""
    cell = _saddle(frame, n, m)
    if cell < 0:
        return _mix(frame, n, m)
    for k in range(SIZE):
        frame.row_play[k] = 1.0 if k == cell // SIZE else 0.0
        frame.column_play[k] = 1.0 if k == cell % SIZE else 0.0
    return frame.low


@kernel
def _matrix_value(frame: np.record, n: int, m: int, search: np.record) -> float:
    """Give the value of the game of `frame.payoff`; most have a saddle point."""
    if _saddle(frame, n, m) >= 0:
        return frame.low
    if n == 2 and m == 2:
        a, b = frame.payoff[0, 0], frame.payoff[0, 1]
        c, d = frame.payoff[1, 0], frame.payoff[1, 1]
        return a + (b - a) * (c - a) / ((b - a) + (c - d))
    value = _mix(frame, n, m)
    search.gap = max(search.gap, frame.high - frame.low)
    return value


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
    n, m = matrix.shape
    frame = np.zeros(1, FRAME)[0]
    frame.payoff[:n, :m] = matrix
    value = float(_solve_frame(frame, n, m))
    return value, frame.row_play[:n].copy(), frame.column_play[:m].copy()


@kernel
def _lead(state: State, frame: np.record) -> int:
    """Give by how many points seat 0 is ahead."""
    scores(state, frame.points)
    return np.int64(frame.points[0] - frame.points[1])  # type: ignore[return-value]


@kernel
def _payoff(state: State, frame: np.record, search: np.record) -> float:
    """Give what the end of a game is worth to seat 0."""
    lead = _lead(state, frame)
    if search.objective == POINTS:
        return float(lead)
    return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0


@kernel
def _write_key(state: State, frame: np.record, lead: int) -> None:
    """Write what the value depends on, packed into three words (see the head of this module)."""
    n = hand_size(state)
    for seat in range(2):
        word = 0
        for i in range(n):
            word = word << 7 | int(state.hand[seat, i])
        frame.table_key[1 + seat] = word
    word = lead + 256
    for row in range(ROWS):
        end = row_end(state, row)
        n_below, place = 0, 0
        for i in range(n):
            n_below += (state.hand[0, i] < end) + (state.hand[1, i] < end)
        for other in range(ROWS):
            place += row_end(state, other) < end
        piece = (n_below * FULL_ROW + np.int64(state.length[row]) - 1) * 28
        piece = (piece + np.int64(state.heads[row])) * ROWS
        piece += row if state.rows == LOWEST else 0
        word += piece * _PLACES[place]
    frame.table_key[0] = word


@kernel
def _slot(frame: np.record, table: npt.NDArray[np.record]) -> int:
    """Find where the table keeps a position; its size is a power of two."""
    digest = np.uint64(0)
    for k in range(3):
        digest = mix(digest ^ np.uint64(frame.table_key[k]))
    return np.int64(digest & np.uint64(len(table) - 1))  # type: ignore[return-value]


@kernel
def _is_known(entry: np.record, frame: np.record) -> bool:
    """Tell whether the table has the position of the frame in this entry."""
    known, sought = entry.known_key, frame.table_key
    return known[0] == sought[0] and known[1] == sought[1] and known[2] == sought[2]


@kernel
def _list_choices(state: State, frame: np.record) -> tuple[int, int]:
    """List the actions of both seats; one that has nothing to decide has one, which is none."""
    waiting = movers(state)
    n = legal(state, 0, frame.choices[0]) if waiting & 1 else 1
    m = legal(state, 1, frame.choices[1]) if waiting & 2 else 1
    return n, m


@kernel
def _commit(state: State, row: Action, column: Action) -> bool:
    """Apply the actions of the seats that must act, and the last turn, which is forced.

    Returns:
        Whether nobody has anything left to decide.
    """
    waiting = movers(state)
    while waiting:
        for seat in range(2):
            if waiting >> seat & 1:
                apply(state, seat, row if seat == 0 else column)
        waiting = movers(state)
        if waiting != BOTH or hand_size(state) > 1:
            break
        row, column = int(state.hand[0, 0]), int(state.hand[1, 0])
    return waiting == 0


@kernel
def _value(states: States, frames: Table, table: Table, search: np.record, depth: int) -> float:
    """Give the value of `states[depth]`, in which somebody has a choice; what is deeper is scratch.

    A choice of one seat alone is a matrix of one row or column: its saddle point is the maximum.
    """
    search.n_nodes += 1
    state, child, frame = states[depth], states[depth + 1], frames[depth]
    waiting = movers(state)
    lead, slot = 0, 0
    if waiting == BOTH:
        lead = _lead(state, frame)
        _write_key(state, frame, lead if search.objective == WIN else 0)
        slot = _slot(frame, table)
        if _is_known(table[slot], frame):
            return table[slot].known_value + (lead if search.objective == POINTS else 0)
    n, m = _list_choices(state, frame)
    for i in range(n):
        worst = 1.0
        for j in range(m):
            states[depth + 1] = states[depth]
            if _commit(child, frame.choices[0, i], frame.choices[1, j]):
                frame.payoff[i, j] = _payoff(child, frame, search)
            else:
                frame.payoff[i, j] = _value(states, frames, table, search, depth + 1)
            worst = min(worst, frame.payoff[i, j])
        if worst == 1.0 and search.objective == WIN:  # a sure win: nothing else matters
            n = i + 1
            break
    value = _matrix_value(frame, n, m, search)
    if waiting == BOTH:
        entry = table[slot]
        for k in range(3):
            entry.known_key[k] = frame.table_key[k]
        entry.known_value = value - (lead if search.objective == POINTS else 0)
    return value


@dataclass(frozen=True)
class Strategy:
    """How a seat plays at the root."""

    seat: Seat
    actions: list[Action]
    probabilities: Floats
    values: Floats  # what the seat gets by each action against the other's equilibrium strategy


@dataclass(frozen=True)
class Solution:
    """A solved position; if there are several equilibria, one of them."""

    game: Game
    state: np.record  # the position
    objective: Objective
    values: tuple[float, float]  # of each seat: its expected lead, or its probability to win
    strategies: tuple[Strategy, ...]  # of every seat that decides now
    matrix: Floats  # value of seat 0: [actions of seat 0, actions of seat 1]
    error: float  # the value is certain to within this
    n_nodes: int  # positions looked at
    seconds: float  # without those of the compiler

    def as_json(self) -> dict[str, Any]:
        """Give one document for programs."""
        return {
            "game": self.game.spec,
            "position": self.game.text.format_position(self.state),
            "objective": self.objective,
            "values": list(self.values),
            "error": self.error,
            "strategies": [
                {"seat": strategy.seat, "actions": self._rows(strategy)}
                for strategy in self.strategies
            ],
            "matrix": self.matrix.tolist(),
            "nodes": self.n_nodes,
            "seconds": self.seconds,
        }

    def _rows(self, strategy: Strategy) -> list[dict[str, Any]]:
        """Describe the actions of a seat one by one."""
        columns = (strategy.actions, strategy.probabilities.tolist(), strategy.values.tolist())
        return [
            {
                "action": action,
                "text": self.game.text.format_action(self.state, strategy.seat, action),
                "probability": probability,
                "value": value,
            }
            for action, probability, value in zip(*columns, strict=True)
        ]


def read(game: Game, position: str, for_agent: bool = False) -> np.record:
    """Read a position that can be solved, or an agent be tested in; an error says why it cannot."""
    _check_game(game)
    if "?" in position:
        raise PositionError(
            f"only open positions are solved, '?' hides something: {clip(position)}"
        )
    state = game.parse(position)
    _check_state(state, for_agent)
    return state


def estimate(state: np.record) -> float:
    """Give about how many seconds a position takes to solve."""
    return SECONDS[int(state.rows)].get(int(hand_size(state)), 0.0)


def _check_game(game: Game) -> None:
    """Refuse games that are not the open game of two."""
    if game.n_seats != 2:
        raise SpecError(f"only games of 2 seats are solved, {game.spec} has {game.n_seats}")
    if game.options["hands"] != "open":
        raise SpecError(f"only open hands are solved, {game.spec} hides them: add hands=open")
    if game.options["match"] != "round":
        raise SpecError(f"only single rounds are solved, {game.spec} goes on after this one")


def _check_state(state: np.record, for_agent: bool = False) -> None:
    """Refuse positions in which there is nothing to solve, or too much."""
    if state.phase in (WAITING, DRAFTING):
        raise PositionError("only positions whose cards are all dealt are solved")
    chosen = [seat for seat in range(2) if state.phase == CHOOSING and state.chosen[seat]]
    if chosen:
        raise PositionError(
            f"seat {chosen[0]} has chosen face down already, and the value of a turn is that of "
            "both choices: write chosen=-/-"
        )
    limits = MAX_RESPONSE_CARDS if for_agent else MAX_CARDS
    most, n = limits[int(state.rows)], int(hand_size(state))
    if n > most:
        what = "an agent is tested in positions of" if for_agent else "positions are solved with"
        rule = "free" if state.rows == FREE else "lowest"
        raise PositionError(f"{what} at most {most} cards each (rows={rule}), this one has {n}")


def _objective_code(objective: str) -> int:
    if objective not in OBJECTIVES:
        hint = nearest(str(objective), OBJECTIVES)
        raise SpecError(f"unknown objective {clip(objective)}: {hint}")
    return OBJECTIVES.index(objective)


def solve(
    game: Game, state: np.record, objective: Objective = "points", progress: Progress | None = None
) -> Solution:
    """Solve a position of the open two-player game.

    Args:
        game: two players, open hands, one round.
        state: a position in which cards are chosen or a row is taken, or the end.
        objective: what both seats want: "points" or "win".
        progress: told, as joint actions of the root are solved, how many of how many are.

    Raises:
        SpecError: it is another game.
        PositionError: the position has too many cards, or is not between turns.
    """
    began = time.perf_counter() - seconds_compiling()
    code = _objective_code(objective)
    _check_game(game)
    _check_state(state)
    search = np.zeros(1, SEARCH)[0]
    search.objective = code
    root = np.zeros(1, FRAME)[0]
    n, m = _solve_cells(state, root, search, progress)
    value = float(_solve_frame(root, n, m))
    search.gap = max(search.gap, root.high - root.low)
    matrix = root.payoff[:n, :m].copy()
    total = 0.0 if objective == "points" else 1.0
    plays = (root.row_play[:n].copy(), root.column_play[:m].copy())
    gains = (matrix @ plays[1], total - plays[0] @ matrix)
    strategies = tuple(
        Strategy(seat, root.choices[seat, : len(plays[seat])].tolist(), plays[seat], gains[seat])
        for seat in range(2)
        if movers(state) >> seat & 1
    )
    return Solution(
        game=game,
        state=state.copy(),
        objective=objective,
        values=(value, total - value),
        strategies=strategies,
        matrix=matrix,
        error=float(search.gap) * (1 + int(hand_size(state))),
        n_nodes=int(search.n_nodes) + 1,
        seconds=time.perf_counter() - seconds_compiling() - began,
    )


def _solve_cells(
    state: np.record, root: np.record, search: np.record, progress: Progress | None
) -> tuple[int, int]:
    """Write the matrix of the root, joint action by joint action; give its shape."""
    n_cards = int(hand_size(state))
    states: States = np.zeros(_MAX_DEPTH, STATE)
    frames: Table = np.zeros(_MAX_DEPTH, FRAME)
    table: Table = np.zeros(2 ** min(max(4 * n_cards - 4, 0), _TABLE_BITS), ENTRY)
    if not movers(state):
        root.payoff[0, 0] = _payoff(state, root, search)
        return 1, 1
    n, m = _list_choices(state, root)
    for k in range(n * m):
        states[0] = state
        row, column = root.choices[0, k // m], root.choices[1, k % m]
        if _commit(states[0], row, column):
            value = _payoff(states[0], root, search)
        else:
            value = _value(states, frames, table, search, 0)
        root.payoff[k // m, k % m] = value
        if progress is not None:
            progress(k + 1, n * m)
    return n, m


@dataclass(frozen=True)
class Response:
    """What an agent gets in a position against an opponent who knows how it plays."""

    agent: str
    seat: Seat  # of the agent
    equilibrium: float  # what its seat can be sure of
    value: float  # what the agent gets against the best response to it
    n_positions: int  # in which it was asked
    is_weighted: bool  # by the weights it gave, or only by what it did

    @property
    def exploitability(self) -> float:
        """What the agent gives away at most; 0 is perfect play."""
        return self.equilibrium - self.value


@dataclass(frozen=True)
class _Level:
    """All positions after as many decisions, in which somebody has a choice."""

    states: States
    places: Ints  # of the positions among the children of the level above
    values: Floats  # of all children, those of the first position first
    strategies: Floats  # of the agent: [positions, actions]


def best_response(
    solution: Solution,
    agent: Agent,
    seat: Seat = 0,
    samples: int = 1,
    by: Literal["weights", "actions"] = "weights",
) -> Response:
    """Find what an agent gets against the best response to its strategy, in a solved position.

    The agent is asked in every position that can be reached, about all of one depth at once. The
    opponent knows the probabilities of what it does, not the choice it has made.

    Args:
        solution: the position, the objective and what there is to get.
        agent: who is tested.
        seat: where it sits.
        samples: how often it is asked in every position; its strategy is the mean. A strategy that
            is drawn looks more exploitable than it is, the less the more samples there are.
        by: take the weights that it gives for probabilities, or only the actions it decides on;
            an agent that gives none is taken by its actions.

    Raises:
        PositionError: the position has too many cards.
        AgentError: the agent does something illegal.
    """
    _check_state(solution.state, for_agent=True)
    if seat not in (0, 1) or samples < 1:
        raise SpecError(f"expected seat 0 or 1 and samples, got {clip(seat)} and {clip(samples)}")
    survey = _Survey(agent, seat, samples, by)
    levels = _unfold(solution, survey)
    value = solution.values[0]
    for k in reversed(range(len(levels))):
        level = levels[k]
        found = np.empty(len(level.states))
        _respond(level.states, level.values, level.strategies, seat, found)
        if k:
            levels[k - 1].values[level.places] = found
        else:
            value = float(found[0])
    return Response(
        agent=agent.spec,
        seat=seat,
        equilibrium=solution.values[seat],
        value=value if seat == 0 else sum(solution.values) - value,
        n_positions=survey.n_positions,
        is_weighted=survey.is_weighted,
    )


def _unfold(solution: Solution, survey: "_Survey") -> list[_Level]:
    """List all positions level by level, with the values of those children that end the game."""
    search, frame = np.zeros(1, SEARCH)[0], np.zeros(1, FRAME)[0]
    search.objective = OBJECTIVES.index(solution.objective)
    states: States = np.zeros(1, STATE)
    states[0] = solution.state
    places = np.zeros(1, np.int64)
    levels: list[_Level] = []
    if movers(states[0]) == BOTH and hand_size(states[0]) == 1:  # nothing to ask
        _commit(states[0], int(states[0].hand[0, 0]), int(states[0].hand[1, 0]))
    n_open = 1 if movers(states[0]) else 0
    while n_open:
        n = int(_count_children(states, frame))
        values, children, below = np.empty(n), np.empty(n + 1, STATE), np.empty(n, np.int64)
        n_open = _expand(states, frame, search, values, children, below)
        levels.append(_Level(states, places, values, survey.ask(states)))
        states, places = children[:n_open], below[:n_open]
    return levels


@kernel
def _count_children(states: States, frame: np.record) -> int:
    """Count the joint actions in all positions."""
    total = 0
    for k in range(len(states)):
        n, m = _list_choices(states[k], frame)
        total += n * m
    return total


@kernel
def _expand(
    states: States,
    frame: np.record,
    search: np.record,
    values: Floats,
    children: States,
    places: Ints,
) -> int:
    """Write the values of children that end the game, and the other children with their places.

    Returns:
        How many others there are; `children` has room for one more, which is scratch.
    """
    place, n_open = 0, 0
    for k in range(len(states)):
        n, m = _list_choices(states[k], frame)
        for cell in range(n * m):
            children[n_open] = states[k]
            child = children[n_open]
            if _commit(child, frame.choices[0, cell // m], frame.choices[1, cell % m]):
                values[place] = _payoff(child, frame, search)
            else:
                places[n_open] = place
                n_open += 1
            place += 1
    return n_open


@kernel
def _respond(states: States, values: Floats, strategies: Floats, seat: Seat, out: Floats) -> None:
    """Write the value to seat 0 of every position, the other seat doing its best."""
    frame = np.zeros(1, FRAME)[0]
    begin = 0
    for k in range(len(states)):
        n, m = _list_choices(states[k], frame)
        own, others = (n, m) if seat == 0 else (m, n)
        out[k] = np.inf if seat == 0 else -np.inf
        for j in range(others):
            value = 0.0
            for i in range(own):
                cell = i * m + j if seat == 0 else j * m + i
                value += strategies[k, i] * values[begin + cell]
            out[k] = min(out[k], value) if seat == 0 else max(out[k], value)
        begin += n * m


class _Survey:
    """Asks an agent for its strategy."""

    def __init__(self, agent: Agent, seat: Seat, samples: int, by: str) -> None:
        self.agent = agent
        self.seat = seat
        self.samples = samples
        self.by = by
        self.n_positions = 0
        self.n_asked = 0
        self.is_weighted = False

    def ask(self, states: States) -> Floats:
        """Give the agent's strategy in every position: [positions, actions]."""
        strategies = np.zeros((len(states), SIZE))
        strategies[:, 0] = 1.0  # where it has nothing to decide
        asked = np.flatnonzero(states["deciding"] >> self.seat & 1)
        if len(asked) == 0:
            return strategies
        seats = np.full(len(asked), self.seat)
        views: States = np.empty(len(asked), STATE)
        total = np.zeros((len(asked), SIZE))
        for _ in range(self.samples):
            conceal_all(states, asked, seats, views)
            self._add_sample(views, seats, total)
        self.n_positions += len(asked)
        strategies[asked] = total / self.samples
        return strategies

    def _add_sample(self, views: States, seats: Ints, total: Floats) -> None:
        """Ask once about every view; add the probabilities of what is done there."""
        games = self.n_asked + np.arange(len(views))
        self.n_asked += len(views)
        rngs: Rngs = np.empty(len(views), RNG)
        _start_streams(rngs, key_of(0, Purpose.AGENT), games)
        decisions = self.agent.act(views.copy(), seats, rngs, games)
        self.agent.end(games)
        choices, weights = decisions.choices, decisions.weights
        if self.by == "actions" or choices is None or weights is None:
            choices, weights = decisions.actions[:, None], np.ones((len(views), 1))
        else:
            self.is_weighted = True
        bad = 0
        if choices.shape == weights.shape == (len(views), choices.shape[-1]):
            bad = _add_weights(views, self.seat, choices, weights.astype(np.float64), total)
        if bad >= 0:
            raise AgentError(
                f"agent {clip(self.agent.spec)} at seat {self.seat} answers with nothing legal "
                f"in {self.agent.game.format(views[bad])}"
            )


@kernel
def _start_streams(rngs: Rngs, key: np.uint64, games: Ints) -> None:
    """Set every stream to the beginning of that of its game."""
    for i in range(len(rngs)):
        start(rngs[i], absorb(key, games[i]))


@kernel
def _add_weights(
    views: States, seat: Seat, choices: Actions, weights: Floats, total: Floats
) -> int:
    """Add the probabilities of all choices to `total`, by the index of the action.

    Returns:
        -1, or the first view where there are none, or where they are not legal.
    """
    listed = np.empty(SIZE, np.int64)
    for k in range(len(views)):
        n = legal(views[k], seat, listed)
        weight, found = weights[k].sum(), 0.0
        for c in range(choices.shape[1]):
            for i in range(n):
                if listed[i] == choices[k, c] and weights[k, c] > 0.0:
                    total[k, i] += weights[k, c] / weight
                    found += weights[k, c]
        if not (weight > 0.0 and abs(found / weight - 1.0) < 1e-9):
            return k
    return -1
