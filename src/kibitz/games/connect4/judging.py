"""What players of Connect 4 are judged by: whether their moves are good, and whether perfect.

A good move keeps the result of perfect play, a perfect one also wins as soon or loses as late as
can be. Positions come about by random moves, as many of each ply of a stage as of the next; who
moves has a choice. The stages begin where a position is solved quickly without a book.
"""

import numpy as np

from kibitz.core.agent import Seats
from kibitz.core.bits import popcount
from kibitz.core.game import Actions, States, apply, deal, is_over, random_action
from kibitz.core.habits import Grades, Grading
from kibitz.core.kernels import kernel
from kibitz.core.rng import Purpose, Rng, derive
from kibitz.core.table import Game
from kibitz.games.connect4.alphabeta import UNKNOWN
from kibitz.games.connect4.exact import solve_columns
from kibitz.games.connect4.rules import BOARD, landing_cells

STAGES = ((10, 15), (16, 21), (22, 27), (28, 33), (34, 39))


@kernel
def _draw(states: States, n_moves: int, rng: Rng) -> None:
    """Play at random until a game gets so far and goes on with a choice: in states[0]."""
    while True:
        deal(states[0], rng)
        while states[0].n_moves < n_moves and not is_over(states[0]):
            seat = states[0].n_moves & 1
            apply(states[0], seat, random_action(states[0], seat, rng))
        occupied = states[0].discs[0] | states[0].discs[1]
        if not is_over(states[0]) and popcount(landing_cells(occupied) & BOARD) > 1:
            return


def draw_positions(game: Game, stage: int, n: int, seed: int) -> tuple[States, Seats]:
    """Draw positions of a stage, the same for the same seed."""
    first, last = STAGES[stage]
    states = game.blank(n)
    plies = first + np.arange(n) % (last - first + 1)
    for i in range(n):
        _draw(states[i : i + 1], int(plies[i]), derive(seed, Purpose.PLAYOUT, stage, i))
    return states, plies % 2


def grade(views: States, seats: Seats, actions: Actions) -> Grades:
    """Grade columns by the exact scores of all of them."""
    scores = solve_columns(views, seats)
    is_open = scores != UNKNOWN
    scores = np.where(is_open, scores, -UNKNOWN)
    best = scores.max(axis=1)
    chosen = scores[np.arange(len(views)), actions - 1]
    is_good = is_open & (np.sign(scores) == np.sign(best)[:, np.newaxis])
    return Grades(
        good=np.sign(chosen) == np.sign(best),
        perfect=chosen == best,
        chance=is_good.sum(axis=1) / is_open.sum(axis=1),
    )


GRADING = Grading("discs on the board", STAGES, draw_positions, grade)
