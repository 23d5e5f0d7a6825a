"""Guides: what a search is told about a decision before it has tried anything.

A guide writes the priors of arms. It is a record whose dtype picks the kernel: nobody, so that all
priors stay as they are, a bot whose choice weighs more, or a network (`network.py`).
"""

from typing import Any

import numpy as np

from kibitz.core.game import F, Seat, States, choose, generic, implement
from kibitz.core.kernels import inlined_kernel, kernel, record_dtype
from kibitz.core.rng import Rng
from kibitz.search.tree import NONE, Tree


@generic
def advise(
    guide: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    """Write the priors of a decision that has new arms, in the world of `states[1]`.

    Priors are 1 for what a guide knows nothing about, and above 0. `states[2]` and `tree.scratch`
    may be written.
    """


@inlined_kernel
def _say_nothing(
    guide: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    pass


@kernel
def _ask_bot(
    guide: np.record,
    tree: Tree,
    states: States,
    how: np.record,
    decision: int,
    seat: Seat,
    rng: Rng,
) -> None:
    """Let the choice of a bot weigh more than the others."""
    action = choose(states[1], seat, guide.asked, rng)
    arm = tree.decisions[decision].first_arm
    while arm != NONE:
        if tree.arms[arm].arm_action == action:
            tree.arms[arm].prior = 1 + guide.guide_weight
        arm = tree.arms[arm].next_arm


def define_guide(fields: list[tuple[Any, ...]], advise: F) -> np.record:
    """Make the record of a guide, all zeros; the names of its fields must be its own."""
    dtype = record_dtype(fields)
    if dtype not in _defined:
        _defined.add(dtype)
        implement("advise", dtype, advise)
    guide: np.record = np.zeros(1, dtype)[0]
    return guide


_defined: set[np.dtype[np.record]] = set()

NOBODY = define_guide([("silent_guide", np.int64)], _say_nothing)
"""The guide of searches without one."""


def asking(bot: np.record, weight: float) -> np.record:
    """Let a bot's choice weigh `1 + weight` times as much as another action."""
    guide = define_guide([("guide_weight", np.float64), ("asked", bot.dtype)], _ask_bot)
    guide["guide_weight"] = weight
    guide["asked"] = bot
    return guide
