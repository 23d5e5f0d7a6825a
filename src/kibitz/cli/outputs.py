"""Files that commands write: places are tried before play, and what fails costs no other file."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from kibitz.cli.playing import STDOUT
from kibitz.core.errors import KibitzError, SpecError


class NewFile:
    """A file that has another name until it is whole: what fails does not cost the old one."""

    def __init__(self, path: Path) -> None:
        """Begin a file; KibitzError if its place cannot be written."""
        self._path = path
        self._is_broken = False
        with self._told():
            place = find_place(path)
            self._place = place
            self._partial = place.with_name(f".kibitz-{secrets.token_hex(8)}.part")
            self._stream = self._partial.open("x", encoding="utf-8", newline="")

    def __enter__(self) -> Self:
        """Throw the file away at the end of a `with` block, unless it was kept."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Throw the file away, unless it was kept."""
        with suppress(OSError):
            self._stream.close()
        with suppress(OSError):
            self._partial.unlink()

    def write(self, text: str) -> None:
        """Write some text."""
        try:
            self._stream.write(text)
        except OSError as error:
            raise self._complaint(error) from None

    def writelines(self, lines: Iterable[str]) -> None:
        """Write some lines, which have their newlines."""
        with self._told():
            self._stream.writelines(lines)

    def keep(self) -> None:
        """Put the file in its place; one that could not be written was told of, and is not."""
        if self._is_broken:
            return
        with self._told():
            self._stream.close()
            if self._place.exists():
                shutil.copymode(self._place, self._partial)
            self._partial.replace(self._place)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Name the file in what the system complains of."""
        try:
            yield
        except OSError as error:
            raise self._complaint(error) from None

    def _complaint(self, error: OSError) -> KibitzError:
        self._is_broken = True
        return _cannot("write", self._path, error)


class Outputs:
    """What a command writes beside its table: scores, records and a page."""

    def __init__(
        self,
        scores: Path | None,
        records: Path | None,
        report: Path | None,
        taken: Sequence[tuple[str, Path]] = (),
    ) -> None:
        """Refuse places that cannot be meant; nothing is made yet.

        Args:
            scores: where scores go.
            records: where records go.
            report: the folder of the page.
            taken: other files that are written, and what to call them.
        """
        self._paths = scores, records
        self.scores: NewFile | None = None
        self.records: NewFile | None = None
        self.report = report
        wanted = [("--csv", scores), ("--records", records), ("--report", self._page)]
        places = [(name, path) for name, path in wanted if path is not None]
        for _, path in places:
            find_place(path)
        _check_apart([("what is printed", STDOUT), *taken, *places])

    def open(self, stack: ExitStack) -> None:
        """Begin the files and make the folder; files not kept are thrown away with the stack."""
        scores, records = self._paths
        self.scores = stack.enter_context(NewFile(scores)) if scores is not None else None
        self.records = stack.enter_context(NewFile(records)) if records is not None else None
        if self.report is not None and self._page is not None:
            make_folder(self.report)
            with NewFile(self._page):
                pass  # it can be written
            self.report = self.report.resolve()  # an agent may change the working folder

    @property
    def _page(self) -> Path | None:
        if self.report is None:
            return None
        from kibitz.arena.report import PAGE

        return self.report / PAGE


def find_place(path: Path) -> Path:
    """Return where a file lies, behind links; refuse what is no file that may be written."""
    try:
        if path.is_dir():
            raise KibitzError(f"{path} is a folder: name a file")
        if path.exists() and not path.is_file():
            raise KibitzError(f"{path} is a device or a pipe: name a file")
        if path.exists() and not os.access(path, os.W_OK):
            raise KibitzError(f"cannot write {path}: it is protected")
        return path.resolve()
    except OSError as error:
        raise _cannot("write", path, error) from None
    except RuntimeError:
        raise KibitzError(f"cannot write {path}: its links go round in a circle") from None


def _cannot(do: str, path: Path, error: OSError) -> KibitzError:
    return KibitzError(f"cannot {do} {path}: {(error.strerror or str(error)).lower()}")


def make_folder(path: Path) -> None:
    """Make a folder before anything is played."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot("make the folder", path, error) from None


def _check_apart(places: Sequence[tuple[str, Path | int]]) -> None:
    """Refuse two names for the same file, however they are spelt."""
    seen: dict[object, str] = {}
    for name, place in places:
        other = seen.setdefault(_identity(place), name)
        if other != name:
            raise SpecError(f"{other} and {name} cannot both go to {place}: name another file")


def _identity(place: Path | int) -> object:
    try:
        found = os.stat(place)
    except OSError:
        return place if isinstance(place, int) else place.resolve()
    return found.st_dev, found.st_ino
