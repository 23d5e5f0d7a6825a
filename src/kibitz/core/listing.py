"""What the seats of many views may do, listed flat; and checks of arrays that come from outside.

Kernels trust their caller. So whoever takes views, seats and lists from outside lets them pass
through `check_views`, `check_movers` and `check_legal` first.
"""

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import IllegalAction, PositionError, SpecError, clip
from kibitz.core.game import Actions, Legal, States, has_rules, legal, max_legal, movers
from kibitz.core.kernels import kernel
from kibitz.core.rng import RNG, Rngs

Ints = npt.NDArray[np.int64]

MAX_SEATS = 63  # more than any table has: as far as a mask of movers can be looked at

_USUAL = 16  # actions of a view that there is room for at once; more is made when it is needed


def list_legal(views: States, seats: Ints) -> Legal:
    """List what `seats[i]` may do in `views[i]`, for all of them in one flat array.

    Raises:
        PositionError: these are no views of a game.
        IllegalAction: a seat is not to move.
    """
    views = check_views(views)
    seats = check_movers(views, seats)
    n, offsets = len(views), np.zeros(len(views) + 1, np.int64)
    if n == 0:
        return Legal(np.zeros(0, np.int64), offsets)
    actions = np.empty(_USUAL * n + int(max_legal(views[0])), np.int64)
    done = list_some(views, seats, 0, actions, offsets)
    while done < n:
        actions = np.concatenate([actions, np.empty_like(actions)])
        done = list_some(views, seats, done, actions, offsets)
    return Legal(actions[: offsets[n]].copy(), offsets)


def check_views(views: object, state: np.dtype[np.record] | None = None) -> States:
    """Return views as a kernel takes them, if they are states of one game (of this dtype)."""
    if not isinstance(views, np.ndarray) or views.ndim != 1 or not has_rules(views.dtype):
        raise PositionError(f"expected an array [views] of states of a game, got {_name(views)}")
    if state is not None and views.dtype != state:
        raise PositionError(
            "these views are of another game: take the encoding of theirs from game.encodings"
        )
    return np.require(views, requirements=["C", "W"])


def check_numbers(given: object, n_views: int, bound: int, what: str) -> Ints:
    """Return one whole number per view as a kernel takes them, if all are from 0 to `bound - 1`."""
    found = _whole_numbers(given, what)
    if len(found) != n_views:
        raise PositionError(f"expected {what} for {n_views} views, got {len(found)} of them")
    wrong = np.flatnonzero((found < 0) | (found >= bound))
    if len(wrong):
        raise IllegalAction(
            f"{what} are 0 to {bound - 1} here, got {found[wrong[0]]} for view {wrong[0]}"
        )
    return found


def check_movers(views: States, seats: object) -> Ints:
    """Return one seat per view as a kernel takes them, if each must decide in its view."""
    found = check_numbers(seats, len(views), MAX_SEATS, "seats")
    wrong = first_not_to_move(views, found)
    if wrong >= 0:
        raise IllegalAction(f"seat {found[wrong]} is not to move in view {wrong}")
    return found


def check_legal(views: States, seats: Ints, given: object) -> Legal:
    """Return a flat list as a kernel takes it, if it is the one that `list_legal` makes."""
    if not isinstance(given, tuple) or len(given) != 2:
        raise PositionError(f"expected actions and offsets, as list_legal has them, {_got(given)}")
    actions, offsets = _whole_numbers(given[0], "actions"), _whole_numbers(given[1], "offsets")
    ends = len(offsets) == len(views) + 1 and offsets[0] == 0 and offsets[-1] == len(actions)
    if not ends or (np.diff(offsets) < 1).any():
        raise PositionError(
            f"the offsets do not cut {len(actions)} actions into those of {len(views)} views: "
            "list them with list_legal"
        )
    found = Legal(actions, offsets)
    scratch = np.empty(int(max_legal(views[0])) if len(views) else 0, np.int64)
    wrong = first_differing(views, seats, found, scratch)
    if wrong >= 0:
        raise IllegalAction(
            f"the actions of view {wrong} are not what seat {seats[wrong]} may do there: "
            "list them with list_legal"
        )
    return found


def check_rngs(rngs: object, n_views: int) -> Rngs:
    """Return one random stream per view, if they can be drawn from in place."""
    fits = isinstance(rngs, np.ndarray) and rngs.dtype == RNG and rngs.shape == (n_views,)
    if not fits or not (rngs.flags.c_contiguous and rngs.flags.writeable):  # type: ignore[attr-defined]
        raise SpecError(
            f"expected a random stream for each of {n_views} views, in one array that may be "
            f"written to, {_got(rngs)}"
        )
    return rngs  # type: ignore[return-value]


def _whole_numbers(given: object, what: str) -> Ints:
    """Return a flat array of whole numbers as a kernel takes it."""
    if not isinstance(given, np.ndarray) or given.ndim != 1 or given.dtype.kind not in "iu":
        raise PositionError(f"{what} are a flat array of whole numbers, {_got(given)}")
    return np.require(given, np.int64, ["C", "W"])


def _got(given: object) -> str:
    return f"got {_name(given)}"


def _name(given: object) -> str:
    """Say what something is: of an array its kind and shape, never all its numbers."""
    if isinstance(given, np.ndarray):
        kind = "records" if given.dtype.names else given.dtype.name
        return f"{kind} {list(given.shape)}"
    return clip(type(given).__name__)


@kernel
def list_some(views: States, seats: Ints, begin: int, actions: Actions, offsets: Ints) -> int:
    """List what seats may do from view `begin` on, as long as there is room for the most.

    Args:
        views: concealed states (true ones list the same).
        seats: who is to move in each.
        begin: the first view; those before it are listed already.
        actions: written from `offsets[begin]` on.
        offsets: written from `begin + 1` on.

    Returns:
        The first view that is not listed: all are if it is their number.
    """
    at = offsets[begin]
    for i in range(begin, len(views)):
        if at + max_legal(views[i]) > len(actions):
            return i
        at += legal(views[i], seats[i], actions[at:])
        offsets[i + 1] = at
    return len(views)


@kernel
def first_not_to_move(views: States, seats: Ints) -> int:
    """Return the first view in which the seat is not to move, or -1."""
    for i in range(len(views)):
        if (np.int64(movers(views[i])) >> seats[i]) & 1 == 0:
            return i
    return -1


@kernel
def first_differing(views: States, seats: Ints, given: Legal, listed: Actions) -> int:
    """Return the first view whose seat may do something else than is given, or -1.

    `listed` is scratch for the most that a seat may do.
    """
    for i in range(len(views)):
        begin = given.offsets[i]
        n = legal(views[i], seats[i], listed)
        if given.offsets[i + 1] - begin != n:
            return i
        for k in range(n):
            if given.actions[begin + k] != listed[k]:
                return i
    return -1
