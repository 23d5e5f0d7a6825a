"""Kernels that exist to be timed: what a search pays beside the rules."""

from kibitz.core.game import States
from kibitz.core.kernels import kernel


@kernel
def copy_states(states: States, n: int) -> None:
    """Copy states over each other, `n` times; their number is a power of two."""
    last = len(states) - 1
    for k in range(n):
        states[k & last] = states[(k + 1) & last]
