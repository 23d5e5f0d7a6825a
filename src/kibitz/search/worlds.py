"""Worlds: complete positions that fit what a seat knows, drawn for a search."""

import numpy as np
import numpy.typing as npt

from kibitz.core.game import Seat, States, resample
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng, unit

Shares = npt.NDArray[np.float64]


@kernel
def draw_worlds(states: States, first: int, n: int, seat: Seat, rng: Rng) -> None:
    """Draw `n` worlds that fit the view in `states[0]`, into `states[first:]`."""
    for k in range(first, first + n):
        states[k] = states[0]
        resample(states[k], seat, rng)


@kernel
def draw_one(shares: Shares, n: int, rng: Rng) -> int:
    """Draw one of `n` worlds; `shares` adds up their weights, to 1 at the last."""
    drawn = unit(rng)
    low = 0
    high = n - 1
    while low < high:
        middle = (low + high) // 2
        if drawn < shares[middle]:
            high = middle
        else:
            low = middle + 1
    return low


def keep_by_weight(weights: Shares, n: int) -> npt.NDArray[np.int64]:
    """Choose `n` worlds in proportion to their weights; a heavy one may come several times.

    Each comes n times its share, rounded up or down. Nothing is drawn: the weights are laid end to
    end, and cut at equal steps.
    """
    places = (np.arange(n) + 0.5) / n
    return np.searchsorted(add_up(weights), places)


def errors_of_means(found: Shares, kept: npt.NDArray[np.int64]) -> Shares:
    """Return the standard errors of means over worlds, of which some come several times: [values].

    Copies of a world are one sample: they differ by luck, not by hidden cards. A single world tells
    nothing: NaN.

    Args:
        found: in each world: [worlds, values].
        kept: which world each is, as `keep_by_weight` says.
    """
    different, which = np.unique(kept, return_inverse=True)
    n = len(different)
    if n < 2:
        return np.full(found.shape[1], np.nan)
    off = np.zeros((n, found.shape[1]))
    np.add.at(off, which, found - found.mean(axis=0))
    errors: Shares = np.sqrt(n / (n - 1) * (off**2).sum(axis=0)) / len(found)
    return errors


def weights_of(logs: Shares) -> Shares:
    """Return weights, the highest 1, of what is told in logarithms."""
    weights: Shares = np.exp(logs - logs.max())
    return weights


def add_up(weights: Shares) -> Shares:
    """Turn weights into what `draw_one` draws by; equal ones if none is above zero."""
    positive = np.maximum(np.nan_to_num(weights), 0)
    if positive.sum() <= 0:
        positive = np.ones(len(weights))
    shares: Shares = np.cumsum(positive / positive.sum())
    shares[-1] = 1
    return shares
