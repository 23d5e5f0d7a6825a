"""Replay: what was played is kept for a while and learnt from again.

Rows are kept in a ring; each has a number, counted from the first row ever added, and lives until
so many others have been added after it. Decisions of one seat are added in sequence, so the n-th
next decision is the row n further on: it never dies before the one that needs it, and no features
are kept twice.

`Replay` draws rows with equal chances, `PrioritisedReplay` by their errors (Schaul et al. 2016),
`SequenceReplay` whole sequences. All memory is allocated at the beginning; randomness is an
argument.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError
from kibitz.core.kernels import kernel
from kibitz.learn.algorithm import State

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Arrays = Mapping[str, npt.NDArray[Any]]
Kind = tuple[Any, tuple[int, ...]]

MAX_ROWS = 1 << 24
"""Most rows of a ring."""


class Drawn(NamedTuple):
    """Rows to learn from."""

    rows: Ints  # their numbers
    weights: Floats  # of their losses, at most 1


class Replay:
    """The last rows that were added, drawn with equal chances and with replacement."""

    def __init__(self, capacity: int, fields: Mapping[str, Kind]) -> None:
        """Make room.

        Args:
            capacity: rows that live at the same time.
            fields: dtype and shape of what a row has, by name. Records are kept as bytes.
        """
        if not 1 <= capacity <= MAX_ROWS:
            raise SpecError(f"a replay has 1 to {MAX_ROWS} rows, got {capacity}")
        self.capacity = int(capacity)
        self.n_added = 0
        self._kinds = {name: (np.dtype(kind), shape) for name, (kind, shape) in fields.items()}
        self._arrays = {name: self._make(*kind) for name, kind in self._kinds.items()}

    def _make(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        if dtype.names:
            return np.zeros((self.capacity, dtype.itemsize), np.uint8)
        return np.zeros((self.capacity, *shape), dtype)

    def __len__(self) -> int:
        """How many rows live."""
        return min(self.n_added, self.capacity)

    @property
    def oldest(self) -> int:
        """The number of the oldest row that lives."""
        return max(0, self.n_added - self.capacity)

    def add(self, arrays: Arrays) -> Ints:
        """Add rows, whole sequences in their order; return their numbers."""
        n = len(next(iter(arrays.values())))
        if set(arrays) != set(self._kinds) or any(len(array) != n for array in arrays.values()):
            raise SpecError(
                f"rows of this replay have {', '.join(self._kinds)}, one each, got "
                + ", ".join(f"{len(array)} of {name}" for name, array in arrays.items())
            )
        if n > self.capacity:
            raise SpecError(
                f"{n} rows at once do not fit into a replay of {self.capacity}: make it larger, or "
                "play fewer games at once"
            )
        rows = np.arange(self.n_added, self.n_added + n)
        for name, array in arrays.items():
            self._arrays[name][rows % self.capacity] = _as_rows(array, *self._kinds[name])
        self.n_added += n
        return rows

    def sample(self, n: int, rng: np.random.Generator) -> Drawn:
        """Draw n rows that live; all weights are 1."""
        self._check_filled()
        return Drawn(rng.integers(self.oldest, self.n_added, n), np.ones(n))

    def take(self, rows: Ints, *names: str) -> dict[str, npt.NDArray[Any]]:
        """Return what rows have, by name; of everything if no names are given."""
        if len(rows) and not (self.oldest <= rows.min() and rows.max() < self.n_added):
            raise SpecError(
                f"rows {self.oldest} to {self.n_added - 1} live here, got {rows.min()} to "
                f"{rows.max()}"
            )
        taken = {}
        for name in names or self._kinds:
            dtype, _ = self._kinds[name]
            found = self._arrays[name][rows % self.capacity]
            taken[name] = found.view(dtype)[:, 0] if dtype.names else found
        return taken

    def _check_filled(self) -> None:
        if not self.n_added:
            raise SpecError("there is nothing to draw from an empty replay: add rows first")

    def state(self) -> State:
        """Return all that it holds."""
        n = len(self)
        return {"n_added": self.n_added, "rows": {k: a[:n].copy() for k, a in self._arrays.items()}}

    def restore(self, state: State) -> None:
        """Hold what `state` returned, of a replay of the same capacity and fields."""
        saved: Any = state
        given, n_added = saved["rows"], int(saved["n_added"])
        n = min(n_added, self.capacity)
        for name, array in self._arrays.items():
            if name not in given or given[name].shape != (n, *array.shape[1:]):
                raise SpecError(f"the replay that was saved has other {name} than this one")
            array[:n] = given[name]
        self.n_added = n_added


def _as_rows(
    array: npt.NDArray[Any], dtype: np.dtype[Any], shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """Return an array as a ring takes it."""
    if dtype.names:
        return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
    return array.reshape(len(array), *shape)


class SequenceReplay(Replay):
    """A replay that draws whole sequences, with equal chances and with replacement."""

    def __init__(self, capacity: int, fields: Mapping[str, Kind]) -> None:
        """Make room, also for where sequences begin."""
        super().__init__(capacity, fields)
        self._starts = np.zeros(0, np.int64)  # of sequences that live whole
        self._lengths = np.zeros(0, np.int64)

    @property
    def n_sequences(self) -> int:
        """How many sequences live whole."""
        return len(self._starts)

    def add_sequences(self, arrays: Arrays, is_last: npt.NDArray[np.bool_]) -> Ints:
        """Add the rows of whole sequences, each of which ends where `is_last` says so."""
        rows = self.add(arrays)
        ends = rows[is_last] + 1
        starts = np.concatenate([rows[:1], ends[:-1]])
        alive = self._starts >= self.oldest
        self._starts = np.concatenate([self._starts[alive], starts])
        self._lengths = np.concatenate([self._lengths[alive], ends - starts])
        return rows

    def sample(self, n: int, rng: np.random.Generator) -> Drawn:
        """Draw n sequences; return all their rows, one sequence after the other."""
        self._check_filled()
        drawn = rng.integers(0, len(self._starts), n)
        starts, lengths = self._starts[drawn], self._lengths[drawn]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        rows = np.repeat(starts, lengths) + within
        return Drawn(rows, np.ones(len(rows)))

    def state(self) -> State:
        """Return all that it holds."""
        return {**super().state(), "starts": self._starts, "lengths": self._lengths}

    def restore(self, state: State) -> None:
        """Hold what `state` returned, of a replay of the same capacity and fields."""
        super().restore(state)
        self._starts = np.array(state["starts"], np.int64)
        self._lengths = np.array(state["lengths"], np.int64)


class PrioritisedReplay(Replay):
    """A replay that draws rows by their errors: P(i) = p_i^alpha / sum (Schaul et al. 2016)."""

    def __init__(
        self, capacity: int, fields: Mapping[str, Kind], alpha: float, floor: float = 1e-6
    ) -> None:
        """Make room, also for a tree of sums.

        Args:
            capacity: rows that live at the same time.
            fields: of a row.
            alpha: how much errors count; 0 draws with equal chances.
            floor: what is added to an error, so that every row can be drawn.
        """
        super().__init__(capacity, fields)
        self.alpha, self.floor = alpha, floor
        self._n_leaves = 1 << (self.capacity - 1).bit_length()
        self._tree = np.zeros(2 * self._n_leaves)  # node k has the sum of 2k and 2k + 1
        self._highest = 1.0  # priority of new rows, so that each is learnt from once

    def add(self, arrays: Arrays) -> Ints:
        """Add rows with the highest priority so far; return their numbers."""
        rows = super().add(arrays)
        set_leaves(self._tree, rows % self.capacity, np.full(len(rows), self._highest))
        return rows

    def sample(self, n: int, rng: np.random.Generator, beta: float = 1.0) -> Drawn:
        """Draw n rows, one from each n-th of the sum of all priorities (Algorithm 1).

        Their weights are (1 / N P(i))^beta, over the largest of them (section 3.4).
        """
        self._check_filled()
        points = (np.arange(n) + rng.random(n)) * (self._tree[1] / n)
        places = np.empty(n, np.int64)
        find_leaves(self._tree, points, places)
        places = np.minimum(places, len(self) - 1)  # rounding may lead past the last
        chances = self._tree[self._n_leaves + places] / self._tree[1]
        weights = (len(self) * chances) ** -beta
        newest = self.n_added - 1
        return Drawn(newest - (newest - places) % self.capacity, weights / weights.max())

    def update(self, rows: Ints, errors: Floats) -> None:
        """Set priorities of rows to (|error| + floor)^alpha; those that have died are left out."""
        living = rows >= self.oldest
        priorities = (np.abs(errors[living]) + self.floor) ** self.alpha
        set_leaves(self._tree, rows[living] % self.capacity, priorities)
        self._highest = max(self._highest, float(priorities.max(initial=0)))

    def priority(self, row: int) -> float:
        """Return the priority of a row that lives, alpha included."""
        return float(self._tree[self._n_leaves + row % self.capacity])

    def state(self) -> State:
        """Return all that it holds."""
        return {**super().state(), "tree": self._tree.copy(), "highest": self._highest}

    def restore(self, state: State) -> None:
        """Hold what `state` returned, of a replay of the same capacity and fields."""
        super().restore(state)
        saved: Any = state
        self._tree[:] = saved["tree"]
        self._highest = float(saved["highest"])


@kernel
def set_leaves(tree: Floats, places: Ints, priorities: Floats) -> None:
    """Write the leaves at some places, and add up what is above them."""
    n_leaves = len(tree) // 2
    for k in range(len(places)):
        node = n_leaves + places[k]
        tree[node] = priorities[k]
        node //= 2
        while node >= 1:
            tree[node] = tree[2 * node] + tree[2 * node + 1]
            node //= 2


@kernel
def find_leaves(tree: Floats, points: Floats, places: Ints) -> None:
    """Write the place of the leaf in whose part of the whole sum each point lies."""
    n_leaves = len(tree) // 2
    for k in range(len(points)):
        left, node = points[k], 1
        while node < n_leaves:
            node *= 2
            if left >= tree[node] and tree[node + 1] > 0:
                left -= tree[node]
                node += 1
        places[k] = node - n_leaves
