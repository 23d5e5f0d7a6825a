"""How searches weigh worlds of Sheephead: by how well a learnt policy explains what was done."""

import numpy as np

from kibitz.core.errors import AgentError, clip
from kibitz.core.game import Seat, States
from kibitz.core.rng import Rng
from kibitz.core.table import Game
from kibitz.games.sheephead.best import BestAgent, BestConfig
from kibitz.games.sheephead.state import LEASTER_PLAYING
from kibitz.search.agent import Floats
from kibitz.search.weighing import Weigher


def make_weigher(game: Game, model: str) -> Weigher:
    """Return what weighs worlds as `best` does with a model; those of a leaster are all the same.

    What another seat has buried is drawn again in each.
    """
    try:
        best = BestAgent(game, BestConfig(model=model))
    except AgentError as error:
        raise AgentError(
            f"belief={clip(model, 200)} is to be a policy such as sheephead-best: {error}"
        ) from None

    def weigh(view: np.record, seat: Seat, worlds: States, rng: Rng) -> Floats:
        if view.phase == LEASTER_PLAYING:  # no policy has learnt it
            return np.zeros(len(worlds))
        return best.explain(worlds, seat, rng)

    return weigh
