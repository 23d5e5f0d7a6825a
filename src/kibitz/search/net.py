"""The network of a model alone: no search, one look at every view."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import NO_ACTION, Decisions, kinds_of
from kibitz.core.encoding import MAX_TEMPERATURE, MIN_TEMPERATURE, write_indices
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import Features, Legal, States
from kibitz.core.kernels import kernel
from kibitz.core.listing import list_legal
from kibitz.core.rng import Rngs
from kibitz.core.softmax import count_sharing, draw_places, gather, write_probabilities
from kibitz.core.table import Game
from kibitz.search.mlp import Rows
from kibitz.search.models import load_model
from kibitz.search.values import KINDS

CHUNK = 1024
"""Views whose candidates are scored together: their features take much memory."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NetConfig:
    """Parameters of a network that plays without a search."""

    model: str = "none"  # the name of a model, or its folder
    temperature: float = 0.0  # 0: what it likes best; else drawn from the softmax

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        if self.temperature != 0 and not MIN_TEMPERATURE <= self.temperature <= MAX_TEMPERATURE:
            raise SpecError(
                f"temperature={self.temperature}: expected 0, or {MIN_TEMPERATURE:g} to "
                f"{MAX_TEMPERATURE:g}"
            )


class _Opinion(NamedTuple):
    """What a network says about legal actions [all], and about views."""

    outputs: dict[str, Floats]  # [all] of the heads policy and q
    sharing: Ints  # [all] how many legal actions of the view have the same index
    worth: npt.NDArray[Any] | None = None  # [views] of the head value


class NetAgent(Agent):
    """Plays what a network likes best, or draws from its policy, without a search."""

    name = "net"
    Config = NetConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Load the model."""
        super().__init__(game, config)
        if self.config.model == "none":
            raise AgentError(
                f"{self.name} needs a model: {self.name}:model=NAME, or a folder such as ./NAME; "
                "kibitz models lists what ships"
            )
        self.model = load_model(self.config.model, game)
        self._head = next((name for name in ("policy", "q") if name in self.model.card.heads), "")
        if not self._head:
            raise AgentError(
                f"model {clip(self.config.model, 200)} has neither a policy nor q, so it cannot "
                "choose an action: use it in a search"
            )

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Ask the network about all views; each draws one number from its stream.

        `info["worth"]` is what the head value says of each position, for the deciding seat.
        """
        legal, card = list_legal(views, seats), self.model.card
        seen = self.model.encoding.observe(views, seats)
        ask = self._ask_candidates if card.inputs == "candidates" else self._ask_views
        found = ask(views, seats, legal, seen)
        so_far = self.model.so_far(views)[np.arange(len(views)), seats]
        values = self._read(found.outputs.get("q"), np.repeat(so_far, np.diff(legal.offsets)))
        liking = found.outputs[self._head]
        if self._head == "q" and self.config.temperature and values is not None:
            liking = values  # so a temperature is in units of value
        weights, places = np.empty(len(liking)), np.empty(len(views), np.int64)
        write_probabilities(liking, found.sharing, legal.offsets, self.config.temperature, weights)
        draw_places(weights, legal.offsets, rngs, places)
        return Decisions(
            legal.actions[places],
            _spread(legal.actions, legal, NO_ACTION),
            np.diff(legal.offsets),
            _spread(weights, legal, np.nan),
            values=None if values is None else _spread(values, legal, np.nan),
            kinds=None if card.value is None else kinds_of(len(views), KINDS[card.value]),
            info={} if found.worth is None else {"worth": self._read(found.worth, so_far)},
        )

    def _ask_views(self, views: States, seats: Seats, legal: Legal, seen: Features) -> _Opinion:
        """Run the network once per view, and pick what it says of legal actions."""
        outputs, encoding, n = self.model.evaluate(seen), self.model.encoding, len(legal.actions)
        indices, sharing = np.empty(n, np.int64), np.empty(n, np.int64)
        write_indices(views, seats, legal, encoding.record, indices)
        count_sharing(indices, legal.offsets, np.zeros(encoding.n_actions, np.int64), sharing)
        picked = {name: np.empty(n) for name in outputs if name != "value"}
        for name, out in picked.items():
            gather(np.ascontiguousarray(outputs[name]), indices, legal.offsets, out)
        return _Opinion(picked, sharing, outputs["value"][:, 0] if "value" in outputs else None)

    def _ask_candidates(
        self, views: States, seats: Seats, legal: Legal, seen: Features
    ) -> _Opinion:
        """Run the network once per legal action."""
        n = len(legal.actions)
        outputs = {name: np.empty(n) for name in self.model.card.sizes}
        for first in range(0, len(views), CHUNK):
            some = slice(first, min(first + CHUNK, len(views)))
            begin, end = legal.offsets[some.start], legal.offsets[some.stop]
            offsets = legal.offsets[some.start : some.stop + 1] - begin
            part = Legal(legal.actions[begin:end], offsets)
            rows = self.model.encoding.observe_candidates(views[some], seats[some], part)
            made = self.model.evaluate_candidates(Rows(seen[some], rows, offsets))
            for name, out in outputs.items():
                out[begin:end] = made[name][:, 0]
        return _Opinion(outputs, np.ones(n, np.int64))

    def _read(self, outputs: npt.NDArray[Any] | None, so_far: Floats) -> Floats | None:
        """Return what outputs mean, with the scores so far if they tell the rest."""
        if outputs is None:
            return None
        return self.model.read_values(outputs).astype(np.float64) + so_far


def _spread(flat: npt.NDArray[Any], legal: Legal, filled: float) -> Any:
    """Return what is known of legal actions [all] as rows, padded: [views, most]."""
    n_choices = np.diff(legal.offsets)
    out = np.full((len(n_choices), n_choices.max(initial=0)), filled, flat.dtype)
    spread(flat, legal.offsets, out)
    return out


@kernel
def spread(flat: npt.NDArray[Any], offsets: Ints, out: npt.NDArray[Any]) -> None:
    """Write [all] to the beginnings of rows [views, most]."""
    for i in range(len(out)):
        for k in range(offsets[i], offsets[i + 1]):
            out[i, k - offsets[i]] = flat[k]
