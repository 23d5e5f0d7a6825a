"""What an agent is: it gets views of many games at once and answers with decisions.

An agent class has a frozen dataclass `Config` (its parameters and defaults) and is made from a
spec string by `kibitz.load_agent`. It never sees a true state: `act` gets concealed ones.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, get_args, get_origin

import numpy as np
import numpy.typing as npt

from kibitz.core.decisions import Decisions
from kibitz.core.errors import AgentError, SpecError, clip, nearest
from kibitz.core.game import Actions, Seat, States, choose, implement
from kibitz.core.kernels import F, kernel, record_dtype
from kibitz.core.rng import RNG, Purpose, Rng, Rngs, check_stream, derive
from kibitz.core.spec import join_spec
from kibitz.core.table import Game, is_array

_ONE = np.uint64(1)

MAX_DIGITS = 18
"""Most digits of a whole number in a spec: any such number fits into 64 bits."""

Seats = npt.NDArray[np.int64]
Games = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NoConfig:
    """An agent without parameters."""


class Agent:
    """Base of all agents; subclasses implement `act`.

    `act` may be called from several threads at once, for different games.
    """

    name: ClassVar[str] = ""  # as in spec strings
    Config: ClassVar[type[Any]] = NoConfig
    rest: ClassVar[str] = ""  # the parameter that comes last and takes the rest of the spec

    def __init_subclass__(cls, **words: Any) -> None:
        """Let every `act` refuse what is not of the agent's game: kernels trust what they get."""
        super().__init_subclass__(**words)
        if "act" in cls.__dict__:
            cls.act = _guarded(cls.act)  # type: ignore[method-assign]

    def __init__(self, game: Game, config: Any = None) -> None:
        """Sit down at a game; raise AgentError if it is not one this agent can play."""
        self.game = game
        self.config = self.Config() if config is None else config

    @property
    def spec(self) -> str:
        """The shortest spec string that makes this agent."""
        changed = _changed(self.config)
        if self.rest in changed:
            changed[self.rest] = changed.pop(self.rest)
        return join_spec(self.name, changed)

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
        """Decide for one view, which must be that seat's own: the convenient form of `act`.

        Raises:
            AgentError: the view is of another game or other options, or the seat is not to move.
        """
        return self.act(*self.batch_of(view, seat, rng))

    def think(
        self, view: np.record, seat: Seat, rng: Rng | None = None, game: int = 0
    ) -> Iterator[Decisions]:
        """Decide for one view, with decisions that improve until the last: that of `decide`.

        Only agents that search have more than one to tell.
        """
        yield self.decide(view, seat, rng)

    def ask_one(
        self, view: np.record, seat: Seat, rng: Rng | None = None
    ) -> tuple[States, Seats, Rngs, Games]:
        """Return what `act` takes for one view, after it has been checked as `act` would."""
        asked = self.batch_of(view, seat, rng)
        check_asked(self, *asked[:2])
        return asked

    def batch_of(
        self, view: np.record, seat: Seat, rng: Rng | None = None
    ) -> tuple[States, Seats, Rngs, Games]:
        """Return what `act` takes for one view, and checks."""
        game = game_of(self)
        if not isinstance(view, np.record) or view.dtype != game.rules.STATE:
            raise AgentError(f"{_who(self)} expects a view of {game.spec}, got {clip(view)}")
        views: States = np.empty(1, view.dtype)
        views[0] = view
        seats = np.array([game.check_seat(seat)])
        rngs = np.empty(1, RNG)
        rngs[0] = derive(0, Purpose.AGENT) if rng is None else check_stream(rng)
        return views, seats, rngs, np.zeros(1, np.int64)

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


def game_of(agent: object) -> Game:
    """Return the game that an agent was made for; AgentError if it is none, or does not say."""
    if not isinstance(agent, Agent):
        raise AgentError(f"expected an agent, which load_agent makes, got {clip(agent)}")
    game = getattr(agent, "game", None)
    if not isinstance(game, Game):
        raise AgentError(
            f"{_who(agent)} does not say which game it plays: "
            "its __init__ must call super().__init__(game, config)"
        )
    return game


def check_agent(agent: object, game: Game) -> Agent:
    """Return an agent that can be seated at a game: one that was made for it.

    Another one would read and write beyond the memory that it has made for its own game.
    """
    own = game_of(agent)
    assert isinstance(agent, Agent)
    if own != game:
        raise AgentError(
            f"{_who(agent)} was made for {own.spec}, not for {game.spec}: make one for that game"
        )
    return agent


def check_agents(agents: object, game: Game) -> list[Agent]:
    """Return a list of agents that can be seated at a game."""
    if not isinstance(agents, Sequence) or isinstance(agents, str):
        raise AgentError(f"expected a list of agents, which load_agent makes, got {clip(agents)}")
    return [check_agent(agent, game) for agent in agents]


def check_asked(agent: Agent, views: States, seats: Seats) -> None:
    """Refuse views of another game or under other options, and seats that are not to move."""
    game = game_of(agent)
    if not is_array(views, game.rules.STATE):
        raise AgentError(f"{_who(agent)} expects views of {game.spec}, got {clip(views)}")
    if not is_array(seats, np.dtype(np.int64)) or len(seats) != len(views):
        raise AgentError(f"{_who(agent)} expects a seat for each of {len(views)} views")
    stray = game.first_stray(views, seats)
    if stray < 0:
        return
    found = game.spec_of(views[stray])
    if found != game.spec:
        raise AgentError(
            f"{_who(agent)} was made for {game.spec}, not for a view of {found}: "
            "make one for that game"
        )
    where = game.format(views[stray])
    raise AgentError(f"{_who(agent)} is asked for seat {seats[stray]}, not to move in {where}")


def _guarded(act: F) -> F:
    """Check what an agent is asked before it is."""

    @functools.wraps(act)
    def guarded(self: Agent, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        check_asked(self, views, seats)
        for given, kind in ((rngs, RNG), (games, np.dtype(np.int64))):
            if not is_array(given, kind) or len(given) != len(views):
                raise AgentError(
                    f"{_who(self)} expects a random stream and the number of a game for each of "
                    f"{len(views)} views, got {clip(given)}"
                )
        if not (rngs["step"] & _ONE).all():  # one that stands still may be drawn from for ever
            raise AgentError(f"{_who(self)} expects random streams, which derive makes")
        decisions: Decisions = act(self, views, seats, rngs, games)
        return decisions

    return guarded  # type: ignore[return-value]


def _who(agent: Agent) -> str:
    """Name an agent, even one that cannot say its spec."""
    try:
        return f"agent {clip(agent.spec)}"
    except Exception:
        return f"agent {clip(type(agent).__name__)}"


def _changed(config: Any) -> dict[str, Any]:
    """Return the parameters that differ from their defaults."""
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
    """Read one value by its type hint: int, float, bool, str or a Literal of words.

    A hint such as `float | None` also takes the word `auto`, for None.
    """
    if isinstance(hint, UnionType):
        if text == "auto":
            return None
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
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
