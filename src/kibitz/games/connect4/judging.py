"""What players of Connect 4 are judged by: whether their moves are good, and whether perfect.

A good move keeps the result of perfect play, a perfect one also wins as soon or loses as late as
can be. Positions come about by random moves, as many of each ply of a stage as of the next; who
moves has a choice. None comes twice, nor early on its mirror image, unless a ply has too few: ply 4
has 568. The first stage takes longest to solve, as the opening book ends with ply 8.
"""

import numpy as np

from kibitz.core.agent import Seats
from kibitz.core.bits import popcount
from kibitz.core.game import Actions, States, apply, deal, is_over, random_action
from kibitz.core.habits import Grades, Grading
from kibitz.core.kernels import kernel
from kibitz.core.messages import Message
from kibitz.core.rng import Purpose, Rng, derive
from kibitz.core.table import Game
from kibitz.games.connect4.alphabeta import UNKNOWN, key_of
from kibitz.games.connect4.exact import boards_of, solve_columns
from kibitz.games.connect4.rules import BOARD, landing_cells

STAGES = ((4, 9), (10, 15), (16, 21), (22, 27), (28, 33), (34, 39))

TRIES = 20
"""Positions drawn until one is new; after so many it comes again."""


@kernel
def _draw(states: States, n_moves: int, rng: Rng) -> None:
    """Play at random from the empty board until a game gets so far and goes on with a choice."""
    opening = states[0].opening
    states[0].opening = 0
    while True:
        deal(states[0], rng)
        while states[0].n_moves < n_moves and not is_over(states[0]):
            seat = states[0].n_moves & 1
            apply(states[0], seat, random_action(states[0], seat, rng))
        occupied = states[0].discs[0] | states[0].discs[1]
        if not is_over(states[0]) and popcount(landing_cells(occupied) & BOARD) > 1:
            states[0].opening = opening
            return


def draw_positions(game: Game, stage: int, n: int, seed: int) -> tuple[States, Seats]:
    """Draw positions of a stage, the same for the same seed and whatever the opening."""
    first, last = STAGES[stage]
    states = game.blank(n)
    plies = first + np.arange(n) % (last - first + 1)
    seats, seen = plies % 2, set[int]()
    for i in range(n):
        rng, ply = derive(seed, Purpose.PLAYOUT, stage, i), int(plies[i])
        for _ in range(TRIES):
            _draw(states[i : i + 1], ply, rng)
            owns, occupied = boards_of(states[i : i + 1], seats[i : i + 1])
            key = int(key_of(owns[0], occupied[0], ply))
            if key not in seen:
                break
        seen.add(key)
    return states, seats


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


GRADING = Grading(Message("connect4.judge-discs", {}), STAGES, draw_positions, grade)
