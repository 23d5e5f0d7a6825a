"""A few moves ahead by the rules: what a network need not guess about a leaf.

Who can win at once does; who lets the other win at once loses; and so on, as many moves as asked.
All of it is certain, two moves cost a fraction of what a network costs, and a young network sees
them last. It holds in games of two sides in which nothing is hidden, for searches that value wins.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.errors import AgentError, SpecError
from kibitz.core.game import Legal, Scores, Seat, States, apply, is_over, legal, movers, scores
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.table import Game
from kibitz.search.forest import Bools, Floats, Leaves

Ints = npt.NDArray[np.int64]
Marks = npt.NDArray[np.int8]

LOST, OPEN, WON = -1, 0, 1

MAX_PLIES = 8
"""Most moves that are looked ahead: what it costs grows with every one as the game branches."""


def check_plies(plies: int) -> None:
    """Refuse numbers of moves out of range."""
    if not 0 <= plies <= MAX_PLIES:
        raise SpecError(f"foresight={plies}: expected 0..{MAX_PLIES} moves")


def check_foresight(game: Game, value: str) -> None:
    """Refuse games and values of which looking ahead by the rules proves nothing."""
    facts = game.facts
    if facts.hidden or facts.simultaneous or game.n_sides != 2 or value != "win":
        raise AgentError(
            "foresight: it is for networks that value wins, in games of two sides that move "
            f"in turn and hide nothing; leave foresight out in {game.spec}"
        )


def foresee(game: Game, leaves: Leaves, plies: int, priors: Floats, values: Floats) -> Bools:
    """Correct what a network says of leaves, where the rules know better; return where: [leaves].

    Args:
        game: of two sides, without secrets.
        leaves: that were asked about.
        plies: moves that are looked ahead.
        priors: of the actions in `leaves.legal`, changed: those that win get all of it, those that
            lose get nothing while there are others.
        values: shares of the win, of every leaf to every seat; 1 and 0 where it is decided.
    """
    states = game.blank(plies + 1)
    room = np.zeros(game.n_seats), np.zeros((plies, game.facts.max_legal), np.int64)
    results = np.zeros(len(leaves.views), np.int8)
    marks = np.zeros(len(leaves.legal.actions), np.int8)
    asked = leaves.views, leaves.seats, leaves.legal
    sides = np.asarray(game.sides, np.int64)
    _look_ahead(asked, plies, sides, states, room, (marks, results))
    _write_priors(leaves.legal.offsets, marks, priors)
    decided = np.flatnonzero(results)
    is_own = sides[np.newaxis, :] == sides[leaves.seats[decided]][:, np.newaxis]
    values[leaves.leaf[decided]] = is_own == (results[decided] == WON)[:, np.newaxis]
    certain = np.zeros(leaves.n, np.bool_)
    certain[leaves.leaf[decided]] = True
    return certain


@inner_kernel
def _result(state: np.record, seat: Seat, sides: Ints, points: Scores) -> int:
    """Return whether the side of a seat has won or lost a game that is over."""
    scores(state, points)
    for other in range(len(sides)):
        if sides[other] != sides[seat] and points[other] != points[seat]:
            return WON if points[seat] > points[other] else LOST
    return OPEN


@kernel
def _outlook(
    states: States, depth: int, plies: int, seat: Seat, sides: Ints, room: tuple[Scores, Ints]
) -> int:
    """Return what the rules decide for a seat that moves in `states[depth]`, so far ahead."""
    points, listed = room
    best = LOST
    for k in range(legal(states[depth], seat, listed[depth])):
        states[depth + 1] = states[depth]
        apply(states[depth + 1], seat, listed[depth, k])
        mark = OPEN
        if is_over(states[depth + 1]):
            mark = _result(states[depth + 1], seat, sides, points)
        elif plies > 1:
            other = lowest(np.uint64(movers(states[depth + 1])))
            mark = _outlook(states, depth + 1, plies - 1, other, sides, room)
            if sides[other] != sides[seat]:
                mark = -mark
        if mark == WON:
            return WON
        best = max(best, mark)
    return best


@kernel
def _look_ahead(
    asked: tuple[States, Ints, Legal],
    plies: int,
    sides: Ints,
    states: States,
    room: tuple[Scores, Ints],
    out: tuple[Marks, Marks],
) -> None:
    """Mark actions that win or lose within so many moves, and views that are decided so."""
    views, seats, actions = asked
    marks, results = out
    for view in range(len(views)):
        begin, end = actions.offsets[view], actions.offsets[view + 1]
        seat = seats[view]
        best = LOST
        for k in range(begin, end):
            states[0] = views[view]
            apply(states[0], seat, actions.actions[k])
            marks[k] = OPEN
            if is_over(states[0]):
                marks[k] = _result(states[0], seat, sides, room[0])
            elif plies > 1:
                other = lowest(np.uint64(movers(states[0])))
                mark = _outlook(states, 0, plies - 1, other, sides, room)
                marks[k] = -mark if sides[other] != sides[seat] else mark
            best = max(best, marks[k])
        results[view] = best if end > begin else OPEN


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
