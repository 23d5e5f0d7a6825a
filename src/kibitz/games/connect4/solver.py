"""Exact play in Connect 4: what a position and each of its columns are worth.

A score is positive if who moves wins, the larger the sooner; 0 is a draw, and a loss is the larger
the later. Who wins with his last disc but n scores n + 1: the empty board is worth 1, as the first
player wins with the last of his discs but none.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from kibitz.core.errors import PositionError, SpecError, clip, nearest
from kibitz.core.game import Seat
from kibitz.core.kernels import seconds_compiling
from kibitz.core.spec import Options
from kibitz.core.table import Game
from kibitz.games.connect4.alphabeta import UNKNOWN, make_memory, score_after, score_of
from kibitz.games.connect4.book import listed, open_book
from kibitz.games.connect4.rules import CELLS, COLUMNS, NOBODY

Objective = Literal["result"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)

OPTIONS: Options = {}
"""No option has another default here."""

TITLES = {"result": "score of perfect play"}

Progress = Callable[[int, int], None]
"""Told how much is done, of how much."""

_SECONDS = (600.0, 400.0, 200.0, 90.0, 40.0, 15.0, 6.0, 3.0, 2.0)
"""About how long a position of each ply takes without the book, on one core."""

_own = threading.local()


@dataclass(frozen=True)
class Solution:
    """A solved position."""

    game: Game
    state: np.record  # the position
    seat: Seat  # who moves
    columns: tuple[int | None, ...]  # what each column is worth; None if it is full
    n_nodes: int  # positions looked at
    seconds: float  # without those of the compiler

    @property
    def score(self) -> int:
        """What the position is worth to who moves."""
        return max(score for score in self.columns if score is not None)

    @property
    def values(self) -> list[int]:
        """The score of every seat."""
        return [self.score if seat == self.seat else -self.score for seat in range(2)]

    @property
    def distance(self) -> int:
        """How many moves are left if both play perfectly."""
        return moves_left(self.score, int(self.state.n_moves))

    @property
    def best(self) -> list[int]:
        """The columns that reach the score."""
        return [i + 1 for i, score in enumerate(self.columns) if score == self.score]

    def as_json(self) -> dict[str, Any]:
        """Return one document for programs."""
        return {
            "game": self.game.spec,
            "position": self.game.text.format_position(self.state),
            "objective": "result",
            "score": self.score,
            "distance": self.distance,
            "columns": list(self.columns),
            "values": self.values,
            "strategies": [{"seat": self.seat, "actions": self._describe()}],
            "nodes": self.n_nodes,
            "seconds": self.seconds,
        }

    def _describe(self) -> list[dict[str, Any]]:
        """Describe every column that is open; of several best ones, each is as good."""
        best, n_moves = self.best, int(self.state.n_moves)
        return [
            {
                "action": i + 1,
                "text": str(i + 1),
                "probability": 1 / len(best) if i + 1 in best else 0.0,
                "value": score,
                "distance": moves_left(score, n_moves),
            }
            for i, score in enumerate(self.columns)
            if score is not None
        ]


def moves_left(score: int, n_moves: int) -> int:
    """Return after how many moves a game with this score ends, of who moves after `n_moves`."""
    if score == 0:
        return CELLS - n_moves
    wins_as_first = (n_moves % 2 == 0) == (score > 0)
    return CELLS + (1 if wins_as_first else 2) - 2 * abs(score) - n_moves


def say_action(document: dict[str, Any], action: dict[str, Any]) -> str:
    """Say what a column leads to, for who drops a disc there."""
    verb = ("draw", "wins", "loses")[int(np.sign(action["value"]))]
    return f"{verb} in {action['distance']}"


def tell(document: dict[str, Any]) -> str:
    """Say in a sentence how a solved game ends."""
    seat, n = document["strategies"][0]["seat"], document["distance"]
    if document["score"] == 0:
        return f"seat {seat} moves, and the game is a draw after {n} moves: score 0"
    winner = seat if document["score"] > 0 else 1 - seat
    moves = "this move" if n == 1 else f"{n} moves"
    return f"seat {seat} moves, and seat {winner} wins after {moves}: score {document['score']:+d}"


def write_value(objective: str, value: float) -> str:
    """Write a score the way people do."""
    return f"{value:+g}" if value else "0"


def desk() -> np.record:
    """Return the memory of this thread, with the opening book in it."""
    if not hasattr(_own, "memory"):
        memory = make_memory()
        _own.n_known = open_book(memory)
        _own.memory = memory
    return cast(np.record, _own.memory)


def read(game: Game, position: str) -> np.record:
    """Read a position that can be solved; an error says why it cannot."""
    check_game(game)
    return check_state(game, game.parse(position))


def check_game(game: Game) -> None:
    """Refuse other games."""
    if game.facts.name != "connect4":
        raise SpecError(f"this solves connect4, not {game.facts.name}")


def check_state(game: Game, state: np.record) -> np.record:
    """Return a state in which somebody is to move, refuse others."""
    if state.turn == NOBODY:
        why = "the game is over" if state.n_moves else "the game has not begun"
        raise PositionError(f"only positions with a move to make are solved, and {why}")
    replayed = game.parse(game.text.format_position(state))
    if not np.array_equal(replayed.discs, state.discs) or replayed.turn != state.turn:
        raise PositionError("only positions that the moves lead to are solved")
    return state


def estimate(state: np.record) -> float:
    """Return about how many seconds a position takes to solve."""
    desk()
    if _own.n_known == len(listed()) or state.n_moves >= len(_SECONDS):
        return 0.0
    return _SECONDS[int(state.n_moves)]


def solve(
    game: Game,
    position: np.record | str,
    objective: Objective = "result",
    progress: Progress | None = None,
) -> Solution:
    """Solve a position.

    Args:
        game: Connect 4, under any options.
        position: a state, or a line of columns, in which somebody is to move.
        objective: "result" is all there is: who wins, and how soon.
        progress: told how much is done: the position, then its columns.

    Raises:
        SpecError: it is another game, or another objective.
        PositionError: there is no such position, or nobody is to move.
    """
    if objective not in OBJECTIVES:
        hint = nearest(str(objective), OBJECTIVES)
        raise SpecError(f"unknown objective {clip(objective)}: {hint}")
    if isinstance(position, str):
        state = read(game, position)
    else:
        check_game(game)
        state = check_state(game, game.check_state(position)).copy()
    memory = desk()
    began = time.perf_counter() - seconds_compiling()
    memory.n_searched = 0
    seat = int(state.turn) - 1
    own, occupied = state.discs[seat], state.discs[0] | state.discs[1]
    most = int(score_of(memory, own, occupied))  # the book may know it
    if progress is not None:
        progress(1, 1 + COLUMNS)
    columns: list[int | None] = []
    for column in range(1, COLUMNS + 1):
        score = int(score_after(memory, own, occupied, column, most))
        columns.append(None if score == UNKNOWN else score)
        if progress is not None:
            progress(1 + column, 1 + COLUMNS)
    return Solution(
        game=game,
        state=state,
        seat=seat,
        columns=tuple(columns),
        n_nodes=int(memory.n_searched),
        seconds=time.perf_counter() - seconds_compiling() - began,
    )
