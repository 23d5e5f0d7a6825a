"""Find games and agents by name.

Both are entry points: `kibitz.games` gives the facts of a game, `kibitz.agents` the class of an
agent that plays any game, `kibitz.agents.hidden` of one that plays any game with secrets. Packages
outside register theirs the same way as ours do. A game's own bots are listed in its facts.
"""

import importlib
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Literal, get_args

from kibitz.core.errors import AgentError, PositionError, SpecError, clip, nearest
from kibitz.core.messages import Message
from kibitz.core.spec import MAX_SPEC, GameFacts, spec_name, split_spec

Defaults = Literal["plain", "arena", "people"]

ANY_GAME, HIDDEN_GAME = "kibitz.agents", "kibitz.agents.hidden"
"""Entry points of agents that play any game, and of those that play games with secrets."""

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.table import Game, Table


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}


def _load(entry: EntryPoint) -> Any:
    """Load what an entry point names; a package that is broken is an error of its own, not ours."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        package = entry.dist.name if entry.dist is not None else "unknown"
        raise SpecError(
            f"{entry.name!r} of the package {package!r} cannot be loaded: "
            f"{type(error).__name__} {clip(error)}"
        ) from error


def game_names() -> list[str]:
    """List the names of all games, sorted."""
    return sorted(_entries("kibitz.games"))


def game_facts(name: str) -> GameFacts:
    """Return the facts of a game; loads no compiler."""
    entries = _entries("kibitz.games")
    if name not in entries:
        raise SpecError(f"unknown game {clip(name)}: {nearest(name, entries)}")
    facts: GameFacts = _load(entries[name])
    return facts


def load_game(spec: str, defaults: Defaults = "plain") -> "Game":
    """Make a game from a spec string such as `nimmt:players=5,rows=free`.

    Args:
        spec: the game and its options.
        defaults: options that the spec leaves open take the game's own, or what it recommends
            for matches between agents ("arena") or for tables with people ("people").
    """
    from kibitz.core.table import make_game

    name, parameters = split_spec(spec)
    facts = game_facts(name)
    if not isinstance(defaults, str) or defaults not in get_args(Defaults):
        raise SpecError(f"defaults are plain, arena or people, got {clip(defaults)}")
    recommended = {"plain": {}, "arena": facts.arena, "people": facts.people}[defaults]
    try:
        game = make_game(facts, {**recommended, **parameters})
    except SpecError:  # the spec is wrong, or means something else than what is recommended
        game = make_game(facts, parameters)
    _ = game.rules  # kernels must be registered before anything is compiled against the state
    return game


def open_table(position: str) -> "Table":
    """Open a table at a position written as `spec position`, all on one line."""
    from kibitz.core.table import Origin, Table

    spec, _, rest = str(position).strip().partition(" ")
    if not rest.strip():
        raise PositionError(Message("core.at-expected-game-spec-space", {"text": clip(position)}))
    return Table(load_game(spec), Origin(seed=0, deals=(rest,)))


def agent_names(facts: GameFacts) -> list[str]:
    """List the agents that can sit down at a game: the general ones, then its own bots.

    A bot of a game takes the place of a general agent of the same name.
    """
    general = set(_entries(ANY_GAME))
    if facts.hidden:
        general |= set(_entries(HIDDEN_GAME))
    return [*sorted(general - set(facts.bots)), *facts.bots]


def agent_class(name: str, facts: GameFacts) -> "type[Agent]":
    """Return the class of an agent; SpecError suggests the nearest name."""
    if name in facts.bots:
        module, _, attribute = facts.bots[name].partition(":")
        own: type[Agent] = getattr(importlib.import_module(module), attribute)
        return own
    entries = _entries(HIDDEN_GAME) | _entries(ANY_GAME)
    if name not in entries:
        hint = nearest(name, agent_names(facts))
        raise SpecError(f"unknown agent {clip(name)} for {facts.name}: {hint}")
    general: type[Agent] = _load(entries[name])
    return general


def load_agent(spec: str, game: "Game") -> "Agent":
    """Make an agent for a game from a spec string such as `random` or `mcs:sims=1200`.

    Whatever its code does instead, but for Ctrl-C, becomes one sentence.
    """
    from kibitz.core.agent import Agent, check_agent, parse_config
    from kibitz.core.conduct import making
    from kibitz.core.table import Game

    check_spec(spec)
    if not isinstance(game, Game):
        raise SpecError(f"expected a game, which load_game makes, got {clip(game)}")
    name = spec_name(spec)
    with making(spec):
        found = agent_class(name, game.facts)
        _, parameters = split_spec(spec, getattr(found, "rest", ""))
        agent = found(game, parse_config(found, parameters))
        if isinstance(agent, Agent):
            check_agent(agent, game)
            check_spec(agent.spec)
    if not isinstance(agent, Agent):
        raise AgentError(f"{clip(spec)} is not an agent but a {type(agent).__name__}")
    return agent


def check_spec(spec: str) -> None:
    """Refuse specs that files of scores and records cannot hold."""
    if not isinstance(spec, str):
        raise SpecError(f"a spec is a string such as 'random', got {clip(spec)}")
    try:
        spec.encode()
    except UnicodeEncodeError:
        raise SpecError(f"agent {clip(spec)}: its spec has bytes that are no text") from None
    if len(spec) > MAX_SPEC:
        raise SpecError(f"agent {clip(spec)}: a spec has at most {MAX_SPEC} characters")
