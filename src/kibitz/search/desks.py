"""Memory of searches, lent for as long as one runs.

The pools of a tree are large and look alike for all agents with the same budget. So they lie on one
shelf for the whole process: a search takes what fits and puts it back when it is done, whichever
agent and thread it runs in. What stays with an agent is small.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kibitz.core.game import States
from kibitz.search.simulation import Tools
from kibitz.search.tree import ARM, DECISION, NODE, NONE, Tree

MAX_PATH = 512
"""Choices that one simulation makes in the tree at most."""

MAX_ARMS = 8_000_000
"""Most arms of a tree: some games allow far more actions than a decision has as a rule."""

MOST_ON_SHELF = 16
"""Trees that are kept for later; of more, those are given up that were used longest ago."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class TreeSize:
    """How much a tree can hold."""

    nodes: int
    decisions: int
    most: int  # actions that a decision can have
    seats: int
    worlds: int  # in a pool
    scratch: int  # numbers that an evaluator computes with
    indices: int = 0  # of actions that an evaluator tells apart

    @property
    def n_bytes(self) -> int:
        """Memory of such a tree, about."""
        arms = min(self.decisions * self.most, MAX_ARMS)
        return arms * ARM.itemsize + 50 * self.nodes + 8 * MAX_PATH

    def make(self) -> Tree:
        """Make an empty tree of this size, without the weights of networks."""
        n_keys = 1 << (2 * self.nodes).bit_length()
        return Tree(
            np.empty(self.nodes, NODE),
            np.empty(self.decisions, DECISION),
            np.empty(min(self.decisions * self.most, MAX_ARMS), ARM),
            np.zeros(n_keys, np.uint64),
            np.empty(n_keys, np.int32),
            np.empty((MAX_PATH, 2), np.int32),
            np.empty(self.most, np.int64),
            np.zeros(self.seats),
            np.zeros(self.seats),
            np.empty(self.most),
            np.zeros(self.indices, np.int32),
            np.zeros(self.scratch, np.float32),
            np.zeros(0, np.float32),
            np.ones(max(self.worlds, 1)),
        )


class Shelf:
    """Trees that nobody uses at present."""

    def __init__(self, most: int = MOST_ON_SHELF) -> None:
        """Begin without any, to keep at most so many."""
        self._most = most
        self._free: list[tuple[TreeSize, Tree]] = []  # the one used last is the last
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many trees there are."""
        return len(self._free)

    def take(self, size: TreeSize) -> Tree:
        """Take a tree of a size off the shelf, or make one."""
        with self._lock:
            for k in reversed(range(len(self._free))):
                if self._free[k][0] == size:
                    return self._free.pop(k)[1]
        return size.make()

    def put(self, size: TreeSize, tree: Tree) -> None:
        """Put a tree back, for the next one to use."""
        with self._lock:
            self._free.append((size, tree))
            del self._free[: -self._most]

    def clear(self) -> None:
        """Drop all trees that nobody uses."""
        with self._lock:
            self._free.clear()

    @contextmanager
    def lend(self, size: TreeSize) -> Iterator[Tree]:
        """Lend a tree of a size."""
        tree = self.take(size)
        try:
            yield tree
        finally:
            self.put(size, tree)


SHELF = Shelf()
"""The trees of this process."""


@dataclass
class Desk:
    """What one search at a time works with."""

    tree: Tree
    states: States  # the view, the world that is played in, scratch, and a pool of worlds
    how: np.record  # between searches by how["keys"]: how.keys takes Python four times as long
    rule: np.record
    evaluator: np.record
    action: int = NONE  # that was chosen last

    @property
    def tools(self) -> Tools:
        """The same for kernels."""
        return Tools(self.tree, self.states, self.how, self.rule, self.evaluator)
