"""`kibitz bench`: how fast this is, beside programs that show how fast it could be."""

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, err, out, print_json, progress_bar

if TYPE_CHECKING:
    from kibitz.bench import Benchmark, Result

BAR_CELLS = 10


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: kibitz bench nimmt.random_games connect4 --peers")(bench)


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Benchmarks, or how their names begin."),
    ] = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure OpenSpiel and pgx too, if installed.")
    ] = False,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="Samples of each.")] = 5,
    seconds: Annotated[
        float, typer.Option(min=0.001, max=600, help="About how long a sample lasts.")
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure speed: ours and its peers in turn, medians, and ratios within each repeat.

    The limit programs are C++ that is built here with g++; a ratio of 1 means as fast as they are.
    """
    from kibitz.bench import measure, select

    announce_compilation()
    chosen = select(names or [])
    results: list[Result] = []
    with progress_bar("preparing", _total(chosen, repeats)) as (progress, task):
        for benchmark in chosen:
            progress.update(task, description=benchmark.name)
            results.append(
                measure(
                    benchmark,
                    seconds=seconds,
                    repeats=repeats,
                    outside=peers,
                    tell=lambda line: err.print(
                        line, markup=False, highlight=False, soft_wrap=True
                    ),
                    advance=lambda: progress.advance(task),
                )
            )
    if as_json:
        print_json([result.as_json() for result in results])
    else:
        _print(results, seconds, repeats)


def _total(chosen: "list[Benchmark]", repeats: int) -> int:
    return sum(benchmark.repeats(repeats) for benchmark in chosen)


def _print(results: "list[Result]", seconds: float, repeats: int) -> None:
    from kibitz.bench.machine import describe

    grid = Grid(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column("benchmark", no_wrap=True)
    grid.add_column("ours", justify="right", no_wrap=True)
    grid.add_column("beside", no_wrap=True)
    grid.add_column("theirs", justify="right", no_wrap=True)
    grid.add_column("ours / theirs", no_wrap=True)
    for result in results:
        _add_rows(grid, result)
    out.print(grid)
    out.print(
        f"medians of {repeats} samples of {seconds:g} s in turn (below them lowest … highest); "
        "ratios are medians over repeats",
        style="dim",
    )
    out.print(describe(), style="dim", highlight=False)


def _add_rows(grid: Grid, result: "Result") -> None:
    """Add the median with its spread below it, and beside them a line per peer and target."""
    low, high = result.spread
    benchmark = result.benchmark
    ours = [
        (Text(benchmark.name, "bold"), f"{_number(result.ours)} {benchmark.unit}"),
        (
            Text("↓ lower is better" if benchmark.lower_is_better else "", "dim"),
            Text(f"{_number(low, 3)} … {_number(high, 3)}", "dim"),
        ),
    ]
    beside = [
        (who, _number(figure), _bar(result.ratio[who])) for who, figure in result.peers.items()
    ]
    if benchmark.target is not None:
        sign = "≤" if benchmark.target.at_most else "≥"
        bound = f"{sign} {_number(benchmark.target.bound)}"
        beside.append(("target", bound, _verdict(benchmark.target.is_met(result.ours))))
    for who, least in benchmark.least_ratio.items():
        if who in result.ratio:
            bound = f"≥ {_number(least, 2)} x"  # a short name, or figures would be cut
            beside.append(("target", bound, _verdict(result.ratio[who] >= least)))
    for left, right in zip_longest(ours, beside):
        grid.add_row(*(left or ("", "")), *(right or ("", "", "")))


def _verdict(is_met: bool) -> Text:
    return Text("✓ met", "green") if is_met else Text("✗ missed", "red")


def _number(figure: float, digits: int = 4) -> str:
    """Write a figure with some digits that count, thousands and millions as k and M."""
    for size, name in ((1e6, " M"), (1e3, " k")):
        if figure >= size:
            return f"{figure / size:.{digits}g}{name}"
    return f"{figure:.{digits}g}"


def _bar(ratio: float) -> Text:
    """Write a ratio and draw it; the bar is full where ours is as fast as theirs.

    The number comes first: a narrow terminal cuts the bar.
    """
    filled = round(BAR_CELLS * min(ratio, 1.0))
    bar = Text(f"{_number(ratio, 3) if ratio >= 10 else f'{ratio:.2f}'} ", style="bold")
    bar.append("━" * filled, style="green" if ratio >= 1 else "cyan")
    bar.append("╌" * (BAR_CELLS - filled), style="bright_black")
    return bar
