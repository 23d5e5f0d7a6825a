"""`kibitz fair`: whether a game was dealt as its table had promised."""

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from kibitz.cli.console import announce_compilation, out
from kibitz.core.errors import RecordError, SpecError, clip

EXAMPLE = "kibitz fair kibitz-4f7k2m9p3qrs.jsonl --fingerprint 9f86d0… --salt 60303ae2…"


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog=f"Example: {EXAMPLE}")(fair)


def fair(
    record: Annotated[Path, typer.Argument(help="The record of a game of the web table.")],
    fingerprint: Annotated[
        str, typer.Option(help="What the table showed before the first card: 64 hex digits.")
    ],
    salt: Annotated[str, typer.Option(help="What it showed at the end, beside the seed.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file.")] = 1,
) -> None:
    """Check that a deal was fixed before the game: the fingerprint is of its seed and salt.

    The game is then dealt and played again from that seed; every card must be the same.
    """
    from kibitz.core.record import replay
    from kibitz.review.questions import find_record
    from kibitz.web.fair import commitment

    promised = fingerprint.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{64}", promised):
        raise SpecError(f"a fingerprint has 64 hex digits, got {clip(fingerprint)}")
    announce_compilation()
    found = find_record(record, game)
    if found.deals:
        raise RecordError("this record has its cards written out: they come from no seed")
    if commitment(found.seed, salt.strip()) != promised:
        raise RecordError(
            f"not as promised: seed {found.seed} with this salt has another fingerprint"
        )
    table = replay(found)
    out.print(Text(f"fair: seed {found.seed} was fixed before the game"))
    n = len(found.actions)
    out.print(Text(f"all {n} actions of {table.game.spec} were played with its cards"))
