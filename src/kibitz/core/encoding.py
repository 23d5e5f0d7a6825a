"""Encodings: named ways to write views as numbers, and actions as indices or rows, for networks.

An *encoding* has three kernels: `observe` (a row for a view), `action_index` (a place in a policy
of fixed size for an action) and `observe_action` (a row for a legal action, so that a network can
score candidates). An *oracle* has `observe` alone and looks at true states: it is for critics, and
nothing can play by it.

The methods check what they are given and then call the kernels, which are public for trainers that
know what they hand over: those below, `core.listing` and `core.softmax`.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import IllegalAction, SpecError, clip
from kibitz.core.game import (
    Action,
    Actions,
    Features,
    Legal,
    Seat,
    State,
    States,
    action_index,
    implement,
    observe,
    observe_action,
)
from kibitz.core.kernels import F, kernel, record_dtype
from kibitz.core.listing import check_legal, check_movers, check_numbers, check_rngs, check_views
from kibitz.core.rng import Rngs
from kibitz.core.softmax import (
    Drawn,
    Floats,
    Logits,
    count_sharing,
    draw_places,
    find_places,
    gather,
    write_probabilities,
)

Layout = tuple[tuple[str, tuple[int, ...]], ...]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_] | npt.NDArray[np.float32]

MAX_LOGIT = 1e31
"""Largest logit of a legal action, either way."""

MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-6, 1e6
"""Bounds of a temperature that is not 0."""


def size_of(layout: Layout) -> int:
    """Return how many numbers the parts of a layout have together."""
    return sum(math.prod(shape) for _, shape in layout)


def split(layout: Layout, features: Features) -> dict[str, Features]:
    """Split a flat row of features into the named parts of its layout, each in its shape."""
    parts: dict[str, Features] = {}
    begin = 0
    for name, shape in layout:
        end = begin + math.prod(shape)
        parts[name] = features[begin:end].reshape(shape)
        begin = end
    return parts


class Candidates(NamedTuple):
    """The rows that an encoding writes for legal actions."""

    layout: Layout
    observe_action: Any  # the kernel


@dataclass(frozen=True)
class Observer:
    """A named layout of features: what encodings and oracles have in common.

    `record` is what kernels take: its dtype picks the game's `observe`.
    """

    name: str
    layout: Layout  # (name, shape) of every slice, in order
    record: np.record
    state: np.dtype[np.record] | None = None  # of the views; known once a game hands it out
    n_seats: int = 0

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return size_of(self.layout)

    def slices(self) -> dict[str, slice]:
        """Return the place of every named part in the flat observation."""
        places: dict[str, slice] = {}
        begin = 0
        for name, shape in self.layout:
            places[name] = slice(begin, begin + math.prod(shape))
            begin += math.prod(shape)
        return places

    def parts(self, features: Features) -> dict[str, Features]:
        """Split one flat observation into its named parts, each in its shape."""
        return split(self.layout, features)

    def bind(self, state: np.dtype[np.record], n_seats: int) -> Self:
        """Return the same for views of this dtype at a table with so many seats."""
        return dataclasses.replace(self, state=state, n_seats=n_seats)

    def observe(self, views: States, seats: Ints) -> Features:
        """Write the features of many views: [views, size]."""
        views = self._check_views(views)
        seats = check_numbers(seats, len(views), self.n_seats, "seats")
        out = np.zeros((len(views), self.size), np.float32)
        observe_all(views, seats, self.record, out)
        return out

    def _check_views(self, views: object) -> States:
        if self.state is None:
            raise SpecError(f"{self.name!r} belongs to no table yet: take it from a loaded game")
        return check_views(views, self.state)


@dataclass(frozen=True)
class Oracle(Observer):
    """Features of true states, all hands included: for critics.

    It is apart from encodings so that nothing can play by it: what plays names one of
    `game.encodings`, and a view has what it would show blanked. While it plays, a critic sees
    worlds that were drawn from a view.
    """


@dataclass(frozen=True)
class Encoding(Observer):
    """A named layout of features and a dense numbering of actions.

    The methods take `legal`, the flat list of `list_legal(views, seats)`.
    """

    n_actions: int = 0  # size of a policy over action indices
    candidate_layout: Layout = ()  # of the row of a legal action

    @property
    def candidate_size(self) -> int:
        """How many numbers the row of a legal action has."""
        return size_of(self.candidate_layout)

    def candidate_parts(self, row: Features) -> dict[str, Features]:
        """Split the row of one legal action into its named parts, each in its shape."""
        return split(self.candidate_layout, row)

    def indices(self, views: States, seats: Ints, legal: Legal) -> Ints:
        """Write the index of every legal action: [all]."""
        views, seats, legal = self._check(views, seats, legal)
        out = np.empty(len(legal.actions), np.int64)
        write_indices(views, seats, legal, self.record, out)
        return out

    def mask(self, views: States, seats: Ints, legal: Legal, dtype: Any = np.bool_) -> Mask:
        """Mark the indices of legal actions: [views, n_actions], bool or float32."""
        if dtype not in (bool, np.bool_, np.float32):
            raise SpecError(f"a mask is of bool or float32, got {clip(dtype)}")
        indices = self.indices(views, seats, legal)
        out = np.zeros((len(views), self.n_actions), dtype)
        write_mask(indices, np.asarray(legal.offsets, np.int64), out)
        return out

    def observe_candidates(self, views: States, seats: Ints, legal: Legal) -> Features:
        """Write a row for every legal action: [all, candidate_size]."""
        views, seats, legal = self._check(views, seats, legal)
        out = np.zeros((len(legal.actions), self.candidate_size), np.float32)
        observe_actions(views, seats, legal, self.record, out)
        return out

    def targets(self, views: States, seats: Ints, legal: Legal, weights: Floats) -> Features:
        """Add up weights of legal actions [all] by their indices: [views, n_actions].

        So the visits of a search become what a policy is to learn.
        """
        indices = self.indices(views, seats, legal)
        given = _check_floats(weights, (len(indices),), "weights")
        out = np.zeros((len(views), self.n_actions), np.float32)
        rows = np.repeat(np.arange(len(views)), np.diff(legal.offsets))
        np.add.at(out, (rows, indices), given.astype(np.float32))
        return out

    def probabilities(
        self, views: States, seats: Ints, legal: Legal, logits: Logits, temperature: float = 1.0
    ) -> Floats:
        """Write the softmax of `logits / temperature` over legal actions: [all].

        Args:
            views: what the deciding seats see.
            seats: who decides.
            legal: what they may do.
            logits: by index, [views, n_actions], or one for every legal action, [all]. In the first
                case those of an index that several legal actions have is one share, and they have
                equal parts of it. What stands at indices that are not legal does not matter.
            temperature: 0 gives all to the highest, the first of equals.
        """
        return self._weigh(views, seats, legal, logits, temperature)[0]

    def sample(
        self,
        views: States,
        seats: Ints,
        legal: Legal,
        logits: Logits,
        rngs: Rngs,
        temperature: float = 1.0,
    ) -> Drawn:
        """Draw a legal action of every view by `probabilities`, with one number of its stream."""
        probabilities, sharing, legal = self._weigh(views, seats, legal, logits, temperature)
        rngs = check_rngs(rngs, len(legal.offsets) - 1)
        places = np.empty(len(rngs), np.int64)
        draw_places(probabilities, legal.offsets, rngs, places)
        return Drawn(legal.actions[places], places, np.log(probabilities[places]), sharing[places])

    def actions_of(self, views: States, seats: Ints, legal: Legal, chosen: Ints) -> Actions:
        """Return the first legal action of every view that has the chosen index: [views]."""
        views, seats, legal = self._check(views, seats, legal)
        asked = check_numbers(chosen, len(views), self.n_actions, "indices")
        indices = np.empty(len(legal.actions), np.int64)
        write_indices(views, seats, legal, self.record, indices)
        places = np.empty(len(views), np.int64)
        wrong = find_places(indices, legal.offsets, asked, places)
        if wrong >= 0:
            raise IllegalAction(f"no legal action of view {wrong} has the index {asked[wrong]}")
        return legal.actions[places]

    def _check(self, views: object, seats: object, legal: object) -> tuple[States, Ints, Legal]:
        """Return all three as kernels take them."""
        seen = self._check_views(views)
        deciding = check_movers(seen, check_numbers(seats, len(seen), self.n_seats, "seats"))
        return seen, deciding, check_legal(seen, deciding, legal)

    def _weigh(
        self, views: States, seats: Ints, legal: Legal, logits: Logits, temperature: float
    ) -> tuple[Floats, Ints, Legal]:
        """Return probabilities, how many share the index of each, and the list that was checked."""
        views, seats, legal = self._check(views, seats, legal)
        heat = _check_temperature(temperature)
        n = len(legal.actions)
        sharing = np.ones(n, np.int64)
        if getattr(logits, "ndim", 0) == 1:
            flat = _check_floats(logits, (n,), "logits").astype(np.float64)
        else:
            given = _check_floats(logits, (len(views), self.n_actions), "logits")
            indices = np.empty(n, np.int64)
            write_indices(views, seats, legal, self.record, indices)
            count_sharing(indices, legal.offsets, np.zeros(self.n_actions, np.int64), sharing)
            flat = np.empty(n, np.float64)
            gather(given, indices, legal.offsets, flat)
        if not (np.abs(flat) <= MAX_LOGIT).all():
            raise SpecError(f"logits of legal actions are numbers of at most {MAX_LOGIT:g}")
        out = np.empty(n, np.float64)
        write_probabilities(flat, sharing, legal.offsets, heat, out)
        return out, sharing, legal


def _check_floats(given: object, shape: tuple[int, ...], what: str) -> Logits:
    """Return an array of floating-point numbers as a kernel takes it, if it has this shape."""
    is_float = isinstance(given, np.ndarray) and given.dtype in (np.float32, np.float64)
    if not is_float or given.shape != shape:  # type: ignore[attr-defined]
        got = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else clip(type(given))
        raise SpecError(f"{what} are an array of float32 or float64 of shape {shape}, got {got}")
    found: Logits = np.require(given, requirements=["C", "W"])
    return found


def _check_temperature(temperature: object) -> float:
    """Return a temperature as a kernel takes it."""
    is_number = isinstance(temperature, int | float | np.number) and not isinstance(
        temperature, bool | complex
    )
    heat = float(temperature) if is_number else math.nan  # type: ignore[arg-type]
    if heat != 0 and not MIN_TEMPERATURE <= heat <= MAX_TEMPERATURE:
        raise SpecError(
            f"a temperature is 0, or from {MIN_TEMPERATURE:g} to {MAX_TEMPERATURE:g}, "
            f"got {clip(temperature)}"
        )
    return heat


def define_encoding(
    game: str,
    name: str,
    layout: Layout,
    n_actions: int,
    observe: F,
    action_index: F,
    candidates: Candidates | None = None,
) -> Encoding:
    """Declare an encoding of a game and register its kernels.

    Without `candidates` the row of a legal action has a 1 at its index and zeros elsewhere.
    """
    record = _make_record(game, f"{name}_encoding")
    implement("observe", record.dtype, observe)
    implement("action_index", record.dtype, action_index)
    rows = candidates or Candidates((("index", (n_actions,)),), observe_index)
    implement("observe_action", record.dtype, rows.observe_action)
    return Encoding(name, layout, record, n_actions=n_actions, candidate_layout=rows.layout)


def define_oracle(game: str, layout: Layout, observe: F) -> Oracle:
    """Declare what critics of a game see: a kernel like `observe` that is given true states."""
    record = _make_record(game, "oracle")
    implement("observe", record.dtype, observe)
    return Oracle("oracle", layout, record)


def _make_record(game: str, name: str) -> np.record:
    """Make a record of its own dtype: Numba tells records apart by the names of their fields."""
    record: np.record = np.zeros(1, record_dtype([(f"{game}_{name}", np.int64)]))[0]
    return record


@kernel
def observe_index(
    view: State, seat: Seat, action: Action, encoding: np.record, out: Features
) -> None:
    """Write a 1 at the index of an action."""
    for i in range(len(out)):
        out[i] = 0
    out[action_index(view, seat, action, encoding)] = 1


@kernel
def observe_all(views: States, seats: Ints, encoding: np.record, out: Features) -> None:
    """Write the features of `views[i]` for `seats[i]` to `out[i]`."""
    for i in range(len(views)):
        observe(views[i], seats[i], encoding, out[i])


@kernel
def observe_actions(
    views: States, seats: Ints, legal: Legal, encoding: np.record, out: Features
) -> None:
    """Write the features of every legal action: [all, candidate_size]."""
    for i in range(len(views)):
        for k in range(legal.offsets[i], legal.offsets[i + 1]):
            observe_action(views[i], seats[i], legal.actions[k], encoding, out[k])


@kernel
def write_indices(views: States, seats: Ints, legal: Legal, encoding: np.record, out: Ints) -> None:
    """Write the index of every legal action: [all]."""
    for i in range(len(views)):
        for k in range(legal.offsets[i], legal.offsets[i + 1]):
            out[k] = action_index(views[i], seats[i], legal.actions[k], encoding)


@kernel
def write_mask(indices: Ints, offsets: Ints, out: Mask) -> None:
    """Write 1 at the indices of legal actions: [views, n_actions], zeros before."""
    for i in range(len(offsets) - 1):
        for k in range(offsets[i], offsets[i + 1]):
            out[i, indices[k]] = 1
