"""The bot of the paper's learning scheme: critics and predictors that were learnt, one step ahead.

What it does is `lookahead`; what it knows is a model of normalised Gaussian networks, which
`kibitz train sheephead-ngnet` makes. Queens are shown, payments are doubled and leasters are played
like `rule` does.
"""

import threading
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind, kinds_of
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import States
from kibitz.core.kernels import kernel
from kibitz.core.rng import Rngs
from kibitz.core.table import Game
from kibitz.games.sheephead.bidding import ALONE_FROM, PICK_FROM
from kibitz.games.sheephead.bots import bid_by_rule, play_by_rule
from kibitz.games.sheephead.doubling import n_doublings
from kibitz.games.sheephead.lookahead import (
    CENTS,
    MAX_WORLDS,
    OPPONENTS,
    STRENGTHS,
    VIEW,
    Brain,
    Desk,
    make_desk,
    make_plan,
    weigh,
)
from kibitz.games.sheephead.rules import MAX_LEGAL
from kibitz.games.sheephead.situations import (
    CARD_CLASSES,
    CRITIC_INPUTS,
    CRITIC_NAMES,
    NOLA_CLASSES,
    NOLA_SITUATION,
    PAPER_INPUTS,
    PICKED,
    SITUATION_INPUTS,
    TABLE_2,
    TABLE_3,
)
from kibitz.games.sheephead.state import PLAYING
from kibitz.search.models import Model, load_model
from kibitz.search.ngnet import Net, pack, say_all

PREDICTOR_NAMES = tuple(
    f"{kind}-{place + 1}" for kind in ("predictor", "nola-predictor") for place in range(OPPONENTS)
)
"""One for each opponent to the left, in picked hands and in Nola."""

PICKS = "picks"
"""How often hands pick, by their strength."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NgnetConfig:
    """Parameters of the scheme that has been learnt."""

    model: str = "sheephead-ngnet"  # the name of a model, or its folder
    worlds: int = 20  # drawn for every decision
    predictor: Literal["own", "rule"] = "own"  # rule: others are expected to play like the bot
    bids: Literal["own", "rule"] = "own"  # rule: picks, buries and calls like the bot

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        if not 1 <= self.worlds <= MAX_WORLDS:
            raise SpecError(f"worlds={self.worlds}: expected 1..{MAX_WORLDS}")


class _Answers(NamedTuple):
    """What is decided, view by view."""

    actions: Ints  # [views]
    n_choices: Ints  # [views]
    choices: Ints  # [views, 28]
    values: Floats  # [views, 28]: cents


class NgnetAgent(Agent):
    """Plays what has most merit one step ahead, in worlds that fit what it has seen."""

    name = "ngnet"
    Config = NgnetConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Load the model."""
        super().__init__(game, config)
        model = load_model(self.config.model, game)
        self.brain = read_brain(model, self.config.model)
        by_rule = self.config.predictor == "rule" or PREDICTOR_NAMES[0] not in model.nets
        self._plan = make_plan(self.config.worlds, by_rule, model.card.encoding == "paper")
        self._desks = threading.local()

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Look one step ahead in every view."""
        n = len(views)
        found = _Answers(
            np.zeros(n, np.int64),
            np.ones(n, np.int64),
            np.full((n, MAX_LEGAL), NO_ACTION),
            np.full((n, MAX_LEGAL), np.nan),
        )
        own_bids = self.config.bids == "own"
        act_all(views, seats, rngs, (self._desk(), self.brain, self._plan), own_bids, found)
        most = int(found.n_choices.max(initial=1))
        choices, values = found.choices[:, :most], found.values[:, :most]
        weights = np.where(choices == NO_ACTION, np.nan, choices == found.actions[:, None])
        kinds = kinds_of(n, ValueKind.SCORE)
        return Decisions(
            found.actions, choices, found.n_choices, weights, values=values, kinds=kinds
        )

    def _desk(self) -> Desk:
        """Return this thread's memory."""
        desk: Desk | None = getattr(self._desks, "desk", None)
        if desk is None:
            worlds = self.config.worlds
            desk = self._desks.desk = make_desk(self.game.blank(worlds + 3), worlds)
        return desk


@kernel
def act_all(
    views: States,
    seats: Ints,
    rngs: npt.NDArray[np.record],
    table: tuple[Desk, Brain, np.record],
    own_bids: bool,
    found: _Answers,
) -> None:
    """Choose the action of most merit in every view, the first of equals."""
    desk, brain, plan = table
    for k in range(len(views)):
        view, seat = views[k], seats[k]
        desk.states[VIEW] = view
        n = 0
        if own_bids or view.phase >= PLAYING:
            n = weigh(seat, desk, brain, plan, rngs[k])
        if n == 0:
            if view.phase >= PLAYING:
                found.actions[k] = play_by_rule(view, seat)
            else:
                found.actions[k] = bid_by_rule(view, seat, PICK_FROM, ALONE_FROM)
            found.choices[k, 0] = found.actions[k]
            continue
        best, worth = 0, CENTS * (1 << n_doublings(view))
        for i in range(n):
            best = i if desk.merits[i] > desk.merits[best] else best
            found.choices[k, i] = desk.listed[i]
            found.values[k, i] = desk.merits[i] * worth + view.money[seat]
        found.n_choices[k] = n
        found.actions[k] = desk.listed[best]


def read_brain(model: Model, name: str) -> Brain:
    """Return the networks of a model for kernels, if it has those of the scheme."""
    expected = _sizes(model.card.encoding == "paper")
    if model.nets and PREDICTOR_NAMES[0] not in model.nets:
        expected = {key: size for key, size in expected.items() if key not in PREDICTOR_NAMES}
    given = {key: (net.size[0], net.size[2]) for key, net in model.nets.items()}
    if given != expected:
        raise AgentError(
            f"model {clip(name, 200)} is no ngnet of sheephead: expected the inputs and outputs "
            f"{expected}, got {clip(given, 300)}"
        )
    nets = {key: model.nets.get(key, _BLANK) for key in (*CRITIC_NAMES, *PREDICTOR_NAMES)}
    networks, numbers = pack(nets)
    return Brain(networks, numbers, _pick_rates(model.nets[PICKS]))


_BLANK = Net(np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 2, 1)))
"""Stands for a predictor that is not asked."""


def _sizes(paper: bool) -> dict[str, tuple[int, int]]:
    """Return the inputs and outputs of all networks of the scheme, in order."""
    sizes = {
        name: (PAPER_INPUTS if paper and which < PICKED else n, 1)
        for which, (name, n) in enumerate(zip(CRITIC_NAMES, CRITIC_INPUTS, strict=True))
    }
    for k, name in enumerate(PREDICTOR_NAMES):
        own = (SITUATION_INPUTS, CARD_CLASSES) if k < OPPONENTS else (NOLA_SITUATION, NOLA_CLASSES)
        sizes[name] = (TABLE_2, TABLE_3) if paper else own
    return {**sizes, PICKS: (1, 1)}


def _pick_rates(net: Net) -> Floats:
    """Return what a network says of every strength, as chances."""
    networks, numbers = pack({PICKS: net})
    out = np.empty((STRENGTHS, 1))
    strengths = np.arange(STRENGTHS, dtype=np.float64)[:, None]
    say_all(networks[0], numbers, strengths, out, np.empty(2 * net.size[1]))
    rates: Floats = np.clip(out[:, 0], 0.01, 0.99)
    return rates
