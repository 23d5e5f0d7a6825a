"""What all commands share in talking to people: consoles, progress bars, announcements, JSON."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

FEWEST, MOST = 20, 10_000
"""Columns or lines of a terminal: in less room than this, tables show nothing."""


def _forget_silly_sizes() -> None:
    """Drop sizes of the terminal from the environment that nobody could read anything in."""
    for name, fewest in (("COLUMNS", FEWEST), ("LINES", 1)):
        size = os.environ.get(name, "80")
        # Digits such as ² are some to the console, which then fails to read the number.
        is_number = size.isascii() and size.isdecimal() and len(size) < 6
        if not is_number or not fewest <= int(size) <= MOST:
            del os.environ[name]


_forget_silly_sizes()
out = Console()
err = Console(stderr=True)


def print_json(document: Any) -> None:
    """Print one JSON document on stdout and nothing else."""
    typer.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))


def remark(text: str) -> None:
    """Say something on stderr beside what is printed."""
    err.print(text, style="dim", highlight=False, markup=False, soft_wrap=True)


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[tuple[Progress, TaskID]]:
    """Show a bar on stderr while the block runs; it vanishes at the end, or if nobody looks."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield progress, progress.add_task(title, total=total)


def ignore_interrupts() -> Any:
    """Let Ctrl-C do nothing from now on; return what it did before."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGINT, signal.SIG_IGN)


def announce_compilation() -> None:
    """Print a remark whenever people have to wait for kernels to be compiled: never in silence."""
    from kibitz.core import kernels

    kernels.announce_compilation(remark)
