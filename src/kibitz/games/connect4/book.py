"""The opening book of Connect 4: exact scores of all positions of one early ply.

The positions are listed here, not in the file: those of ply 8 in which nobody can win at once, each
with its mirror image, the likeliest in random play first. The file has their scores in that order
and may end early, so that making it can be stopped and gone on with: what is missing is what comes
about least. What earlier positions are worth follows.

`scripts/connect4_book.py` makes it with our own solver. A file is checked before it is believed;
whatever is wrong with it is one sentence.
"""

import os
import tempfile
import time
import zlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kibitz.core.bits import ONE, highest, popcount
from kibitz.core.errors import KibitzError, clip
from kibitz.core.kernels import inner_kernel, kernel
from kibitz.games.connect4.alphabeta import (
    UNKNOWN,
    Boards,
    Scores,
    add_to_book,
    key_of,
    make_memory,
    score_in_book,
    score_of,
    winning_cells,
)
from kibitz.games.connect4.lines import has_four
from kibitz.games.connect4.rules import (
    BOARD,
    CELLS,
    COLUMN_BITS,
    COLUMNS,
    NO_CELL,
    column_cells,
    landing_cells,
)

PLY = 8
"""The ply whose positions the book has."""

MAGIC = b"kibitz connect4 book 2\n"
MOST_BYTES = 1_000_000
AT_ONCE = 16  # positions between two looks at the clock
SAVE_SECONDS = 60.0

_ZERO = 32  # what stands for a score of 0 in the file
_COLUMN_BITS = np.uint64(127)

Flags = npt.NDArray[np.bool_]


@inner_kernel
def _occupied(key: np.uint64) -> np.uint64:
    """Return the cells that are taken: in each column, all below the highest bit of its key."""
    found = NO_CELL
    for column in range(COLUMNS):
        shift = np.uint64(COLUMN_BITS * column)
        height = np.uint64(highest((key >> shift) & _COLUMN_BITS))
        found |= ((ONE << height) - ONE) << shift
    return found


@inner_kernel
def _own(key: np.uint64, occupied: np.uint64) -> np.uint64:
    return key - landing_cells(occupied)


@kernel
def _follow(keys: Boards, ply: int, out: Boards, source: Scores) -> int:
    """Write the keys of what follows and is still to be decided, some twice, and from which each.

    Returns how many there are.
    """
    n = 0
    for i in range(len(keys)):
        occupied = _occupied(keys[i])
        other = _own(keys[i], occupied) ^ occupied
        landing = landing_cells(occupied) & BOARD
        for column in range(1, COLUMNS + 1):
            after = occupied | (landing & column_cells(column))
            if after != occupied and not _wins_at_once(other, after):
                out[n] = key_of(other, after, ply + 1)
                source[n] = i
                n += 1
    return n


@inner_kernel
def _wins_at_once(own: np.uint64, occupied: np.uint64) -> bool:
    return winning_cells(own, occupied) & landing_cells(occupied) != NO_CELL


@cache
def _counted(ply: int) -> tuple[Boards, Scores]:
    """Return the keys of a ply, ascending, and in how many ways each position comes about."""
    if ply == 0:
        return np.array([key_of(NO_CELL, NO_CELL, 0)], np.uint64), np.ones(1, np.int64)
    before, ways = _counted(ply - 1)
    out = np.zeros(COLUMNS * len(before), np.uint64)
    source = np.zeros(len(out), np.int64)
    n = _follow(before, ply - 1, out, source)
    keys, which = np.unique(out[:n], return_inverse=True)
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, which, ways[source[:n]])
    return keys, counts


def positions(ply: int) -> Boards:
    """Return the keys of all positions of a ply in which nobody wins at once, ascending."""
    return _counted(ply)[0]


@cache
def listed() -> Boards:
    """Return the keys of the positions that a book may have, in its order."""
    keys, counts = _counted(PLY)
    return keys[np.lexsort((keys, -counts))]


@kernel
def _add(memory: np.record, keys: Boards, scores: Scores) -> None:
    for i in range(len(scores)):
        add_to_book(memory, keys[i], scores[i])


@kernel
def _back_up(memory: np.record, keys: Boards, ply: int) -> None:
    """Note the scores of positions all of whose columns are known."""
    for i in range(len(keys)):
        occupied = _occupied(keys[i])
        other = _own(keys[i], occupied) ^ occupied
        landing = landing_cells(occupied) & BOARD
        best = -CELLS
        for column in range(1, COLUMNS + 1):
            after = occupied | (landing & column_cells(column))
            if after == occupied:
                continue
            reply = (CELLS - ply) // 2
            if not _wins_at_once(other, after):
                reply = score_in_book(memory, key_of(other, after, ply + 1))
            best = UNKNOWN if reply == UNKNOWN else max(best, -reply)
            if best == UNKNOWN:
                break
        if best != UNKNOWN:
            add_to_book(memory, keys[i], best)


@kernel
def _solve(memory: np.record, keys: Boards, out: Scores) -> None:
    for i in range(len(keys)):
        occupied = _occupied(keys[i])
        out[i] = score_of(memory, _own(keys[i], occupied), occupied)


def shipped() -> Path:
    """Return the place of the book that comes with the package."""
    return Path(str(files(__package__) / "book.bin"))


def read_scores(path: Path) -> Scores:
    """Read the scores of a book; KibitzError says what is wrong with it."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise KibitzError(f"cannot read the book {clip(str(path))}: {error.strerror}") from None
    if len(data) > MOST_BYTES or not data.startswith(MAGIC):
        raise KibitzError(f"{clip(str(path))} is not an opening book of this version")
    most = len(listed())
    unpack = zlib.decompressobj()
    try:
        packed = unpack.decompress(data[len(MAGIC) :], most + 1)
    except zlib.error:
        packed = b""
    if not unpack.eof or unpack.unused_data or len(packed) > most:
        raise KibitzError(f"the book {clip(str(path))} is damaged: make it again")
    scores = np.frombuffer(packed, np.uint8).astype(np.int64) - _ZERO
    low, high = -((CELLS - PLY) // 2), (CELLS - 1 - PLY) // 2
    if len(scores) and not low <= scores.min() <= scores.max() <= high:
        raise KibitzError(f"the book {clip(str(path))} has a score beyond {low} to {high}")
    return scores


def write_scores(path: Path, scores: Scores) -> None:
    """Write a book, at once: nobody ever reads half of it."""
    packed = (scores + _ZERO).astype(np.uint8).tobytes()
    handle, beside = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + zlib.compress(packed, 9))
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def open_book(memory: np.record, path: Path | None = None) -> int:
    """Put a book, or the one that ships, into the memory of a search; return how much it has."""
    place = shipped() if path is None else path
    if path is None and not place.exists():
        return 0
    scores = read_scores(place)
    if len(scores):
        _add(memory, listed(), scores)
        for ply in range(PLY - 1, -1, -1):
            _back_up(memory, positions(ply), ply)
        memory.book_ply = PLY
    return len(scores)


@kernel
def _mark_known(memory: np.record, owns: Boards, occupied: Boards, out: Flags) -> None:
    """Write of which positions the book has every column."""
    for i in range(len(owns)):
        ply = popcount(occupied[i])
        landing = landing_cells(occupied[i]) & BOARD
        out[i] = ply < memory.book_ply
        for column in range(1, COLUMNS + 1):
            after = occupied[i] | (landing & column_cells(column))
            other = owns[i] ^ occupied[i]
            if not out[i] or after == occupied[i] or _wins_at_once(other, after):
                continue
            is_won = has_four(owns[i] | after ^ occupied[i])
            key = key_of(other, after, ply + 1)
            out[i] = is_won or score_in_book(memory, key) != UNKNOWN


def are_known(memory: np.record, owns: Boards, occupied: Boards) -> Flags:
    """Return of which positions the book that is open has every column: [positions]."""
    out = np.zeros(len(owns), np.bool_)
    _mark_known(memory, owns, occupied, out)
    return out


def make_book(path: Path, is_over: Callable[[int, int], bool]) -> int:
    """Solve what a book does not have yet, and write it now and then; return how much it has.

    Args:
        path: the file, which need not exist.
        is_over: told how many positions are solved, of how many; says whether to stop.
    """
    keys = listed()
    known = read_scores(path) if path.exists() else np.zeros(0, np.int64)
    scores = np.zeros(len(keys), np.int64)
    scores[: len(known)], n = known, len(known)
    memory = make_memory()
    saved = time.monotonic()
    try:
        while n < len(keys) and not is_over(n, len(keys)):
            part = slice(n, min(n + AT_ONCE, len(keys)))
            _solve(memory, keys[part], scores[part])
            n = part.stop
            if time.monotonic() - saved > SAVE_SECONDS:
                write_scores(path, scores[:n])
                saved = time.monotonic()
    finally:
        write_scores(path, scores[:n])
    return n
