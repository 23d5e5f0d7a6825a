"""`kibitz tournament`: agents against each other on duplicate deals."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import JustifyMethod
from rich.table import Table as Grid

from kibitz.cli.console import announce_compilation, out, print_json, progress_bar

if TYPE_CHECKING:
    from kibitz.arena import Estimate, Result

MIN_PLOT, MAX_PLOT = 8, 28
"""Columns of the plot of intervals; it is left out where there is no room."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(
        epilog="Example: kibitz tournament nimmt:players=4 random highest lowest closest --seed 1"
    )(tournament)


def tournament(
    game: Annotated[str, typer.Argument(help="A game spec, such as nimmt:players=4.")],
    agents: Annotated[list[str], typer.Argument(help="Agent specs, such as random.")],
    deals: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many deals.")] = 2000,
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
    table = load_game(game, defaults="arena")
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
    """Print the standings, with a plot of the intervals where there is room for it."""
    standings = result.standings()
    rows: list[list[str]] = [
        [
            str(place),
            row.spec,
            f"{row.score.mean:+.2f}{_margin(row.score, '.2f')}",
            f"{row.wins.mean:.1%}{_margin(row.wins, '.1%')}",
            _duration(row.seconds_per_move),
        ]
        for place, row in enumerate(standings, 1)
    ]
    heads = ["", "agent", "points", "games won", "per move"]
    used = sum(max(map(len, column)) + 3 for column in zip(heads, *rows, strict=True)) + 1
    room = min(MAX_PLOT, out.width - used - 3)
    if room >= MIN_PLOT:
        heads.append("lower to higher"[:room])
        for row, line in zip(rows, _plot([one.score for one in standings], room), strict=True):
            row.append(f"[cyan]{line}[/cyan]")
    grid = Grid(box=box.ROUNDED, title_justify="left", caption_justify="left")
    grid.title = f"{result.game.facts.title}  [dim]{result.game.spec}[/dim]"
    grid.caption = _caption(result, deals, seed)
    for head in heads:
        justify: JustifyMethod = (
            "right" if head in ("", "points", "games won", "per move") else "left"
        )
        grid.add_column(head, justify=justify, no_wrap=True)
    for cells in rows:
        grid.add_row(*cells)
    out.print(grid)


def _caption(result: "Result", deals: int, seed: int) -> str:
    played = f"{len(result.scores):,} games in {result.seconds:.1f} s"
    if deals == 1:
        return f"one deal from every seat, seed {seed}: {played}"
    return f"{deals:,} deals from every seat, seed {seed}: {played}; ± is a 95 % interval"


def _margin(estimate: "Estimate", form: str) -> str:
    """Write half the width of an interval, if there is one."""
    return "" if math.isnan(estimate.margin) else f" ±{estimate.margin:{form}}"


def _plot(estimates: "list[Estimate]", width: int) -> list[str]:
    """Draw means and intervals, each on a line that spans all of them."""
    low = min(min(one.mean, one.low) for one in estimates)  # min and max pass over NaN here
    high = max(max(one.mean, one.high) for one in estimates)

    def place(value: float) -> int:
        return round((value - low) / ((high - low) or 1) * (width - 1))

    lines = []
    for one in estimates:
        middle = place(one.mean)
        begin = middle if math.isnan(one.low) else place(one.low)
        end = middle if math.isnan(one.high) else place(one.high)
        line = [" "] * width
        line[begin : end + 1] = "─" * (end + 1 - begin)
        line[middle] = "●"
        lines.append("".join(line))
    return lines


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds * 1e9:.0f} ns"
