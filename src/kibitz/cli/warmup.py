"""`kibitz warmup`: compile before anybody waits for it."""

from typing import Annotated

import typer

from kibitz.cli.console import err, progress_bar
from kibitz.core.registry import game_facts, game_names
from kibitz.core.spec import split_spec


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: kibitz warmup nimmt")(warmup)


def warmup(
    game: Annotated[str | None, typer.Argument(help="One game only, such as nimmt.")] = None,
) -> None:
    """Compile the rules and agents of all games, so that later commands start quickly."""
    names = game_names()
    if game:  # what is wrong with it is said before the compiler is loaded
        name, options = split_spec(game)
        game_facts(name).resolve(options)
        names = [name]
    from kibitz.search.warmup import tasks

    work = [(name, *task) for name in names for task in tasks(name)]
    with progress_bar("compiling", len(work)) as (progress, bar):
        for name, part, run in work:
            progress.update(bar, description=f"compiling {name}: {part}")
            run()
            progress.advance(bar)
    err.print(f"ready: {', '.join(names)}")
