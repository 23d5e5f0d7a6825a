"""How `kibitz judge` shows an agent that was judged by perfect play."""

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import out
from kibitz.cli.standings import bounds
from kibitz.core.wording import word, words

if TYPE_CHECKING:
    from kibitz.arena.grading import Marks, Report


def grades_json(report: "Report") -> dict[str, Any]:
    """Return one document for programs."""
    return {
        "game": report.game.spec,
        "agent": report.judged,
        "seed": report.seed,
        "seconds": report.elapsed,
        "stage": words(report.stage),
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
    from kibitz.review.pages import grade_heads, grade_row

    grid = Grid(box=box.ROUNDED, title_justify="left", caption_justify="left")
    grid.title = Text(word("review.grades-versus", judged=report.judged))
    grid.caption = word(
        "review.grades-caption",
        positions=report.whole.n,
        seed=report.seed,
        seconds=report.elapsed,
    )
    for head in grade_heads(report):
        grid.add_column(head, justify="right")
    for marks in report.by_stage:
        grid.add_row(*grade_row(marks), end_section=marks is report.by_stage[-1])
    grid.add_row(*grade_row(report.whole))
    out.print(grid)
