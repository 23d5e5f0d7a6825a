"""Guides: what a search is told about a decision before it has tried anything.

A guide writes the priors of arms. It is a record whose dtype picks the kernel: nobody, so that all
priors stay as they are, a bot whose choice weighs more, or a network (`network.py`).
"""

import threading
from collections.abc import Callable
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

    Priors are 1 for what a guide knows nothing about, and above 0. `states[SEEN]`, what `arrive`
    kept, and `tree.scratch` may be written.
    """


@generic
def arrive(guide: np.record, states: States) -> None:
    """Tell a guide that a node is reached, in `states[1]`: who decides there does so by this.

    When it is asked, seats that choose at once may have chosen already. It may keep the position in
    `states[ARRIVED]`.
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


@inlined_kernel
def keep_nothing(guide: np.record, states: States) -> None:
    """Arrive as a guide does that goes by the world as it is when it is asked."""


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


def define_guide(
    fields: list[tuple[Any, ...]], advises: F, arrives: Callable[..., None] = keep_nothing
) -> np.record:
    """Make the record of a guide, all zeros; the names of its fields must be its own."""
    dtype = record_dtype(fields)
    with _defining:
        if dtype not in _defined:
            implement("advise", dtype, advises)
            implement("arrive", dtype, arrives)
            _defined[dtype] = advises, arrives
        if _defined[dtype] != (advises, arrives):
            raise ValueError(f"another guide has the fields {dtype.names}: rename one")
    guide: np.record = np.zeros(1, dtype)[0]
    return guide


_defined: dict[np.dtype[np.record], tuple[object, object]] = {}
_defining = threading.Lock()

NOBODY = define_guide([("silent_guide", np.int64)], _say_nothing)
"""The guide of searches without one."""


def asking(bot: np.record, weight: float) -> np.record:
    """Let a bot's choice weigh `1 + weight` times as much as another action."""
    guide = define_guide([("guide_weight", np.float64), ("asked", bot.dtype)], _ask_bot)
    guide["guide_weight"] = weight
    guide["asked"] = bot
    return guide
