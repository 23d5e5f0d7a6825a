"""An agent that fails in some games, always in the same ones."""

import numpy as np

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.game import States
from kibitz.core.rng import Rngs


class Frail(Agent):
    """Plays its first action, but gives up on its second choice in every seventh game."""

    name = "frail"

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Choose the first action there is."""
        asked = zip(views, seats.tolist(), strict=True)
        listed = [self.game.legal(view, seat) for view, seat in asked]
        tired = [number % 7 == 0 for number in games.tolist()]
        if any(len(one) < 3 and gives_up for one, gives_up in zip(listed, tired, strict=True)):
            raise RuntimeError("tired \0 of it")
        return Decisions(np.array([one[0] for one in listed]))
