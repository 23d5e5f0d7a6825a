"""What commands that play matches share: options, agents, and how they end."""

import math
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kibitz.cli.console import err, ignore_interrupts, remark
from kibitz.core.errors import AgentError, KibitzError, SpecError, clip

if TYPE_CHECKING:
    from kibitz.arena import Conduct, Fault, Match, PlayedDeals
    from kibitz.store import Store
    from kibitz.store.journal import MatchJournal

STDOUT, STDERR = 1, 2
"""File descriptors."""

NOWHERE = "none"
"""The database that keeps nothing."""

FAULTS_FILE = "kibitz-faults.jsonl"
"""Where records of games with misbehaving agents go, in the current folder."""

MOST_TOLD = 5
"""Forfeits that get a sentence each; the document has all of them."""

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
    typer.Option(
        min=1e-6,
        max=1e9,
        help="Seconds per decision; agents are then asked one at a time, and judged when they "
        "answer: nothing interrupts one that does not.",
    ),
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug", help="For bot writers: an agent's exception ends the play with its traceback."
    ),
]
Database = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Keep the results there: a file, a URL, or none."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write all scores to this file.")]


def _read_report(text: str) -> Path:
    """Read the folder of a report; nothing would be the folder one is in."""
    if not text.strip():
        raise typer.BadParameter("expected the name of a folder, got nothing")
    return Path(text)


Report = Annotated[
    Path | None,
    typer.Option(
        help="Write a page with plots to this folder.", parser=_read_report, metavar="PATH"
    ),
]


class Attempt:
    """A play that may end early, and files that may fail to be written after it."""

    def __init__(self, debug: bool = False) -> None:
        """Begin with nothing that went wrong.

        Args:
            debug: whether exceptions of agents come through: they are shown with their traceback.
        """
        self._debug = debug
        self.failure: BaseException | None = None  # what ended the play
        self._unwritten: list[Exception] = []
        self._listener: Any = None  # what Ctrl-C did before it was ignored

    def __str__(self) -> str:
        """Say what ended the play in a word, for JSON."""
        return _told(self.failure) if isinstance(self.failure, Exception) else "interrupted"

    @contextmanager
    def play(self) -> Iterator[None]:
        """Let the block end early: by Ctrl-C, by an agent's fault, or by a full disk.

        From its end on Ctrl-C is ignored, until `end`: it must not cost what has been played.
        """
        try:
            yield
        except (KeyboardInterrupt, KibitzError, OSError) as error:
            self._listener = ignore_interrupts()
            self.failure = error
        except Exception as error:
            if not self._debug:
                raise
            self._listener = ignore_interrupts()
            self.failure = error
        else:
            self._listener = ignore_interrupts()
        if self._debug and isinstance(self.failure, Exception):
            show_traceback(self.failure)

    @contextmanager
    def write(self) -> Iterator[None]:
        """Let the block fail: other files are still written, and `end` tells of it."""
        try:
            yield
        except (KibitzError, OSError) as error:
            self._unwritten.append(error)

    @property
    def errors(self) -> list[Exception]:
        """What went wrong, other than Ctrl-C."""
        ended = [self.failure] if isinstance(self.failure, Exception) else []
        return [*ended, *self._unwritten]

    def check_begun(self) -> None:
        """Raise what kept the play from beginning: it was not possible as it was asked for."""
        if isinstance(self.failure, SpecError):
            self._listen_again()
            raise self.failure

    def end(self, faults: "Sequence[Fault]", advice: str = "") -> None:
        """Save and tell what agents did wrong, say what else did, and leave with its code."""
        from kibitz.arena import Misbehaviour

        failure = self.failure
        last = [failure.fault] if isinstance(failure, Misbehaviour) else []
        _save_faults([*faults, *last])
        self._listen_again()
        _tell_forfeits(faults)
        is_interrupt = isinstance(failure, KeyboardInterrupt)
        if is_interrupt:
            print("stopped", file=sys.stderr)
        for sentence in dict.fromkeys(map(_told, self.errors)):
            print(f"error: {sentence}", file=sys.stderr)
        if advice:
            print(advice, file=sys.stderr)
        if is_interrupt or self.errors:
            raise typer.Exit(130 if is_interrupt else 1)

    def _listen_again(self) -> None:
        if self._listener is not None:
            signal.signal(signal.SIGINT, self._listener)
            self._listener = None


def _told(error: Exception) -> str:
    """Say what went wrong; what is no sentence of ours is named."""
    is_ours = isinstance(error, KibitzError | OSError)
    return str(error) if is_ours else f"{type(error).__name__} {clip(error)}"


def show_traceback(error: BaseException) -> None:
    """Print where an agent's exception comes from, if there is more to it than a sentence."""
    from kibitz.arena import Misbehaviour

    if not isinstance(error, Misbehaviour):
        traceback.print_exception(error, file=sys.stderr)


@contextmanager
def debugging(debug: bool) -> Iterator[None]:
    """Show the tracebacks of what agents raise when they are made, or asked by themselves."""
    try:
        yield
    except AgentError as error:
        if debug and error.__cause__ is not None:
            show_traceback(error.__cause__)
        raise


def conduct_of(
    on_error: Literal["stop", "forfeit"], deadline: float | None, debug: bool
) -> "Conduct":
    """Return what faults lead to, by the options of a command."""
    from kibitz.arena import Conduct

    if debug and on_error != "stop":
        raise SpecError("--debug ends the play at the first fault: leave out --on-error forfeit")
    return Conduct("raise" if debug else on_error, deadline)


def list_forfeits(faults: "Sequence[Fault]") -> list[dict[str, Any]]:
    """List for JSON what forfeits were for."""
    return [
        {
            "agent": fault.spec,
            "deal": fault.deal,
            "rotation": fault.rotation,
            "seat": fault.seat,
            "reason": fault.reason.rstrip(","),  # the comma is for a sentence that goes on
            "position": fault.position,
        }
        for fault in faults
    ]


def _tell_forfeits(faults: "Sequence[Fault]") -> None:
    """Say what the first forfeits were for, and how many more there are."""
    for fault in faults[:MOST_TOLD]:
        print(f"forfeit: {fault}", file=sys.stderr)
    if len(faults) > MOST_TOLD:
        print(f"and {len(faults) - MOST_TOLD:,} more forfeits: --json lists all", file=sys.stderr)


def _save_faults(faults: "Sequence[Fault]") -> None:
    """Keep the records of games in which agents misbehaved, and say where."""
    lines = [fault.record.to_line() for fault in faults if fault.record is not None]
    if not lines:
        return
    try:
        with Path(FAULTS_FILE).open("a", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in lines)
        what = "its record is" if len(lines) == 1 else f"{len(lines)} records are"
        remark(f"{what} in {FAULTS_FILE}")
    except OSError:
        err.print(lines[0], soft_wrap=True, highlight=False, markup=False)


@contextmanager
def stdout_spared() -> Iterator[None]:
    """Send what agents print to stderr, also from worker processes: stdout is for results."""
    stdout, kept = sys.stdout, os.dup(STDOUT)
    stdout.flush()
    os.dup2(STDERR, STDOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        stdout.flush()
        os.dup2(kept, STDOUT)
        os.close(kept)


def is_kept(database: str | None) -> bool:
    """Whether a match is to be kept in a database: only if one is named."""
    return database not in (None, NOWHERE)


def open_journal(stack: ExitStack, plan: "Match", database: str | None) -> "MatchJournal | None":
    """Enter a match in the database that is named, if there is one."""
    if not is_kept(database):
        return None
    from kibitz.store import open_store
    from kibitz.store.journal import MatchJournal

    return MatchJournal.begin_new(stack.enter_context(open_store(database)), plan)


def end_journal(journal: "MatchJournal | None", tried: Attempt) -> None:
    """Note in the database how a match ended, if it is kept there."""
    if journal is not None:
        with tried.write():
            journal.end("done" if tried.failure is None else "stopped")


def other_files(database: str | None, with_database: bool) -> list[tuple[str, Path]]:
    """Name the files that a command may write beside its outputs."""
    files = [("the records of faults", Path(FAULTS_FILE))]
    if with_database:
        from kibitz.store.address import database_files, find_database

        files += [("the database", file) for file in database_files(find_database(database))]
    return files


def open_existing(database: str | None) -> "Store":
    """Open a database; one that is not there is not made."""
    from kibitz.store import open_store
    from kibitz.store.address import database_files, find_database

    if database == NOWHERE:
        raise SpecError(f"--database {NOWHERE} keeps nothing: name a database that has results")
    files = database_files(find_database(database))
    if files and not files[0].exists():
        raise SpecError(f"there is no database {files[0]}: name one that has results")
    return open_store(database)


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
