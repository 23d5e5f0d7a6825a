"""Calls by models of their own, which say whether a hand goes out first: the thesis, 5.3.

The models see 17 counts, one for each value of a card. One was trained on the first eight cards and
answers the question for Grand Tichu, one on fourteen after the exchange and answers that for Tichu.
`caller` puts both on top of another player, whose other decisions stay as they are. While networks
learn in self-play, `CallerAgent.answers` does the same inside kernels.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions
from kibitz.core.encoding import Layout
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.exploring import define_explorer
from kibitz.core.game import Action, Features, Seat, State, States
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.registry import load_agent
from kibitz.core.rng import Rng, Rngs
from kibitz.core.table import Game
from kibitz.games.tichu.cards import (
    CALL,
    GRAND,
    NO_GRAND,
    NO_TICHU,
    TICHU,
    other_action,
)
from kibitz.games.tichu.sight import VALUES, count_values
from kibitz.games.tichu.state import CALLING, GRAND_CALLING, is_exchanged

COUNTS_LAYOUT: Layout = (("hand", (VALUES,)),)  # cards of each value

KEEP = "none"
"""In place of a model: the player below answers this question itself."""


@kernel
def observe_counts(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write how many cards of each value the seat holds."""
    for i in range(len(out)):
        out[i] = 0
    count_values(view.hand[seat], 1, 0, out)


WIDTHS = (48, 96)
"""Hidden outputs of the thesis's models, which are the ones that run inside kernels of learning."""


@inner_kernel
def _chance(view: State, seat: Seat, answers: np.record, k: int) -> float:
    """Return what model k says of a hand: the chance that it goes out first."""
    hand, first, second = answers.hand, answers.first, answers.second
    for i in range(VALUES):
        hand[i] = 0
    count_values(view.hand[seat], 1, 0, hand)
    for j in range(WIDTHS[0]):
        first[j] = answers.b0[k, j]
    for i in range(VALUES):
        if hand[i] != 0:
            for j in range(WIDTHS[0]):
                first[j] += hand[i] * answers.w0[k, i, j]
    for j in range(WIDTHS[1]):
        second[j] = answers.b1[k, j]
    for i in range(WIDTHS[0]):
        if first[i] > 0:
            for j in range(WIDTHS[1]):
                second[j] += first[i] * answers.w1[k, i, j]
    said = float(answers.b2[k])
    for j in range(WIDTHS[1]):
        said += max(second[j], np.float32(0)) * answers.w2[k, j]
    return 0.5 * (1.0 + np.tanh(0.5 * said))


@kernel
def _answer(view: State, seat: Seat, answers: np.record, rng: Rng) -> Action:
    """Answer the question for a call, if it is asked and there is a model for it."""
    is_grand = view.phase == GRAND_CALLING
    k = 0 if is_grand else 1
    if not (is_grand or view.phase == CALLING) or answers.is_asked[k] == 0:
        return NO_ACTION
    free = view.call[(seat + 2) & 3] == 0 and (is_grand or is_exchanged(view))
    calls = free and _chance(view, seat, answers, k) >= answers.cutoff[k]
    if is_grand:
        return other_action(CALL, GRAND if calls else NO_GRAND)
    return other_action(CALL, TICHU if calls else NO_TICHU)


ANSWERS = define_explorer(
    "tichu_answers",
    [  # of two models: for Grand Tichu, and for Tichu
        ("is_asked", np.int64, (2,)),  # 0: there is none
        ("cutoff", np.float64, (2,)),
        ("w0", np.float32, (2, VALUES, WIDTHS[0])),
        ("b0", np.float32, (2, WIDTHS[0])),
        ("w1", np.float32, (2, *WIDTHS)),
        ("b1", np.float32, (2, WIDTHS[1])),
        ("w2", np.float32, (2, WIDTHS[1])),
        ("b2", np.float32, (2,)),
        ("hand", np.float32, (VALUES,)),  # scratch: every thread needs a copy of its own
        ("first", np.float32, (WIDTHS[0],)),
        ("second", np.float32, (WIDTHS[1],)),
    ],
    _answer,
)


@dataclass(frozen=True)
class CallerConfig:
    """Parameters of a player whose calls are made by models."""

    of: str = "convention"  # who decides everything else
    grand: str = "tichu-grand"  # a model for eight cards, or none
    tichu: str = "tichu-tichu"  # a model for fourteen, or none
    grand_cutoff: float = 0.5  # call from this probability of going out first on
    tichu_cutoff: float = 0.5

    def __post_init__(self) -> None:
        """Refuse what is no probability."""
        for cutoff in (self.grand_cutoff, self.tichu_cutoff):
            if not 0 <= cutoff <= 1:
                raise SpecError(f"a cutoff is a probability from 0 to 1, got {cutoff}")


class CallerAgent(Agent):
    """Calls by what models say of its hand; another player decides the rest.

    Tichu is called after the exchange, or by the other player later, in his turn. Nobody calls
    whose partner has.
    """

    name = "caller"
    Config = CallerConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Load the player and the models."""
        super().__init__(game, config)
        if self.config.of.partition(":")[0] == self.name:
            raise SpecError(f"a {self.name} sits on top of another player, not of itself")
        from kibitz.search.models import load_model

        self.of = load_agent(self.config.of, game)
        self._models = {}
        for phase, name in ((GRAND_CALLING, self.config.grand), (CALLING, self.config.tichu)):
            if name == KEEP:
                continue
            model = load_model(name, game)
            if model.encoding.name != "counts" or model.card.value != "win":
                raise AgentError(
                    f"model {clip(name, 200)} does not tell from 17 counts who goes out first: "
                    "train one by kibitz train tichu-grand or tichu-tichu"
                )
            self._models[phase] = model

    @cached_property
    def answers(self) -> np.record:
        """Both models as a record that `urge` answers by, inside kernels."""
        made = ANSWERS.copy()
        made.cutoff[:] = self.config.grand_cutoff, self.config.tichu_cutoff
        for k, phase in enumerate((GRAND_CALLING, CALLING)):
            if phase not in self._models:
                continue
            layers = self._models[phase].layers
            if tuple(len(bias) for _, bias in layers) != (*WIDTHS, 1):
                raise AgentError(
                    "models that answer while others learn have two hidden layers of "
                    f"{WIDTHS[0]} and {WIDTHS[1]}: train one by kibitz train tichu-tichu"
                )
            made.is_asked[k] = 1
            for i, (weights, bias) in enumerate(layers):
                made[f"w{i}"][k], made[f"b{i}"][k] = np.squeeze(weights), np.squeeze(bias)
        return made

    @property
    def watches(self) -> bool:
        """Whether the other player wants to see what happens."""
        return self.of.watches

    @property
    def forgets(self) -> bool:
        """Whether the other player wants to know which games are over."""
        return self.of.forgets

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Show the other player what happens."""
        self.of.watch(views, seats, games)

    def end(self, games: Games) -> None:
        """Pass on to the other player which games are over."""
        self.of.end(games)

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Let the other player decide, and replace its answers to questions for a call."""
        decided = self.of.act(views, seats, rngs, games).actions.copy()
        cutoffs = {GRAND_CALLING: self.config.grand_cutoff, CALLING: self.config.tichu_cutoff}
        for phase, model in self._models.items():
            asked = np.flatnonzero(views["phase"] == phase)
            if not len(asked):
                continue
            rows = model.encoding.observe(views[asked], seats[asked])
            chances = model.read_values(model.evaluate(rows)["value"])[:, 0]
            partners = views["call"][asked, (seats[asked] + 2) & 3]
            is_late = views["given"][asked, 0, 0] != 0  # the cards have changed hands
            calls = (chances >= cutoffs[phase]) & (partners == 0)
            calls &= is_late | (phase == GRAND_CALLING)
            yes, no = (GRAND, NO_GRAND) if phase == GRAND_CALLING else (TICHU, NO_TICHU)
            decided[asked] = np.where(calls, other_action(CALL, yes), other_action(CALL, no))
        return Decisions(decided)
