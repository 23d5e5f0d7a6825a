"""Logs of BrettSpielWelt (`.tch`), read into records and written from them."""

from collections.abc import Iterator
from pathlib import Path

from kibitz.core.errors import RecordError, clip
from kibitz.core.logs import Damage, Told
from kibitz.core.record import Record
from kibitz.core.registry import load_game
from kibitz.games.tichu.bsw.export import write_log
from kibitz.games.tichu.bsw.log import MAX_BYTES, BadRound, Lines, Stray, read_rounds
from kibitz.games.tichu.bsw.replay import Replayer

GAME = "tichu"
"""What is played there: single rounds under the full rules, as far as a round's result goes."""

__all__ = ["read_log", "write_log"]


def read_log(path: Path, told: Told = lambda n_bytes: None) -> Iterator[Record | Damage]:
    """Yield the rounds of a log as records, and a damage for every one that cannot be one.

    Args:
        path: the log.
        told: is called now and then with the number of bytes read since the last time.

    Raises:
        RecordError: the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            yield from _read_stream(path, Lines(stream), told)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RecordError(f"cannot read {clip(path)}: {reason}") from None


def _read_stream(path: Path, lines: Lines, told: Told) -> Iterator[Record | Damage]:
    """Yield the rounds of a log that is open."""
    replayer = Replayer(load_game(GAME))
    n_found = n_told = 0
    for number, found in read_rounds(lines):
        n_found += 1
        told(lines.n_bytes - n_told)
        n_told = lines.n_bytes
        if isinstance(found, Stray):
            yield Damage(path, None, found.line, "this line belongs to no round")
        elif isinstance(found, BadRound):
            yield Damage(path, number, found.line, found.reason)
        else:
            try:
                yield replayer.replay(found)
            except BadRound as bad:
                yield Damage(path, number, bad.line, bad.reason)
    told(lines.n_bytes - n_told)
    if not n_found:
        yield Damage(path, None, 1, "the file is empty")
    if lines.n_bytes > MAX_BYTES:
        yield Damage(path, None, lines.number, f"more than {MAX_BYTES} bytes are not read")
