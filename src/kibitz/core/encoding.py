"""Encodings: named ways to write a view as numbers, and actions as indices, for networks."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Features, States, implement, observe
from kibitz.core.kernels import F, kernel, record_dtype

Layout = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Encoding:
    """A named layout of features and a dense numbering of actions.

    `record` is what kernels take: its dtype picks the game's `observe` and `action_index`.
    """

    name: str
    layout: Layout  # (name, shape) of every slice, in order
    n_actions: int  # size of a policy over action indices
    record: np.record

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return sum(math.prod(shape) for _, shape in self.layout)

    def slices(self) -> dict[str, slice]:
        """Give the place of every named part in the flat observation."""
        places: dict[str, slice] = {}
        begin = 0
        for name, shape in self.layout:
            places[name] = slice(begin, begin + math.prod(shape))
            begin += math.prod(shape)
        return places

    def parts(self, features: Features) -> dict[str, Features]:
        """Split one flat observation into its named parts, each in its shape."""
        return {
            name: features[place].reshape(shape)
            for (name, shape), place in zip(self.layout, self.slices().values(), strict=True)
        }

    def observe(self, views: States, seats: npt.NDArray[np.int64]) -> Features:
        """Write the features of many views: [views, size]."""
        out = np.zeros((len(views), self.size), np.float32)
        observe_all(views, seats, self.record, out)
        return out


def define_encoding(
    game: str, name: str, layout: Layout, n_actions: int, observe: F, action_index: F
) -> Encoding:
    """Declare an encoding of a game and register its two kernels."""
    # Numba tells records apart by their field names, so the field carries both names.
    dtype = record_dtype([(f"{game}_{name}_encoding", np.int64)])
    implement("observe", dtype, observe)
    implement("action_index", dtype, action_index)
    return Encoding(name, layout, n_actions, np.zeros(1, dtype)[0])


@kernel
def observe_all(
    views: States, seats: npt.NDArray[np.int64], encoding: np.record, out: Features
) -> None:
    """Write the features of `views[i]` for `seats[i]` to `out[i]`."""
    for i in range(len(views)):
        observe(views[i], seats[i], encoding, out[i])
