"""`kibitz solve`: what perfect play is worth, and what an agent gives away.

A game that can be solved has a module `solver` beside its rules, and nothing here names it:

- `OPTIONS`: options of the game that have other defaults here;
- `OBJECTIVES`: what can be sought, the usual one first, such as `points` or `win`; `TITLES` says
  what their values are, and `write_value(objective, value)` writes one;
- `read(game, position)` gives the state, or raises a KibitzError: why it is not solved;
- `estimate(state)` gives about how many seconds it will take;
- `solve(game, state, objective, progress)` gives a solution, whose `as_json()` has `objective`,
  `values` by seat, `nodes`, `seconds`, and in `strategies` for every seat that decides its
  `actions`, each with its `text`, `probability` and `value`. Where it lists other objectives in
  `also`, their values stand under their names beside `values`, and in every action beside `value`.
- where the values of seats say too little, `tell(document)` says in a sentence what was found, and
  `say_action(document, action)` what an action leads to.

If agents can be tested there is a module `response` too, as in 6 nimmt!: `check(state)` refuses
what is too large, `best_response(...)` tests an agent, `random_ending(...)` makes a position.
"""

import importlib
import importlib.util
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, err, out, print_json, progress_bar
from kibitz.cli.playing import Json, Seed, stdout_spared
from kibitz.cli.standings import bounds
from kibitz.core.errors import PositionError, SpecError, clip, nearest
from kibitz.core.modules import find_module
from kibitz.core.registry import game_facts, game_names, load_agent, load_game
from kibitz.core.spec import GameFacts, join_spec, split_spec

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.table import Game

FIRST_ANSWERS = 1.0
"""Seconds of answers after which the time of all of them is told."""

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
        str | None,
        typer.Option(help="What both want: points, win or money; by default what is usual."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="Also tell what this agent gives away: exploitability."),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=2, max=100_000, help="How often the agent is asked in a position.")
    ] = 20,
    by: Annotated[
        Literal["actions", "weights"],
        typer.Option(
            help="Count what the agent does, or trust the weights that it tells, such as visits."
        ),
    ] = "actions",
    endings: Annotated[
        int | None,
        typer.Option(min=1, max=100_000, help="Test the agent in so many random endings instead."),
    ] = None,
    cards: Annotated[int, typer.Option(min=1, help="Cards in each hand of a random ending.")] = 4,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Solve a position: its value, how both play perfectly, and how far an agent is from that.

    A strategy is a probability for each action. What an agent gives away is the value of the
    position minus what it gets against an opponent who knows its strategy; with --endings, the mean
    over random endings and both seats.
    """
    announce_compilation()
    spec, _, line = " ".join([game, *(position or [])]).strip().partition(" ")
    name, options = split_spec(spec)
    facts = game_facts(name)
    solver = _find_solver(facts)
    table = load_game(join_spec(name, {**solver.OPTIONS, **options}))
    sought = _check_objective(facts, solver, objective)
    trial = None
    with stdout_spared():
        if agent is not None:
            trial = _Trial(_find_response(facts), load_agent(agent, table), samples, by, seed)
        if endings is not None:
            if trial is None:
                raise SpecError("--endings tests an agent: add --agent SPEC")
            if line.strip():
                raise SpecError("--endings draws positions of its own: leave out the position")
            document = _test(solver, table, trial, sought, endings, cards)
        elif line.strip():
            document = _solve(solver, table, trial, sought, line.strip())
        else:
            raise PositionError(
                f"expected a position of {table.spec} after the game; "
                "a review of the web table copies such lines, and docs/solver.md shows some"
            )
    if as_json:
        print_json(document)
    elif endings is not None:
        _print_test(table, document)
    else:
        _print(solver, table, document)
    if "stopped" in document:
        print(f"stopped after {document['endings']} of {endings} endings", file=sys.stderr)
        raise typer.Exit(130)


class _Trial:
    """An agent to be tested, and how."""

    def __init__(self, module: Any, agent: "Agent", samples: int, by: str, seed: int) -> None:
        self.module, self.agent = module, agent
        self.samples, self.by, self.seed = samples, by, seed

    def run(self, solution: Any, seat: int, number: int = 0, show: Any = None) -> dict[str, Any]:
        """Test the agent at one seat of a solved position, the first or another one."""
        found = self.module.best_response(
            solution, self.agent, seat, self.samples, self.by, (self.seed, number), show
        )
        return {
            "agent": found.agent,
            "seat": seat,
            "equilibrium": found.equilibrium,
            "value": found.value,
            "exploitability": found.exploitability,
            "at_least": found.at_least,
            "by": found.by,
            "samples": self.samples,
            "positions": found.n_positions,
        }


def _solve(
    solver: Any, game: "Game", trial: _Trial | None, objective: str, line: str
) -> dict[str, Any]:
    """Solve one position, and test an agent there."""
    state = solver.read(game, line)
    if trial is not None:
        trial.module.check(state)
    solution = _run(solver, game, state, objective)
    document: dict[str, Any] = solution.as_json()
    if trial is not None:
        document["responses"] = []
        for seat in range(game.n_seats):
            title = f"asking {trial.agent.spec} at seat {seat}"
            with progress_bar(title, 1) as (progress, task):
                row = trial.run(solution, seat, show=_follow_answers(progress, task))
            document["responses"].append(row)
    return document


def _test(
    solver: Any, game: "Game", trial: _Trial, objective: str, endings: int, cards: int
) -> dict[str, Any]:
    """Test an agent in random endings; the unit of the statistics is an ending, not a seat."""
    from kibitz.arena.statistics import mean_of

    rows: list[dict[str, Any]] = []
    with progress_bar(f"testing {trial.agent.spec}", endings) as (progress, task):
        try:
            for number in range(endings):
                rows.append(_test_one(solver, game, trial, objective, cards, number))
                progress.advance(task)
        except KeyboardInterrupt:
            if not rows:
                raise
    document: dict[str, Any] = {
        "game": game.spec,
        "objective": objective,
        "agent": trial.agent.spec,
        "by": rows[0]["by"],
        "samples": trial.samples,
        "cards": cards,
        "endings": len(rows),
        "seed": trial.seed,
    }
    if len(rows) < endings:
        document["stopped"] = "interrupted"
    for figure in ("exploitability", "at_least"):
        mean = mean_of([sum(row[figure]) / len(row[figure]) for row in rows])
        document[figure] = mean.mean
        document[f"{figure}_ci95"] = bounds(mean)
    return {**document, "each": rows}


def _test_one(
    solver: Any, game: "Game", trial: _Trial, objective: str, cards: int, number: int
) -> dict[str, Any]:
    """Test an agent at all seats of one random ending."""
    state = trial.module.random_ending(game, cards, trial.seed, number)
    trial.module.check(state)
    solution = solver.solve(game, state, objective)
    found = [trial.run(solution, seat, number) for seat in range(game.n_seats)]
    return {
        "position": game.text.format_position(state),
        "values": list(solution.values),
        "exploitability": [row["exploitability"] for row in found],
        "at_least": [row["at_least"] for row in found],
        "by": found[0]["by"],
    }


def _find_solver(facts: GameFacts) -> Any:
    """Load the module that solves a game; SpecError if it has none."""
    if not _is_solvable(facts):
        known = [name for name in game_names() if _is_solvable(game_facts(name))]
        raise SpecError(f"{facts.name} is not solved: {nearest(facts.name, known)}")
    return importlib.import_module(f"{facts.package}.solver")


def _find_response(facts: GameFacts) -> Any:
    """Load the module that tests agents; SpecError if there is none."""
    module = find_module(facts, "response")
    if module is None:
        raise SpecError(f"agents are not tested in {facts.name}: leave out --agent")
    return module


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
        return solver.solve(game, state, objective, _follow(progress, task))


def _follow(progress: Any, task: Any) -> Any:
    """Make a function that moves a bar when told how much is done."""
    return lambda done, total: progress.update(task, completed=done, total=total)


def _follow_answers(progress: Any, task: Any) -> Any:
    """Make one that also tells, by the first answers, how long all of them take."""
    from kibitz.papers.grids import hours

    began, first, is_told = 0.0, 0, False

    def follow(done: int, total: int) -> None:
        nonlocal began, first, is_told
        progress.update(task, completed=done, total=total)
        now = time.monotonic()
        if first == 0:  # what came before was compiled, too
            began, first = now, done
        elif not is_told and now - began >= FIRST_ANSWERS:
            is_told = True
            left = (now - began) * (total - done) / (done - first)
            if left >= WORTH_TELLING:
                said = f"{total:,} questions, about {hours(left)} more"
                err.print(said, style="dim", highlight=False)

    return follow


def _print(solver: Any, game: "Game", document: dict[str, Any]) -> None:
    """Print the value, all strategies, and how an agent fares."""
    _print_title(game)
    if hasattr(solver, "tell"):
        out.print(solver.tell(document), highlight=False)
    else:
        _print_values(solver, document["objective"], document["values"])
    for other in document.get("also", []):
        _print_values(solver, other, document[other])
    if document["strategies"]:
        out.print(_strategies(solver, document))
    else:
        out.print("nobody has anything to decide")
    if "responses" in document:
        out.print(_responses(solver, document))
    done = f"{document['nodes']:,} positions in {document['seconds']:.2f} s"
    out.print(done, style="dim", highlight=False)


def _print_values(solver: Any, objective: str, values: list[float]) -> None:
    """Print what perfect play is worth to every seat."""
    written = ", ".join(
        f"seat {seat} {solver.write_value(objective, value)}" for seat, value in enumerate(values)
    )
    out.print(f"{solver.TITLES[objective]}: {written}", highlight=False)


def _print_title(game: "Game") -> None:
    out.print(f"[bold]{game.facts.title}[/bold]  [dim]{game.spec}[/dim]", highlight=False)


def _strategies(solver: Any, document: dict[str, Any]) -> Grid:
    """List the actions of every seat that decides; those never played are dim."""
    grid = Grid(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column("seat", justify="right")
    grid.add_column("action", justify="right")
    grid.add_column("probability", justify="right")
    grid.add_column("", width=BAR_CELLS)
    grid.add_column("its value", justify="right")
    also = document.get("also", [])
    for other in also:
        grid.add_column(other, justify="right")
    says = hasattr(solver, "say_action")
    if says:
        grid.add_column("moves", no_wrap=True)
    for strategy in document["strategies"]:
        for i, action in enumerate(strategy["actions"]):
            probability = action["probability"]
            grid.add_row(
                str(strategy["seat"]) if i == 0 else "",
                action["text"],
                f"{probability:.1%}",
                Text("━" * round(BAR_CELLS * probability), style="cyan"),
                solver.write_value(document["objective"], action["value"]),
                *(solver.write_value(other, action[other]) for other in also),
                *([solver.say_action(document, action)] if says else []),
                style="" if probability > 0 else "dim",
                end_section=i == len(strategy["actions"]) - 1,
            )
    return grid


def _responses(solver: Any, document: dict[str, Any]) -> Grid:
    """List what an agent gets from each seat, beside what there is to get."""
    grid = Grid(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column("agent")
    for column in ("seat", "perfect play", "best response", "gives away", "at least"):
        grid.add_column(column, justify="right")
    objective = document["objective"]
    for row in document["responses"]:
        grid.add_row(
            Text(row["agent"]),
            str(row["seat"]),
            solver.write_value(objective, row["equilibrium"]),
            solver.write_value(objective, row["value"]),
            solver.write_value(objective, row["exploitability"]).lstrip("+"),
            solver.write_value(objective, row["at_least"]).lstrip("+"),
        )
    return grid


def _print_test(game: "Game", document: dict[str, Any]) -> None:
    """Print what an agent gives away on average."""
    from kibitz.arena.statistics import Estimate

    _print_title(game)
    grid = Grid(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column("agent")
    grid.add_column("endings", justify="right")
    grid.add_column("gives away", justify="right")
    grid.add_column("at least", justify="right")
    style = ".1%" if document["objective"] == "win" else ".3f"
    means = [
        Estimate(document[figure], *(document[f"{figure}_ci95"] or (float("nan"),) * 2))
        for figure in ("exploitability", "at_least")
    ]
    grid.add_row(
        Text(document["agent"]),
        f"{document['endings']:,}",
        *(format(mean, style) for mean in means),
    )
    out.print(grid)
    unit = {"points": "points", "win": "probability to win"}.get(document["objective"], "")
    out.print(
        f"{unit} per ending of {document['cards']} cards each, mean of both seats; ± is a 95 % "
        f"interval; asked {document['samples']} times in every position",
        style="dim",
        highlight=False,
    )
