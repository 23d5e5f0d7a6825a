"""A player that samples worlds which fit its view and solves each of them exactly."""

import threading
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Decisions, Games, PolicyAgent, Seats, define_policy
from kibitz.core.bits import popcount
from kibitz.core.errors import SpecError
from kibitz.core.game import Action, Seat, State, States
from kibitz.core.kernels import kernel
from kibitz.core.registry import load_agent
from kibitz.core.rng import Rng, Rngs
from kibitz.core.table import Game
from kibitz.games.sheephead.cards import CARDS, FIRST_TRUMP, PASS, PICK, TOTAL_POINTS, TRUMPS
from kibitz.games.sheephead.declaring import buried_by
from kibitz.games.sheephead.open_hand import (
    Boards,
    all_points_after,
    make_desk,
    payments_by_row,
    rows_after,
)
from kibitz.games.sheephead.payments import card_points, is_on_side
from kibitz.games.sheephead.rules import MAX_LEGAL, legal, must_pick, random_action
from kibitz.games.sheephead.solver import Objective
from kibitz.games.sheephead.state import (
    BIDDING,
    BURYING,
    CRACKING,
    DECLARING,
    HAND_CARDS,
    PLAYING,
)
from kibitz.search.agent import MAX_WORLDS, Floats
from kibitz.search.worlds import draw_worlds

Desk = tuple[Boards, np.record, States]
"""Boards, the table of positions, and the view with its worlds after it."""


@dataclass(frozen=True)
class PimcConfig:
    """Parameters of sampling and solving."""

    worlds: int = 30  # solved for every card that is played
    objective: Objective = "money"  # what it plays for

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        if not 1 <= self.worlds <= MAX_WORLDS:
            raise SpecError(f"worlds={self.worlds}: expected 1..{MAX_WORLDS}")


@dataclass(frozen=True)
class Found:
    """What the worlds say about the cards of one decision: [cards]."""

    cards: npt.NDArray[np.int64]
    values: Floats  # expected cents of the session up to this hand, or points
    errors: Floats
    n_worlds: int

    @property
    def best(self) -> int:
        """The index of the card that is played."""
        return int(np.argmax(self.values))


class PimcAgent(Agent):
    """Plays the card that is best on average over sampled worlds, each solved with open hands.

    In every world all cards are open to everybody from there on: it knows what it does not know
    now, but not that others do not, so it hides nothing and finds nothing out. Bids, burying,
    calls and cracks are those of `rule`, and so is the play where nobody picked: there everybody
    plays for himself, and open hands have no value of two sides that could be solved.
    """

    name = "pimc"
    Config: ClassVar[type[Any]] = PimcConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Prepare; the memory is made when it is first needed."""
        super().__init__(game, config)
        self.other = who_decides_otherwise(game)
        self._desks = threading.local()

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Solve worlds where a card is played in a picked hand; leave the rest to `rule`."""
        is_solved = views["phase"] == PLAYING
        if not is_solved.any():
            return self.other.act(views, seats, rngs, games)
        actions = np.zeros(len(views), np.int64)
        rest = np.flatnonzero(~is_solved)
        if len(rest):
            asked = self.other.act(views[rest], seats[rest], rngs[rest], games[rest])
            actions[rest] = asked.actions
        choices = np.zeros((len(views), HAND_CARDS), np.int64)
        weights, visits = np.zeros(choices.shape), np.zeros(choices.shape)
        values, errors = np.full(choices.shape, np.nan), np.full(choices.shape, np.nan)
        choices[rest, 0], weights[rest, 0] = actions[rest], 1
        for k in np.flatnonzero(is_solved):
            found = self.solve_worlds(views[k], int(seats[k]), rngs[k])
            n = len(found.cards)
            actions[k] = found.cards[found.best]
            choices[k, :n], weights[k, found.best] = found.cards, 1
            visits[k, :n] = found.n_worlds
            values[k, :n], errors[k, :n] = found.values, found.errors
        info = {"value": "score"} if self.config.objective == "money" else {}
        return Decisions(actions, choices, weights, visits, values, errors, info)

    def solve_worlds(self, view: np.record, seat: Seat, rng: Rng) -> Found:
        """Draw worlds and solve them; the cards that may be played are the same in all."""
        boards, memory, states = self._desk()
        states[0] = view
        draw_worlds(states, 1, self.config.worlds, seat, rng)
        worlds = _fitting(states[1:])
        for_money = self.config.objective == "money"
        solve = rows_after if for_money else all_points_after
        found = np.zeros((len(worlds), CARDS), np.int64)
        playable = 0
        for world, row in zip(worlds, found, strict=True):
            playable = int(solve(world, boards, memory, row))
        cards = np.array([card for card in range(CARDS) if playable >> card & 1])
        found = found[:, cards]
        if for_money:
            found = payments_by_row(worlds[0])[found, seat] + view.money[seat]
        elif not is_on_side(worlds[0], seat):
            found = TOTAL_POINTS - found
        n = len(worlds)
        errors = found.std(axis=0, ddof=1) / n**0.5 if n > 1 else np.full(len(cards), np.nan)
        return Found(cards, found.mean(axis=0), errors, n)

    def _desk(self) -> Desk:
        """Give this thread's memory."""
        desk: Desk | None = getattr(self._desks, "desk", None)
        if desk is None:
            desk = self._desks.desk = (*make_desk(), self.game.blank(1 + self.config.worlds))
        return desk


def _fitting(worlds: States) -> States:
    """Leave out worlds that contradict the view, unless all do."""
    fit = worlds["misfits"] == 0
    return worlds[fit] if fit.any() else worlds


def who_decides_otherwise(game: Game) -> Agent:
    """Give the agent that bids, buries, calls and cracks, and plays where nobody picked."""
    return load_agent("rule", game) if "rule" in game.facts.bots else StandIn(game)


@kernel
def _choose_plainly(view: State, seat: Seat, policy: np.record, rng: Rng) -> Action:
    """Pick on many trumps, bury points, call anybody, double nothing, play anything."""
    if view.phase == BIDDING and not must_pick(view, seat):
        trumps = view.hand[seat] & TRUMPS
        n_high = popcount(trumps >> np.uint64(FIRST_TRUMP + 5))
        return PICK if popcount(trumps) + n_high >= 6 else PASS
    if view.phase == CRACKING:
        return PASS
    if view.phase != BURYING and view.phase != DECLARING:
        return random_action(view, seat, rng)
    listed = np.empty(MAX_LEGAL, np.int64)
    n = legal(view, seat, listed)
    if view.phase == DECLARING:
        return listed[min(1, n - 1)]
    best, most = listed[0], -1000
    for i in range(n):
        pair = buried_by(listed[i])
        points = card_points(pair) - 20 * popcount(pair & TRUMPS)
        if points > most:
            best, most = listed[i], points
    return best


class StandIn(PolicyAgent):
    """Decides plainly as long as the game has no bot `rule`."""

    name = "plain"
    policy = define_policy("sheephead_plain", _choose_plainly)
