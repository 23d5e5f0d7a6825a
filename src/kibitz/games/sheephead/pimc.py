"""A player that samples worlds which fit its view and solves each of them exactly."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind, kinds_of
from kibitz.core.errors import PositionError, SpecError, clip
from kibitz.core.game import (
    Action,
    Seat,
    States,
    apply,
    conceal,
    deal,
    movers,
    random_action,
)
from kibitz.core.registry import load_agent
from kibitz.core.rng import Purpose, Rng, Rngs, derive
from kibitz.core.table import Game, check_seed, is_whole
from kibitz.games.sheephead.bidding import PICK_FROM, pass_weight
from kibitz.games.sheephead.cards import CARDS, TOTAL_POINTS
from kibitz.games.sheephead.open_hand import (
    Boards,
    make_desk,
    payments_by_row,
    points_after_each,
    rows_after,
)
from kibitz.games.sheephead.payments import is_on_side
from kibitz.games.sheephead.solver import Objective, check_game
from kibitz.games.sheephead.state import HAND_CARDS, PLAYING
from kibitz.search.agent import MAX_WORLDS, Floats
from kibitz.search.weighing import NO_BELIEF, find_weigher
from kibitz.search.worlds import draw_worlds, keep_by_weight, weights_of

NO_DIFFERENCE = 1e-9
"""Of mean gains that are the same but for rounding."""

DOUBT, DRAWN = 0.2, 160

LOOK_WORLDS = 10
"""Worlds between two looks at a decision that is watched."""

Desk = tuple[Boards, np.record, States]
"""Boards, the table of positions, and the view with its worlds after it."""


@dataclass(frozen=True)
class PimcConfig:
    """Parameters of sampling and solving."""

    worlds: int = 30  # solved for every card that is played
    objective: Objective = "money"  # what it plays for
    # Weight of a world for each seat that passed there with a hand on which `rule` picks; 1: passes
    # say nothing.
    doubt: float = DOUBT  # not with belief
    belief: str = NO_BELIEF  # instead: a model that weighs worlds by all that the others did
    drawn: int = DRAWN  # worlds that a belief weighs, to keep `worlds` of them; only with belief
    before: str = "rule"  # who bids, buries, calls, and plays where nobody picked

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        if not 1 <= self.worlds <= MAX_WORLDS:
            raise SpecError(f"worlds={self.worlds}: expected 1..{MAX_WORLDS}")
        if not 0 < self.doubt <= 1:
            raise SpecError(f"doubt={self.doubt}: expected a number above 0 and at most 1")
        if not 1 <= self.drawn <= MAX_WORLDS:
            raise SpecError(f"drawn={self.drawn}: expected 1..{MAX_WORLDS}")
        unused = ("drawn", DRAWN) if self.belief == NO_BELIEF else ("doubt", DOUBT)
        name, default = unused
        if getattr(self, name) != default:
            raise SpecError(
                f"{name}={getattr(self, name)}: it means nothing with belief={clip(self.belief)}, "
                "leave it out"
            )
        if self.belief != NO_BELIEF and self.drawn < self.worlds:
            raise SpecError(f"drawn={self.drawn}: expected worlds={self.worlds} or more")


@dataclass(frozen=True)
class Found:
    """What worlds say about the cards of one decision."""

    cards: list[Action]
    gains: Floats  # what the seat gets: [worlds, cards]
    shares: Floats  # of the worlds, which add up to 1
    best: int  # index of the card that is played
    before: int  # what the seat has had before this hand

    @property
    def means(self) -> Floats:
        """What each card gains on average."""
        return self.shares @ self.gains

    @property
    def errors(self) -> Floats:
        """Standard errors of the mean gains: worlds are the sample."""
        return self._errors_of(self.gains)

    @property
    def wins(self) -> tuple[Floats, Floats]:
        """The share of worlds in which each card wins money in this hand, and its error."""
        won = (self.gains > self.before).astype(np.float64)
        return self.shares @ won, self._errors_of(won)

    def _errors_of(self, found: Floats) -> Floats:
        n = len(found)
        if n == 1:
            return np.full(len(self.cards), np.nan)
        off = self.shares[:, None] * (found - self.shares @ found)
        errors: Floats = np.sqrt(n / (n - 1) * (off**2).sum(axis=0))
        return errors


class PimcAgent(Agent):
    """Plays the card that is best on average over sampled worlds, each solved with open hands.

    In every world all cards are open to everybody from there on: it knows what it does not know
    now, but not that others do not, so it hides nothing and finds nothing out. Bids, burying,
    calls, blitzes and cracks are those of another agent, and so is the play where nobody picked:
    there everybody plays for himself, and open hands have no value of two sides that could be
    solved. Worlds in which somebody passed with a hand to pick on count less (`doubt`), or a learnt
    policy says which worlds explain bids, calls and cards (`belief`).
    """

    name = "pimc"
    Config: ClassVar[type[Any]] = PimcConfig
    rest = "before"

    def __init__(self, game: Game, config: Any = None) -> None:
        """Prepare; the memory is made when it is first needed."""
        super().__init__(game, config)
        self.before = load_agent(self.config.before, game)
        self._weigher = find_weigher(self, self.config.belief)
        self._desks = threading.local()

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Solve worlds where a card is played in a picked hand; leave the rest to the other."""
        is_solved = views["phase"] == PLAYING
        if not is_solved.any():
            return self.before.act(views, seats, rngs, games)
        here, rest = np.flatnonzero(is_solved), np.flatnonzero(~is_solved)
        parts = [(here, self._solve(views[here], seats[here], rngs[here]))]
        if len(rest):
            others = self.before.act(views[rest], seats[rest], rngs[rest], games[rest])
            parts.append((rest, others))
        return Decisions.merge(len(views), parts)

    def think(
        self, view: np.record, seat: Seat, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide for one view, again and again while more worlds are solved."""
        views, _, rngs, _ = self.ask_one(view, seat, rng)
        if view.phase != PLAYING:
            yield from self.before.think(view, seat, rng, game)
            return
        for found in self._solve_more(views[0], seat, rngs[0]):
            yield self._decide([found])

    def _solve(self, views: States, seats: Seats, rngs: Rngs) -> Decisions:
        """Solve worlds for every view."""
        return self._decide(
            [self.solve_worlds(views[k], int(seats[k]), rngs[k]) for k in range(len(views))]
        )

    def _decide(self, solved: list[Found]) -> Decisions:
        """Decide by what was found in worlds."""
        actions, n_choices = np.zeros(len(solved), np.int64), np.zeros(len(solved), np.int64)
        choices = np.full((len(solved), HAND_CARDS), NO_ACTION)
        weights, visits, values, errors, *wins = np.full((6, *choices.shape), np.nan)
        for k, found in enumerate(solved):
            n = n_choices[k] = len(found.cards)
            actions[k] = found.cards[found.best]
            choices[k, :n], weights[k, :n], weights[k, found.best] = found.cards, 0, 1
            visits[k, :n] = len(found.gains)
            values[k, :n], errors[k, :n] = found.means, found.errors
            wins[0][k, :n], wins[1][k, :n] = found.wins
        if self.config.objective == "points":  # of one hand: none of the usual values
            return Decisions(actions, choices, n_choices, weights, visits)
        kinds = kinds_of(len(solved), ValueKind.SCORE)
        columns = (choices, n_choices, weights, visits, values, errors, kinds)
        return Decisions(actions, *columns, wins=wins[0], win_errors=wins[1])

    def solve_worlds(self, view: np.record, seat: Seat, rng: Rng) -> Found:
        """Draw worlds, solve them for every card, and choose; points decide where money does not.

        The seat's cards and its side are the same in all worlds.
        """
        worlds, weights = self._draw(view, seat, rng)
        cards = self.game.legal(view, seat)
        return self._choose(worlds, weights, seat, cards, self._gains(worlds, seat, cards))

    def _solve_more(self, view: np.record, seat: Seat, rng: Rng) -> Iterator[Found]:
        """Solve some worlds after the others; the last is what `solve_worlds` finds."""
        worlds, weights = self._draw(view, seat, rng)
        worlds, cards = worlds.copy(), self.game.legal(view, seat)
        gains = np.zeros((0, len(cards)))
        for first in range(0, len(worlds), LOOK_WORLDS):
            more = self._gains(worlds[first : first + LOOK_WORLDS], seat, cards)
            gains = np.concatenate([gains, more])
            n = len(gains)
            yield self._choose(worlds[:n], weights[:n], seat, cards, gains)

    def _draw(self, view: np.record, seat: Seat, rng: Rng) -> tuple[States, Floats]:
        """Draw worlds and weigh them; of those that a belief weighs, keep some by their weights."""
        states = self._desk()[2]
        states[0] = view
        draw_worlds(states, 1, len(states) - 1, seat, rng)
        if self._weigher is not None:
            weights = weights_of(self._weigher(view, seat, states[1:], rng))
            kept, times = np.unique(keep_by_weight(weights, self.config.worlds), return_counts=True)
            return states[1:][kept], times.astype(np.float64)
        worlds = _fitting(states[1:])
        doubt = self.config.doubt
        return worlds, np.array([pass_weight(world, PICK_FROM, doubt) for world in worlds])

    def _choose(
        self, worlds: States, weights: Floats, seat: Seat, cards: list[Action], gains: Floats
    ) -> Found:
        """Choose a card by what it gains in worlds."""
        shares = weights / weights.sum()
        means = shares @ gains
        tied = np.flatnonzero(means > means.max() - NO_DIFFERENCE)
        best = int(tied[0])
        if len(tied) > 1 and self.config.objective == "money":
            points = self._gains(worlds, seat, [cards[k] for k in tied], "points")
            best = int(tied[np.argmax(shares @ points)])
        return Found(cards, gains, shares, best, int(worlds[0].money[seat]))

    def _gains(
        self, worlds: States, seat: Seat, cards: list[Action], wanted: Objective | None = None
    ) -> Floats:
        """Solve worlds: the money of the seat after this hand, or the points of its side."""
        objective = self.config.objective if wanted is None else wanted
        boards, memory, _ = self._desk()
        solve = rows_after if objective == "money" else points_after_each
        chosen = np.uint64(sum(1 << card for card in cards))
        found = np.zeros((len(worlds), CARDS), np.int64)
        for world, row in zip(worlds, found, strict=True):
            solve(world, boards, memory, chosen, row)
        found = found[:, cards]
        if objective == "money":
            gains = payments_by_row(worlds[0])[found, seat] + worlds[0].money[seat]
        else:
            gains = found if is_on_side(worlds[0], seat) else TOTAL_POINTS - found
        return gains.astype(np.float64)

    def _desk(self) -> Desk:
        """Return this thread's memory."""
        desk: Desk | None = getattr(self._desks, "desk", None)
        if desk is None:
            n = self.config.worlds
            n = n if self._weigher is None else self.config.drawn
            desk = self._desks.desk = (*make_desk(), self.game.blank(1 + n))
        return desk


def _fitting(worlds: States) -> States:
    """Leave out worlds that contradict the view, unless all do."""
    fit = worlds["misfits"] == 0
    return worlds[fit] if fit.any() else worlds


def random_hand(game: Game, n_cards: int, seed: int, number: int = 0) -> np.record:
    """Make an open hand that somebody has picked, and play until all hold so many cards.

    The bot `rule` bids, buries and calls; cards are played at random.

    Args:
        game: Sheephead, under any options.
        n_cards: what everybody holds in the end.
        seed: what cards and play derive from.
        number: of the hand; each number is another one.
    """
    check_game(game)
    if not is_whole(n_cards) or not 1 <= n_cards <= HAND_CARDS:
        raise PositionError(f"an open hand has 1 to {HAND_CARDS} cards each, got {clip(n_cards)}")
    state = game.blank(1)[0]
    rng = derive(check_seed(seed), Purpose.PLAYOUT, check_seed(number))
    rule = load_agent("rule", game)
    while state.phase != PLAYING:
        state = game.blank(1)[0]
        deal(state, rng)
        while movers(state) and state.phase < PLAYING:
            seat = int(state.turn)
            view = state.copy()
            conceal(view, seat)
            apply(state, seat, int(rule.decide(view, seat, rng).actions[0]))
    while state.tricks_played < HAND_CARDS - n_cards:
        apply(state, int(state.turn), int(random_action(state, int(state.turn), rng)))
    return state
