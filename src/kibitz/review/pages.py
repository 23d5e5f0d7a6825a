"""The page of a judgement: its numbers, and plots of habits."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kibitz._version import __version__
from kibitz.arena import page
from kibitz.arena.grading import Marks, Report
from kibitz.arena.plots import MARKERS, PALETTE
from kibitz.arena.report import PAGE
from kibitz.arena.sheet import FAINT, WIDTH, Sheet, styled
from kibitz.arena.statistics import Estimate
from kibitz.arena.words import duration, percent, short_labels
from kibitz.core.habits import Habit
from kibitz.core.wording import figure, localised, unit, word, words
from kibitz.review.judge import Followed, Rate, Verdict

LEGEND = "●■"
"""What the first two markers look like in a line of text."""


def write_verdict(folder: Path, verdict: Verdict) -> Path:
    """Write the page of a judgement; return its place."""
    path = folder / PAGE
    title = f"{verdict.game.facts.title}: {verdict.judged}"
    subtitle = word("review.judge-subtitle", beside=verdict.beside)
    sections = [_summary(verdict)]
    for followed in verdict.habits:
        sections += _habit(verdict, followed)
    facts = {
        "game": verdict.game.spec,
        "deals": figure(verdict.n_deals, ","),
        "games": figure(verdict.n_games, ","),
        "decisions": figure(verdict.n_decisions, ","),
        "seed": str(verdict.seed),
        "time": localised(duration(verdict.elapsed)),
        "kibitz": __version__,
    }
    page.write_page(path, title, subtitle, _named(facts), sections)
    return path


def write_grades(folder: Path, report: Report) -> Path:
    """Write the page of an agent that was judged by perfect play; return its place."""
    path = folder / PAGE
    every = [*report.by_stage, report.whole]
    rows = [grade_row(marks) for marks in every]
    rates = [
        Rate(marks.stage[0], marks.good, marks.good, marks.perfect, marks.n)
        for marks in report.by_stage
    ]
    text = word("review.grades-meaning")
    names = word("review.grades-good"), word("review.grades-perfect")
    stages = [row[0] for row in rows[:-1]]
    shares = word("review.grades-shares")
    drawing = draw_rates(names, rates, words(report.stage), shares, stages)
    facts = {
        "game": report.game.spec,
        "positions": figure(report.whole.n, ","),
        "seed": str(report.seed),
        "time": localised(duration(report.elapsed)),
        "kibitz": __version__,
    }
    title = f"{report.game.facts.title}: {report.judged}"
    table = page.Table(grade_heads(report), rows)
    section = page.Section(word("review.grades-section"), text, drawing, table)
    page.write_page(path, title, word("review.grades-subtitle"), _named(facts), [section])
    return path


def _named(facts: dict[str, str]) -> dict[str, str]:
    """Return facts with their names in the language that is spoken here."""
    return {word(f"review.fact-{name}"): fact for name, fact in facts.items()}


def grade_heads(report: Report) -> list[str]:
    """Return what stands above the columns of `grade_row`."""
    names = ("good", "perfect", "chance", "positions")
    return [words(report.stage), *(word(f"review.grades-{name}") for name in names)]


def grade_row(marks: Marks) -> list[str]:
    """Return how an agent did in one stage, or in all."""
    return [
        word("review.grades-range", first=marks.stage[0], last=marks.stage[1]),
        figure(marks.good, ".1%"),
        figure(marks.perfect, ".1%"),
        figure(marks.chance, ".1%"),
        figure(marks.n, ","),
    ]


def rows_of(verdict: Verdict) -> list[tuple[str, str, str]]:
    """Return what is measured: its name, its number, and what that means."""
    numbers = {
        "similarity": figure(verdict.similarity, ".1%"),
        "score": figure(verdict.score, ".2f"),
        "beside": figure(verdict.beside_score, ".2f"),
        "difference": figure(verdict.difference, "+.2f"),
    }
    if verdict.performance is not None:
        numbers["performance"] = figure(verdict.performance, ".3f")
    counted = unit(verdict.game.facts)
    return [
        (word(f"review.judge-{name}"), number, word(f"review.judge-what-{name}", unit=counted))
        for name, number in numbers.items()
    ]


def share(found: Estimate) -> str:
    """Write a share with its interval; what is too little for one is no number to go by."""
    return figure(found, ".1%") if found.has_interval else "—"


def levels_of(habit: Habit) -> list[str]:
    """Return what the levels of a habit are called: numbers, unless its game has words for them."""
    said = {at: habit.level_name(at) for at in habit.levels}
    names = {at: words(name) for at, name in said.items()}
    return [str(at) if names[at] == getattr(said[at], "code", "") else names[at] for at in names]


def _summary(verdict: Verdict) -> page.Section:
    text = word("review.judge-table", table=list(verdict.table))
    heads = ["", "", word("review.judge-meaning")]
    table = page.Table(heads, rows_of(verdict))
    return page.Section(word("review.judge-summary"), text, table=table)


def _habit(verdict: Verdict, followed: Followed) -> list[page.Section]:
    """Draw how often a habit is followed, by level and by stage of the game."""
    habit, names = followed.habit, (verdict.judged, verdict.beside)
    title, level, group = map(words, (habit.title, habit.level, habit.group))
    counted = "rounds" if habit.is_outcome else "decisions"
    possible, decisions = word("review.judge-possible"), word(f"review.judge-{counted}")
    measure = word(f"review.judge-measure-{counted}")
    levels = levels_of(habit)
    rows = [
        [
            name,
            *map(share, (rate.possible, rate.judged, rate.beside)),
            figure(rate.n, ","),
        ]
        for name, rate in zip(levels, followed.by_level, strict=True)
    ]
    sections = [
        page.Section(
            f"{title[:1].upper()}{title[1:]}",
            word(f"review.judge-by-{'end' if habit.is_outcome else 'level'}", level=level),
            draw_rates(names, followed.by_level, level, measure, levels),
            page.Table([level, possible, *names, decisions], rows),
        )
    ]
    for name, rates in zip(levels, followed.by_group.values(), strict=False):
        known = [rate for rate in rates if rate.judged.has_interval]
        if len(known) > 1:
            text = word("review.judge-by-group", level=level, at=name, group=group)
            drawing = draw_rates(names, known, group, measure)
            heading = word("review.judge-by", label=group)
            if len(levels) > 1:
                heading = f"{level[:1].upper()}{level[1:]}: {name}"
            sections.append(page.Section(heading, text, drawing, is_detail=True))
    return sections


@styled
def draw_rates(
    names: Sequence[str],
    rates: Sequence[Rate],
    label: str,
    measure: str = "",
    levels: Sequence[str] = (),
) -> str:
    """Draw how often both agents do something, with intervals; levels with names stand apart."""
    sheet = Sheet(320)
    ax = sheet.axes(left=62, right=20, bottom=44, top=70)
    ax.grid(axis="y")
    ax.set_xlabel(label)
    places = np.array([rate.at for rate in rates])
    are_named = any(not name.isdecimal() for name in levels)
    if are_named:
        places = np.arange(len(rates))
    ax.set_xticks(places, levels if are_named else [str(rate.at) for rate in rates])
    ax.set_xlim(places.min() - 0.5, places.max() + 0.5)
    ax.yaxis.set_major_formatter(lambda value, _: percent(value))
    said: list[str] = []
    lines = ([rate.judged for rate in rates], [rate.beside for rate in rates])
    for i, (name, line) in enumerate(zip(short_labels(names, 60), lines, strict=True)):
        mean, low, high = np.array([_ends(one) for one in line]).T
        x = places + 0.06 * (2 * i - 1)
        ax.errorbar(
            *(x, mean, [mean - low, high - mean]),
            color=PALETTE[i],
            linestyle="none" if are_named else "-",
            marker=MARKERS[i],
            markersize=6,
            capsize=3,
            clip_on=False,
        )
        mark = f"{LEGEND[i]} {name}"
        sheet.write(6, sheet.height - 34 - 18 * i, mark, names[i], color=PALETTE[i])
        pairs = zip(rates, line, strict=True)
        said += [f"{name}, {label} {rate.at}: {figure(one, '.1%')}" for rate, one in pairs]
    ax.set_ylim(0, 1)
    sheet.write(6, sheet.height - 14, measure or word("review.judge-measure-decisions"))
    sheet.write(
        WIDTH - 6, sheet.height - 14, word("review.judge-bars"), ha="right", size=11, color=FAINT
    )
    return sheet.svg(word("review.judge-by", label=label), said)


def _ends(one: Estimate) -> tuple[float, float, float]:
    """Return a mean and its interval, or the mean alone."""
    return (one.mean, one.low, one.high) if one.has_interval else (one.mean,) * 3
