"""The player that we ship: the solver where it has the time, the network elsewhere.

It first lets the solver ask about every column, from short games to long ones, for a part of its
time: late in the game, and where the opening book has the answer, that solves the position. Else
the network's search chooses with the time that is left, among the columns that what was proven
leaves. A proven win is never given away, a proven draw only for a column from which the network
expects clearly more.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind, kinds_of
from kibitz.core.game import States
from kibitz.core.rng import Rng, Rngs
from kibitz.core.table import Game
from kibitz.games.connect4.alphabeta import (
    UNKNOWN,
    Scores,
    bound_columns,
    make_memory,
    narrow_columns,
)
from kibitz.games.connect4.book import PLY, open_book
from kibitz.games.connect4.exact import boards_of
from kibitz.games.connect4.rules import COLUMNS
from kibitz.games.connect4.zero import AlphaZeroAgent, AlphaZeroConfig
from kibitz.search.models import load_model
from kibitz.search.roots import draw

EARLY, LATE = 0.1, 0.5
"""Parts of the time that the solver may take, before and from ply 8 on."""

POSITIONS_PER_SIM = 5_000
"""Positions that the solver may look at for every simulation: about as long as the half of one."""

DRAW = 0.5
"""What a draw is worth to the network, in shares of a win."""

LEAD = 0.05
"""How much more, in shares of a win, the network must expect from a gamble than from the best
column that cannot lose. Measured: docs/solver.md."""

FIRST_STEP = 100_000
"""Positions between the first two looks at the clock."""

_own = threading.local()


@dataclass(frozen=True)
class BestConfig:
    """Parameters of `best`."""

    sims: int = 100  # simulations per decision, as long as nothing is solved
    time: float = 0.0  # seconds per decision instead, if above 0
    model: str = "connect4-alphazero"  # the name of a network, or its folder

    def __post_init__(self) -> None:
        """Refuse budgets out of range."""
        AlphaZeroConfig(sims=self.sims, time=self.time)


@dataclass(frozen=True)
class Proven:
    """What the solver has proven of the columns of a position, to who moves: [columns]."""

    lows: Scores
    highs: Scores

    @property
    def is_open(self) -> npt.NDArray[np.bool_]:
        """Which columns are not full."""
        return cast("npt.NDArray[np.bool_]", self.lows != UNKNOWN)

    @property
    def is_solved(self) -> bool:
        """Whether every column is."""
        return bool((self.lows == self.highs).all())

    @property
    def results(self) -> npt.NDArray[np.float64]:
        """1 for a win, 0 for a draw, -1 for a loss; NaN where the result is not proven."""
        low, high = np.sign(self.lows), np.sign(self.highs)
        return np.where(self.is_open & (low == high), low, np.nan)

    @property
    def candidates(self) -> npt.NDArray[np.bool_]:
        """Which columns may be played: none that cannot reach what another one is sure of.

        Where a column that cannot lose may still win, mere draws are left out, too.
        """
        lows = np.where(self.is_open, self.lows, -UNKNOWN)
        highs = np.where(self.is_open, self.highs, -UNKNOWN)
        if lows.max() > 0 or highs.max() < 0:
            return cast("npt.NDArray[np.bool_]", lows == lows.max())
        if lows.max() < 0:
            return highs >= 0
        may_win, is_sure = highs > 0, lows == 0
        return may_win if (may_win & is_sure).any() else may_win | is_sure

    @property
    def gambles(self) -> npt.NDArray[np.bool_]:
        """Which candidates may lose, where another column is sure of a draw."""
        is_sure = self.is_open & (self.lows >= 0)
        return self.candidates & ~is_sure & is_sure.any()

    @property
    def is_decided(self) -> bool:
        """Whether there is nothing left to search for."""
        wins = np.where(self.is_open, self.lows, -UNKNOWN).max() > 0
        return bool(wins or self.is_solved or self.candidates.sum() == 1)


def _desk() -> np.record:
    """Return the memory of this thread with the opening book and an empty table.

    So what is played does not depend on what was decided before.
    """
    if not hasattr(_own, "memory"):
        memory = make_memory()
        open_book(memory)
        memory.most = 1  # the first search compiles, on nobody's time
        nothing = np.uint64(0)
        lows, highs = np.full(COLUMNS, -1), np.full(COLUMNS, 1)
        narrow_columns(memory, nothing, nothing, lows, highs, 0)
        _own.memory = memory
    _own.memory.places[:] = 0
    _own.memory.n_searched = 0
    return cast(np.record, _own.memory)


def prove(own: np.uint64, occupied: np.uint64, positions: int, seconds: float = 0.0) -> Proven:
    """Prove what can be proven of every column.

    Args:
        own: the discs of who moves.
        occupied: those of both.
        positions: how many may be looked at, unless it goes by the clock.
        seconds: how long it may take, if above 0.
    """
    memory = _desk()
    found = Proven(np.zeros(COLUMNS, np.int64), np.zeros(COLUMNS, np.int64))
    bound_columns(own, occupied, found.lows, found.highs)
    began = time.perf_counter()
    memory.most, n = FIRST_STEP if seconds else positions, 0
    while not found.is_solved:
        n += narrow_columns(memory, own, occupied, found.lows, found.highs, n)
        if memory.n_searched < memory.most:
            continue
        spent = time.perf_counter() - began
        if spent >= seconds:
            break
        memory.most += int(memory.n_searched * min(1.0, (seconds - spent) / spent)) + 1_000
    return found


class BestAgent(Agent):
    """Solves what it has the time for; else searches by the network, among what is not refuted."""

    name = "best"
    Config: ClassVar[type[Any]] = BestConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Load the network."""
        super().__init__(game, config)
        searching = AlphaZeroConfig(sims=self.config.sims, model=self.config.model)
        network = load_model(self.config.model, game)
        self._early, self._late = (
            AlphaZeroAgent(game, replace(searching, time=self.config.time * (1 - part)), network)
            for part in (EARLY, LATE)
        )

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Solve every view, and search those that are not decided."""
        known = [self._prove(views[k : k + 1], seats[k : k + 1]) for k in range(len(views))]
        is_early = views["n_moves"] < PLY
        is_decided = np.array([one.is_decided for one in known])
        parts = [
            (np.array([k]), _decide(known[k], rngs[k])) for k in np.flatnonzero(is_decided).tolist()
        ]
        for rows, agent in (
            (np.flatnonzero(~is_decided & is_early), self._early),
            (np.flatnonzero(~is_decided & ~is_early), self._late),
        ):
            if len(rows):
                found = agent.act(views[rows], seats[rows], rngs[rows], games[rows])
                parts.append((rows, _keep_to(found, [known[k] for k in rows.tolist()])))
        return Decisions.merge(len(views), parts)

    def think(
        self, view: np.record, seat: int, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide for one view, again and again while the network searches."""
        views, seats, rngs, _ = self.ask_one(view, seat, rng)
        known = self._prove(views, seats)
        if known.is_decided:
            yield _decide(known, rngs[0])
            return
        agent = self._early if view.n_moves < PLY else self._late
        for found in agent.think(view, seat, rng, game):
            yield _keep_to(found, [known])

    def _prove(self, views: States, seats: Seats) -> Proven:
        """Let the solver have its part of the budget of one view."""
        part = EARLY if views["n_moves"][0] < PLY else LATE
        owns, occupied = boards_of(views, seats)
        positions = self.config.sims * POSITIONS_PER_SIM
        return prove(owns[0], occupied[0], positions, part * self.config.time)


def _decide(known: Proven, rng: Rng) -> Decisions:
    """Draw lots among the candidates."""
    columns = np.flatnonzero(known.is_open)
    weights = known.candidates[columns].astype(np.float64)
    values = known.results[columns]
    action = columns[draw(weights, rng)] + 1
    return Decisions(
        np.array([action]),
        columns[np.newaxis] + 1,
        np.array([len(columns)]),
        weights[np.newaxis],
        None,
        values[np.newaxis],
        np.where(np.isnan(values), np.nan, 0.0)[np.newaxis],
        kinds_of(1, ValueKind.SCORE),
    )


def _keep_to(found: Decisions, known: list[Proven]) -> Decisions:
    """Take of what the network's search would play only what may be, and say what is proven."""
    assert found.choices is not None
    assert found.weights is not None
    assert found.values is not None
    assert found.errors is not None
    actions, weights = found.actions.copy(), found.weights.copy()
    values, errors = found.values.copy(), found.errors.copy()
    for k, one in enumerate(known):
        is_choice = found.choices[k] != NO_ACTION
        columns = found.choices[k, is_choice] - 1
        share = (one.results[columns] + 1) / 2  # of a win, as the network has it
        is_proven = ~np.isnan(share)
        values[k, is_choice] = np.where(is_proven, share, values[k, is_choice])
        errors[k, is_choice] = np.where(is_proven, 0.0, errors[k, is_choice])
        may_play = _playable(one, columns, values[k, is_choice])
        mine = np.where(may_play, weights[k, is_choice], 0.0)
        if not mine.sum() > 0:
            mine = may_play.astype(np.float64)
        if actions[k] - 1 not in columns[may_play]:
            actions[k] = columns[np.argmax(np.where(may_play, mine, -1.0))] + 1
        weights[k, is_choice] = mine
    return replace(found, actions=actions, weights=weights, values=values, errors=errors)


def _playable(
    known: Proven, columns: npt.NDArray[np.int64], shares: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return which columns the network may choose from: [columns].

    Args:
        known: what is proven.
        columns: those that are open, from 0.
        shares: of a win, proven or what the network expects of each.
    """
    may_play, is_gamble = known.candidates[columns], known.gambles[columns]
    sure = np.fmax.reduce(shares[may_play & ~is_gamble], initial=DRAW)
    return may_play & (~is_gamble | (shares > sure + LEAD))
