"""`kibitz solve`: what perfect play is worth, and what an agent gives away.

A game that can be solved has a module `solver` beside its rules, and nothing here names it:

- `OPTIONS`: options of the game that have other defaults here;
- `OBJECTIVES`: what can be sought, the usual one first: `points` (a lead) or `win` (a probability);
- `read(game, position, for_agent)` gives the state, or raises a KibitzError: why it is not solved;
- `estimate(state)` gives about how many seconds it will take;
- `solve(game, state, objective, progress)` gives a solution, whose `as_json()` has `objective`,
  `values` by seat, `nodes`, `seconds`, and in `strategies` for every seat that decides its
  `actions`, each with its `text`, `probability` and `value`;
- `best_response(solution, agent, seat, samples, by)`, if agents can be tested, gives a response:
  see `games/nimmt/solver.py`.
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, err, out, print_json, progress_bar
from kibitz.core.errors import PositionError, SpecError, clip, nearest
from kibitz.core.registry import game_facts, game_names, load_agent, load_game
from kibitz.core.spec import GameFacts, join_spec, split_spec

if TYPE_CHECKING:
    from kibitz.core.table import Game

WORTH_TELLING = 2.0
"""Seconds from which on the time is announced."""

BAR_CELLS = 20

EXAMPLE = (
    "nimmt turn=7 rows=80.81.89.90.98/47.79.82.86/41.45.61.74/4.13.25.37.38 "
    "hands=29.31.52/21.28.36 last=74/38 --objective win"
)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog=f"Example: kibitz solve {EXAMPLE}")(solve)


def solve(
    game: Annotated[
        str, typer.Argument(help="A game, such as nimmt; options left open are what is solved.")
    ],
    position: Annotated[
        list[str] | None, typer.Argument(help="A position in one line, quoted or not.")
    ] = None,
    objective: Annotated[
        str | None, typer.Option(help="What both want: points or win; by default the first.")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="Also tell what this agent gives away at most."),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, max=100_000, help="How often the agent is asked in a position.")
    ] = 1,
    by: Annotated[
        Literal["weights", "actions"],
        typer.Option(help="What of its answers is its strategy; actions if it gives no weights."),
    ] = "weights",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Solve a position: its value, how both play perfectly, and how far an agent is from that.

    A strategy is a probability for each action. What an agent gives away is the value of the
    position minus what it gets against an opponent who knows its strategy.
    """
    announce_compilation()
    spec, _, line = " ".join([game, *(position or [])]).strip().partition(" ")
    name, options = split_spec(spec)
    facts = game_facts(name)
    solver = _find_solver(facts)
    table = load_game(join_spec(name, {**solver.OPTIONS, **options}))
    if not line.strip():
        raise PositionError(f"expected a position of {table.spec} after the game")
    sought = _check_objective(facts, solver, objective)
    player = None if agent is None else load_agent(agent, table)
    if player is not None and not hasattr(solver, "best_response"):
        raise SpecError(f"agents are not tested in {facts.name}: leave out --agent")
    state = solver.read(table, line.strip(), player is not None)
    solution = _run(solver, table, state, sought)
    document = solution.as_json()
    if player is not None:
        found = [
            solver.best_response(solution, player, seat, samples, by)
            for seat in range(table.n_seats)
        ]
        document["responses"] = [_response_json(response, samples) for response in found]
    if as_json:
        print_json(document)
    else:
        _print(table, document)


def _find_solver(facts: GameFacts) -> Any:
    """Load the module that solves a game; SpecError if it has none."""
    if not _is_solvable(facts):
        known = [name for name in game_names() if _is_solvable(game_facts(name))]
        raise SpecError(f"{facts.name} is not solved: {nearest(facts.name, known)}")
    return importlib.import_module(f"{facts.package}.solver")


def _is_solvable(facts: GameFacts) -> bool:
    return importlib.util.find_spec(f"{facts.package}.solver") is not None


def _check_objective(facts: GameFacts, solver: Any, objective: str | None) -> str:
    known: tuple[str, ...] = solver.OBJECTIVES
    if objective is not None and objective not in known:
        raise SpecError(
            f"unknown objective {clip(objective)} for {facts.name}: {nearest(objective, known)}"
        )
    return known[0] if objective is None else objective


def _run(solver: Any, game: "Game", state: Any, objective: str) -> Any:
    """Solve, and show how far it is."""
    seconds = solver.estimate(state)
    if seconds >= WORTH_TELLING:
        err.print(f"this takes about {seconds:.0f} s on one core", style="dim", highlight=False)
    with progress_bar(f"solving {game.spec}", 1) as (progress, task):
        return solver.solve(
            game,
            state,
            objective,
            lambda done, total: progress.update(task, completed=done, total=total),
        )


def _response_json(response: Any, samples: int) -> dict[str, Any]:
    return {
        "agent": response.agent,
        "seat": response.seat,
        "equilibrium": response.equilibrium,
        "value": response.value,
        "exploitability": response.exploitability,
        "by": "weights" if response.is_weighted else "actions",
        "samples": samples,
        "positions": response.n_positions,
    }


def _print(game: "Game", document: dict[str, Any]) -> None:
    """Print the value, both strategies, and how an agent fares."""
    objective = document["objective"]
    out.print(f"[bold]{game.facts.title}[/bold]  [dim]{game.spec}[/dim]", highlight=False)
    what = {"points": "expected lead", "win": "probability to win (a tie is half a win)"}
    values = ", ".join(
        f"seat {seat} {_number(objective, value)}" for seat, value in enumerate(document["values"])
    )
    out.print(f"{what.get(objective, objective)}: {values}", highlight=False)
    if document["strategies"]:
        out.print(_strategies(document))
    else:
        out.print("nobody has anything to decide")
    if "responses" in document:
        out.print(_responses(document))
        if {(row["by"], row["samples"]) for row in document["responses"]} == {("actions", 1)}:
            note = "by one action in each position: of an agent that draws them, take --samples"
            out.print(note, style="dim", highlight=False)
    done = f"{document['nodes']:,} positions in {document['seconds']:.2f} s"
    out.print(done, style="dim", highlight=False)


def _strategies(document: dict[str, Any]) -> Grid:
    """List the actions of every seat that decides; those never played are dim."""
    grid = Grid(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column("seat", justify="right")
    grid.add_column("action", justify="right")
    grid.add_column("probability", justify="right")
    grid.add_column("", width=BAR_CELLS)
    grid.add_column("its value", justify="right")
    for strategy in document["strategies"]:
        for i, action in enumerate(strategy["actions"]):
            probability = action["probability"]
            grid.add_row(
                str(strategy["seat"]) if i == 0 else "",
                action["text"],
                f"{probability:.1%}",
                Text("━" * round(BAR_CELLS * probability), style="cyan"),
                _number(document["objective"], action["value"]),
                style="" if probability > 0 else "dim",
                end_section=i == len(strategy["actions"]) - 1,
            )
    return grid


def _responses(document: dict[str, Any]) -> Grid:
    """List what an agent gets from each seat, beside what there is to get."""
    grid = Grid(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column("agent")
    for column in ("seat", "perfect play", "against its best response", "gives away"):
        grid.add_column(column, justify="right")
    objective = document["objective"]
    for row in document["responses"]:
        lost = row["exploitability"]
        grid.add_row(
            Text(row["agent"]),
            str(row["seat"]),
            _number(objective, row["equilibrium"]),
            _number(objective, row["value"]),
            _number(objective, lost).lstrip("+"),
        )
    return grid


def _number(objective: str, value: float) -> str:
    """Write a value; a lead with its sign."""
    if objective == "win":
        return f"{round(value, 3) + 0.0:.1%}"
    return f"{round(value, 3) + 0.0:+.3f}" if objective == "points" else f"{value:g}"
