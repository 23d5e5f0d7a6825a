"""`kibitz train`: make a model by a recipe, stop, and go on."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from kibitz.cli.console import announce_compilation, out, print_json, progress_bar, remark
from kibitz.core.errors import KibitzError, SpecError, TrainingError, clip, plain

if TYPE_CHECKING:
    from kibitz.learn.recipe import Recipe
    from kibitz.learn.trainer import Progress, Result

RUNS = Path("runs")
"""Where runs are kept, unless --out says otherwise."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(
        epilog="Example: kibitz train --list, then kibitz train NAME --minutes 10 seed=2, and "
        "kibitz play GAME --vs net:model=./runs/NAME at any time"
    )(train)


def train(
    recipe: Annotated[
        str | None, typer.Argument(help="A recipe that ships, or a file such as ./mine.toml.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="Values to replace in the recipe."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder of the run; by default runs/RECIPE.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run there.")] = False,
    minutes: Annotated[
        float | None, typer.Option(help="Stop after so much time; --resume goes on later.")
    ] = None,
    is_listed: Annotated[
        bool, typer.Option("--list", help="List the recipes that ship, with time and strength.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Train a model by a recipe. Ctrl-C stops after a checkpoint, --resume goes on."""
    if is_listed:
        if recipe is not None:
            raise SpecError("--list lists all recipes: leave out the name, or --list")
        _list(as_json)
        return
    if minutes is not None and not 0 < minutes < math.inf:
        raise SpecError(f"--minutes is a number above 0, got {minutes}")
    plan, folder = _plan(recipe, changes or [], folder, resume)
    announce_compilation()
    from kibitz.learn.trainer import train as run

    with _watched(plan) as tell:
        result = run(plan, folder, minutes=minutes, resume=resume, tell=tell)
    if as_json:
        print_json(_as_json(result))
    else:
        _print(plan, result)


def _plan(
    name: str | None, changes: list[str], folder: Path | None, resume: bool
) -> "tuple[Recipe, Path]":
    """Find the recipe and the folder of a run."""
    from kibitz.learn.folder import stored_recipe
    from kibitz.learn.recipe import change, check_extra, is_file, load_recipe

    if name is not None and "=" in name and not is_file(name):
        changes, name = [name, *changes], None
    if name is None and (folder is None or not resume):
        raise SpecError("name a recipe: kibitz train --list shows those that ship")
    plan = None if name is None else load_recipe(name)
    if folder is None:
        assert plan is not None
        folder = RUNS / plan.name
    if resume:
        begun = stored_recipe(folder)
        if plan is not None and plan.name != begun.name:
            raise TrainingError(
                f"{clip(folder, 200)} holds a run of {begun.name}, not of {plan.name}: name "
                "another folder with --out"
            )
        plan = begun
    assert plan is not None
    check_extra()
    return change(plan, changes), folder


@contextmanager
def _watched(plan: "Recipe") -> "Iterator[Callable[[Progress], None]]":
    """Show one line of progress on stderr while the block runs."""
    with progress_bar(f"training {plan.name}", plan.steps) as (shown, task):

        def tell(progress: "Progress") -> None:
            metrics = ", ".join(f"{n} {x:.3g}" for n, x in list(progress.metrics.items())[:3])
            words = "stopping" if progress.stopping else f"training {plan.name}"
            shown.update(task, completed=progress.step, description=f"{words} {metrics}".strip())

        yield tell


def _print(plan: "Recipe", result: "Result") -> None:
    """Say what came of it, and what can be done with it."""
    state = "trained" if result.is_finished else "stopped after a checkpoint"
    minutes = result.seconds / 60
    lines = [f"{plan.name}: {state}, step {result.step} of {plan.steps}, {minutes:.1f} minutes"]
    lines.append(f"strength: {result.strength}")
    for line in lines:
        out.print(plain(line, 2000), highlight=False, markup=False, soft_wrap=True)
    path = result.folder if result.folder.is_absolute() else f"./{result.folder}"
    agent = "net" if plan.evaluation is None else plan.evaluation.agent
    added = f"{agent}{',' if ':' in agent else ':'}model={path}"
    remark(f"play against it: kibitz play {plan.game} --vs {added}")
    if not result.is_finished:
        remark(f"go on: kibitz train --out {path} --resume")


def _as_json(result: "Result") -> dict[str, Any]:
    return {
        "folder": str(result.folder),
        "step": result.step,
        "finished": result.is_finished,
        "seconds": result.seconds,
        "strength": result.strength,
        "metrics": result.metrics,
        "measured": [
            {"opponent": one.opponent, "deals": one.deals, **one.numbers} for one in result.measured
        ],
    }


def _list(as_json: bool) -> None:
    """List the recipes that ship; one that cannot be read is a warning."""
    from kibitz.learn.recipe import load_recipe, recipe_names

    recipes = []
    for name in recipe_names():
        try:
            recipes.append(load_recipe(name))
        except KibitzError as error:
            remark(f"warning: {error}")
    if as_json:
        print_json([one.model_dump(mode="json") for one in recipes])
        return
    if not recipes:
        out.print("no recipes ship")
    for one in recipes:  # not in columns: sentences of five columns fit no terminal
        minutes = "1 minute" if one.minutes == 1 else f"{one.minutes:g} minutes"
        head = Text.assemble((one.name, "bold"), f"  {plain(one.game)}, {minutes}")
        told = [Text(plain(word, 1000)) for word in (one.title, one.strength)]
        out.print(head, *(Padding(line, (0, 0, 0, 2)) for line in told), sep="\n")
