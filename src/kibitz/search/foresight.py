"""Two moves ahead by the rules: what a network need not guess about a leaf.

Who can win at once does; who lets the other win at once loses. Both are certain, cost a fraction of
what a network costs, and are what a young network sees last. It holds in games of two sides in
which nothing is hidden, for searches that value wins.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.errors import AgentError
from kibitz.core.game import Legal, Scores, Seat, States, apply, is_over, legal, movers, scores
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.table import Game
from kibitz.search.forest import Floats, Leaves

Ints = npt.NDArray[np.int64]
Marks = npt.NDArray[np.int8]

LOST, OPEN, WON = -1, 0, 1


def check_foresight(game: Game, value: str) -> None:
    """Refuse games and values of which looking ahead by the rules proves nothing."""
    facts = game.facts
    if facts.hidden or facts.simultaneous or game.n_sides != 2 or value != "win":
        raise AgentError(
            "foresight=true: it is for networks that value wins, in games of two sides that move "
            f"in turn and hide nothing; leave foresight out in {game.spec}"
        )


def foresee(game: Game, leaves: Leaves, priors: Floats, values: Floats) -> None:
    """Correct what a network says of leaves, where the rules know better, in place.

    Args:
        game: of two sides, without secrets.
        leaves: that were asked about.
        priors: probabilities of the actions in `leaves.legal`: those that win at once get all of
            it, those that let the other win at once get nothing while there are others.
        values: shares of the win, of every leaf to every seat: 1 and 0 where it is decided.
    """
    room = game.blank(2), np.zeros(game.n_seats), np.zeros(game.facts.max_legal, np.int64)
    results = np.zeros(len(leaves.views), np.int8)
    marks = np.zeros(len(leaves.legal.actions), np.int8)
    asked = leaves.views, leaves.seats, leaves.legal
    _look_ahead(asked, np.asarray(game.sides, np.int64), room, (marks, results))
    _write_priors(leaves.legal.offsets, marks, priors)
    decided = np.flatnonzero(results)
    sides = np.asarray(game.sides)
    is_own = sides[np.newaxis, :] == sides[leaves.seats[decided]][:, np.newaxis]
    values[leaves.leaf[decided]] = is_own == (results[decided] == WON)[:, np.newaxis]


@inner_kernel
def _has_won(state: np.record, seat: Seat, sides: Ints, points: Scores) -> bool:
    """Whether a game is over, and all that are not of the seat's side have less than it."""
    if not is_over(state):
        return False
    scores(state, points)
    for other in range(len(sides)):
        if sides[other] != sides[seat] and points[other] >= points[seat]:
            return False
    return True


@inner_kernel
def _can_win(states: States, seat: Seat, sides: Ints, points: Scores, listed: Ints) -> bool:
    """Whether a seat wins by its next action in `states[0]`; `states[1]` is used to try them."""
    for k in range(legal(states[0], seat, listed)):
        states[1] = states[0]
        apply(states[1], seat, listed[k])
        if _has_won(states[1], seat, sides, points):
            return True
    return False


@kernel
def _look_ahead(
    asked: tuple[States, Ints, Legal],
    sides: Ints,
    room: tuple[States, Scores, Ints],
    out: tuple[Marks, Marks],
) -> None:
    """Mark actions that win at once or lose by the next reply, and views that are decided so."""
    views, seats, actions = asked
    states, points, listed = room
    marks, results = out
    for view in range(len(views)):
        begin, end = actions.offsets[view], actions.offsets[view + 1]
        seat = seats[view]
        n_lost = 0
        for k in range(begin, end):
            states[0] = views[view]
            apply(states[0], seat, actions.actions[k])
            if _has_won(states[0], seat, sides, points):
                marks[k] = WON
                results[view] = WON
            elif not is_over(states[0]):
                other = lowest(np.uint64(movers(states[0])))
                if sides[other] != sides[seat] and _can_win(states, other, sides, points, listed):
                    marks[k] = LOST
                    n_lost += 1
        if n_lost == end - begin and n_lost > 0:
            results[view] = LOST


@kernel
def _write_priors(offsets: Ints, marks: Marks, priors: Floats) -> None:
    """Move the priors of every view to its best marks; where all have lost, leave them."""
    for view in range(len(offsets) - 1):
        begin, end = offsets[view], offsets[view + 1]
        best = LOST
        for k in range(begin, end):
            best = max(best, marks[k])
        if best == LOST:
            continue
        total, n = 0.0, 0
        for k in range(begin, end):
            if marks[k] == best:
                total += priors[k]
                n += 1
        for k in range(begin, end):
            if marks[k] != best:
                priors[k] = 0.0
            elif total > 0.0:
                priors[k] /= total
            else:
                priors[k] = 1.0 / n
