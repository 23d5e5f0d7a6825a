"""Beliefs: worlds that are weighed by a model, where the game says how."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent
from kibitz.core.errors import AgentError, clip
from kibitz.core.game import States
from kibitz.core.modules import find_module
from kibitz.core.rng import Rng

NO_BELIEF = "none"
"""All worlds weigh the same."""

Weigher = Callable[[np.record, int, States, Rng], npt.NDArray[np.float64]]
"""Tells how likely worlds are that fit the view of a seat, in logarithms, up to a constant of the
view. It may complete the worlds by drawing."""


def find_weigher(agent: Agent, belief: str) -> Weigher | None:
    """Return what weighs worlds of an agent's game by a model, if it is to believe in one."""
    if belief == NO_BELIEF:
        return None
    module = find_module(agent.game.facts, "weighing")
    if module is None:
        raise AgentError(
            f"{agent.name}: nothing weighs worlds of {agent.game.facts.name}, leave out "
            f"belief={clip(belief, 200)}"
        )
    weigher: Weigher = module.make_weigher(agent.game, belief)
    return weigher
