"""What the end of a game is worth to a seat, for a search that maximises it."""

import numpy as np
import numpy.typing as npt

from kibitz.core.kernels import kernel

SCORE, RANK, WIN = 0, 1, 2
KINDS = {"score": SCORE, "rank": RANK, "win": WIN}


@kernel
def value_of(scores: npt.NDArray[np.float64], n_seats: int, seat: int, kind: int) -> float:
    """Value the scores of all seats for one of them.

    SCORE is the score itself; WIN is one for the best seat, split between ties; RANK falls evenly
    from one for the best to zero for the last, ties in the middle of their ranks.
    """
    mine = scores[seat]
    if kind == SCORE:
        return mine
    better = 0
    equal = 0
    for other in range(n_seats):
        if scores[other] > mine:
            better += 1
        elif scores[other] == mine:
            equal += 1
    if kind == WIN:
        return 0.0 if better > 0 else 1.0 / equal
    return 1.0 - (better + (equal - 1) / 2) / max(n_seats - 1, 1)
