"""What the end of a game is worth to a seat, for a search that maximises it."""

import numpy as np

from kibitz.core.game import Scores, Seat
from kibitz.core.kernels import kernel

SCORE, RANK, WIN = 0, 1, 2
KINDS = {"score": SCORE, "rank": RANK, "win": WIN}


@kernel
def value_of(scores: Scores, how: np.record, seat: Seat) -> float:
    """Value the scores of all seats for one of them, by the kind of value that is searched for.

    SCORE is the score itself; WIN is one for the best side, split between ties; RANK falls evenly
    from one for the best to zero for the last, ties in the middle of their ranks. A team is one
    side and has one score.
    """
    mine = scores[seat]
    if how.value_kind == SCORE:
        return mine
    better = equal = 0
    for other in range(how.n_seats):
        better += how.speaks[other] * (scores[other] > mine)
        equal += how.speaks[other] * (scores[other] == mine)
    if how.value_kind == WIN:
        return 0.0 if better > 0 else 1.0 / equal
    return 1.0 - (better + (equal - 1) / 2) / max(how.n_sides - 1, 1)
