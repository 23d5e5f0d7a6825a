"""Calls by models of their own, which say whether a hand goes out first: the thesis, 5.3.

The models see 17 counts, one for each value of a card. One was trained on the first eight cards and
answers the question for Grand Tichu, one on fourteen after the exchange and answers that for Tichu.
`caller` puts both on top of another player, whose other decisions stay as they are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.encoding import Layout
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import Features, Seat, State, States
from kibitz.core.kernels import kernel
from kibitz.core.registry import load_agent
from kibitz.core.rng import Rngs
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
from kibitz.games.tichu.state import CALLING, GRAND_CALLING

COUNTS_LAYOUT: Layout = (("hand", (VALUES,)),)  # cards of each value

KEEP = "none"
"""In place of a model: the player below answers this question itself."""


@kernel
def observe_counts(view: State, seat: Seat, encoding: np.record, out: Features) -> None:
    """Write how many cards of each value the seat holds."""
    for i in range(len(out)):
        out[i] = 0
    count_values(view.hand[seat], 1, 0, out)


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
