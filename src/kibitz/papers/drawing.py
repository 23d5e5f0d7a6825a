"""Plots of sweeps, and the page of a paper."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz._version import __version__
from kibitz.arena import page
from kibitz.arena.plots import MARKERS, PALETTE
from kibitz.arena.sheet import FAINT, WIDTH, Sheet, styled
from kibitz.arena.statistics import Estimate
from kibitz.arena.words import percent
from kibitz.papers.grids import facts, make_grid
from kibitz.papers.lines import lines_of, paper_estimate
from kibitz.papers.plan import Paper, Table
from kibitz.papers.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE = "index.html"

APART = 0.012
"""How far the points of two lines are moved apart, as a share of the axis."""

PAPER_STYLE = {"linestyle": ":", "markerfacecolor": "white", "linewidth": 0.8, "alpha": 0.75}


@styled
def draw_sweep(table: Table, results: Results) -> str:
    """Draw shares of games won over a parameter: ours filled, the paper's hollow."""
    trials, lines = table.trials, lines_of(table, results)
    names = list(dict.fromkeys(row.line for row in trials))
    sheet = Sheet(360)
    ax = sheet.axes(left=62, right=20, bottom=44, top=34 + 18 * len(names))
    ax.grid(axis="y")
    ax.set_xlabel(table.x_label)
    ax.set_xticks(sorted({row.x for row in trials if row.x is not None}))
    ax.yaxis.set_major_formatter(lambda value, _: percent(value))
    places = [row.x or 0.0 for row in trials]
    step = APART * (max(places) - min(places))
    said: list[str] = []
    for i, name in enumerate(names):
        mine = [k for k, row in enumerate(trials) if row.line == name]
        x = [places[k] + step * (2 * i - len(names) + 0.5) for k in mine]
        theirs = [paper_estimate(lines[k].paper or 0, table.paper_games) for k in mine]
        style = {"color": PALETTE[i], "marker": MARKERS[i]}
        _points(ax, x, [lines[k].ours for k in mine], linewidth=1.8, **style)
        _points(ax, [place + step for place in x], theirs, **style | PAPER_STYLE)
        _explain(sheet, i, name, [lines[k].n_games for k in mine], table.paper_games)
        said += [f"{name} {' '.join(trials[k].labels)}: {lines[k].ours:.1%}" for k in mine]
    sheet.write(6, sheet.height - 14, "share of games won against random")
    sheet.write(WIDTH - 6, sheet.height - 14, "bars: 95 %", ha="right", size=11, color=FAINT)
    return sheet.svg(table.title, said)


def _points(ax: "Axes", x: Sequence[float], shares: Sequence[Estimate], **style: Any) -> None:
    """Draw estimates with their intervals, joined by a line."""
    mean, low, high = np.array([[one.mean, one.low, one.high] for one in shares]).T
    ax.errorbar(x, mean, [mean - low, high - mean], markersize=7, capsize=3, **style)


def _explain(sheet: Sheet, i: int, name: str, games: Sequence[int], paper_games: int) -> None:
    """Say what the marks of a line mean."""
    y = sheet.height - 34 - 18 * i
    look: dict[str, Any] = {"color": PALETTE[i], "marker": MARKERS[i], "markersize": 7}
    look["markevery"] = [1]
    sheet.line([70, 81, 92], [y] * 3, linewidth=1.8, **look)
    least, most = min(games), max(games)
    each = f"{most:,} games each" if least == most else f"{least:,} to {most:,} games"
    sheet.write(100, y, f"{name}, ours ({each})", size=11)
    sheet.line([380, 391, 402], [y] * 3, **look | PAPER_STYLE)
    sheet.write(410, y, f"{name}, paper ({paper_games} games each)", size=11)


def report(folder: Path, paper: Paper, tables: list[Table], results: Results) -> Path:
    """Write a page with all tables and plots; give its place."""
    sections = [_section(table, results) for table in tables]
    path = folder / PAGE
    known = {**facts(results), "kibitz": __version__}
    page.write_page(path, paper.title, "Our numbers beside the paper's", known, sections)
    return path


def _section(table: Table, results: Results) -> page.Section:
    grid = make_grid(table, results)
    return page.Section(
        f"{grid.name}: {grid.title}",
        "\n\n".join(grid.notes),
        draw_sweep(table, results) if table.x_label else "",
        page.Table(grid.heads, grid.rows),
    )
