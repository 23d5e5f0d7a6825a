"""`kibitz games` and `kibitz agents`: what there is."""

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from kibitz.cli.console import err, out, print_json
from kibitz.core.errors import SpecError
from kibitz.core.registry import agent_class, agent_names, game_facts, game_names
from kibitz.core.spec import GameFacts, join_spec, split_spec

if TYPE_CHECKING:
    from kibitz.core.agent import Agent


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: kibitz games --json")(games)
    app.command(epilog="Example: kibitz agents nimmt")(agents)


def games(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the games and their options."""
    every = []
    for name in game_names():
        try:
            every.append(game_facts(name))
        except SpecError as error:  # somebody else's package is broken: list the others
            err.print(f"warning: {error}", style="yellow", markup=False)
    if as_json:
        print_json([_game_json(facts) for facts in every])
        return
    for facts in every:
        out.print(f"[bold]{facts.name}[/bold]  {facts.title}: {facts.summary}")
        grid = Grid(box=None, pad_edge=True, show_header=False)
        for is_name in (True, True, False):
            grid.add_column(no_wrap=is_name, overflow="fold")
        for option in facts.options:
            grid.add_row(
                f"  {option.name}=[cyan]{option.allowed}[/cyan]",
                f"default {option.default}",
                option.help,
            )
        out.print(grid)
        for who, defaults in (("matches", facts.arena), ("tables with people", facts.people)):
            if defaults:
                out.print(f"   {who} have {', '.join(f'{k}={v}' for k, v in defaults.items())}")
    out.print("\nwrite options after a colon: [bold]nimmt:players=4,rows=free[/bold]")


def _game_json(facts: GameFacts) -> dict[str, Any]:
    return {
        "name": facts.name,
        "title": facts.title,
        "summary": facts.summary,
        "version": facts.version,
        "unit": facts.unit,
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "allowed": option.allowed,
                "help": option.help,
            }
            for option in facts.options
        ],
        "arena": dict(facts.arena),
        "people": dict(facts.people),
        "bots": list(facts.bots),
    }


def agents(
    game: Annotated[str, typer.Argument(help="A game, such as nimmt.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the agents that play a game, with their parameters and defaults."""
    name, options = split_spec(game)
    facts = game_facts(name)
    facts.resolve(options)
    every = []
    for name in agent_names(facts):
        try:
            every.append(_find_agent(name, facts))
        except SpecError as error:
            err.print(f"warning: {error}", style="yellow", markup=False)
    if as_json:
        print_json([_agent_json(agent) for agent in every])
        return
    grid = Grid(title=f"agents for {facts.title}", title_justify="left")
    for column in ("agent", "what it does", "parameters"):
        grid.add_column(column)
    for agent in every:
        parameters = join_spec("", _parameters(agent)).removeprefix(":").replace(",", ", ")
        grid.add_row(f"[bold]{agent.name}[/bold]", _summary(agent), parameters or "none")
    out.print(grid)


def _find_agent(name: str, facts: GameFacts) -> "type[Agent]":
    from kibitz.core.agent import Agent

    found = agent_class(name, facts)
    if not (isinstance(found, type) and issubclass(found, Agent)):
        raise SpecError(f"{name!r} is not an agent")
    return found


def _parameters(agent: "type[Agent]") -> dict[str, Any]:
    default = agent.Config()
    return {item.name: getattr(default, item.name) for item in dataclasses.fields(default)}


def _summary(agent: "type[Agent]") -> str:
    return (agent.__doc__ or "").partition("\n")[0]


def _agent_json(agent: "type[Agent]") -> dict[str, Any]:
    return {"name": agent.name, "summary": _summary(agent), "parameters": _parameters(agent)}
