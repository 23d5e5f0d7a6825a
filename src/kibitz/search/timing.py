"""Kernels that exist to be timed: what a search pays beside the rules."""

import numpy as np

from kibitz.core.bits import lowest
from kibitz.core.game import Actions, Legal, States, legal, max_legal, movers
from kibitz.core.kernels import allocating_kernel, kernel
from kibitz.core.rng import Rngs, below


@kernel
def copy_states(states: States, n: int) -> None:
    """Copy states over each other, `n` times; their number is a power of two."""
    last = len(states) - 1
    for k in range(n):
        states[k & last] = states[(k + 1) & last]


@allocating_kernel
def list_actions(states: States, n: int) -> int:
    """List what the first mover may do, in one state after the other, `n` times.

    The number of states is a power of two. What is listed last goes into the result, so that the
    compiler cannot leave the lists out.
    """
    listed = np.empty(max_legal(states[0]), np.int64)
    last = len(states) - 1
    mixed = 0
    for k in range(n):
        state = states[k & last]
        mixed ^= listed[legal(state, lowest(np.uint64(movers(state))), listed) - 1]
    return mixed


@kernel
def draw_listed(listed: Legal, rngs: Rngs, out: Actions) -> None:
    """Draw any of the actions of each list with the same probability."""
    for k in range(len(out)):
        begin = listed.offsets[k]
        out[k] = listed.actions[begin + below(rngs[k], listed.offsets[k + 1] - begin)]
