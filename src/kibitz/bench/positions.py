"""Random positions of Connect 4 to solve: games played at random until they get so far."""

import numpy as np

from kibitz.core.game import States, apply, is_over, random_action
from kibitz.core.kernels import kernel
from kibitz.core.registry import load_game
from kibitz.core.rng import Rng


def room() -> States:
    """Return two states: the first is the empty board, the second is to be drawn."""
    game = load_game("connect4")
    states: States = np.zeros(2, game.rules.STATE)
    states[:1] = game.deal(seed=0).view(0)
    return states


@kernel
def draw_open(states: States, n_moves: int, rng: Rng) -> None:
    """Play at random from `states[0]` to `states[1]`, until a game gets so far and goes on."""
    while True:
        states[1] = states[0]
        while states[1].n_moves < n_moves and not is_over(states[1]):
            seat = states[1].n_moves & 1
            apply(states[1], seat, random_action(states[1], seat, rng))
        if not is_over(states[1]):
            return
