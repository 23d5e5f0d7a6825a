"""`kibitz paper`: the tables of a paper, played again."""

import time
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich import box
from rich.markup import escape
from rich.table import Table as RichTable

from kibitz.cli import playing
from kibitz.cli.console import announce_compilation, err, out, print_json, progress_bar
from kibitz.cli.outputs import make_folder
from kibitz.cli.playing import Json, Report
from kibitz.core.errors import SpecError

if TYPE_CHECKING:
    from kibitz.papers.plan import Paper, Table
    from kibitz.papers.results import Results

DEFAULT_SEED = 1

LABEL_WIDTH = 15
"""Labels are written on several lines if longer, so that tables fit into 80 columns."""

KEPT = ("series", "scores", "studies")
"""Parts of the results that stay in their file: what they say is in the tables."""

KEEP_SECONDS = 3
"""Results are written to their file so often: a crash loses this and what was being played."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: kibitz paper nimmt-monte-carlo figure-4/known --budget quick")(
        paper
    )


def paper(
    name: Annotated[
        str, typer.Argument(metavar="PAPER", help="Its name, such as nimmt-rl or sheephead.")
    ],
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TABLE]...", help="Such as figure-4/known, figure-4 or known."),
    ] = None,
    budget: Annotated[
        Literal["quick", "paper", "full"],
        typer.Option(help="A minute; the paper's games; 100 times as many (nimmt-monte-carlo)."),
    ] = "quick",
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="What all cards derive from: 1, or that of the file."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Batches played at once.")] = 1,
    minutes: Annotated[
        float | None,
        typer.Option(min=0, help="Stop playing after so long; 0 only shows the file."),
    ] = None,
    out_file: Annotated[
        Path | None,
        typer.Option("--out", help="Keep results in this file, and go on from what it holds."),
    ] = None,
    report: Report = None,
    as_json: Json = False,
) -> None:
    """Play the tables of a paper again: our numbers with intervals beside the paper's.

    What is kept with --out goes on where it stopped, with the same or a larger budget.
    """
    from kibitz.papers import load_paper
    from kibitz.papers.lines import as_json as table_as_json

    work = load_paper(name)
    work.select(tables or [], {})
    if minutes == 0 and out_file is not None and not out_file.exists():
        raise SpecError(
            f"there are no results in {out_file} to show: leave out --minutes 0 to play"
        )
    results = _open(work, out_file, seed)
    if report is not None:
        make_folder(report)
    tried = playing.Attempt()
    chosen = _play(work, tables or [], results, (budget, threads, minutes, out_file), tried)
    documents = [table_as_json(table, results) for table in chosen]
    if out_file is not None and minutes != 0:
        with tried.write():
            every = work.make_tables(results.measured)
            results.save(out_file, [table_as_json(table, results) for table in every])
    if report is not None:
        from kibitz.papers.drawing import report as write_report

        with tried.write():
            place = write_report(report, work, chosen, results)
            err.print(f"report: {place}", style="dim", highlight=False)
    if as_json:
        print_json(_as_json(results, documents, tried))
    else:
        _print(work, chosen, results)
    tried.end([], _advice(out_file) if tried.failure else "")


def _open(work: "Paper", path: Path | None, seed: int | None) -> "Results":
    """Take up the results of a file, or begin."""
    from kibitz.core.table import check_seed
    from kibitz.papers.results import Results, load_results

    if path is None or not path.exists():
        return Results(work.name, DEFAULT_SEED if seed is None else check_seed(seed))
    results = load_results(path, work)
    if seed is not None and seed != results.seed:
        raise SpecError(
            f"{path} was played with seed {results.seed}, not {seed}: give --out another file"
        )
    return results


def _play(
    work: "Paper",
    names: list[str],
    results: "Results",
    how: tuple[str, int, float | None, Path | None],
    tried: playing.Attempt,
) -> "list[Table]":
    """Play what is left, keeping it every few seconds; return the tables."""
    from kibitz.papers.grids import hours
    from kibitz.papers.plan import BUDGETS
    from kibitz.papers.run import Runner

    budget, threads, minutes, path = how
    tables = work.select(names, results.measured)
    if minutes == 0:
        return tables
    announce_compilation()
    results.begin(budget)
    if path is not None:
        results.save(path, [])  # a place that cannot be written is told before anything is played
    with tried.play():
        if not {who for table in tables for who in table.budgets} <= results.measured.keys():
            results.measured.update(work.measure(results.measured))
            tables = work.select(names, results.measured)
        runner = Runner(tables, results, BUDGETS[budget], threads)
        # Measuring budgets compiles every player, which may take longer than there is to play.
        end = time.monotonic() + 60 * minutes if minutes else float("inf")
        left = hours(runner.seconds_left())
        err.print(f"about {left} of processor time to play", style="dim", highlight=False)
        if missing := [study.key for study in runner.left_out()]:
            said = "left out, as nobody learns without torch (pip install 'kibitz[train]')"
            err.print(f"{said}: {', '.join(missing)}", highlight=False, markup=False)
        with progress_bar(work.name, runner.amount_left()) as (progress, task):
            kept = time.monotonic()
            for played, n in runner.play(lambda: time.monotonic() >= end):
                if path is not None and time.monotonic() - kept >= KEEP_SECONDS:
                    results.save(path, [])
                    kept = time.monotonic()
                progress.update(task, advance=n, description=played.key)
    return tables


def _as_json(
    results: "Results", tables: list[dict[str, Any]], tried: playing.Attempt
) -> dict[str, Any]:
    document = {key: value for key, value in results.as_json().items() if key not in KEPT}
    stopped = {} if tried.failure is None else {"stopped": str(tried)}
    return {**document, "tables": tables, **stopped}


def _print(work: "Paper", tables: "list[Table]", results: "Results") -> None:
    """Print every table with its remarks."""
    from kibitz.papers.grids import facts, make_grid

    for table in tables:
        grid = make_grid(table, results)
        shown = RichTable(
            box=box.SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
            pad_edge=False,
            title_justify="left",
            title_style="bold",
        )
        shown.title = f"{escape(grid.title)}  [dim]{grid.name}[/dim]"
        n_labels = len(table.heads)
        for i, head in enumerate(grid.heads):
            justify: Literal["left", "right"] = "left" if i < n_labels else "right"
            shown.add_column(head, justify=justify, overflow="fold", no_wrap=i < n_labels)
        for row in grid.rows:
            labels = [fill(label, LABEL_WIDTH, break_long_words=False) for label in row[:n_labels]]
            shown.add_row(*map(escape, (*labels, *row[n_labels:])))
        out.print(shown if grid.rows else shown.title)
        for note in grid.notes:
            out.print(f"· {note}", highlight=False, markup=False)
        out.print()
    said = ", ".join(f"{name} {value}" for name, value in facts(results).items())
    out.print(f"{work.title}: {said}; ± is a 95 % interval over deals", style="dim", markup=False)


def _advice(path: Path | None) -> str:
    if path is None:
        return "nothing is kept: give --out FILE to go on another time"
    return f"the same command goes on from {path}"
