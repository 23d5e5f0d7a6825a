"""`kibitz tournament`: agents against each other on duplicate deals."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, out, print_json, progress_bar

if TYPE_CHECKING:
    from kibitz.arena import Estimate, Result, Standing


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(
        epilog="Example: kibitz tournament nimmt:players=4 random highest lowest closest --seed 1"
    )(tournament)


def tournament(
    game: Annotated[str, typer.Argument(help="A game spec, such as nimmt:players=4.")],
    agents: Annotated[list[str], typer.Argument(help="Agent specs, such as random.")],
    deals: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many deals.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="What all cards derive from.")] = 0,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Batches played at once.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Let agents play each other: same deals for all, every seat, intervals over deals.

    With more agents than seats, every choice of agents plays every deal; with fewer, the last one
    fills the table.
    """
    from kibitz import arena
    from kibitz.arena.match import schedule
    from kibitz.core.registry import load_agent, load_game

    announce_compilation()
    table = load_game(game, purpose="arena")
    players = [load_agent(spec, table) for spec in agents]
    total = len(schedule(len(players), table.n_seats, 1, seed)) * deals
    with progress_bar(f"playing {table.spec}", total) as (progress, task):
        result = arena.play(
            table,
            players,
            deals,
            seed,
            threads=threads,
            progress=lambda n: progress.advance(task, n),
        )
    if as_json:
        print_json(_as_json(result, deals, seed))
    else:
        _print(result, deals, seed)


def _as_json(result: "Result", deals: int, seed: int) -> dict[str, Any]:
    def bounds(low: float, high: float) -> list[float] | None:
        return [low, high] if low == low else None

    return {
        "game": result.game.spec,
        "deals": deals,
        "games": len(result.scores),
        "seed": seed,
        "seconds": result.seconds,
        "agents": [
            {
                "spec": row.spec,
                "mean": row.score.mean,
                "ci95": bounds(row.score.low, row.score.high),
                "win_share": row.wins.mean,
                "win_ci95": bounds(row.wins.low, row.wins.high),
                "seconds_per_move": row.seconds_per_move,
            }
            for row in result.standings()
        ],
    }


def _print(result: "Result", deals: int, seed: int) -> None:
    rows = result.standings()
    grid = Grid(
        title=f"{result.game.facts.title}  [dim]{result.game.spec}[/dim]",
        title_justify="left",
        box=box.ROUNDED,
        caption=(
            f"{deals:,} deals from every seat, seed {seed}: {len(result.scores):,} games in "
            f"{result.seconds:.1f} s; ± and whiskers are 95 % intervals over deals"
        ),
        caption_justify="left",
    )
    grid.add_column("")
    grid.add_column("agent", style="bold", no_wrap=True)
    grid.add_column("points", justify="right", no_wrap=True)
    grid.add_column("lower to higher", no_wrap=True)
    grid.add_column("games won", justify="right", no_wrap=True)
    grid.add_column("per move", justify="right", no_wrap=True)
    low = min(min(row.score.mean, row.score.low) for row in rows)
    high = max(max(row.score.mean, row.score.high) for row in rows)
    for place, row in enumerate(rows, 1):
        grid.add_row(
            str(place),
            row.spec,
            f"{row.score.mean:+.2f}{_margin(row.score, '.2f')}",
            _whisker(row, low, high),
            f"{row.wins.mean:.1%}{_margin(row.wins, '.1%')}",
            _duration(row.seconds_per_move),
        )
    out.print(grid)


def _margin(estimate: "Estimate", form: str) -> str:
    """Write half the width of an interval, if there is one."""
    if math.isnan(estimate.high):
        return ""
    return f" ±{estimate.high - estimate.mean:{form}}"


def _whisker(row: "Standing", low: float, high: float, width: int = 22) -> Text:
    """Draw the mean and its interval on a line that spans all agents."""

    def place(value: float) -> int:
        return round((value - low) / ((high - low) or 1) * (width - 1))

    middle = place(row.score.mean)
    begin = place(row.score.low) if row.score.low == row.score.low else middle
    end = place(row.score.high) if row.score.high == row.score.high else middle
    line = [" "] * width
    line[begin : end + 1] = "─" * (end + 1 - begin)
    line[middle] = "●"
    return Text("".join(line), style="cyan")


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds * 1e9:.0f} ns"
