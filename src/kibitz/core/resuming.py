"""The state of lanes, read from plain data that may come from anywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.batch import NO_TAG
from kibitz.core.errors import SpecError, clip
from kibitz.core.memory import LOG, Ints, Log

MOST = 1 << 62
"""Numbers of deals and decisions are below this."""

MAX_SPAN = 1 << 26
"""Decisions of games that run at the same time are numbered within so many."""


@dataclass(frozen=True)
class Running:
    """Games that run, as `Lanes.state` writes them."""

    deals: Ints  # [slots]
    next_deal: int
    next_id: int
    offsets: Ints  # [slots + 1] where the log of each slot begins and ends
    log: Log  # seat and action
    ids: Ints  # of the decisions of learners in the log, else NO_TAG
    lineup: npt.NDArray[np.int64]  # [slots, seats]
    began: Ints  # [slots]
    kept: dict[str, npt.NDArray[Any]]  # of the decisions of learners, by number


def read_running(state: Mapping[str, Any], n_slots: int, n_seats: int) -> Running:
    """Read the state of lanes, and check all that kernels would trust.

    Raises:
        SpecError: it is not of lanes like these.
    """
    next_deal, next_id = (_count(state, name) for name in ("next_deal", "next_id"))
    offsets = _ints(state, "offsets", (n_slots + 1,), (0, MAX_SPAN))
    n = int(offsets[-1])
    if offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise SpecError("offsets in the state of lanes must cut the log into that of each slot")
    ids = _ints(state, "ids", (n,), (NO_TAG, next_id))
    began = _ints(state, "began", (n_slots,), (0, next_id + 1))
    asked = ids[ids != NO_TAG]
    if len(np.unique(asked)) != len(asked) or (asked < began.min()).any():
        raise SpecError("ids in the state of lanes must be of different decisions in these games")
    if next_id - int(began.min()) >= MAX_SPAN:
        raise SpecError("began in the state of lanes is too long ago")
    log: Log = np.zeros(n, LOG)
    log["seat"] = _ints(state, "seats", (n,), (0, n_seats))
    log["action"] = _ints(state, "actions", (n,), (-MOST, MOST))
    return Running(
        deals=_ints(state, "deals", (n_slots,), (0, next_deal)),
        next_deal=next_deal,
        next_id=next_id,
        offsets=offsets,
        log=log,
        ids=ids,
        lineup=_ints(state, "lineup", (n_slots, n_seats), (-1, MOST)),
        began=began,
        kept=_kept(state, len(asked)),
    )


def _count(state: Mapping[str, Any], name: str) -> int:
    value = state.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MOST:
        raise SpecError(f"{name} in the state of lanes must be a whole number, got {clip(value)}")
    return value


def _ints(
    state: Mapping[str, Any], name: str, shape: tuple[int, ...], bounds: tuple[int, int]
) -> Ints:
    """Return an array of this shape with numbers from the first bound to before the second."""
    array = state.get(name)
    if not isinstance(array, np.ndarray) or array.dtype != np.int64 or array.shape != shape:
        raise SpecError(
            f"{name} in the state of lanes must be whole numbers of shape {shape}: they are of "
            "other lanes"
        )
    if array.size and not (bounds[0] <= array.min() and array.max() < bounds[1]):
        raise SpecError(f"{name} in the state of lanes has numbers out of range")
    return np.array(array)


def _kept(state: Mapping[str, Any], n: int) -> dict[str, npt.NDArray[Any]]:
    kept = state.get("kept")
    if not isinstance(kept, Mapping):
        raise SpecError("kept in the state of lanes must be arrays by name")
    for name, array in kept.items():
        if not isinstance(array, np.ndarray) or len(array.shape) == 0 or len(array) != n:
            raise SpecError(f"{clip(name)} in the state of lanes needs {n} rows")
        if array.dtype.kind not in "biuf":
            raise SpecError(f"{clip(name)} in the state of lanes must hold numbers")
    return dict(kept)
