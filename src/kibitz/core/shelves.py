"""What learners keep of their decisions until the game is over."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError, clip
from kibitz.core.memory import Ints


def as_array(given: Any) -> npt.NDArray[Any]:
    """Return something as an array, whatever it is."""
    try:
        return np.asarray(given)
    except ValueError:  # rows of different lengths
        return np.zeros(0, object)


class Shelves:
    """What learners keep of their decisions until the game is over, found by its number.

    The rows are used again: a decision is kept as long as a game that was running then still runs.
    """

    def __init__(self) -> None:
        """Begin without any; the first arrays say what is kept."""
        self._rows: dict[str, npt.NDArray[Any]] = {}
        self._kinds: dict[str, tuple[np.dtype[Any], tuple[int, ...]]] | None = None

    @property
    def is_used(self) -> bool:
        """Whether anything is kept."""
        return bool(self._rows)

    def put(self, first: int, n: int, oldest: int, kept: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep arrays of n decisions from number `first` on; those from `oldest` on stay, too."""
        arrays = {name: as_array(array) for name, array in kept.items()}
        for name, array in arrays.items():
            if array.ndim == 0 or len(array) != n or array.dtype.hasobject:
                raise SpecError(
                    f"what is kept as {name} needs a row of numbers for each of the {n} decisions, "
                    f"got an array of shape {array.shape} and type {array.dtype}"
                )
        kinds = {name: (array.dtype, array.shape[1:]) for name, array in arrays.items()}
        if self._kinds is None:
            self._kinds = kinds
        if kinds != self._kinds:
            raise SpecError(
                f"keep arrays of the same names, types and shapes at every decision: "
                f"at first {_named(self._kinds)}, now {_named(kinds)}"
            )
        for name, array in arrays.items():
            rows = self._with_room(name, _as_bytes(array), first + n - oldest, oldest, first)
            rows[np.arange(first, first + n) % len(rows)] = _as_bytes(array)

    def _with_room(
        self, name: str, like: npt.NDArray[Any], need: int, oldest: int, first: int
    ) -> npt.NDArray[Any]:
        """Return the rows of an array, more of them if some that are needed would be lost."""
        rows = self._rows.get(name, like[:0])
        if len(rows) < need:
            more = np.empty((2 * need, *like.shape[1:]), like.dtype)
            if len(rows):
                living = np.arange(oldest, first)
                more[living % len(more)] = rows[living % len(rows)]
            self._rows[name] = rows = more
        return rows

    def living(self, ids: Ints) -> dict[str, npt.NDArray[Any]]:
        """Return what was kept of some decisions, if it is plain numbers."""
        for name, (dtype, _) in (self._kinds or {}).items():
            if dtype.names:
                raise SpecError(
                    f"{name} is kept as records, which the state of lanes cannot hold: keep "
                    "features instead"
                )
        return self.take(ids)

    def restock(
        self, ids: Ints, oldest: int, end: int, kept: Mapping[str, npt.NDArray[Any]]
    ) -> None:
        """Keep arrays of some decisions again, of all numbers from `oldest` to `end`."""
        if not kept:
            return
        self._kinds = {name: (array.dtype, array.shape[1:]) for name, array in kept.items()}
        for name, array in kept.items():
            rows = np.zeros((2 * max(end - oldest, 1), *array.shape[1:]), array.dtype)
            rows[ids % len(rows)] = array
            self._rows[name] = rows

    def take(self, ids: Ints) -> dict[str, npt.NDArray[Any]]:
        """Return what was kept of some decisions."""
        taken = {}
        for name, (dtype, shape) in (self._kinds or {}).items():
            rows = self._rows[name]
            found = rows[ids % len(rows)]
            taken[name] = found.view(dtype).reshape(len(ids), *shape) if dtype.names else found
        return taken


def _named(kinds: Mapping[str, tuple[np.dtype[Any], tuple[int, ...]]]) -> str:
    """Write names, shapes and types of a row."""
    told = (f"{name} {kind[0].name}{list(kind[1])}" for name, kind in kinds.items())
    return clip(", ".join(told) or "nothing", 200)


def _as_bytes(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return records as rows of bytes, because NumPy copies them field by field."""
    if not array.dtype.names:
        return array
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
