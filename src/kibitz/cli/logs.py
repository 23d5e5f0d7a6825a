"""`kibitz import` and `kibitz export`: logs of other programs become records, and back."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from kibitz.cli.console import announce_compilation, err, out, print_json, progress_bar
from kibitz.cli.outputs import NewFile
from kibitz.cli.playing import Json
from kibitz.core.errors import RecordError, SpecError, clip, plain

if TYPE_CHECKING:
    from kibitz.core.logs import Damage, LogFormat, Told
    from kibitz.core.record import Record

MOST_DAMAGES = 20
"""Damages that are printed one by one."""

MOST_LISTED = 1000
"""Damages that are kept for the document."""

Format = Annotated[str, typer.Argument(help="The format of the logs, such as bsw.")]
Out = Annotated[
    Path | None, typer.Option(help="Where to write them.", show_default="they are only checked")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import", epilog="Example: kibitz import bsw game.tch --out records.jsonl")(
        import_logs
    )
    app.command("export", epilog="Example: kibitz export bsw records.jsonl --out game.tch")(
        export_logs
    )


@dataclass
class Tally:
    """What was found in logs so far."""

    n_files: int = 0
    n_records: int = 0
    n_damages: int = 0
    damages: "list[Damage]" = field(default_factory=list)  # the first MOST_LISTED

    def add_damage(self, damage: "Damage") -> None:
        """Count a damage."""
        self.n_damages += 1
        if len(self.damages) < MOST_LISTED:
            self.damages.append(damage)


def import_logs(
    format: Format,
    files: Annotated[list[Path], typer.Argument(help="Logs; each may hold several rounds.")],
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Read logs of another program into records.

    Every round is played again under our rules: all cards must be legal and the result the one of
    the log. Rounds that are damaged are told, counted and left out.
    """
    from kibitz.core.logs import load_log_format

    announce_compilation()
    reader = load_log_format(format)
    n_bytes = sum(map(_size, files))
    _check_apart(out, files)
    tally = Tally()
    with ExitStack() as stack:
        records = None if out is None else stack.enter_context(NewFile(out))
        kilobytes = max(1, n_bytes // 1000)
        progress, task = stack.enter_context(progress_bar(f"reading {format} (kB)", kilobytes))
        for record in _read_all(reader, files, tally, lambda n: progress.advance(task, n / 1000)):
            if records is not None:
                records.write(record.to_line() + "\n")
        kept = out if tally.n_records else None  # what was there before is worth more than nothing
        if records is not None and kept is not None:
            records.keep()
    if as_json:
        print_json(_document(format, tally, kept))
    else:
        _print(tally, kept)
    if not tally.n_records:
        raise typer.Exit(1)


def _check_apart(out: Path | None, files: Sequence[Path]) -> None:
    """Refuse to write over what is read."""
    if out is not None and out.exists() and any(out.samefile(path) for path in files):
        raise SpecError(f"--out {out} is one of the files that are read: name another one")


def _size(path: Path) -> int:
    """Return the size of a file before anything is read; RecordError if it cannot be read."""
    try:
        if path.is_dir():
            raise RecordError(f"{path} is a folder: name its files")
        if not os.access(path, os.R_OK):
            path.stat()
            raise RecordError(f"cannot read {path}: it is protected")
        return path.stat().st_size
    except OSError as error:
        raise RecordError(f"cannot read {clip(path)}: {(error.strerror or '').lower()}") from None


def _read_all(
    reader: "LogFormat", files: Sequence[Path], tally: Tally, told: "Told"
) -> "Iterator[Record]":
    """Yield the records of all files; count them and what is damaged."""
    from kibitz.core.logs import Damage

    for path in files:
        tally.n_files += 1
        for found in reader.read_log(path, told):
            if isinstance(found, Damage):
                tally.add_damage(found)
            else:
                tally.n_records += 1
                yield found


def _document(format: str, tally: Tally, out: Path | None) -> dict[str, Any]:
    return {
        "format": format,
        "files": tally.n_files,
        "records": tally.n_records,
        "damaged": tally.n_damages,
        "out": None if out is None else str(out),
        "damages": [
            {
                "file": str(damage.path),
                "round": damage.round,
                "line": damage.line,
                "reason": damage.reason,
            }
            for damage in tally.damages
        ],
    }


def _print(tally: Tally, path: Path | None) -> None:
    """Print how many rounds there are, and the first that are damaged."""
    for damage in tally.damages[:MOST_DAMAGES]:
        err.print(Text(str(damage), "yellow"), soft_wrap=True, highlight=False)
    more = tally.n_damages - MOST_DAMAGES
    if more > 0:
        err.print(Text(f"and {more} more", "yellow"))
    where = "" if path is None else f", written to {plain(str(path))}"
    rounds, files = _count(tally.n_records, "round"), _count(tally.n_files, "file")
    _tell(f"{rounds} of {files} replayed with the logged result{where}; {tally.n_damages} damaged")


def _tell(text: str) -> None:
    out.print(Text(text), soft_wrap=True)


def _count(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def export_logs(
    format: Format,
    files: Annotated[list[Path], typer.Argument(help="Files of records.")],
    out: Annotated[Path, typer.Option(help="The log to write.")],
    as_json: Json = False,
) -> None:
    """Write records as a log of another program."""
    from kibitz.core.logs import load_log_format
    from kibitz.core.record import read_records

    announce_compilation()
    writer = load_log_format(format)
    n_bytes = sum(map(_size, files))
    _check_apart(out, files)
    n_records = 0
    with NewFile(out) as log, progress_bar("writing", max(1, n_bytes // 1000)) as (progress, task):
        for path in files:
            for record in read_records(path):
                n_records += 1
                try:
                    log.write(writer.write_log(record))
                except RecordError as error:
                    raise RecordError(f"{path}: record {n_records}: {error}") from None
                progress.advance(task, len(record.to_line()) / 1000)
        if not n_records:
            raise RecordError(f"{plain(str(files[0]))} has no records: nothing is written")
        log.keep()
    if as_json:
        print_json({"format": format, "records": n_records, "out": str(out)})
    else:
        _tell(f"{_count(n_records, 'record')} written to {plain(str(out))}")
