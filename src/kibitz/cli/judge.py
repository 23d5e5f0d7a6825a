"""`kibitz judge`: how an agent plays beside another, and by which habits.

Every game can be judged by similarity and performance. A game whose players have habits lists them
as `HABITS` in a module `judging` beside its rules (`core/habits.py`), and nothing here names it. A
solved game has a `GRADING` there: its agents are judged by perfect play, unless --beside names one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli import playing
from kibitz.cli.console import announce_compilation, out, print_json, progress_bar, remark
from kibitz.cli.grades import grades_json, print_grades
from kibitz.cli.outputs import make_folder
from kibitz.cli.play import Language, find_language
from kibitz.cli.playing import Debug, GameSpec, Json, Report, Seed, Workers
from kibitz.cli.standings import bounds
from kibitz.core.modules import find_module
from kibitz.core.spec import GameFacts
from kibitz.core.wording import figure, speaking, word, words

if TYPE_CHECKING:
    from kibitz.arena import Estimate
    from kibitz.arena.grading import Examination
    from kibitz.core.agent import Agent
    from kibitz.core.habits import Habit
    from kibitz.review.judge import Followed, Rate, Verdict

DEALS = 1000
POSITIONS = 100
MOST_DEALS = 100_000
"""Most deals: everything that is noted about decisions is held in memory."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(
        epilog="Example: kibitz judge nimmt rig:kind=scatter,tau=-5,of=mcs:sims=100 --deals 200"
    )(judge)


def judge(
    game: GameSpec,
    agent: Annotated[str, typer.Argument(metavar="SPEC", help="The agent that is judged.")],
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="Whom it is compared with, and who sits beside it.",
            show_default="the agent inside a rig, else random; in a solved game perfect play",
        ),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=MOST_DEALS,
            help="How many deals, or positions of each stage in a solved game.",
            show_default="1000, or 100 positions of each stage",
        ),
    ] = None,
    seed: Seed = 0,
    workers: Workers = 1,
    debug: Debug = False,
    as_json: Json = False,
    report: Report = None,
    language: Language = None,
) -> None:
    """Explain how an agent plays by comparing it with another one, such as itself with a rig.

    At a table of five sit the agent that is judged, two others, and two random ones. The
    similarity is the share of decisions in which the two would choose the same; the performance is
    the mean score of the other over that of the judged one; and both are watched for the habits of
    the game, such as playing a close card whenever there is one.

    In a solved game, such as Connect 4, it is judged by perfect play instead: which share of its
    moves keeps the result (good), and which share is as good as any (perfect), stage by stage.
    """
    from kibitz.arena.grading import Examination, find_grading
    from kibitz.core.registry import load_agent, load_game
    from kibitz.review.judge import Judgement

    spoken = find_language(language)
    announce_compilation()
    tried = playing.Attempt(debug)
    if report is not None:
        make_folder(report)
        report = report.resolve()  # an agent may change the working folder
    with playing.stdout_spared(), playing.debugging(debug):
        table = load_game(game, defaults="arena")
        judged = load_agent(agent, table)
        grading = find_grading(table.facts) if beside is None else None
        if grading is not None:
            exam = Examination(table, judged, grading, deals or POSITIONS, seed)
            _play(exam.run(), exam.n_positions, judged, tried)
    if grading is not None:
        _tell_grades(exam, tried, report, as_json, spoken)
        return
    with playing.stdout_spared(), playing.debugging(debug):
        other = load_agent(_find_other(judged) if beside is None else beside, table)
        habits = find_habits(table.facts)
        n = deals or DEALS
        plan = Judgement(table, judged, other, n, seed, habits=habits, workers=workers)
        _play(plan.play(), plan.n_games, judged, tried)
    if isinstance(tried.failure, Exception) or not plan.has_played:
        tried.check_begun()  # after a fault deals were played again: what was noted is no sample
        tried.end([])
        return
    verdict = plan.verdict()
    if report is not None:
        from kibitz.review.pages import write_verdict

        with tried.write(), speaking(spoken):
            remark(f"report: {write_verdict(report, verdict)}")
    if as_json:
        stopped = {} if tried.failure is None else {"stopped": str(tried)}
        print_json({**_as_json(verdict), **stopped})
    else:
        with speaking(spoken):
            _print(verdict)
    tried.end([])


def find_habits(facts: GameFacts) -> "tuple[Habit, ...]":
    """Return the habits of a game's players; most games list none."""
    found: tuple[Habit, ...] = getattr(find_module(facts, "judging"), "HABITS", ())
    return found


def _find_other(judged: "Agent") -> str:
    """Return whom to compare with: the agent inside a rig, else a random one."""
    inside = getattr(judged, "of", None)
    return "random" if inside is None else str(inside.spec)


def _play(steps: Iterator[int], total: int, judged: "Agent", tried: playing.Attempt) -> None:
    with (
        tried.play(),
        progress_bar(f"judging {judged.spec}", total) as (progress, task),
    ):
        for n in steps:
            progress.update(task, advance=n)


def _tell_grades(
    exam: "Examination",
    tried: playing.Attempt,
    report: Path | None,
    as_json: bool,
    spoken: str,
) -> None:
    """Show what came of grading, as far as it got."""
    if isinstance(tried.failure, Exception) or not exam.has_run:
        tried.check_begun()
        tried.end([])
        return
    found = exam.report()
    if report is not None:
        from kibitz.review.pages import write_grades

        with tried.write(), speaking(spoken):
            remark(f"report: {write_grades(report, found)}")
    if as_json:
        stopped = {} if tried.failure is None else {"stopped": str(tried)}
        print_json({**grades_json(found), **stopped})
    else:
        with speaking(spoken):
            print_grades(found)
    tried.end([])


def _as_json(verdict: "Verdict") -> dict[str, Any]:
    return {
        "game": verdict.game.spec,
        "agent": verdict.judged,
        "beside": verdict.beside,
        "table": list(verdict.table),
        "deals": verdict.n_deals,
        "games": verdict.n_games,
        "decisions": verdict.n_decisions,
        "seed": verdict.seed,
        "seconds": verdict.elapsed,
        "similarity": _number(verdict.similarity),
        "score": _number(verdict.score),
        "beside_score": _number(verdict.beside_score),
        "difference": _number(verdict.difference),
        "performance": None if verdict.performance is None else _number(verdict.performance),
        "habits": [_habit_json(followed) for followed in verdict.habits],
    }


def _habit_json(followed: "Followed") -> dict[str, Any]:
    habit = followed.habit
    return {
        "name": habit.name,
        "title": str(habit.title),
        "level": str(habit.level),
        "counted": "rounds of a seat" if habit.is_outcome else "decisions",
        "group": str(habit.group),
        "by_level": [_rate_json(rate) for rate in followed.by_level],
        "by_group": {
            str(level): [_rate_json(rate) for rate in rates]
            for level, rates in followed.by_group.items()
        },
    }


def _rate_json(rate: "Rate") -> dict[str, Any]:
    return {
        "at": rate.at,
        "n": rate.n,
        "possible": _number(rate.possible),
        "agent": _number(rate.judged),
        "beside": _number(rate.beside),
    }


def _number(estimate: "Estimate") -> dict[str, Any]:
    """Return a mean and its interval; null if there was nothing to estimate."""
    known = estimate.mean == estimate.mean
    return {"mean": estimate.mean if known else None, "ci95": bounds(estimate)}


def _print(verdict: "Verdict") -> None:
    """Print all numbers, then a table for every habit."""
    from kibitz.review.pages import rows_of

    grid = Grid(box=box.ROUNDED, title_justify="left", caption_justify="left", show_header=False)
    grid.title = Text(word("review.judge-versus", judged=verdict.judged, beside=verdict.beside))
    grid.caption = _caption(verdict)
    for row in rows_of(verdict):
        grid.add_row(*map(Text, row))
    out.print(grid)
    for followed in verdict.habits:
        out.print(_habit_grid(followed))


def _caption(verdict: "Verdict") -> str:
    return word(
        "review.judge-caption",
        deals=verdict.n_deals,
        table=list(verdict.table),
        seed=verdict.seed,
        games=verdict.n_games,
        decisions=verdict.n_decisions,
        seconds=verdict.elapsed,
    )


def _habit_grid(followed: "Followed") -> Grid:
    from kibitz.review.pages import levels_of, share

    habit = followed.habit
    grid = Grid(box=box.ROUNDED, title_justify="left", caption_justify="left")
    grid.title = words(habit.title)
    if habit.is_outcome:
        grid.caption = word("review.judge-ends")
    else:
        grid.caption = word("review.judge-shares", group=words(habit.group))
    counted = "rounds" if habit.is_outcome else "decisions"
    heads = (word(f"review.judge-{name}") for name in ("possible", "judged", "other", counted))
    for head in (words(habit.level), *heads):
        grid.add_column(head, justify="right")
    for name, rate in zip(levels_of(habit), followed.by_level, strict=True):
        shares = map(share, (rate.possible, rate.judged, rate.beside))
        grid.add_row(name, *shares, figure(rate.n, ","))
    return grid
