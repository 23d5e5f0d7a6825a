"""Tables of results for the terminal, and what is written of them."""

import csv
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from rich import box
from rich.console import JustifyMethod
from rich.markup import escape
from rich.table import Table as Grid

from kibitz.cli.console import out, remark

if TYPE_CHECKING:
    from kibitz.arena import Estimate, Result
    from kibitz.cli.outputs import Outputs
    from kibitz.cli.playing import Attempt

INTERVAL = "± is a 95 % interval"

MIN_PLOT, MAX_PLOT = 8, 28
"""Columns of the plot of intervals; it is left out where there is no room."""


def bounds(estimate: "Estimate") -> list[float] | None:
    """Return an interval for JSON, if there is one."""
    return [estimate.low, estimate.high] if estimate.has_interval else None


def print_match(result: "Result", interval: str = INTERVAL) -> None:
    """Print the standings of a match, and what ± is."""
    from kibitz.arena.words import duration

    rows = result.standings()
    forfeits = ["forfeits"] if result.faults else []
    print_table(
        f"{result.game.facts.title}  [dim]{escape(result.game.spec)}[/dim]",
        _caption(result, interval),
        ["", "agent", result.game.facts.unit, "games won", *forfeits, "per move"],
        [
            [
                str(place),
                row.label,
                f"{row.score:+.2f}",
                f"{row.wins:.1%}",
                *([str(row.n_faults)] if forfeits else []),
                duration(row.seconds_per_move),
            ]
            for place, row in enumerate(rows, 1)
        ],
        [row.score for row in rows],
    )


def _caption(result: "Result", interval: str) -> str:
    n = len(result.deals)
    played = f"{result.n_games:,} games in {result.elapsed:.1f} s"
    if n == 1:
        return f"one deal from every seat, seed {result.seed}: {played}"
    return f"{n:,} deals from every seat, seed {result.seed}: {played}; {interval}"


def print_table(
    title: str,
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    plotted: "Sequence[Estimate]" = (),
) -> None:
    """Print a table with a plot of intervals if there is room.

    The first columns are place and name; the last ones are left out where there is no room.
    """
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(len, column)) + 3 for column in columns]
    while len(widths) > 3 and sum(widths) + 1 > out.width:
        widths.pop()
    heads, *cells = zip(*columns[: len(widths)], strict=True)
    room = min(MAX_PLOT, out.width - sum(widths) - 4)
    lines = _plot(plotted, room) if plotted and room >= MIN_PLOT else []
    grid = Grid(box=box.ROUNDED, title_justify="left", caption_justify="left")
    grid.title, grid.caption = title, caption
    for i, head in enumerate(heads):
        justify: JustifyMethod = "left" if i == 1 else "right"
        grid.add_column(head, justify=justify, no_wrap=True)
    if lines:
        head = "lower to higher" if room >= len("lower to higher") else "interval"
        grid.add_column(head, no_wrap=True)
    for i, row in enumerate(cells):
        grid.add_row(*map(escape, row), *([f"[cyan]{lines[i]}[/cyan]"] if lines else []))
    out.print(grid)


def _plot(estimates: "Sequence[Estimate]", width: int) -> list[str]:
    """Draw means and intervals, each on a line that spans all of them."""
    low = min(min(one.mean, one.low) for one in estimates)  # min and max pass over NaN here
    high = max(max(one.mean, one.high) for one in estimates)

    def place(value: float) -> int:
        return round((value - low) / ((high - low) or 1) * (width - 1))

    lines = []
    for one in estimates:
        middle = place(one.mean)
        begin = place(one.low) if one.has_interval else middle
        end = place(one.high) if one.has_interval else middle
        line = [" "] * width
        line[begin : end + 1] = "─" * (end + 1 - begin)
        line[middle] = "●"
        lines.append("".join(line))
    return lines


class Writable(Protocol):
    """What text can be written to."""

    def write(self, text: str, /) -> object:
        """Write some text."""


def write_csv(stream: Writable, results: "Iterable[tuple[Result, Sequence[str]]]") -> None:
    """Write one line per game and seat."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["game", "deal", "rotation", "seat", "agent", "score"])
    for result, names in results:
        lineup, scores = result.lineup.tolist(), result.scores.tolist()
        for deal, tables, games in zip(result.deals.tolist(), lineup, scores, strict=True):
            for rotation, (table, row) in enumerate(zip(tables, games, strict=True)):
                writer.writerows(
                    (result.game.spec, deal, rotation, seat, names[agent], score)
                    for seat, (agent, score) in enumerate(zip(table, row, strict=True))
                )


def write_match(
    result: "Result", outputs: "Outputs", tried: "Attempt", intervals: str = ""
) -> None:
    """Write scores, records and the page of a match, each as far as it can be.

    What is to be said of its intervals stands on the page.
    """
    if outputs.records is not None:
        with tried.write():
            outputs.records.keep()
    if outputs.scores is not None:
        with tried.write():
            write_csv(outputs.scores, [(result, result.labels)])
            outputs.scores.keep()
    if outputs.report is not None:
        from kibitz.arena.report import report_match

        with tried.write():
            remark(f"report: {report_match(outputs.report, result, intervals)}")
