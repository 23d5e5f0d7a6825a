"""The agent that plays any legal action with the same probability."""

import numpy as np

from kibitz.core.agent import PolicyAgent, define_policy
from kibitz.core.game import Action, Seat, State, random_action
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rng


@kernel
def choose_random(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Choose uniformly among the legal actions."""
    return random_action(view, seat, rng)


class RandomAgent(PolicyAgent):
    """Plays any legal action with the same probability."""

    name = "random"
    policy = define_policy("random", choose_random)
