"""`rig`: any agent of 6 nimmt! whose choice of a card is rigged by a rule of thumb.

`rig:kind=scatter,tau=-5,of=mcs:sims=200` is flat Monte Carlo that leans to isolated cards. What the
rigs are stands in `rigs.py`; here stands what they lean on, the weights w_i of the agent's cards:

- `random` would play any card: w_i = 1;
- who knows what cards are worth in points has w_i = exp(v_i / temperature), and plays the card with
  the highest weight. So a strength is a number of heads per unit, if the temperature is 1;
- who tells weights, such as probabilities, has these, and the card is drawn in proportion to them;
- everybody else is certain: only `close` can change what they play.

`by=weights` and `by=values` say which of the two to go by where an agent tells both. A rig says
nothing about the row that is taken nor about the picks of a draft: the agent's choice stands.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, Games, Seats, choose_all
from kibitz.core.decisions import NO_ACTION, Decisions, ValueKind
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import Actions, States
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.core.registry import load_agent
from kibitz.core.rng import RNG, Rng, Rngs, absorb, start, unit
from kibitz.core.spec import join_spec
from kibitz.core.table import Game
from kibitz.games.nimmt.rigs import KINDS, RIG, Kind, add_leanings
from kibitz.games.nimmt.state import CHOOSING, HAND_CARDS, HIGHEST_CARD, hand_size
from kibitz.search.random import RandomAgent

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

DEFAULTS: dict[Kind, dict[str, float | int]] = {
    "point": {"tau": 1.0},
    "close": {"distance": 0},
    "value": {"centre": float(HIGHEST_CARD), "deviation": 15.0},
    "scatter": {"tau": -5.0, "neighbours": HAND_CARDS - 1},
    "risk": {"tau": -1.0, "alpha": 15.0},
}
"""What every kind of rig takes, and what that is unless it is said."""

RANGES: dict[str, tuple[float, float]] = {
    "tau": (-1000, 1000),
    "distance": (0, HIGHEST_CARD),
    "centre": (-1000, 1000),
    "deviation": (0.1, 1000),
    "neighbours": (1, HAND_CARDS - 1),
    "alpha": (0, 1000),
    "temperature": (0.001, 1000),
}

_OWN_STREAM = 0x524947
"""The word by which a rig's stream differs from that of the agent inside."""


@dataclass(frozen=True)
class RigConfig:
    """Parameters of a rig; what its kind does not use is refused."""

    kind: Kind = "close"
    tau: float | None = None  # strength of point (1), scatter (-5) and risk (-1)
    distance: int | None = None  # close: cards away from being safe (0)
    centre: float | None = None  # value: the card that is liked best (104)
    deviation: float | None = None  # value: how far from it cards are still liked (15)
    neighbours: int | None = None  # scatter: how many cards of the hand are looked at (9: all)
    alpha: float | None = None  # risk: what distance counts beside points (15)
    by: Literal["auto", "weights", "values"] = "auto"  # what the agent inside is asked for
    temperature: float | None = None  # points by which a card weighs e times as much (1)
    of: str = "random"  # the agent inside: the rest of the spec

    def __post_init__(self) -> None:
        """Refuse parameters out of range, and those that another kind has."""
        if self.kind not in get_args(Kind):
            raise SpecError(f"kind={clip(self.kind)}: expected {'|'.join(get_args(Kind))}")
        takes = DEFAULTS[self.kind]
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if value is None:
                continue
            if name not in takes and name != "temperature":
                raise SpecError(f"rig:kind={self.kind} has no {name}: it takes {', '.join(takes)}")
            if not low <= value <= high:
                raise SpecError(f"rig:{name}={value}: expected {low:g} to {high:g}")
        if self.temperature is not None and self.by == "weights":
            raise SpecError("rig:temperature is for values: leave out by=weights")

    def value_of(self, name: str) -> float:
        """Return a parameter, or what it is unless it is said."""
        given = getattr(self, name)
        return DEFAULTS[self.kind].get(name, 1) if given is None else given

    def record(self) -> np.record:
        """Return the rig as kernels know it."""
        rig: np.record = np.zeros(1, RIG)[0]
        rig["rig_kind"] = KINDS[self.kind]
        for name in DEFAULTS[self.kind]:
            rig[f"rig_{name}"] = self.value_of(name)
        return rig

    def shortest(self) -> dict[str, Any]:
        """Return what must be said in a spec, but for the agent inside."""
        usual = {**DEFAULTS[self.kind], "kind": "close", "by": "auto", "temperature": 1}
        every = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "of"}
        return {
            name: value
            for name, value in every.items()
            if value is not None and value != usual.get(name)
        }


class RigAgent(Agent):
    """Rigs the choice of a card of another agent: by points, distance, value, scatter or risk."""

    name = "rig"
    Config: ClassVar[type[Any]] = RigConfig
    rest = "of"

    def __init__(self, game: Game, config: Any = None) -> None:
        """Make the agent inside; a rig around a rig adds to it."""
        super().__init__(game, config)
        self.of = load_agent(self.config.of, game)
        own = self.config.record()
        if not isinstance(self.of, RigAgent):
            self.inside: Agent = self.of
            self.rigs, self._reading = [own], self.config
            return
        if self.config.by != "auto" or self.config.temperature is not None:
            raise AgentError(
                f"rig:of={clip(self.of.spec)[1:-1]}: by and temperature belong to the rig inside"
            )
        self.inside = self.of.inside
        self.rigs, self._reading = [*self.of.rigs, own], self.of._reading

    @property
    def spec(self) -> str:
        """The shortest spec string that makes this agent."""
        inside = {} if self.of.spec == "random" else {"of": self.of.spec}
        return join_spec(self.name, {**self.config.shortest(), **inside})

    @property
    def as_policy(self) -> np.record | None:
        """The rig itself, where there is one around `random`: 30,000 games take a second."""
        return self.rigs[0] if self._is_plain else None

    @property
    def _is_plain(self) -> bool:
        return len(self.rigs) == 1 and type(self.inside) is RandomAgent

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Ask the agent inside, then lean on its choice.

        `info["unrigged"]` is what the agent inside would have done, unless that is `random`.
        """
        if self._is_plain:
            actions = np.empty(len(views), np.int64)
            choose_all(views, seats, self.rigs[0], rngs, actions)
            plain = Decisions(actions)
            return replace(self._rig(plain, views, seats, rngs.copy()), actions=actions, info={})
        own = _own_streams(rngs)
        return self._rig(self.inside.act(views, seats, rngs, games), views, seats, own)

    def think(
        self, view: np.record, seat: int, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Lean on decisions that improve, if the agent inside has such."""
        if self._is_plain:
            yield self.decide(view, seat, rng)
            return
        views, seats, rngs, _ = self.ask_one(view, seat, rng)
        own = _own_streams(rngs)
        for found in self.inside.think(view, seat, rngs[0], game):
            yield self._rig(found, views, seats, own.copy())

    def _rig(self, plain: Decisions, views: States, seats: Seats, rngs: Rngs) -> Decisions:
        """Lean on the choices of cards; rows that are taken and picks of a draft stand."""
        is_card = views["phase"] == CHOOSING
        plain = replace(plain, info={**plain.info, "unrigged": plain.actions})
        here, rest = np.flatnonzero(is_card), np.flatnonzero(~is_card)
        if not len(rest):
            return self._rig_cards(plain, views, seats, rngs)
        rigged = self._rig_cards(plain.take(here), views[here], seats[here], rngs[here])
        return Decisions.merge(len(views), [(here, rigged), (rest, plain.take(rest))])

    def _rig_cards(self, plain: Decisions, views: States, seats: Seats, rngs: Rngs) -> Decisions:
        """Choose cards by the weights of the agent inside and by what all rigs add to them."""
        n = len(views)
        logs, is_drawn = np.zeros((n, HAND_CARDS)), np.ones(n, np.bool_)
        if type(self.inside) is not RandomAgent:
            self._read(plain, views, seats, logs, is_drawn)
        for rig in self.rigs:
            add_leanings(views, seats, rig, logs)
        actions, choices = np.empty(n, np.int64), np.full((n, HAND_CARDS), NO_ACTION)
        weights = np.full((n, HAND_CARDS), np.nan)
        settle(views, seats, logs, is_drawn, rngs, (actions, choices, weights))
        columns = {}
        for name in ("visits", "values", "errors"):  # no rig changes what the agent thinks of them
            known = getattr(plain, name)
            if known is not None and plain.choices is not None:
                columns[name] = np.full((n, HAND_CARDS), np.nan)
                spread_by_place(views, seats, plain.choices, known, columns[name])
        n_choices = HAND_CARDS - views["turn"].astype(np.int64)
        return Decisions(
            *(actions, choices, n_choices, weights),
            **columns,
            kinds=plain.kinds,
            info=plain.info,
        )

    def _read(
        self, plain: Decisions, views: States, seats: Seats, logs: Floats, is_drawn: Flags
    ) -> None:
        """Write the logarithms of the weights that the agent inside gives its cards."""
        n, nothing = len(views), np.zeros((len(views), 0))
        choices = np.zeros((n, 0), np.int64) if plain.choices is None else plain.choices
        weights = nothing if plain.weights is None else plain.weights
        values = nothing if plain.values is None else plain.values
        told = (plain.actions, choices, weights, values, self._has_values(plain))
        write_logs(views, seats, told, self._reading.value_of("temperature"), logs, is_drawn)

    def _has_values(self, plain: Decisions) -> Flags:
        """Return in which rows to go by what choices are worth."""
        by, n = self._reading.by, len(plain)
        if by == "values" and plain.values is None:
            raise AgentError(f"{clip(self.inside.spec)} tells no values: leave out by=values")
        if by == "weights" or plain.values is None:
            return np.zeros(n, np.bool_)
        if by == "values" or plain.kinds is None:
            return np.full(n, by == "values")
        return plain.kinds == ValueKind.SCORE

    @property
    def watches(self) -> bool:
        """Whether the agent inside wants to see what happens."""
        return self.inside.watches

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """Show the agent inside."""
        self.inside.watch(views, seats, games)

    @property
    def forgets(self) -> bool:
        """Whether the agent inside wants to know which games are over."""
        return self.inside.forgets

    def end(self, games: Games) -> None:
        """Pass it on to the agent inside."""
        self.inside.end(games)


def _own_streams(rngs: Rngs) -> Rngs:
    """Derive streams for the draws of a rig: the agent inside may or may not move on its own."""
    own = np.empty(len(rngs), RNG)
    derive_streams(rngs, own)
    return own


@kernel
def derive_streams(rngs: Rngs, own: Rngs) -> None:
    """Begin a stream for every other one, without moving that."""
    for k in range(len(rngs)):
        start(own[k], absorb(rngs[k].counter, _OWN_STREAM))


@kernel
def write_logs(
    views: States,
    seats: Ints,
    read: tuple[Actions, Actions, Floats, Floats, Flags],
    temperature: float,
    logs: Floats,
    is_drawn: Flags,
) -> None:
    """Write the logarithms of the weights that an agent gives its cards.

    Args:
        views: in which a card was chosen.
        seats: who decided.
        read: what was played; what the agent spoke of, with weights and values (without columns if
            there are none); and whether to go by the values.
        temperature: points by which a card weighs e times as much.
        logs: [views, places of the hand]: -inf for what would never be played.
        is_drawn: whether the agent draws by its weights, or plays the highest.
    """
    actions, choices, weights, values, is_known = read
    for k in range(len(views)):
        n, is_certain = hand_size(views[k]), True
        for i in range(n):
            logs[k, i] = -math.inf
        for column in range(choices.shape[1]):
            place = _place(views[k].hand[seats[k]], n, choices[k, column])
            if place < 0:
                continue
            if is_known[k] and not math.isnan(values[k, column]):
                logs[k, place] = values[k, column] / temperature
                is_certain = False
            elif not is_known[k] and weights.shape[1] and weights[k, column] > 0:
                logs[k, place] = math.log(weights[k, column])
                is_certain = False
        is_drawn[k] = not is_known[k]
        place = _place(views[k].hand[seats[k]], n, actions[k])
        if is_certain and place >= 0:
            logs[k, place] = 0.0


@inner_kernel
def _place(hand: npt.NDArray[np.int8], n: int, card: int) -> int:
    """Return where a card stands in a hand, or -1."""
    for i in range(n):
        if hand[i] == card:
            return i
    return -1


@kernel
def spread_by_place(
    views: States, seats: Ints, choices: Actions, column: Floats, out: Floats
) -> None:
    """Write what is known of choices to the places where they stand in the hand."""
    for k in range(len(views)):
        n = hand_size(views[k])
        for i in range(choices.shape[1]):
            place = _place(views[k].hand[seats[k]], n, choices[k, i])
            if place >= 0:
                out[k, place] = column[k, i]


@kernel
def settle(
    views: States,
    seats: Ints,
    logs: Floats,
    is_drawn: Flags,
    rngs: Rngs,
    out: tuple[Actions, Actions, Floats],
) -> None:
    """Choose by the logarithms of weights: draw with one number of each stream, or take the best.

    Writes actions, choices and weights.
    """
    actions, choices, weights = out
    for k in range(len(views)):
        n, best, total = hand_size(views[k]), 0, 0.0
        for i in range(n):
            choices[k, i] = views[k].hand[seats[k], i]
            if logs[k, i] > logs[k, best]:
                best = i
        for i in range(n):
            weights[k, i] = math.exp(logs[k, i] - logs[k, best])
            if not is_drawn[k]:
                weights[k, i] = i == best
            total += weights[k, i]
        left, chosen = unit(rngs[k]) * total, best
        for i in range(n):
            left -= weights[k, i]
            weights[k, i] /= total
            if left < 0 and weights[k, i] > 0:
                chosen = i
                left = math.inf
        actions[k] = choices[k, chosen]
