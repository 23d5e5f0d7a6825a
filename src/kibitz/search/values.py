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
def share_of_win(points: Scores, how: np.record, seat: Seat) -> float:
    """Return one for the best side, split between ties, and zero for the others."""
    equal = 0
    for other in range(how.n_seats):
        if points[other] > points[seat]:
            return 0.0
        equal += how.speaks[other] * (points[other] == points[seat])
    return 1.0 / equal


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
    if how.value_kind == WIN:
        return share_of_win(points, how, seat)
    better = equal = 0
    for other in range(how.n_seats):
        better += how.speaks[other] * (points[other] > mine)
        equal += how.speaks[other] * (points[other] == mine)
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
