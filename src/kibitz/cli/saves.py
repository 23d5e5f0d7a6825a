"""Where games of people are kept: the unfinished one of each game, and all that were finished."""

import os
import tempfile
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.core.errors import RecordError

if TYPE_CHECKING:
    from kibitz.core.record import Record


def state_folder() -> Path:
    """Return the folder of what people have played."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "kibitz"


def save_path(name: str) -> Path:
    """Return the file that keeps the unfinished game of this name."""
    return state_folder() / f"{name}.jsonl"


def finished_path() -> Path:
    """Return the file that keeps all finished games, the last one at its end."""
    return state_folder() / "finished" / "games.jsonl"


def keep_finished(record: "Record") -> None:
    """Add a game to those that were finished; RecordError if it cannot be kept."""
    path = finished_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(record.to_line() + "\n")
    except OSError as error:
        raise RecordError(f"cannot keep the game in {path}: {error.strerror}") from None


def last_finished() -> tuple[Path, int]:
    """Return where the game is that was finished last, and its number in that file."""
    path = finished_path()
    try:
        with path.open(encoding="utf-8") as stream:
            n = sum(bool(line.strip()) for line in stream)
    except (OSError, UnicodeDecodeError):
        n = 0
    if not n:
        raise RecordError("no finished game is kept yet: play one with kibitz play")
    return path, n


class SaveFile:
    """The file of one unfinished game; what it held before is moved aside, never overwritten."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is read or written yet."""
        if path.name == "" or (path.exists() and not path.is_file()):
            raise RecordError(f"{path} is not a file that can keep a game")
        self.path = path
        self._ours: tuple[int, int] | None = None  # the file as we last wrote or read it

    @property
    def is_taken(self) -> bool:
        """Whether the file holds something else than the game that is being played."""
        return self.path.exists() and self._identity() != self._ours

    def _identity(self) -> tuple[int, int]:
        found = self.path.stat()
        return found.st_ino, found.st_mtime_ns

    @property
    def spare(self) -> Path:
        """The first free name of the form `nimmt.1.jsonl`."""
        number = 1
        while (path := self.path.with_suffix(f".{number}{self.path.suffix}")).exists():
            number += 1
        return path

    def load(self) -> "Record":
        """Read the one unfinished game; RecordError if that is not what the file holds."""
        from kibitz.core.record import read_records

        if not self.path.exists():
            raise RecordError(f"there is no unfinished game in {self.path}")
        records = list(islice(read_records(self.path), 2))
        if len(records) != 1:
            raise RecordError(f"{self.path}: expected one game, found {len(records) or 'none'}")
        if records[0].result is not None:
            raise RecordError(f"{self.path}: this game is finished")
        self._ours = self._identity()
        return records[0]

    def write(self, record: "Record") -> None:
        """Keep the game; readers find the old file or the new one, never half of it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    stream.write(record.to_line() + "\n")
                if self.is_taken:
                    self.path.rename(self.spare)
                os.replace(name, self.path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise RecordError(f"cannot save the game in {self.path}: {error.strerror}") from None
        self._ours = self._identity()

    def remove(self) -> None:
        """Forget the game: it is finished."""
        with suppress(OSError):
            if not self.is_taken:
                self.path.unlink()
