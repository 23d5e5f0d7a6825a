"""The strongest player of Tichu that ships: a network that was trained in self-play.

With `worlds` it looks ahead. It draws worlds that fit what it sees, plays there each of the actions
that the network likes about as well as the best one, lets the network decide some times for
everybody, and asks the critic that learnt beside it, which sees all hands of a world, what comes
then. The network's own liking counts as well.
"""

import threading
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.agent import Games, Seats
from kibitz.core.decisions import Decisions, ValueKind, kinds_of
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import Actions, Seat, States
from kibitz.core.rng import Rngs
from kibitz.core.table import Game
from kibitz.search.agent import MAX_WORLDS
from kibitz.search.candidates import Critic, Policy, make_critic, make_policy
from kibitz.search.critics import Table, make_table, values_after
from kibitz.search.models import load_model
from kibitz.search.net import Floats, NetAgent, NetConfig
from kibitz.search.worlds import draw_worlds

MAX_PLIES = 1000


@dataclass(frozen=True)
class BestConfig(NetConfig):
    """Parameters of a network that plays, with one that ships unless another is named."""

    model: str = "tichu-best"  # the name of a model, or its folder
    worlds: int = 0  # drawn to look ahead; 0: the network alone
    critic: str = "tichu-critic"  # who judges them: a model that sees all hands, or its folder
    near: float = 0.05  # actions this probable are looked at, the best one being 1
    prior: float = 5.0  # points that a logarithm of the network's probability counts
    plies: int = 12  # decisions by the network in every world before the critic is asked
    heat: float = 0.5  # temperature of these decisions; 0: what it likes best

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        for name, low, high in (
            ("worlds", 0, MAX_WORLDS),
            ("near", 0, 1),
            ("prior", 0, 1e6),
            ("plies", 0, MAX_PLIES),
            ("heat", 0, 100),
        ):
            if not low <= getattr(self, name) <= high:
                raise SpecError(f"{name}={getattr(self, name)}: expected {low} to {high}")
        if self.worlds and self.temperature:
            raise SpecError(
                f"worlds={self.worlds} looks for the best action and temperature="
                f"{self.temperature} draws one: leave one of them out"
            )


class _Desk(NamedTuple):
    """The memory of one thread."""

    critic: Critic
    policy: Policy
    table: Table
    states: States  # the view, and worlds after it


class BestAgent(NetAgent):
    """Plays what a network likes best; it began as a clone of `convention`."""

    name = "best"
    Config = BestConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Load the network, and the critic if it is asked for."""
        super().__init__(game, config)
        self._desks = threading.local()
        if not self.config.worlds:
            return
        self.critic = load_model(self.config.critic, game, "critic")
        card = self.model.card
        if card.kind != "mlp" or card.inputs != "candidates":
            raise AgentError(
                f"{self.name} looks ahead with a policy of candidates, model "
                f"{clip(self.config.model, 200)} has rows of {card.inputs}: leave worlds out"
            )
        self._liking = NetAgent(game, replace(self.config, worlds=0, temperature=1.0))

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Ask the network about all views, and look ahead where it is in doubt."""
        if not self.config.worlds:
            return super().act(views, seats, rngs, games)
        liked = self._liking.act(views, seats, rngs, games)
        assert liked.choices is not None
        assert liked.weights is not None
        actions, values = liked.actions.copy(), np.full_like(liked.weights, np.nan)
        errors, weights = values.copy(), liked.weights
        for k in range(len(views)):
            best = float(np.nanmax(weights[k]))
            near = np.flatnonzero(weights[k] >= max(self.config.near * best, 1e-12))
            actions[k] = liked.choices[k, np.nanargmax(weights[k])]
            if len(near) < 2:
                continue
            found = self.look_ahead(views[k], int(seats[k]), liked.choices[k, near], rngs[k])
            values[k, near] = found.mean(axis=0)
            errors[k, near] = found.std(axis=0) / np.sqrt(len(found))
            worth = values[k, near] + self.config.prior * np.log(weights[k, near])
            actions[k] = liked.choices[k, near[int(worth.argmax())]]
        kinds = kinds_of(len(views), ValueKind.SCORE)
        columns = (liked.choices, liked.n_choices, weights, None, values, errors, kinds)
        return Decisions(actions, *columns)

    def look_ahead(self, view: np.record, seat: Seat, actions: Actions, rng: np.record) -> Floats:
        """Return what actions are worth in worlds that are drawn, in points: [worlds, actions]."""
        desk = self._desk()
        desk.states[0] = view
        draw_worlds(desk.states, 1, self.config.worlds, seat, rng)
        out = np.zeros((self.config.worlds, len(actions)))
        desk.table.rngs[0] = rng
        asked = desk.states[1:], seat, actions
        values_after(desk.critic, desk.policy, desk.table, asked, self.config.plies, out)
        return out

    def _desk(self) -> _Desk:
        """Return this thread's memory."""
        desk: _Desk | None = getattr(self._desks, "desk", None)
        if desk is None:
            game = self.game
            desk = self._desks.desk = _Desk(
                make_critic(self.critic, game),
                make_policy(self.model, game, self.config.heat),
                make_table(game),
                game.blank(1 + self.config.worlds),
            )
        return desk
