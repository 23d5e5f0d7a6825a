"""The player that we ship: a learnt policy, and worlds weighed by how well it explains them.

The policy alone bids, buries and calls (`search` says where it thinks). For a card it draws worlds
that fit what it has seen, weighs each by how well the policy explains everything that the others
have done there, and keeps some by these weights. In each the policy plays the hand on after
every card, to its end or to what a critic says of it, with every seat seeing its own cards only;
the exact solver, for whom all cards are open, may judge beside it (`solver`). The policy's own
liking and conventions count as well.
"""

import threading
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind, kinds_of
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import Actions, Seat, States
from kibitz.core.kernels import kernel
from kibitz.core.registry import load_agent
from kibitz.core.rng import RNG, Rng, Rngs
from kibitz.core.table import Game
from kibitz.games.sheephead.cards import CARDS
from kibitz.games.sheephead.conventions import count_conventions
from kibitz.games.sheephead.minds import HEAT, N_SCRATCH, NEVER, Mind, explain_all, look, roll_out
from kibitz.games.sheephead.open_hand import Boards, make_desk, payments_by_row, rows_after
from kibitz.games.sheephead.recalling import N_PLAYS, N_STATES, recall
from kibitz.games.sheephead.state import BLITZING, CRACKING, LEASTER_PLAYING, PLAYING
from kibitz.search.agent import MAX_WORLDS, Floats
from kibitz.search.candidates import make_critic, make_policy
from kibitz.search.models import load_model
from kibitz.search.worlds import draw_worlds, errors_of_means, keep_by_weight, weights_of

SHIPPED, SHIPPED_CRITIC = "sheephead-best", "sheephead-critic"

NOT_LEARNT = (BLITZING, CRACKING, LEASTER_PLAYING)
"""Phases of options that the policy has never met: there `rule` decides."""


@dataclass(frozen=True)
class BestConfig:
    """Parameters of `best`."""

    model: str = SHIPPED  # a policy of candidates: see `kibitz train sheephead-best`
    # Where it thinks: cards of picked hands; every card; all decisions; none, the policy alone.
    search: Literal["cards", "play", "all", "none"] = "cards"
    drawn: int = 160  # worlds that are drawn and weighed
    worlds: int = 80  # of them, that judges are asked about
    doubt: float = 0.1  # share of actions that nothing explains
    solver: float = 0.0  # how much the exact solver counts, against the policy's playouts
    # What a hand that is played on is worth: at its end, or by a critic at the own next choice.
    leaf: Literal["end", "value"] = "end"
    critic: str = SHIPPED_CRITIC  # which one; it is shown worlds that were drawn, never the deal
    prior: float = 1.0  # cents that a logarithm of the policy's probability counts
    habits: float = 10.0  # cents that following a convention counts
    bidding: Literal["best", "rule"] = "best"  # who bids, buries and calls, to measure one alone
    play: Literal["best", "rule"] = "best"  # who plays cards

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        if not 1 <= self.worlds <= self.drawn <= MAX_WORLDS:
            raise SpecError(
                f"best: worlds are 1 or more, and drawn ones as many or more, up to {MAX_WORLDS}, "
                f"got worlds={self.worlds} and drawn={self.drawn}"
            )
        if not 0 < self.doubt <= 1 or not 0 <= self.solver <= 1:
            raise SpecError(
                "best: doubt is above 0 and at most 1, and solver from 0 to 1, "
                f"got {self.doubt} and {self.solver}"
            )
        if not (0 <= self.prior <= 1e6 and 0 <= self.habits <= 1e6):
            raise SpecError(
                f"best: prior and habits are 0 to 1e6, got {self.prior} and {self.habits}"
            )


class Desk(NamedTuple):
    """The memory of one thread."""

    mind: Mind
    states: States  # the view, and worlds after it
    past: States  # of `recall`
    order: npt.NDArray[np.int64]
    boards: Boards
    table: np.record
    rngs: Rngs  # [2]


class Thought(NamedTuple):
    """What is known of one decision."""

    actions: list[int]
    liked: Floats  # log-probabilities of the policy, and what habits add
    gains: Floats  # cents in each world: [worlds, actions]; none where it did not think
    kept: npt.NDArray[np.int64]  # which of the worlds drawn each is: [worlds]
    best: int

    @classmethod
    def without_worlds(cls, actions: list[int], liked: Floats) -> "Thought":
        """Return what the policy alone would do."""
        none = np.zeros((0, len(actions)))
        return cls(actions, liked, none, np.zeros(0, np.int64), int(liked.argmax()))


@kernel
def _like(mind: Mind, view: np.record, seat: Seat) -> int:
    return look(mind, view, seat)


class BestAgent(Agent):
    """Bids by what it has learnt, and plays what is best on average over weighed worlds."""

    name = "best"
    Config: ClassVar[type[Any]] = BestConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Load the policy."""
        super().__init__(game, config)
        self.model = load_model(self.config.model, game)
        card = self.model.card
        if card.kind != "mlp" or card.inputs != "candidates" or list(card.heads) != ["policy"]:
            raise AgentError(
                f"best takes a policy of candidates, model {clip(self.config.model, 200)} has "
                f"{', '.join(card.heads)} of rows of {card.inputs}: train it by sheephead-best"
            )
        values = self.config.leaf == "value"
        if values and not game.has_secrets:
            raise AgentError(
                "best: leaf=value asks a critic that has learnt hidden hands, and "
                f"{game.spec} shows all: leave it out"
            )
        self.critic = load_model(self.config.critic, game, "critic") if values else None
        if self.critic is not None and self.critic.card.encoding != card.encoding:
            raise AgentError(
                f"best: a critic sees what its policy sees, {card.encoding!r}, critic "
                f"{clip(self.config.critic, 200)} has {self.critic.card.encoding!r}"
            )
        self._rule = load_agent("rule", game)
        self._desks = threading.local()

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Decide for every view, one after the other."""
        thoughts = [
            self.ponder(views[k], int(seats[k]), rngs[k : k + 1]) for k in range(len(views))
        ]
        most = max((len(one.actions) for one in thoughts), default=0)
        choices = np.full((len(views), most), NO_ACTION)
        weights, visits, values, errors = np.full((4, len(views), most), np.nan)
        for k, one in enumerate(thoughts):
            n = len(one.actions)
            choices[k, :n], weights[k, :n] = one.actions, 0
            weights[k, one.best] = 1
            if not len(one.gains):
                weights[k, :n] = np.exp(one.liked - np.logaddexp.reduce(one.liked))
                continue
            visits[k, :n] = len(one.gains)
            values[k, :n] = one.gains.mean(axis=0) + views[k].money[seats[k]]
            errors[k, :n] = errors_of_means(one.gains, one.kept)
        actions = np.array([one.actions[one.best] for one in thoughts], np.int64)
        n_choices = np.array([len(one.actions) for one in thoughts], np.int64)
        kinds = kinds_of(len(views), ValueKind.SCORE)
        return Decisions(actions, choices, n_choices, weights, visits, values, errors, kinds)

    def ponder(self, view: np.record, seat: Seat, rngs: Rngs) -> Thought:
        """Ask the policy and, where it is to think, worlds."""
        who = self.config.bidding if view.phase < PLAYING else self.config.play
        if who == "rule" or view.phase in NOT_LEARNT:
            action = int(self._rule.decide(view, seat, rngs[0]).actions[0])
            return Thought.without_worlds([action], np.zeros(1))
        mind = self._desk().mind
        n = int(_like(mind, view, seat))
        actions, liking = mind.policy.listed[:n].tolist(), mind.policy.logits[:n].copy()
        searched = {
            "cards": view.phase == PLAYING,
            "play": view.phase >= PLAYING,
            "all": True,
            "none": False,
        }
        followed = np.zeros(n)
        if self.config.habits:
            count_conventions(view, seat, mind.policy.listed[:n], followed)
        habits = self.config.habits * followed
        liked = habits + liking
        if n < 2 or not searched[self.config.search]:
            return Thought.without_worlds(actions, liked)
        worlds, kept = self.draw(view, seat, rngs)
        gains = self._gains(worlds, seat, np.array(actions, np.int64), rngs[0])
        worth = habits + gains.mean(axis=0) + self.config.prior * liking
        return Thought(actions, liked, gains, kept, int(worth.argmax()))

    def draw(self, view: np.record, seat: Seat, rngs: Rngs) -> tuple[States, npt.NDArray[np.int64]]:
        """Draw worlds, keep some by their weights, and return them and which they are.

        Heavy ones are kept more than once.
        """
        config, desk = self.config, self._desk()
        desk.states[0] = view
        draw_worlds(desk.states, 1, config.drawn, seat, rngs[0])
        worlds = desk.states[1:]
        logs = self.explain(worlds, seat, rngs[0])
        kept = keep_by_weight(weights_of(logs), config.worlds)
        return worlds[kept], kept

    def explain(self, worlds: States, seat: Seat, rng: Rng) -> Floats:
        """Return how likely the policy says that the other seats did what they did, in logarithms.

        The worlds are those of one view; what another seat has buried is drawn again in each. Where
        nothing explains what was done, worlds that fit best are likeliest.
        """
        desk, logs = self._desk(), np.zeros(len(worlds))
        one = worlds[int(worlds["misfits"].argmin())]  # what was played is the same in all
        n_played = 0 if one.phase < PLAYING else recall(one, desk.past, desk.order)
        explain_all(desk.mind, worlds, seat, desk.order, n_played, self.config.doubt, rng, logs)
        return np.where(logs > NEVER, logs, NEVER * (1.0 + worlds["misfits"]))

    def _gains(self, worlds: States, seat: Seat, actions: Actions, rng: Rng) -> Floats:
        """Return what each action gains in each world, by both judges: [worlds, actions]."""
        desk = self._desk()
        share = self.config.solver if worlds[0].phase == PLAYING else 0.0
        gains = np.zeros((len(worlds), len(actions)))
        if share < 1:
            desk.rngs[0] = rng
            rolled = np.zeros_like(gains)
            roll_out(desk.mind, worlds, seat, actions, desk.rngs, rolled)
            gains += (1 - share) * rolled
        if share > 0:
            chosen = np.uint64(sum(1 << int(card) for card in actions))
            rows = np.zeros((len(worlds), CARDS), np.int64)
            for world, row in zip(worlds, rows, strict=True):
                rows_after(world, desk.boards, desk.table, chosen, row)
            gains += share * payments_by_row(worlds[0])[rows[:, actions], seat]
        return gains

    def _desk(self) -> Desk:
        """Return this thread's memory."""
        desk: Desk | None = getattr(self._desks, "desk", None)
        if desk is None:
            game = self.game
            mind = Mind(
                make_policy(self.model, game, HEAT),
                make_critic(self.critic or self.model, game),  # without one, never asked
                self.critic is not None,
                game.blank(N_SCRATCH),
            )
            order = np.zeros(N_PLAYS, np.int64)
            past, states = game.blank(N_STATES), game.blank(1 + self.config.drawn)
            rngs = np.zeros(2, RNG)
            desk = self._desks.desk = Desk(mind, states, past, order, *make_desk(), rngs)
        return desk
