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
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Seats
from kibitz.core.errors import PositionError, SpecError, clip, nearest
from kibitz.core.game import Action, Seat, State, States, apply, legal, movers, scores
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

_PLAY_FIELDS = (
    ("play_actions", np.int64),
    ("probabilities", np.float64),
    ("play_values", np.float64),
)

PLAY = record_dtype([(name, kind, (SIZE,)) for name, kind in _PLAY_FIELDS])
"""How a seat plays at the root: what it gets by each action is against the other's strategy."""

BOTH_PLAY = record_dtype([(name, kind, (2, SIZE)) for name, kind in _PLAY_FIELDS])
"""How both seats do."""

SEARCH = record_dtype([("objective", np.int64), ("n_nodes", np.int64), ("gap", np.float64)])
"""What is sought, and what the search tells about itself."""


class Work(NamedTuple):
    """Memory of a search; the root is the first state and the first frame."""

    states: States
    frames: Table
    table: Table


@inner_kernel
def _lead(state: State, frame: np.record) -> int:
    """Return by how many points seat 0 is ahead."""
    scores(state, frame.points)
    return np.int64(frame.points[0] - frame.points[1])  # type: ignore[return-value]


@kernel
def payoff(state: State, frame: np.record, search: np.record) -> float:
    """Return what the end of a game is worth to seat 0."""
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
    """Return how many positions the table keeps for so many cards in a hand."""
    bits = min(max(4 * n_cards - 4, 0), _TABLE_BITS)
    return np.int64(1) << bits  # type: ignore[return-value]


@inner_kernel
def _is_known(entry: np.record, frame: np.record) -> bool:
    """Whether the table has the position of the frame in this entry."""
    known, sought = entry.known_key, frame.table_key
    return known[0] == sought[0] and known[1] == sought[1] and known[2] == sought[2]


@kernel
def list_choices(state: State, frame: np.record) -> tuple[int, int]:
    """List the actions of both seats; one that has nothing to decide has one, which is none."""
    waiting = movers(state)
    frame.choices[0, 0] = frame.choices[1, 0] = 0
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
    """Return the value of `states[depth]`, where somebody has a choice; what is deeper is scratch.

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
def _tell(root: np.record, n: int, m: int, search: np.record, plays: np.record) -> float:
    """Solve the matrix of a root, and write how both seats play it; return its value."""
    value = solve_matrix(root, n, m)
    total = 1.0 if search.objective == WIN else 0.0
    for seat in range(2):
        for i in range(n if seat == 0 else m):
            plays.play_actions[seat, i] = root.choices[seat, i]
            plays.probabilities[seat, i] = root.row_play[i] if seat == 0 else root.column_play[i]
            plays.play_values[seat, i] = 0.0 if seat == 0 else total
    for i in range(n):
        for j in range(m):
            plays.play_values[0, i] += root.column_play[j] * root.payoff[i, j]
            plays.play_values[1, j] -= root.row_play[i] * root.payoff[i, j]
    return value


@kernel
def _solve_each(positions: States, work: Work, search: np.record, plays: Table) -> None:
    """Solve positions one after the other."""
    root = work.frames[0]
    for k in range(len(positions)):
        work.states[0] = positions[k]
        state = work.states[0]
        memory = work.table[: _table_size(hand_size(state))]
        for slot in range(len(memory)):  # as if it were alone: rounding decides between equals
            memory[slot].known_key[1] = 0  # no hand is empty
        n, m = list_choices(state, root)
        for i in range(n):
            for j in range(m):
                _fill_cell(work.states, work.frames, memory, search, i, j)
        _tell(root, n, m, search, plays[k])


def is_ending(views: States, most_cards: int) -> npt.NDArray[np.bool_]:
    """Return which views have no more than so many cards in a hand; those of a draft never."""
    found = np.zeros(len(views), np.bool_)
    _find_endings(views, most_cards, found)
    return found


@kernel
def _find_endings(views: States, most_cards: int, found: npt.NDArray[np.bool_]) -> None:
    for k in range(len(views)):
        view = views[k]
        found[k] = view.phase != DRAFTING and hand_size(view) <= most_cards


def play_endings(views: States, seats: Seats, most_cards: int, objective: Objective) -> Table:
    """Solve endings of the open game, each position once, as seats that decide see them.

    A card that somebody has chosen already says nothing, and is taken back.

    Args:
        views: with no more than `most_cards` in a hand.
        seats: whose view each is.
        most_cards: decides how much memory this takes.
        objective: what both seats want: "points" or "win".

    Returns:
        How the seat of every view plays (the fields of `PLAY`), filled up with zeros.
    """
    positions = views.copy()
    choosing = positions["phase"] == CHOOSING
    positions["chosen"][choosing] = 0
    positions["deciding"][choosing] = BOTH
    as_bytes = positions.view(np.dtype((np.void, positions.itemsize)))
    _, first, which = np.unique(as_bytes, return_index=True, return_inverse=True)
    plays: Table = np.zeros(len(first), BOTH_PLAY)
    _solve_each(positions[first], _make_work(most_cards), _make_search(objective), plays)
    found: Table = np.zeros(len(views), PLAY)
    for name in PLAY.names or ():
        found[name] = plays[name][which, seats]
    return found


@dataclass(frozen=True)
class Strategy:
    """How a seat plays at the root."""

    seat: Seat
    actions: list[Action]
    probabilities: Floats
    values: Floats  # what the seat gets by each action against the other's equilibrium strategy

    @property
    def by_action(self) -> dict[Action, float]:
        """Return the probability of every action, cards or rows."""
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
        """Return one document for programs."""
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
    """Return about how many seconds a position takes to solve."""
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


def _make_search(objective: str) -> np.record:
    if objective not in OBJECTIVES:
        hint = nearest(str(objective), OBJECTIVES)
        raise SpecError(f"unknown objective {clip(objective)}: {hint}")
    search: np.record = np.zeros(1, SEARCH)[0]
    search.objective = OBJECTIVES.index(objective)
    return search


def _make_work(n_cards: int) -> Work:
    """Make room for positions with so many cards in a hand."""
    table: Table = np.zeros(_table_size(n_cards), ENTRY)
    return Work(np.zeros(_MAX_DEPTH, STATE), np.zeros(_MAX_DEPTH, FRAME), table)


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
    search = _make_search(objective)
    if isinstance(position, str):
        state = read(game, position)
    else:
        check_game(game)
        state = game.check_state(position)
        check_state(state)
    work = _make_work(int(hand_size(state)))
    work.states[0], root = state, work.frames[0]
    n, m = list_choices(state, root)
    for k in range(n * m):
        _fill_cell(*work, search, k // m, k % m)
        if progress is not None:
            progress(k + 1, n * m)
    plays = np.zeros(1, BOTH_PLAY)[0]
    value = _tell(root, n, m, search, plays)
    gap = max(float(search.gap), float(root.high - root.low))
    strategies = tuple(
        Strategy(
            seat,
            plays.play_actions[seat, :size].tolist(),
            plays.probabilities[seat, :size].copy(),
            plays.play_values[seat, :size].copy(),
        )
        for seat, size in enumerate((n, m))
        if movers(state) >> seat & 1
    )
    return Solution(
        game=game,
        state=state.copy(),
        objective=objective,
        values=(value, (1.0 if objective == "win" else 0.0) - value),
        strategies=strategies,
        matrix=root.payoff[:n, :m].copy(),
        error=gap * (1 + int(hand_size(state))),
        n_nodes=int(search.n_nodes) + 1,
        seconds=time.perf_counter() - seconds_compiling() - began,
    )
