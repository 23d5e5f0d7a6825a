"""How `kibitz judge` shows an agent that was judged by perfect play."""

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import out
from kibitz.cli.standings import INTERVAL, bounds

if TYPE_CHECKING:
    from kibitz.arena.grading import Marks, Report


def grades_json(report: "Report") -> dict[str, Any]:
    """Return one document for programs."""
    return {
        "game": report.game.spec,
        "agent": report.judged,
        "seed": report.seed,
        "seconds": report.elapsed,
        "stage": report.stage,
        **_marks_json(report.whole),
        "by_stage": [_marks_json(marks) for marks in report.by_stage],
    }


def _marks_json(marks: "Marks") -> dict[str, Any]:
    return {
        "from": marks.stage[0],
        "to": marks.stage[1],
        "positions": marks.n,
        "good": {"mean": marks.good.mean, "ci95": bounds(marks.good)},
        "perfect": {"mean": marks.perfect.mean, "ci95": bounds(marks.perfect)},
        "chance": marks.chance,
    }


def print_grades(report: "Report") -> None:
    """Print a row for every stage, and one for all."""
    grid = Grid(box=box.ROUNDED, title_justify="left", caption_justify="left")
    grid.title = Text(f"{report.judged} beside perfect play")
    grid.caption = (
        f"{report.whole.n:,} random positions, seed {report.seed}, in {report.elapsed:.1f} s; good "
        "keeps the result, perfect is as quick a win or as late a loss as can be, chance is the "
        f"share of good ones at random; {INTERVAL}"
    )
    for head in (report.stage, "good", "perfect", "chance", "positions"):
        grid.add_column(head, justify="right")
    for marks in report.by_stage:
        grid.add_row(*_row(marks), end_section=marks is report.by_stage[-1])
    grid.add_row(*_row(report.whole))
    out.print(grid)


def _row(marks: "Marks") -> list[str]:
    return [
        f"{marks.stage[0]} to {marks.stage[1]}",
        f"{marks.good:.1%}",
        f"{marks.perfect:.1%}",
        f"{marks.chance:.1%}",
        f"{marks.n:,}",
    ]
