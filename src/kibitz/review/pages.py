"""The page of a judgement: its numbers, and plots of habits."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kibitz._version import __version__
from kibitz.arena import page
from kibitz.arena.grading import Report
from kibitz.arena.plots import MARKERS, PALETTE
from kibitz.arena.report import PAGE
from kibitz.arena.sheet import FAINT, WIDTH, Sheet, styled
from kibitz.arena.statistics import Estimate
from kibitz.arena.words import duration, percent, short_labels
from kibitz.review.judge import Followed, Rate, Verdict

LEGEND = "●■"
"""What the first two markers look like in a line of text."""


def write_verdict(folder: Path, verdict: Verdict) -> Path:
    """Write the page of a judgement; return its place."""
    path = folder / PAGE
    title = f"{verdict.game.facts.title}: {verdict.judged}"
    sections = [_summary(verdict)]
    for followed in verdict.habits:
        sections += _habit(verdict, followed)
    facts = {
        "game": verdict.game.spec,
        "deals": f"{verdict.n_deals:,}",
        "games": f"{verdict.n_games:,}",
        "decisions": f"{verdict.n_decisions:,}",
        "seed": str(verdict.seed),
        "time": duration(verdict.elapsed),
        "kibitz": __version__,
    }
    page.write_page(path, title, f"judged beside {verdict.beside}", facts, sections)
    return path


def write_grades(folder: Path, report: Report) -> Path:
    """Write the page of an agent that was judged by perfect play; return its place."""
    path = folder / PAGE
    every = [*report.by_stage, report.whole]
    heads = [report.stage, "good", "perfect", "chance", "positions"]
    rows = [
        [
            f"{marks.stage[0]} to {marks.stage[1]}",
            f"{marks.good:.1%}",
            f"{marks.perfect:.1%}",
            f"{marks.chance:.1%}",
            f"{marks.n:,}",
        ]
        for marks in every
    ]
    rates = [
        Rate(marks.stage[0], marks.good, marks.good, marks.perfect, marks.n)
        for marks in report.by_stage
    ]
    text = (
        "Which share of its moves keeps the result of perfect play (good), and which share is as "
        "quick a win or as late a loss as can be (perfect), in random positions; a stage is drawn "
        "where it begins. Chance is the share of good ones if one chose at random. ± is half the "
        "width of a 95 % interval over positions."
    )
    drawing = draw_rates(("good", "perfect"), rates, report.stage, "share of moves")
    facts = {
        "game": report.game.spec,
        "positions": f"{report.whole.n:,}",
        "seed": str(report.seed),
        "time": duration(report.elapsed),
        "kibitz": __version__,
    }
    title = f"{report.game.facts.title}: {report.judged}"
    section = page.Section("Moves by stage", text, drawing, page.Table(heads, rows))
    page.write_page(path, title, "judged by perfect play", facts, [section])
    return path


def rows_of(verdict: Verdict) -> list[tuple[str, str, str]]:
    """Return what is measured: its name, its number, and what that means."""
    unit = verdict.game.facts.unit
    rows = [
        ("similarity", f"{verdict.similarity:.1%}", "decisions in which both choose the same"),
        ("score", f"{verdict.score:.2f}", f"{unit} per game of the one that is judged"),
        ("score beside", f"{verdict.beside_score:.2f}", f"{unit} per game of the other"),
        ("difference", f"{verdict.difference:+.2f}", "of these, on the same cards"),
    ]
    if verdict.performance is not None:
        meaning = "the other's mean score over that of the judged one"
        rows.append(("performance", f"{verdict.performance:.3f}", meaning))
    return rows


def _summary(verdict: Verdict) -> page.Section:
    sits = ", ".join(verdict.table)
    text = (
        f"At every table sit {sits}; every deal is played from every seat. Decisions of the first "
        "are shown to the second, too, with the same random numbers. ± is half the width of a 95 % "
        "interval over deals."
    )
    return page.Section("Summary", text, table=page.Table(["", "", "meaning"], rows_of(verdict)))


def _habit(verdict: Verdict, followed: Followed) -> list[page.Section]:
    """Draw how often a habit is followed, by level and by stage of the game."""
    habit, names = followed.habit, (verdict.judged, verdict.beside)
    heads = [habit.level, "possible", verdict.judged, verdict.beside, "decisions"]
    rows = [
        [
            str(rate.at),
            f"{rate.possible:.1%}",
            f"{rate.judged:.1%}",
            f"{rate.beside:.1%}",
            f"{rate.n:,}",
        ]
        for rate in followed.by_level
    ]
    sections = [
        page.Section(
            f"{habit.title[:1].upper()}{habit.title[1:]}",
            f"The share of decisions in which it does, of those in which it can, by {habit.level}.",
            draw_rates(names, followed.by_level, habit.level),
            page.Table(heads, rows),
        )
    ]
    for level, rates in followed.by_group.items():
        known = [rate for rate in rates if rate.n]
        if known:
            text = f"The same at {habit.level} {level}, by {habit.group}."
            drawing = draw_rates(names, known, habit.group)
            sections.append(page.Section(f"{habit.level} {level}".capitalize(), text, drawing))
    return sections


@styled
def draw_rates(
    names: Sequence[str],
    rates: Sequence[Rate],
    label: str,
    measure: str = "share of decisions in which it could",
) -> str:
    """Draw how often both agents do something, with intervals."""
    sheet = Sheet(320)
    ax = sheet.axes(left=62, right=20, bottom=44, top=70)
    ax.grid(axis="y")
    ax.set_xlabel(label)
    ax.set_xticks([rate.at for rate in rates])
    ax.yaxis.set_major_formatter(lambda value, _: percent(value))
    said: list[str] = []
    lines = ([rate.judged for rate in rates], [rate.beside for rate in rates])
    for i, (name, line) in enumerate(zip(short_labels(names, 60), lines, strict=True)):
        mean, low, high = np.array([_ends(one) for one in line]).T
        x = np.array([rate.at for rate in rates]) + 0.06 * (2 * i - 1)
        ax.errorbar(
            *(x, mean, [mean - low, high - mean]),
            color=PALETTE[i],
            marker=MARKERS[i],
            markersize=6,
            capsize=3,
        )
        mark = f"{LEGEND[i]} {name}"
        sheet.write(6, sheet.height - 34 - 18 * i, mark, names[i], color=PALETTE[i])
        pairs = zip(rates, line, strict=True)
        said += [f"{name}, {label} {rate.at}: {one:.1%}" for rate, one in pairs]
    ax.set_ylim(0, 1)
    sheet.write(6, sheet.height - 14, measure)
    sheet.write(WIDTH - 6, sheet.height - 14, "bars: 95 %", ha="right", size=11, color=FAINT)
    return sheet.svg(f"By {label}", said)


def _ends(one: Estimate) -> tuple[float, float, float]:
    """Return a mean and its interval, or the mean alone."""
    return (one.mean, one.low, one.high) if one.has_interval else (one.mean,) * 3
