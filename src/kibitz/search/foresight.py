"""A few moves ahead by the rules: what a network need not guess about a leaf.

Who can win at once does; who lets the other win at once loses; and so on, as many moves as asked.
All of it is certain, two moves cost a fraction of what a network costs, and a young network sees
them last. It holds in games of two sides in which nothing is hidden, for searches that value wins.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import lowest
from kibitz.core.errors import AgentError, SpecError
from kibitz.core.game import Legal, Scores, Seat, States, apply, is_over, legal, movers, scores
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.table import Game
from kibitz.search.forest import Floats, Leaves
from kibitz.search.proofs import NEAREST, UNKNOWN, Proofs

Ints = npt.NDArray[np.int64]

LOST, OPEN, WON = -1, 0, 1

MAX_PLIES = 20
"""Most moves that are looked ahead."""

MOST_POSITIONS = 2000
"""No further move is looked ahead that would take more positions: as long as a network, about."""


class Room(NamedTuple):
    """What is used to try actions; it has no meaning in between."""

    states: States  # [moves + 1]
    points: Scores
    listed: Ints  # [moves, actions]
    n_tried: Ints  # one number: positions so far


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


def foresee(game: Game, leaves: Leaves, plies: int, priors: Floats, values: Floats) -> Proofs:
    """Correct what a network says of leaves, where the rules know better.

    Args:
        game: of two sides, without secrets.
        leaves: that were asked about.
        plies: moves that are looked ahead.
        priors: of the actions in `leaves.legal`, changed: those that win get all of it, those that
            lose get nothing while there are others.
        values: shares of the win, of every leaf to every seat; 1 and 0 where it is decided.

    Returns:
        What is proven of each leaf, for who decides there.
    """
    states = game.blank(plies + 1)
    listed = np.zeros((plies, game.facts.max_legal), np.int64)
    room = Room(states, np.zeros(game.n_seats), listed, np.zeros(1, np.int64))
    results = np.zeros(len(leaves.views), np.int8)
    marks = np.zeros(len(leaves.legal.actions), np.int8)
    asked = leaves.views, leaves.seats, leaves.legal
    sides = np.asarray(game.sides, np.int64)
    _look_ahead(asked, plies, sides, room, marks)
    _conclude(leaves.legal.offsets, marks, priors, results)
    decided = np.flatnonzero(results)
    is_own = sides[np.newaxis, :] == sides[leaves.seats[decided]][:, np.newaxis]
    values[leaves.leaf[decided]] = is_own == (results[decided] > 0)[:, np.newaxis]
    proven = np.zeros(leaves.n, np.int8)
    proven[leaves.leaf[decided]] = results[decided]
    return proven


@inner_kernel
def _result(state: np.record, seat: Seat, sides: Ints, points: Scores) -> int:
    """Return whether the side of a seat has won or lost a game that is over."""
    scores(state, points)
    for other in range(len(sides)):
        if sides[other] != sides[seat] and points[other] != points[seat]:
            return WON if points[seat] > points[other] else LOST
    return OPEN


@kernel
def _outlook(room: Room, depth: int, plies: int, seat: Seat, sides: Ints) -> int:
    """Return what the rules decide for a seat that moves in `states[depth]`, so far ahead."""
    states, points, listed, n_tried = room
    best = LOST
    for k in range(legal(states[depth], seat, listed[depth])):
        states[depth + 1] = states[depth]
        apply(states[depth + 1], seat, listed[depth, k])
        n_tried[0] += 1
        mark = OPEN
        if is_over(states[depth + 1]):
            mark = _result(states[depth + 1], seat, sides, points)
        elif plies > 1:
            other = lowest(np.uint64(movers(states[depth + 1])))
            mark = _outlook(room, depth + 1, plies - 1, other, sides)
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
    room: Room,
    marks: Proofs,
) -> None:
    """Note of every action what the rules prove within so many moves: one, then two, and so on.

    What is found first is nearest. A view of which an action wins is looked at no further, nor is
    one of which the next move would take too many positions.
    """
    views, seats, actions = asked
    states = room.states
    for view in range(len(views)):
        begin, end = actions.offsets[view], actions.offsets[view + 1]
        seat = seats[view]
        has_won = False
        room.n_tried[0] = 0
        for ahead in range(1, plies + 1):
            if has_won or room.n_tried[0] * (end - begin) > MOST_POSITIONS:
                break
            room.n_tried[0] = 0
            for k in range(begin, end):
                if marks[k] != UNKNOWN:
                    continue
                states[0] = views[view]
                apply(states[0], seat, actions.actions[k])
                mark = OPEN
                if is_over(states[0]):
                    if ahead == 1:
                        mark = _result(states[0], seat, sides, room.points)
                elif ahead > 1:
                    other = lowest(np.uint64(movers(states[0])))
                    mark = _outlook(room, 0, ahead - 1, other, sides)
                    mark = -mark if sides[other] != sides[seat] else mark
                marks[k] = mark * (NEAREST + 1 - ahead)
                has_won = has_won or mark == WON


@kernel
def _conclude(offsets: Ints, marks: Proofs, priors: Floats, results: Proofs) -> None:
    """Move priors to the best marks where something is proven, and say what that makes of views."""
    for view in range(len(offsets) - 1):
        begin, end = offsets[view], offsets[view + 1]
        if begin == end:
            continue
        best = best_of(marks[begin:end])
        if best != UNKNOWN:
            results[view] = best
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


@inner_kernel
def best_of(marks: Proofs) -> int:
    """Return the best that is proven: the nearest win, else what is open, else the latest loss."""
    best = -NEAREST - 1
    for k in range(len(marks)):
        best = max(best, marks[k])
    return best
