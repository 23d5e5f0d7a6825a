"""Probabilities of legal actions from logits, and draws from them: kernels over flat lists.

All work on one number per legal action, `[all]`, with offsets as in `Legal`. An encoding may give
several legal actions one index (choices of cards that differ only in suits). Such an index has one
share of probability, whatever the number of its actions, and they have equal parts of it: so
`sharing` says of each action how many legal ones have its index.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Actions
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rngs, unit

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Logits = npt.NDArray[np.float32] | npt.NDArray[np.float64]


class Drawn(NamedTuple):
    """One legal action for every view."""

    actions: Actions  # [views]
    places: Ints  # [views] where in the flat list each stands
    log_probs: Floats  # [views] of the action; its index has log(n_sharing) more
    n_sharing: Ints  # [views] how many legal actions have its index, itself included


@kernel
def count_sharing(indices: Ints, offsets: Ints, counts: Ints, out: Ints) -> None:
    """Write how many legal actions of the same view have the index of each.

    `counts` is scratch for every index there is: zeros, and zeros again afterwards.
    """
    for i in range(len(offsets) - 1):
        for k in range(offsets[i], offsets[i + 1]):
            counts[indices[k]] += 1
        for k in range(offsets[i], offsets[i + 1]):
            out[k] = counts[indices[k]]
        for k in range(offsets[i], offsets[i + 1]):
            counts[indices[k]] = 0


@kernel
def gather(logits: Logits, indices: Ints, offsets: Ints, out: Floats) -> None:
    """Write the logit of every legal action's index: from [views, indices] to [all]."""
    for i in range(len(offsets) - 1):
        for k in range(offsets[i], offsets[i + 1]):
            out[k] = logits[i, indices[k]]


@kernel
def write_probabilities(
    logits: Floats, sharing: Ints, offsets: Ints, temperature: float, out: Floats
) -> None:
    """Write the softmax of `logits / temperature` over the legal actions of each view.

    Logits are finite, however large. At temperature 0 all goes to the highest, the first of equals.
    """
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        best = begin
        for k in range(begin, end):
            out[k] = 0
            if logits[k] > logits[best]:
                best = k
        if temperature == 0:
            out[best] = 1
            continue
        total = 0.0
        for k in range(begin, end):
            out[k] = math.exp((logits[k] - logits[best]) / temperature) / sharing[k]
            total += out[k]
        for k in range(begin, end):
            out[k] /= total


@kernel
def draw_places(probabilities: Floats, offsets: Ints, rngs: Rngs, places: Ints) -> None:
    """Draw one legal action of each view by their probabilities, with one number of its stream."""
    for i in range(len(offsets) - 1):
        left = unit(rngs[i])
        place = offsets[i]
        for k in range(offsets[i], offsets[i + 1]):
            if probabilities[k] > 0:  # rounding may leave a little after the last of them
                place = k
                left -= probabilities[k]
                if left < 0:
                    break
        places[i] = place


@kernel
def find_places(indices: Ints, offsets: Ints, chosen: Ints, places: Ints) -> int:
    """Write where the first legal action with the chosen index of each view stands.

    Returns:
        -1, or the first view in which no legal action has it.
    """
    for i in range(len(offsets) - 1):
        places[i] = -1
        for k in range(offsets[i], offsets[i + 1]):
            if indices[k] == chosen[i]:
                places[i] = k
                break
        if places[i] < 0:
            return i
    return -1
