"""A player that plays Connect 4 perfectly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind, kinds_of
from kibitz.core.errors import SpecError
from kibitz.core.game import Action, Seat, States
from kibitz.core.messages import Message
from kibitz.core.registry import load_agent
from kibitz.core.rng import Rng, Rngs
from kibitz.core.table import Game
from kibitz.games.connect4.alphabeta import UNKNOWN, Boards, scores_by_column
from kibitz.games.connect4.book import PLY, are_known
from kibitz.games.connect4.rules import BOARD, CELLS, COLUMNS
from kibitz.games.connect4.solver import desk, moves_left
from kibitz.search.roots import draw

Table = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ExactConfig:
    """Parameters of exact play."""

    ply: int = PLY  # positions after so many moves are solved whether the book has them or not
    before: str = "uct"  # who plays before that where the book does not know the answer

    def __post_init__(self) -> None:
        """Refuse itself, and plies that there are not."""
        if not 0 <= self.ply <= CELLS:
            raise SpecError(f"ply={self.ply}: expected 0..{CELLS}")
        if self.before == ExactAgent.name:
            raise SpecError("exact:before=exact: expected another agent")


def boards_of(views: States, seats: Seats) -> tuple[Boards, Boards]:
    """Return the discs of the seats that move, and those of both: [views] each."""
    discs = views["discs"] & BOARD
    return discs[np.arange(len(views)), seats], discs[:, 0] | discs[:, 1]


def solve_columns(views: States, seats: Seats) -> Table:
    """Return what every column is worth to the seats that move, UNKNOWN if full: [views, 7]."""
    scores = np.zeros((len(views), COLUMNS), np.int64)
    scores_by_column(desk(), *boards_of(views, seats), scores)
    return scores


class ExactAgent(Agent):
    """Plays perfectly: wins as soon as it can, loses as late as it can, draws lots among equals.

    In the first eight plies it needs the opening book: a position that the book does not have is
    left to another agent, as solving it would take minutes.
    """

    name = "exact"
    Config: ClassVar[type[Any]] = ExactConfig
    rest = "before"

    def __init__(self, game: Game, config: Any = None) -> None:
        """Find who plays where nothing is solved."""
        super().__init__(game, config)
        self.before = load_agent(self.config.before, game)

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Solve every column of every view that is late enough or in the book."""
        solved = self._can_solve(views, seats)
        here, rest = np.flatnonzero(solved), np.flatnonzero(~solved)
        if not len(rest):
            return _decide(views, solve_columns(views, seats), rngs)
        other = self.before.act(views[rest], seats[rest], rngs[rest], games[rest])
        if not len(here):
            return other
        own = _decide(views[here], solve_columns(views[here], seats[here]), rngs[here])
        return Decisions.merge(len(views), [(here, own), (rest, other)])

    def think(
        self, view: np.record, seat: Seat, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide at once for one view that can be solved; let the other agent think of others."""
        views, seats, _, _ = self.ask_one(view, seat, rng)
        if self._can_solve(views, seats).all():
            yield from super().think(view, seat, rng, game)
        else:
            yield from self.before.think(view, seat, rng, game)

    def _can_solve(self, views: States, seats: Seats) -> npt.NDArray[np.bool_]:
        """Return which views are late enough or in the book."""
        known = are_known(desk(), *boards_of(views, seats))
        late: npt.NDArray[np.bool_] = views["n_moves"] >= self.config.ply
        return late | known

    @property
    def watches(self) -> bool:
        """Whether the other agent wants to see what happens."""
        return self.before.watches

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Show the other agent."""
        self.before.watch(views, seats, games)

    def end(self, games: Games) -> None:
        """Pass it on to the other agent."""
        self.before.end(games)


def _decide(views: States, scores: Table, rngs: Rngs) -> Decisions:
    """Draw lots among the best columns of every row; say of all how the game ends after them."""
    is_open = scores != UNKNOWN
    best = np.where(is_open, scores, -UNKNOWN).max(axis=1, keepdims=True)
    order = np.argsort(~is_open, axis=1, kind="stable")  # the open columns first, ascending
    n_choices = is_open.sum(axis=1)
    is_padding = np.arange(COLUMNS) >= n_choices[:, np.newaxis]
    ordered = np.take_along_axis(scores, order, axis=1)
    choices = np.where(is_padding, NO_ACTION, order + 1)
    weights = np.where(is_padding, np.nan, ordered == best)
    actions = np.zeros(len(scores), np.int64)
    for k, n in enumerate(n_choices.tolist()):
        actions[k] = choices[k, draw(weights[k, :n], rngs[k])]
    values = np.where(is_padding, np.nan, (1 + np.sign(ordered)) / 2)
    errors = np.where(is_padding, np.nan, 0.0)
    kinds = kinds_of(len(scores), ValueKind.WIN)
    moves = views["n_moves"].tolist()
    info = {"verdicts": [_verdicts(*row) for row in zip(scores.tolist(), moves, strict=True)]}
    return Decisions(actions, choices, n_choices, weights, None, values, errors, kinds, info)


def _verdicts(scores: list[int], n_moves: int) -> list[tuple[Action, Message]]:
    """Say how the game ends after each open column if both play perfectly, the best first."""
    found = []
    for column in sorted(range(COLUMNS), key=lambda column: -scores[column]):
        score = scores[column]
        if score != UNKNOWN:
            code = ("draw", "wins-in", "loses-in")[int(np.sign(score))]
            facts = {"n": moves_left(score, n_moves)} if score else {}
            found.append((column + 1, Message(f"connect4.{code}", facts)))
    return found
