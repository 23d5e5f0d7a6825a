"""What the logs of other programs become: records, and damages where a round cannot be read.

A game lists the logs it understands in its facts, `imports`: the name of a format and the module
that reads it. That module has `read_log(path)`, which yields records and damages in the order of
the file, keeps no more of it in memory than one round, and raises RecordError for a file that
cannot be opened. It tells with `told(n)` how many bytes it has read since it told last.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kibitz.core.record import Record

Told = Callable[[int], object]


@dataclass(frozen=True)
class Damage:
    """A part of a log that became no record."""

    path: Path
    round: int | None  # counted from 1 in its file; None if it lies outside all rounds
    line: int  # counted from 1
    reason: str  # one sentence without a full stop

    def __str__(self) -> str:
        """Tell where it is and what is wrong."""
        where = "" if self.round is None else f" round {self.round}"
        return f"{self.path}:{self.line}:{where} {self.reason}"


class Importer(Protocol):
    """The module that reads logs of one format."""

    def read_log(self, path: Path, told: Told) -> Iterator[Record | Damage]:
        """Yield what is in a log."""
