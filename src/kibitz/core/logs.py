"""Logs of other programs: what their rounds become, and the modules that read and write them.

A game lists the formats it knows in its facts, `logs`: the name of a format and a module with the
two functions of `LogFormat`.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from kibitz.core.errors import SpecError, clip, nearest, plain
from kibitz.core.registry import game_facts, game_names

if TYPE_CHECKING:
    from kibitz.core.record import Record

Told = Callable[[int], object]
"""Is told how many bytes were read since it was told last."""


@dataclass(frozen=True)
class Damage:
    """A part of a log that became no record."""

    path: Path
    round: int | None  # counted from 1 in its file; None if it lies outside all rounds
    line: int  # counted from 1
    reason: str  # one sentence without a full stop

    def __str__(self) -> str:
        """Return where it is and what is wrong, on one line that a terminal survives."""
        where = "" if self.round is None else f" round {self.round}:"
        return f"{plain(str(self.path))}:{self.line}:{where} {plain(self.reason)}"


class LogFormat(Protocol):
    """The module of a format."""

    def read_log(self, path: Path, told: Told) -> "Iterator[Record | Damage]":
        """Yield the rounds of a log in order; one round at a time is in memory.

        Raises:
            RecordError: the file cannot be read.
        """

    def write_log(self, record: "Record") -> str:
        """Write what a record tells as a log.

        Raises:
            RecordError: the record does not replay, or is one of another game.
        """


def log_formats() -> dict[str, str]:
    """Find the formats that any game knows, with their modules; loads no compiler."""
    found: dict[str, str] = {}
    for name in game_names():
        try:
            found |= game_facts(name).logs
        except SpecError:  # somebody else's package is broken, which is told elsewhere
            continue
    return found


def load_log_format(name: str) -> LogFormat:
    """Return the module of a format; SpecError suggests the nearest name."""
    formats = log_formats()
    if name not in formats:
        raise SpecError(f"unknown format {clip(name)}: {nearest(name, formats)}")
    return cast(LogFormat, importlib.import_module(formats[name]))
