"""A player that solves the endings of the open two-player game."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind, kinds_of
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
from kibitz.search.matrix import SIZE
from kibitz.search.roots import draw


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
        """Return what to play for, and who plays as long as nothing is solved."""
        return self.config.objective, load_agent(self.config.before, self.game)

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Solve what can be solved, and draw; leave the rest to the other agent."""
        cards = self.config.cards
        solved = is_ending(views, cards) if self.solves else np.zeros(len(views), np.bool_)
        if not solved.any():
            return self.before.act(views, seats, rngs, games)
        here, rest = np.flatnonzero(solved), np.flatnonzero(~solved)
        parts = [(here, self._solve(views[here], seats[here], rngs[here]))]
        if len(rest):
            other = self.before.act(views[rest], seats[rest], rngs[rest], games[rest])
            parts.append((rest, other))
        return Decisions.merge(len(views), parts)

    def _solve(self, views: States, seats: Seats, rngs: Rngs) -> Decisions:
        """Solve endings, and draw from the strategy of each."""
        play = play_endings(views, seats, self.config.cards, self.objective)
        choices, weights = play["play_actions"].copy(), play["probabilities"].copy()
        n_choices = np.count_nonzero(choices, axis=1)
        actions = np.zeros(len(views), np.int64)
        for k, n in enumerate(n_choices.tolist()):
            actions[k] = choices[k, draw(weights[k, :n], rngs[k])]
        is_padding = np.arange(SIZE) >= n_choices[:, np.newaxis]
        choices[is_padding], weights[is_padding] = NO_ACTION, np.nan
        if self.objective != "win":  # leads in points are none of the usual values
            return Decisions(actions, choices, n_choices, weights)
        values = np.where(is_padding, np.nan, play["play_values"])
        exact = np.where(is_padding, np.nan, 0.0)
        kinds = kinds_of(len(views), ValueKind.WIN)
        return Decisions(actions, choices, n_choices, weights, None, values, exact, kinds)

    @property
    def watches(self) -> bool:
        """Whether the other agent wants to see what happens."""
        return self.before.watches

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Show the other agent."""
        self.before.watch(views, seats, games)

    def end(self, games: Games) -> None:
        """Pass it on to the other agent."""
        self.before.end(games)
