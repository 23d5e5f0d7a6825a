"""One encoding: how many forks are behind us, one-hot, and whose view it is."""

import numpy as np

from kibitz.core.encoding import define_encoding
from kibitz.core.game import Action, Features, Seat, State
from kibitz.core.kernels import kernel

LAYOUT = (("forks", (7,)), ("seat", (2,)))


@kernel
def observe_forks(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write both as zeros and ones."""
    for k in range(7):
        out[k] = 1.0 if view.forks == k else 0.0
    out[7] = 1.0 if seat == 0 else 0.0
    out[8] = 1.0 if seat == 1 else 0.0


@kernel
def action_index_ways(state: State, seat: Seat, action: Action, encoding: np.record) -> int:
    """Number actions by way."""
    return action


ENCODINGS = {"forks": define_encoding("fork", "forks", LAYOUT, 3, observe_forks, action_index_ways)}
