"""A player that solves the endings of the open two-player game."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.agent import Agent, Decisions, Games, Seats
from kibitz.core.errors import KibitzError, SpecError
from kibitz.core.game import States
from kibitz.core.registry import load_agent
from kibitz.core.rng import Rngs
from kibitz.core.table import Game
from kibitz.games.nimmt.solver import (
    MAX_CARDS,
    Objective,
    check_game,
    is_ending,
    play_endings,
)
from kibitz.search.agent import draw
from kibitz.search.matrix import SIZE


@dataclass(frozen=True)
class ExactConfig:
    """Parameters of exact play."""

    cards: int = 6  # from so many cards in a hand on; more take much longer
    objective: Objective = "points"  # what it plays for
    before: str = "closest"  # the agent that plays as long as nothing is solved

    def __post_init__(self) -> None:
        """Refuse what takes too long, and itself."""
        most = min(MAX_CARDS.values())
        if not 1 <= self.cards <= most:
            raise SpecError(f"exact:cards={self.cards}: expected 1..{most}")
        if self.before == ExactAgent.name:
            raise SpecError("exact:before=exact: expected another agent")


class ExactAgent(Agent):
    """Plays the endings of open two-player rounds by their equilibrium; before, another's way."""

    name = "exact"
    Config: ClassVar[type[Any]] = ExactConfig
    objective: Objective

    def __init__(self, game: Game, config: Any = None) -> None:
        """Find out whether the endings of this game can be solved."""
        super().__init__(game, config)
        self.objective, self.before = self.prepare()
        try:
            check_game(game)
            self.solves = True
        except KibitzError:
            self.solves = False

    def prepare(self) -> tuple[Objective, Agent]:
        """Give what to play for, and who plays as long as nothing is solved."""
        return self.config.objective, load_agent(self.config.before, self.game)

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Solve what can be solved, and draw; leave the rest to the other agent."""
        cards = self.config.cards
        solved = is_ending(views, cards) if self.solves else np.zeros(len(views), np.bool_)
        if not solved.any():
            return self.before.act(views, seats, rngs, games)
        actions = np.zeros(len(views), np.int64)
        choices = np.zeros((len(views), SIZE), np.int64)
        weights, values = np.zeros(choices.shape), np.zeros(choices.shape)
        play = play_endings(views[solved], seats[solved], cards, self.objective)
        choices[solved], weights[solved] = play["play_actions"], play["probabilities"]
        values[solved] = play["play_values"]
        n_choices = np.count_nonzero(choices, axis=1)
        for k in np.flatnonzero(solved):
            actions[k] = choices[k, draw(weights[k, : n_choices[k]], rngs[k])]
        rest = np.flatnonzero(~solved)
        if len(rest):
            other = self.before.act(views[rest], seats[rest], rngs[rest], games[rest])
            actions[rest] = other.actions
            if other.choices is not None and other.weights is not None:
                n = min(other.choices.shape[1], SIZE)
                choices[rest, :n], weights[rest, :n] = other.choices[:, :n], other.weights[:, :n]
        if len(rest) or self.objective != "win":  # leads in points are none of the usual values
            return Decisions(actions, choices, weights)
        exact = np.zeros(values.shape)
        return Decisions(actions, choices, weights, None, values, exact, {"value": "win"})

    @property
    def watches(self) -> bool:
        """Whether the other agent wants to see what happens."""
        return self.before.watches

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Show the other agent."""
        self.before.watch(views, seats, games)

    def end(self, games: Games) -> None:
        """Tell the other agent."""
        self.before.end(games)
