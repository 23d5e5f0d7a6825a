"""Exploration on purpose: actions that a learner tries although its policy would not.

What is never tried is never learnt. A game may say what is worth trying, in its module `exploring`:
`EXPLORERS` has a record for each name, whose dtype picks the kernel behind `urge`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.core.decisions import NO_ACTION
from kibitz.core.game import Action, F, Seat, State, generic_over, implement
from kibitz.core.kernels import kernel, record_dtype
from kibitz.core.rng import Rng


@generic_over(2)
def urge(view: State, seat: Seat, explorer: np.record, rng: Rng) -> Action:
    """Return a legal action that a seat is to try now, or NO_ACTION."""
    raise AssertionError


def define_explorer(name: str, fields: Sequence[tuple[Any, ...]], rule: F) -> np.record:
    """Declare what is tried: a record with these fields, zeros at first, and the kernel `rule`."""
    dtype = record_dtype([(f"{name}_explorer", np.int64), *fields])
    implement("urge", dtype, rule)
    explorer: np.record = np.zeros(1, dtype)[0]
    return explorer


@kernel
def _never(view: State, seat: Seat, explorer: np.record, rng: Rng) -> Action:
    return NO_ACTION


NEVER = define_explorer("no", [], _never)
"""Tries nothing."""
