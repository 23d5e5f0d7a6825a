"""What commands that play matches share: options, files, and how they end."""

import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal

import typer

from kibitz.cli.console import err
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.arena import Fault, PlayedDeals

FAULTS_FILE = "kibitz-faults.jsonl"
"""Where records of games with misbehaving agents go, in the current folder."""

GameSpec = Annotated[str, typer.Argument(help="A game spec, such as nimmt:players=5.")]
Agents = Annotated[list[str], typer.Argument(help="Agent specs, such as random.")]
Seed = Annotated[int, typer.Option(min=0, help="What all cards derive from.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Batches played at once.")]
Pool = Annotated[
    Literal["threads", "processes"],
    typer.Option(help="What workers are; processes help agents written in Python."),
]
OnError = Annotated[
    Literal["stop", "forfeit"],
    typer.Option(help="What an illegal action, an exception or a missed deadline leads to."),
]
Deadline = Annotated[
    float | None,
    typer.Option(min=1e-6, help="Seconds per decision; agents are then asked one at a time."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write all scores to this file.")]
Report = Annotated[Path | None, typer.Option(help="Write a page with plots to this folder.")]


class Attempt:
    """What ended the play early, if anything did."""

    failure: BaseException | None = None

    def __str__(self) -> str:
        """Say it in a word, for JSON."""
        return str(self.failure) or "interrupted"


@contextmanager
def attempt(tried: Attempt | None = None) -> Iterator[Attempt]:
    """Let the block end early: by Ctrl-C, by an agent's fault, or by a full disk."""
    tried = Attempt() if tried is None else tried
    try:
        yield tried
    except (KeyboardInterrupt, KibitzError) as error:
        tried.failure = tried.failure or error


def end(tried: Attempt, faults: "Sequence[Fault]", advice: str = "") -> None:
    """Save what agents did wrong, say what ended the play early, and leave with its code."""
    from kibitz.arena import Misbehaviour

    failure = tried.failure
    last = [failure.fault] if isinstance(failure, Misbehaviour) else []
    _save_faults([*faults, *last])
    if failure is None:
        return
    is_interrupt = isinstance(failure, KeyboardInterrupt)
    print("stopped" if is_interrupt else f"error: {failure}", file=sys.stderr)
    if advice:
        print(advice, file=sys.stderr)
    raise typer.Exit(130 if is_interrupt else 1)


def _save_faults(faults: "Sequence[Fault]") -> None:
    """Keep the records of games in which agents misbehaved, and say where."""
    lines = [fault.record.to_line() for fault in faults if fault.record is not None]
    if not lines:
        return
    try:
        with Path(FAULTS_FILE).open("a", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in lines)
        what = "its record is" if len(lines) == 1 else f"{len(lines)} records are"
        err.print(f"{what} in {FAULTS_FILE}", style="dim", highlight=False)
    except OSError:
        err.print(lines[0], soft_wrap=True, highlight=False, markup=False)


@contextmanager
def new_file(path: Path) -> Iterator[IO[str]]:
    """Write a file under another name first: what fails does not cost the old one.

    The place is tried before anything is played.
    """
    partial = path.with_name(path.name + ".part")
    try:
        stream = partial.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise _cannot("write", path, error) from None
    try:
        with stream:
            yield stream
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise _cannot("write", path, error) from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def new_folder(path: Path) -> None:
    """Make a folder before anything is played."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot("make the folder", path, error) from None


def _cannot(do: str, path: Path, error: OSError) -> KibitzError:
    return KibitzError(f"cannot {do} {path}: {(error.strerror or str(error)).lower()}")


class Running:
    """The mean of one agent while a match is played, for a line that people watch."""

    def __init__(self, name: str, agent: int = 0) -> None:
        """Follow an agent by its index."""
        self._name, self._agent = name, agent
        self._n, self._mean, self._squares = 0, 0.0, 0.0  # squares of distances from the mean

    def add(self, played: "PlayedDeals") -> None:
        """Count some deals."""
        sits = played.lineup == self._agent
        count = sits.sum(axis=(1, 2))
        means = ((played.scores * sits).sum(axis=(1, 2)) / count.clip(1))[count > 0]
        if not len(means):
            return
        n, mean = self._n + len(means), float(means.mean())
        apart = mean - self._mean
        self._squares += float(((means - mean) ** 2).sum())
        self._squares += apart**2 * self._n * len(means) / n
        self._mean += apart * len(means) / n
        self._n = n

    def __str__(self) -> str:
        """Say how it stands."""
        if self._n < 2:
            return self._name
        from kibitz.arena.statistics import around

        error = math.sqrt(self._squares / (self._n - 1) / self._n)
        return f"{self._name} {around(self._mean, error, self._n):+.2f}"
