"""What the end of a game is worth to a seat, for a search that maximises it."""

import numpy as np

from kibitz.core.decisions import ValueKind
from kibitz.core.game import Scores, Seat, States, scores
from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.search.tree import Tree

KINDS = {
    "score": ValueKind.SCORE,
    "rank": ValueKind.RANK,
    "win": ValueKind.WIN,
    "rest": ValueKind.SCORE,  # a network that tells what is still to be scored
}
SCORE, RANK, WIN = int(ValueKind.SCORE), int(ValueKind.RANK), int(ValueKind.WIN)


@kernel
def value_of(points: Scores, how: np.record, seat: Seat) -> float:
    """Value the scores of all seats for one of them, by the kind of value that is searched for.

    SCORE is the score itself; WIN is one for the best side, split between ties; RANK falls evenly
    from one for the best to zero for the last, ties in the middle of their ranks. A team is one
    side and has one score.
    """
    mine = points[seat]
    if how.value_kind == SCORE:
        return mine
    better = equal = 0
    for other in range(how.n_seats):
        better += how.speaks[other] * (points[other] > mine)
        equal += how.speaks[other] * (points[other] == mine)
    if how.value_kind == WIN:
        return 0.0 if better > 0 else 1.0 / equal
    return 1.0 - (better + (equal - 1) / 2) / max(how.n_sides - 1, 1)


@inlined_kernel
def write_result(tree: Tree, states: States, how: np.record) -> None:
    """Write what the scores of the world in `states[1]` are worth to every seat."""
    scores(states[1], tree.points)
    for seat in range(how.n_seats):
        tree.values[seat] = value_of(tree.points, how, seat)


@kernel
def write_scores(views: States, out: Scores) -> None:
    """Write what every seat has scored so far: [views, seats]."""
    for k in range(len(views)):
        scores(views[k], out[k])
