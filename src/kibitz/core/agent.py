"""What an agent is: it gets views of many games at once and answers with decisions.

An agent class has a frozen dataclass `Config` (its parameters and defaults) and is made from a
spec string by `kibitz.load_agent`. It never sees a true state: `act` gets concealed ones.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, get_args, get_origin

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError, clip, nearest
from kibitz.core.game import Actions, Seat, States, choose, implement
from kibitz.core.kernels import F, kernel, record_dtype
from kibitz.core.rng import RNG, Purpose, Rng, Rngs, derive
from kibitz.core.spec import join_spec
from kibitz.core.table import Game

MAX_DIGITS = 18
"""Most digits of a whole number in a spec: any such number fits into 64 bits."""

Seats = npt.NDArray[np.int64]
Games = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Decisions:
    """The answers to a batch of views; coach, trainers and reports all read this object.

    The columns speak of the actions in `choices`, row by row; rows with fewer choices are padded
    with action 0 and weight 0. In `info` are, where an agent knows them: `lines` (who plays what
    from here on), `sims` (simulations), and `value` (what `values` are: score, rank or win).
    """

    actions: Actions  # [views]
    choices: Actions | None = None  # [views, most choices]
    weights: Weights | None = None  # in proportion to how probably each would be chosen
    visits: Weights | None = None  # how often a search tried each
    values: Weights | None = None  # what each is worth to the deciding seat
    errors: Weights | None = None  # standard errors of the values
    info: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class NoConfig:
    """An agent without parameters."""


class Agent:
    """Base of all agents; subclasses implement `act`.

    `act` may be called from several threads at once, for different games.
    """

    name: ClassVar[str] = ""  # as in spec strings
    Config: ClassVar[type[Any]] = NoConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Sit down at a game; raise AgentError if it is not one this agent can play."""
        self.game = game
        self.config = self.Config() if config is None else config

    @property
    def spec(self) -> str:
        """The shortest spec string that makes this agent."""
        return join_spec(self.name, _changed(self.config))

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Decide for every view, by that view alone.

        One call may hold views of the same deal from other seats, whose cards the deciding seat
        does not know: an agent that runs in this process is trusted not to put them together.
        Whatever is raised here is a fault of the agent.

        Args:
            views: concealed states, one per decision; copy what is to outlive the call.
            seats: the seat that decides, per view.
            rngs: a random stream of its own for every decision.
            games: stable ids of the games, for agents that keep something between moves.
        """
        raise NotImplementedError

    def watch(self, views: States, seats: Seats, games: Games) -> None:
        """See a change in games where this agent sits; only called if a subclass overrides it."""

    def end(self, games: Games) -> None:
        """Forget whatever is kept of these games: they are over. Only called if overridden."""

    def decide(self, view: np.record, seat: Seat, rng: Rng | None = None) -> Decisions:
        """Decide for one view, which must be that seat's own: the convenient form of `act`."""
        self.game.legal(view, seat)  # refuses seats that are not at the table
        views = np.empty(1, view.dtype)
        views[0] = view
        rngs = np.empty(1, RNG)
        rngs[0] = derive(0, Purpose.AGENT) if rng is None else rng
        return self.act(views, np.array([seat]), rngs, np.zeros(1, np.int64))

    @property
    def as_policy(self) -> np.record | None:
        """The policy that decides just as `act` does, if there is nothing more to this agent.

        It is then asked in the kernel that conceals states, and `act` is not called for a batch.
        """
        return None

    @property
    def forgets(self) -> bool:
        """Whether this agent wants to know which of its games are over."""
        return type(self).end is not Agent.end

    @property
    def watches(self) -> bool:
        """Whether this agent wants to see what happens between its decisions."""
        return type(self).watch is not Agent.watch


def _changed(config: Any) -> dict[str, Any]:
    """Give the parameters that differ from their defaults."""
    default = type(config)()
    every = {item.name: getattr(config, item.name) for item in fields(config)}
    return {key: value for key, value in every.items() if value != getattr(default, key)}


class PolicyAgent(Agent):
    """An agent that is one compiled policy: a record whose dtype picks its `choose` kernel.

    All agents of a class share it, unless one with parameters sets its own when it is made.
    """

    policy: np.record

    @property
    def as_policy(self) -> np.record | None:
        """The policy, unless a class decides in another way."""
        return self.policy if type(self).act is PolicyAgent.act else None

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Decide for every view with one kernel call."""
        actions = np.empty(len(views), np.int64)
        choose_all(views, seats, self.policy, rngs, actions)
        return Decisions(actions)


def define_policy(name: str, rule: F) -> np.record:
    """Declare a policy without parameters whose `choose` is the kernel `rule`."""
    dtype = record_dtype([(f"{name}_policy", np.int64)])
    implement("choose", dtype, rule)
    policy: np.record = np.zeros(1, dtype)[0]
    return policy


@kernel
def choose_all(
    views: States, seats: Seats, policy: np.record, rngs: Rngs, actions: Actions
) -> None:
    """Write what `policy` does in `views[i]` to `actions[i]`."""
    for i in range(len(views)):
        actions[i] = choose(views[i], seats[i], policy, rngs[i])


def parse_config(agent: type[Agent], parameters: Mapping[str, str]) -> Any:
    """Read an agent's parameters by the hints of its Config; SpecError for unknown or bad ones."""
    known = {item.name: item for item in fields(agent.Config)}
    if parameters and not known:
        raise SpecError(
            f"{agent.name} takes no parameters, got {clip(', '.join(parameters))[1:-1]}"
        )
    values: dict[str, Any] = {}
    for key, text in parameters.items():
        if key not in known:
            raise SpecError(f"{agent.name} has no parameter {clip(key)}: {nearest(key, known)}")
        values[key] = _parse_value(f"{agent.name}:{key}", text, known[key].type)
    return agent.Config(**values)


def _parse_value(where: str, text: str, hint: Any) -> Any:
    """Read one value by its type hint: int, float, bool, str or a Literal of words."""
    if get_origin(hint) is Literal:
        if text not in get_args(hint):
            expected = "|".join(map(str, get_args(hint)))
            raise SpecError(f"{where}={clip(text)}: expected {expected}")
        return text
    if hint is bool:
        if text not in ("true", "false"):
            raise SpecError(f"{where}={clip(text)}: expected true or false")
        return text == "true"
    if hint is int and not re.fullmatch(rf"-?[0-9]{{1,{MAX_DIGITS}}}", text):
        is_long = re.fullmatch(r"-?[0-9]+", text)
        expected = f"at most {MAX_DIGITS} digits" if is_long else "int"
        raise SpecError(f"{where}={clip(text)}: expected {expected}")
    try:
        value = hint(text)
    except ValueError:
        raise SpecError(f"{where}={clip(text)}: expected {hint.__name__}") from None
    if isinstance(value, float) and not np.isfinite(value):
        raise SpecError(f"{where}={clip(text)}: expected a finite number")
    return value
