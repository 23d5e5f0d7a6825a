"""Memory that a batch of games uses again: what agents are shown, and the log of all actions."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import States
from kibitz.core.kernels import record_dtype
from kibitz.core.rng import RNG, Rngs

_CACHE_LINE = 64

LOG = record_dtype([("game", np.int32), ("seat", np.int32), ("action", np.int64)])
"""One committed action."""

Log = npt.NDArray[np.record]
Ints = npt.NDArray[np.int64]


class Asked(NamedTuple):
    """What one agent is asked; it holds until that agent is shown something else."""

    views: States
    seats: Ints
    rngs: Rngs
    games: Ints

    def part(self, begin: int, end: int) -> "Asked":
        """Return some of the questions, in arrays of their own that look at the same memory."""
        cut = slice(begin, end)
        return Asked(self.views[cut], self.seats[cut], self.rngs[cut], self.games[cut])

    def singly(self) -> "Iterator[Asked]":
        """Yield the questions one by one."""
        return (self.part(k, k + 1) for k in range(len(self.views)))


class Room:
    """Memory for what one agent is asked, kept because fresh pages cost as much as filling them.

    Every agent has its own: in a shared array it would find what the others were shown.
    """

    def __init__(self, dtype: np.dtype[np.record]) -> None:
        """Begin without any room."""
        self._make(0, dtype)

    def _make(self, n: int, dtype: np.dtype[np.record]) -> None:
        self.who = np.zeros((2, n), np.int64)
        self._all = Asked(np.zeros(n, dtype), self.who[1], np.zeros(n, RNG), self.who[0])
        self._asked = self._all

    def asked(self, n: int) -> Asked:
        """Return room for n questions."""
        if len(self._all.views) < n:
            self._make(n, self._all.views.dtype)
        if len(self._asked.views) != n:
            self._asked = self._all.part(0, n)
        return self._asked


def alone(dtype: np.dtype[Any], n: int = 1) -> npt.NDArray[Any]:
    """Make a small array with a line of the cache before and after it.

    It is written all the time, and threads that write to one line wait for each other.
    """
    margin = -(-_CACHE_LINE // dtype.itemsize)
    return np.zeros(2 * margin + n, dtype)[margin : margin + n]


class Pages:
    """The log of all actions, on pages that are used again for the next games."""

    def __init__(self, size: int) -> None:
        """Begin with a page of some size; with none, nothing is kept."""
        self.page: Log = np.zeros(size, LOG)
        self.cursor = alone(np.dtype(np.int64))
        self._full: list[tuple[Log, int]] = []  # with the number of entries
        self._spare: list[Log] = []

    def make_room(self, n: int, size: int) -> None:
        """See to it that the page takes n more actions, unless nothing is kept.

        A new page has at least `size` places.
        """
        if len(self.page) and self.cursor[0] + n > len(self.page):
            self._full.append((self.page, int(self.cursor[0])))
            size = max(n, size, len(self.page))
            fits = bool(self._spare) and len(self._spare[-1]) >= n
            self.page = self._spare.pop() if fits else np.zeros(size, LOG)
            self.cursor[0] = 0

    def clear(self) -> None:
        """Forget everything but the memory."""
        self._spare += [page for page, _ in self._full]
        self._full = []
        self.cursor[0] = 0

    def read(self) -> Log:
        """Return all actions in the order they were committed."""
        # Bytes, because NumPy copies records field by field, and joins them into another type.
        written = [*self._full, (self.page, int(self.cursor[0]))]
        joined: Log = np.concatenate([page[:n].view(np.uint8) for page, n in written]).view(LOG)
        return joined
