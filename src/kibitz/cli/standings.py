"""Tables of results for the terminal, and what commands that play matches share."""

import csv
import io
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import JustifyMethod
from rich.markup import escape
from rich.table import Table as Grid

from kibitz.cli.console import err, out
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.arena import Estimate, PlayedDeals, Result
    from kibitz.core.driver import Fault

MIN_PLOT, MAX_PLOT = 8, 28
"""Columns of the plot of intervals; it is left out where there is no room."""

FAULTS_FILE = "kibitz-faults.jsonl"
"""Where records of games with misbehaving agents go unless told otherwise."""


def bounds(estimate: "Estimate") -> list[float] | None:
    """Give an interval for JSON, if there is one."""
    return [estimate.low, estimate.high] if estimate.has_interval else None


def points(estimate: "Estimate") -> str:
    """Write a mean score with half the width of its interval."""
    return f"{estimate.mean:+.2f}" + (f" ±{estimate.margin:.2f}" if estimate.has_interval else "")


def share(estimate: "Estimate") -> str:
    """Write a share in percent, likewise."""
    return f"{estimate.mean:.1%}" + (f" ±{estimate.margin:.1%}" if estimate.has_interval else "")


def rating(estimate: "Estimate") -> str:
    """Write a rating, likewise."""
    return f"{estimate.mean:+.0f}" + (f" ±{estimate.margin:.0f}" if estimate.has_interval else "")


def duration(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


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
        grid.add_column("lower to higher"[:room], no_wrap=True)
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


class Running:
    """The mean of one agent while a match is played, for a line that people watch."""

    def __init__(self, name: str, agent: int = 0) -> None:
        """Follow an agent by its index."""
        self._name, self._agent = name, agent
        self._n, self._sum, self._squares = 0, 0.0, 0.0

    def add(self, played: "PlayedDeals") -> None:
        """Count some deals."""
        sits = played.lineup == self._agent
        count = sits.sum(axis=(1, 2))
        means = ((played.scores * sits).sum(axis=(1, 2)) / count.clip(1))[count > 0]
        self._n += len(means)
        self._sum += float(means.sum())
        self._squares += float((means**2).sum())

    def __str__(self) -> str:
        """Say how it stands."""
        if self._n < 2:
            return self._name
        mean = self._sum / self._n
        variance = max(self._squares / self._n - mean**2, 0) * self._n / (self._n - 1)
        return f"{self._name} {mean:+.2f} ±{1.96 * math.sqrt(variance / self._n):.2f}"


def write_csv(stream: IO[str], results: "Iterable[tuple[Result, Sequence[str]]]") -> None:
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


@contextmanager
def new_file(path: Path | None) -> Iterator[IO[str]]:
    """Write a file under another name first: a match that fails does not cost the old file.

    The place is tried before anything is played.
    """
    if path is None:
        yield io.StringIO()
        return
    partial = path.with_name(path.name + ".part")
    try:
        stream = partial.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise KibitzError(
            f"cannot write {path}: {(error.strerror or str(error)).lower()}"
        ) from None
    with stream:
        yield stream
    os.replace(partial, path)


def new_folder(path: Path | None) -> Path | None:
    """Make a folder before anything is played."""
    if path is not None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise KibitzError(f"cannot make the folder {path}: {reason}") from None
    return path


def end(failure: BaseException | None, faults: "Sequence[Fault]", advice: str = "") -> None:
    """Save what agents did wrong, say what ended the play early, and leave with its code."""
    from kibitz.core.driver import Misbehaviour

    last = [failure.fault] if isinstance(failure, Misbehaviour) else []
    _save_faults([*faults, *last])
    if failure is None:
        return
    print("stopped" if str(failure) == "" else f"error: {failure}", file=sys.stderr)
    if advice:
        print(advice, file=sys.stderr)
    raise typer.Exit(130 if isinstance(failure, KeyboardInterrupt) else 1)


def _save_faults(faults: "Sequence[Fault]") -> None:
    """Keep the records of games in which agents misbehaved, and say where."""
    lines = [fault.record.to_line() for fault in faults if fault.record is not None]
    if not lines:
        return
    try:
        with Path(FAULTS_FILE).open("a", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in lines)
        what = "its record is" if len(lines) == 1 else f"{len(lines)} records are"
        err.print(f"{what} in {FAULTS_FILE}", style="dim", highlight=False)
    except OSError:
        err.print(lines[0], soft_wrap=True, highlight=False, markup=False)


def as_json(result: "Result") -> dict[str, Any]:
    """Give the document that `kibitz match --json` prints."""
    return {
        "game": result.game.spec,
        "deals": len(result.deals),
        "games": result.n_games,
        "seed": result.seed,
        "seconds": result.elapsed,
        "agents": [
            {
                "spec": row.spec,
                "mean": row.score.mean,
                "ci95": bounds(row.score),
                "win_share": row.wins.mean,
                "win_ci95": bounds(row.wins),
                "ranks": [one.mean for one in result.sample.ranks(row.agent)],
                "seconds_per_move": row.seconds_per_move,
                "faults": row.n_faults,
            }
            for row in result.standings()
        ],
        "paired": [
            {
                "a": result.labels[pair.a],
                "b": result.labels[pair.b],
                "difference": pair.difference.mean,
                "ci95": bounds(pair.difference),
            }
            for pair in result.paired()
        ],
    }
