"""Plots of sweeps and curves, and the page of a paper."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz._version import __version__
from kibitz.arena import page
from kibitz.arena.plots import MARKERS, PALETTE
from kibitz.arena.sheet import FAINT, WIDTH, Sheet, logarithmic, styled
from kibitz.arena.statistics import Estimate
from kibitz.arena.words import percent
from kibitz.papers.grids import facts, make_grid, ours
from kibitz.papers.lines import lines_of
from kibitz.papers.plan import Paper, Standing, Table, Trial, Unit
from kibitz.papers.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE = "index.html"

APART = 0.012
"""How far the points of two lines are moved apart, as a share of the axis."""

PAPER_STYLE = {"linestyle": ":", "markerfacecolor": "white", "linewidth": 0.8, "alpha": 0.75}


MANY = 15
"""A line with more points has no markers, and its intervals are a band."""


@dataclass(frozen=True)
class Curve:
    """One line of a plot."""

    name: str
    labels: Sequence[str]  # of its points
    x: Sequence[float]
    ours: Sequence[Estimate]
    theirs: Sequence[Estimate] | None  # the paper's points, if it has any
    games: Sequence[int]  # behind each point


def curves_of(table: Table, results: Results) -> list[Curve]:
    """Return the lines of a table's plot, as far as there is anything to draw."""
    found = [_curve(name, table, results) for name in _names(table)]
    for drawn in table.curves:
        known = results.findings(drawn.study)
        points = [point for point in known.points if point.line == drawn.line]
        x, y = [point.x for point in points], [point.y for point in points]
        name, labels = drawn.label or drawn.line, [f"{place:g}" for place in x]
        n = known.behind(drawn.behind)
        found.append(Curve(name, labels, x, y, None, [n] * len(x)))
    return [curve for curve in found if any(not math.isnan(one.mean) for one in curve.ours)]


def _names(table: Table) -> list[str]:
    return list(dict.fromkeys(row.line for row in _rows(table)))


def _rows(table: Table) -> list[Trial | Standing]:
    return [*table.trials, *table.standings]


def _curve(name: str, table: Table, results: Results) -> Curve:
    """Return the line that rows of a table make."""
    rows = _rows(table)
    lines = lines_of(table, results)
    mine = [k for k, row in enumerate(rows) if row.line == name and row.x is not None]
    theirs = [lines[k].theirs for k in mine]
    return Curve(
        name,
        [" ".join(rows[k].labels) for k in mine],
        [rows[k].x or 0.0 for k in mine],
        [lines[k].ours for k in mine],
        [one for one in theirs if one] if all(theirs) else None,
        [lines[k].n_games for k in mine],
    )


@styled
def draw(table: Table, results: Results) -> str:
    """Draw a table's numbers over a parameter: ours filled, the paper's hollow."""
    curves = curves_of(table, results)
    unit, places = table.drawn or table.unit, sorted({x for curve in curves for x in curve.x})
    sheet = Sheet(360 + 18 * max(len(curves) - 2, 0))
    ax = sheet.axes(left=62, right=20, bottom=44, top=34 + 18 * len(curves))
    ax.grid(axis="y")
    ax.set_xlabel(table.x_label)
    if table.is_log and places:
        logarithmic(ax, "x", places[-1] / places[0], lambda value: f"{value:,.0f}")
    elif len(places) <= MANY:
        ax.set_xticks(places, [f"{place:g}" for place in places])
    if unit.form.endswith("%"):
        ax.yaxis.set_major_formatter(lambda value, _: percent(value))
    step = APART * (places[-1] - places[0]) if places and not table.is_log else 0.0
    said: list[str] = []
    for i, curve in enumerate(curves):
        style = {"color": PALETTE[i % len(PALETTE)], "marker": MARKERS[i]}
        aside = step * (2 * i - len(curves) + 0.5) if curve.theirs else 0.0
        x = [place + aside for place in curve.x]
        _points(ax, x, curve.ours, unit.scale, linewidth=1.8, **style)
        if curve.theirs:
            apart = [place + step for place in x]
            _points(ax, apart, curve.theirs, unit.scale, **style | PAPER_STYLE)
        _explain(sheet, i, curve, table)
        said += _spoken(unit, curve)
    sheet.write(6, sheet.height - 14, unit.label)
    if any(one.has_interval for curve in curves for one in curve.ours):
        sheet.write(WIDTH - 6, sheet.height - 14, "bars: 95 %", ha="right", size=11, color=FAINT)
    return sheet.svg(table.title, said)


def _spoken(unit: Unit, curve: Curve) -> list[str]:
    """Say what a line shows: all points, or the ends of a long one."""
    points = list(zip(curve.labels, curve.ours, strict=True))
    shown = points if len(points) <= MANY else [points[0], points[-1]]
    return [f"{curve.name} {label}: {ours(unit, one)}" for label, one in shown]


def _points(
    ax: "Axes", x: Sequence[float], found: Sequence[Estimate], scale: float, **style: Any
) -> None:
    """Draw estimates with their intervals, joined by a line."""
    mean, low, high = scale * np.array([[one.mean, one.low, one.high] for one in found]).T
    if len(x) > MANY:
        ax.plot(x, mean, **style | {"marker": ""})
        ax.fill_between(x, low, high, color=style["color"], alpha=0.18, linewidth=0)
    else:
        ax.errorbar(x, mean, [mean - low, high - mean], markersize=7, capsize=3, **style)


def _explain(sheet: Sheet, i: int, curve: Curve, table: Table) -> None:
    """Say what the marks of a line mean."""
    y = sheet.height - 34 - 18 * i
    look: dict[str, Any] = {"color": PALETTE[i % len(PALETTE)], "marker": MARKERS[i]}
    look |= {"markersize": 7, "markevery": [1]}
    if len(curve.x) > MANY:
        look["marker"] = ""
    sheet.line([70, 81, 92], [y] * 3, linewidth=1.8, **look)
    least, most = min(curve.games), max(curve.games)
    counted = table.counted
    each = f"{most:,} {counted} each" if least == most else f"{least:,} to {most:,} {counted}"
    sheet.write(100, y, f"{curve.name}, ours ({each})", size=11)
    if curve.theirs:
        sheet.line([380, 391, 402], [y] * 3, **look | PAPER_STYLE)
        sheet.write(410, y, f"{curve.name}, paper ({table.paper_games} {counted} each)", size=11)


def report(folder: Path, paper: Paper, tables: list[Table], results: Results) -> Path:
    """Write a page with all tables and plots; return its place."""
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
        draw(table, results) if table.x_label else "",
        page.Table(grid.heads, grid.rows),
    )
