"""Mistakes in Connect 4: actions that give away the result perfect play would keep.

The solved positions are not part of the project: KIBITZ_DATA names the folder that has them, in
`connect4/`. A line of a `.moves` file holds the moves that lead to a position and, for every
column, the exact score of playing there (above 0: the mover wins; -1000: the column is full).
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kibitz.bench.measure import Missing
from kibitz.bench.peers import require
from kibitz.core.errors import KibitzError
from kibitz.core.registry import load_agent, load_game, open_table
from kibitz.core.rng import RNG, Purpose, derive

SETS = {"End-Easy": "Test_L3_R1.moves", "Middle-Easy": "Test_L2_R1.moves"}
COLUMNS = 7
FULL = -1000
MAX_LINES = 100_000

Player = Callable[[list[str], int], list[int]]
"""Choose a column (1 to 7) in each of some positions, given as moves, with a seed."""


@dataclass(frozen=True)
class Solved:
    """Positions with the exact score of every column: [positions, columns]."""

    moves: list[str]
    scores: npt.NDArray[np.int64]

    def first(self, n: int) -> "Solved":
        """Return the first positions only."""
        return Solved(self.moves[:n], self.scores[:n])

    def mistakes(self, columns: list[int]) -> npt.NDArray[np.bool_]:
        """Return which choices lose a win, or a draw."""
        chosen = self.scores[np.arange(len(columns)), np.array(columns) - 1]
        return np.sign(chosen) < np.sign(self.scores.max(axis=1))


def by_seed(solved: Solved, player: Player, seeds: Iterable[int]) -> npt.NDArray[np.bool_]:
    """Let a player choose with every seed; return where it made a mistake: [seeds, positions]."""
    return np.array([solved.mistakes(player(solved.moves, seed)) for seed in seeds])


def load(name: str) -> Solved:
    """Read a set of solved positions.

    Raises:
        Missing: KIBITZ_DATA does not have it.
    """
    folder = os.environ.get("KIBITZ_DATA")
    path = Path(folder or ".") / "connect4" / SETS[name]
    if not folder or not path.is_file():
        raise Missing(f"no {SETS[name]}: set KIBITZ_DATA to a folder that has connect4/ in it")
    moves, scores = [], []  # of positions with a choice
    with path.open(encoding="ascii", errors="replace") as lines:
        for number, line in zip(range(MAX_LINES), lines, strict=False):
            words = line.split()
            try:
                values = list(map(int, words[1:]))
            except ValueError:
                values = []
            if len(values) != COLUMNS:
                raise KibitzError(f"{path.name}, line {number + 1}: expected moves and 7 scores")
            if values.count(FULL) < COLUMNS - 1:
                moves.append(words[0])
                scores.append(values)
    return Solved(moves, np.array(scores))


def player_of(spec: str) -> Player:
    """Let an agent choose, all positions in one call."""
    agent = load_agent(spec, load_game("connect4"))

    def choose(moves: list[str], seed: int) -> list[int]:
        tables = [open_table(f"connect4 {one}") for one in moves]
        seats = np.array([table.movers[0] for table in tables])
        views = np.concatenate(
            [table.view(seat).reshape(1) for table, seat in zip(tables, seats, strict=True)]
        )
        rngs = np.zeros(len(tables), RNG)
        for k in range(len(tables)):
            rngs[k] = derive(seed, Purpose.AGENT, k)
        return [
            int(action) for action in agent.act(views, seats, rngs, np.arange(len(tables))).actions
        ]

    return choose


def open_spiel_player(sims: int) -> Player:
    """Let OpenSpiel's C++ tree search choose, as its examples set it up.

    Raises:
        Missing: it is not installed.
    """
    spiel = require("pyspiel")
    game = spiel.load_game("connect_four")

    def choose(moves: list[str], seed: int) -> list[int]:
        evaluator = spiel.RandomRolloutEvaluator(1, seed)
        bot = spiel.MCTSBot(game, evaluator, 2.0, sims, 1000, True, seed, False)
        chosen = []
        for one in moves:
            state = game.new_initial_state()
            for column in one:
                state.apply_action(int(column) - 1)
            chosen.append(int(bot.step(state)) + 1)
        return chosen

    return choose
