"""The `kibitz` command and its subcommands."""

import inspect
from typing import Annotated

import typer

from kibitz import __version__
from kibitz.cli import (
    analyse,
    bench,
    fair,
    games,
    judge,
    logs,
    match,
    models,
    paper,
    play,
    results,
    review,
    serve,
    solve,
    sprt,
    tournament,
    train,
    warmup,
)

app = typer.Typer(
    name="kibitz",
    help="Play, measure and learn games with hidden information and simultaneous moves.",
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kibitz {__version__}")
        raise typer.Exit


@app.callback()
def _kibitz(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _flowing(text: str) -> str:
    """Join the lines of every paragraph, which help breaks again at the width of the terminal."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


for module in (
    games,
    models,
    play,
    match,
    tournament,
    sprt,
    results,
    analyse,
    judge,
    review,
    serve,
    fair,
    solve,
    train,
    logs,
    paper,
    warmup,
    bench,
):
    module.add_to(app)

for command in app.registered_commands:
    command.help = _flowing(command.help or inspect.getdoc(command.callback) or "")
