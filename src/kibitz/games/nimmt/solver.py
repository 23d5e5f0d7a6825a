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

from kibitz.core.agent import Seats
from kibitz.core.errors import PositionError, SpecError, clip, nearest
from kibitz.core.game import Action, Actions, Seat, State, States, apply, legal, movers, scores
from kibitz.core.kernels import inner_kernel, kernel, record_dtype, seconds_compiling
from kibitz.core.rng import mix
from kibitz.core.spec import Options
from kibitz.core.table import Game
from kibitz.games.nimmt.state import (
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
from kibitz.search.matrix import MATRIX_FIELDS, SIZE, Floats, matrix_value, solve_matrix

Objective = Literal["points", "win"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
POINTS, WIN = 0, 1

OPTIONS: Options = {"players": 2, "hands": "open"}
"""What a spec that is silent about them means here."""

TITLES = {"points": "expected lead", "win": "probability to win (a tie is half a win)"}

MAX_CARDS = {LOWEST: 8, FREE: 7}
"""Most cards in a hand that are solved, by the rule for rows."""

SECONDS = {LOWEST: {7: 0.7, 8: 20.0}, FREE: {6: 0.6, 7: 40.0}}
"""What so many cards cost on one core of 2.6 GHz; a position may take five times as long."""

Table = npt.NDArray[np.record]

Progress = Callable[[int, int], None]
"""Told how much is done, of how much."""

BOTH = 3  # the seats that must act, as a bit mask
_MAX_DEPTH = 2 * HAND_CARDS  # a turn is at most two decisions: cards, then a row
_TABLE_BITS = 22  # at most 4 M positions of 32 bytes; a newer one takes the place of an older

# A row in a position's key: cards below its end (at most 16), length, heads (at most 27), index.
_PIECES = (2 * 8 + 1) * FULL_ROW * 28 * ROWS
_PLACES = np.array([512 * _PIECES**place for place in range(ROWS)])  # below 512: the lead

FRAME = record_dtype(
    [
        ("choices", np.int64, (2, SIZE)),  # actions of both seats
        ("table_key", np.int64, (3,)),  # of the position: rows and lead, hand 0, hand 1
        ("points", np.float64, (2,)),  # scratch for scores
        *MATRIX_FIELDS,  # payoffs are those of seat 0
    ]
)
"""One position on the way down, and its matrix game."""

ENTRY = record_dtype([("known_key", np.int64, (3,)), ("known_value", np.float64)])
"""A position met before: the value of the matrix game, of points to come if those are sought."""

SEARCH = record_dtype([("objective", np.int64), ("n_nodes", np.int64), ("gap", np.float64)])
"""What is sought, and what the search tells about itself."""


@inner_kernel
def _lead(state: State, frame: np.record) -> int:
    """Give by how many points seat 0 is ahead."""
    scores(state, frame.points)
    return np.int64(frame.points[0] - frame.points[1])  # type: ignore[return-value]


@kernel
def payoff(state: State, frame: np.record, search: np.record) -> float:
    """Give what the end of a game is worth to seat 0."""
    lead = _lead(state, frame)
    if search.objective == POINTS:
        return float(lead)
    return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0


@inner_kernel
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


@inner_kernel
def _slot(frame: np.record, table: npt.NDArray[np.record]) -> int:
    """Find where the table keeps a position; its size is a power of two."""
    digest = np.uint64(0)
    for k in range(3):
        digest = mix(digest ^ np.uint64(frame.table_key[k]))
    return np.int64(digest & np.uint64(len(table) - 1))  # type: ignore[return-value]


@kernel
def _table_size(n_cards: int) -> int:
    """Give how many positions the table keeps for so many cards in a hand."""
    bits = min(max(4 * n_cards - 4, 0), _TABLE_BITS)
    return np.int64(1) << bits  # type: ignore[return-value]


@inner_kernel
def _is_known(entry: np.record, frame: np.record) -> bool:
    """Tell whether the table has the position of the frame in this entry."""
    known, sought = entry.known_key, frame.table_key
    return known[0] == sought[0] and known[1] == sought[1] and known[2] == sought[2]


@kernel
def list_choices(state: State, frame: np.record) -> tuple[int, int]:
    """List the actions of both seats; one that has nothing to decide has one, which is none."""
    waiting = movers(state)
    n = legal(state, 0, frame.choices[0]) if waiting & 1 else 1
    m = legal(state, 1, frame.choices[1]) if waiting & 2 else 1
    return n, m


@kernel
def commit(state: State, row: Action, column: Action) -> bool:
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
    n, m = list_choices(state, frame)
    for i in range(n):
        worst = 1.0
        for j in range(m):
            states[depth + 1] = states[depth]
            if commit(child, frame.choices[0, i], frame.choices[1, j]):
                frame.payoff[i, j] = payoff(child, frame, search)
            else:
                frame.payoff[i, j] = _value(states, frames, table, search, depth + 1)
            worst = min(worst, frame.payoff[i, j])
        if worst == 1.0 and search.objective == WIN:  # a sure win: nothing else matters
            n = i + 1
            break
    value = matrix_value(frame, n, m)
    search.gap = max(search.gap, frame.high - frame.low)
    if waiting == BOTH:
        entry = table[slot]
        for k in range(3):
            entry.known_key[k] = frame.table_key[k]
        entry.known_value = value - (lead if search.objective == POINTS else 0)
    return value


@kernel
def _fill_cell(
    states: States, frames: Table, table: Table, search: np.record, i: int, j: int
) -> None:
    """Write the value of a joint action of `states[0]`, the root, into its matrix."""
    root = frames[0]
    states[1] = states[0]
    if commit(states[1], root.choices[0, i], root.choices[1, j]):
        root.payoff[i, j] = payoff(states[1], root, search)
    else:
        root.payoff[i, j] = _value(states, frames, table, search, 1)


@kernel
def find_endings(views: States, most_cards: int, is_ending: npt.NDArray[np.bool_]) -> None:
    """Tell which views have so few cards in a hand, or fewer."""
    for k in range(len(views)):
        view = views[k]
        is_ending[k] = view.phase != DRAFTING and hand_size(view) <= most_cards


@inner_kernel
def _worth(root: np.record, n: int, m: int, seat: Seat, i: int, search: np.record) -> float:
    """Give what a seat gets by an action against the other's equilibrium strategy."""
    value = 0.0
    if seat == 0:
        for j in range(m):
            value += root.column_play[j] * root.payoff[i, j]
        return value
    for j in range(n):
        value += root.row_play[j] * root.payoff[j, i]
    return (1.0 if search.objective == WIN else 0.0) - value


@kernel
def _play_each(
    views: States,
    seats: Seats,
    states: States,
    frames: Table,
    table: Table,
    search: np.record,
    choices: Actions,
    weights: Floats,
    values: Floats,
) -> None:
    """Solve views one after the other, and write how the seat of each plays."""
    root = frames[0]
    for k in range(len(views)):
        states[0] = views[k]
        state = states[0]
        if state.phase == CHOOSING:  # what others have chosen already says nothing
            state.chosen[:] = 0
            state.deciding = BOTH
        known = table[: _table_size(hand_size(state))]
        for entry in range(len(known)):  # as if it were alone: rounding decides between equals
            known[entry].known_key[1] = 0  # no hand is empty
        n, m = list_choices(state, root)
        for i in range(n):
            for j in range(m):
                _fill_cell(states, frames, known, search, i, j)
        solve_matrix(root, n, m)
        seat = seats[k]
        for i in range(n if seat == 0 else m):
            choices[k, i] = root.choices[seat, i]
            weights[k, i] = root.row_play[i] if seat == 0 else root.column_play[i]
            values[k, i] = _worth(root, n, m, seat, i, search)


def play_endings(
    views: States, seats: Seats, most_cards: int, objective: Objective
) -> tuple[Actions, Floats, Floats]:
    """Solve endings of the open game as seats see them, whoever has chosen a card already.

    Args:
        views: with no more than `most_cards` in a hand.
        seats: whose view each is.
        most_cards: decides how much memory this takes.
        objective: what both seats want: "points" or "win".

    Returns:
        Actions of every seat, their probabilities in equilibrium, and what each is worth to the
        seat; a row that has fewer is filled up with zeros.
    """
    choices = np.zeros((len(views), SIZE), np.int64)
    weights, values = np.zeros(choices.shape), np.zeros(choices.shape)
    search = np.zeros(1, SEARCH)[0]
    search.objective = _objective_code(objective)
    _play_each(views, seats, *_scratch(most_cards), search, choices, weights, values)
    return choices, weights, values


@dataclass(frozen=True)
class Strategy:
    """How a seat plays at the root."""

    seat: Seat
    actions: list[Action]
    probabilities: Floats
    values: Floats  # what the seat gets by each action against the other's equilibrium strategy

    @property
    def by_action(self) -> dict[Action, float]:
        """Give the probability of every action, cards or rows."""
        return dict(zip(self.actions, self.probabilities.tolist(), strict=True))


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

    @property
    def value(self) -> float:
        """What perfect play is worth to seat 0."""
        return self.values[0]

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


def write_value(objective: str, value: float) -> str:
    """Write a value; a lead with its sign."""
    rounded = round(value, 3) + 0.0
    return f"{rounded:.1%}" if objective == "win" else f"{rounded:+.3f}"


def read(game: Game, position: str) -> np.record:
    """Read a position that can be solved; an error says why it cannot."""
    check_game(game)
    if "?" in position:
        raise PositionError(
            f"only open positions are solved, '?' hides something: {clip(position)}"
        )
    state = game.parse(position)
    check_state(state)
    return state


def estimate(state: np.record) -> float:
    """Give about how many seconds a position takes to solve."""
    return SECONDS[int(state.rows)].get(int(hand_size(state)), 0.0)


def check_game(game: Game) -> None:
    """Refuse games that are not the open game of two."""
    if game.facts.name != "nimmt":
        raise SpecError(f"this solves nimmt, not {game.facts.name}")
    if game.n_seats != 2:
        raise SpecError(f"only games of 2 seats are solved, {game.spec} has {game.n_seats}")
    if game.options["hands"] != "open":
        raise SpecError(f"only open hands are solved, {game.spec} hides them: add hands=open")
    if game.options["match"] != "round":
        raise SpecError(f"only single rounds are solved, {game.spec} goes on after this one")


def check_state(state: np.record) -> None:
    """Refuse positions in which there is nothing to solve, or too much."""
    if state.phase in (WAITING, DRAFTING):
        raise PositionError("only positions whose cards are all dealt are solved")
    chosen = [seat for seat in range(2) if state.phase == CHOOSING and state.chosen[seat]]
    if chosen:
        raise PositionError(
            f"seat {chosen[0]} has chosen face down already, and the value of a turn is that of "
            "both choices: write chosen=-/-"
        )
    check_size(state, MAX_CARDS, "positions are solved with")
    if (state.hand[:2, : int(hand_size(state))] == 0).any():
        raise PositionError("only open positions are solved, a hand is hidden here")


def check_size(state: np.record, limits: dict[int, int], what: str) -> None:
    """Refuse positions with more cards than the rule for rows allows."""
    most, n = limits[int(state.rows)], int(hand_size(state))
    if n > most:
        rule = "free" if state.rows == FREE else "lowest"
        raise PositionError(f"{what} at most {most} cards each (rows={rule}), this one has {n}")


def _objective_code(objective: str) -> int:
    if objective not in OBJECTIVES:
        hint = nearest(str(objective), OBJECTIVES)
        raise SpecError(f"unknown objective {clip(objective)}: {hint}")
    return OBJECTIVES.index(objective)


def _scratch(n_cards: int) -> tuple[States, Table, Table]:
    """Make what the search of a position needs: states, frames, and the table."""
    table: Table = np.zeros(_table_size(n_cards), ENTRY)
    return np.zeros(_MAX_DEPTH, STATE), np.zeros(_MAX_DEPTH, FRAME), table


def solve(
    game: Game,
    position: np.record | str,
    objective: Objective = "points",
    progress: Progress | None = None,
) -> Solution:
    """Solve a position of the open two-player game.

    Args:
        game: two players, open hands, one round.
        position: a state, or a line of text, in which cards are chosen or a row is taken; or the
            end.
        objective: what both seats want: "points" or "win".
        progress: told, as joint actions of the root are solved, how many of how many are.

    Raises:
        SpecError: it is another game.
        PositionError: the position has too many cards, or is not between turns.
    """
    began = time.perf_counter() - seconds_compiling()
    code = _objective_code(objective)
    if isinstance(position, str):
        state = read(game, position)
    else:
        check_game(game)
        state = game.check_state(position)
        check_state(state)
    search = np.zeros(1, SEARCH)[0]
    search.objective = code
    states, frames, table = _scratch(int(hand_size(state)))
    states[0], root = state, frames[0]
    n, m = list_choices(state, root)
    for k in range(n * m):
        _fill_cell(states, frames, table, search, k // m, k % m)
        if progress is not None:
            progress(k + 1, n * m)
    value = float(solve_matrix(root, n, m))
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
