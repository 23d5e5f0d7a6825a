"""Checkpoints: the state of a training run as plain data in a folder, whole at every moment.

- `latest.json`: the numbers and texts of the state, the names, types and shapes of its arrays, and
  which file holds them.
- `STEP-TOKEN.npz`: the arrays, under the names of the dictionaries that they are in.

The arrays are written first, under a name that has never been used; then the JSON is written beside
and renamed, which is the moment when there is a new checkpoint; then what it replaced is removed.
Both are flushed to the disk before that. So whoever is killed, or finds the disk full, still has
the checkpoint before.

A checkpoint may come from anywhere: nothing is unpickled, no more is read than is announced and
there, and whatever is wrong becomes one sentence.
"""

import json
import math
import os
import re
import secrets
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from kibitz.core.errors import KibitzError, TrainingError, clip, plain
from kibitz.core.outside import Document, Whole, Word, check_values, read_json
from kibitz.learn.algorithm import State

LATEST = "latest.json"

MAX_JSON = 16_000_000
"""Largest JSON of a checkpoint, in bytes."""

MAX_ARRAYS = 8 << 30
"""Most bytes of all arrays of a checkpoint."""

MAX_DEPTH = 50
"""Most dictionaries within each other."""

_NAME = r"[0-9]{1,19}-[0-9a-f]{8}\.npz"
"""Names of files of arrays."""

_KINDS = "biuf"
"""Arrays hold truth values, whole numbers or floats."""

_Dtype = Annotated[str, Field(pattern=r"^[<|][biuf][1248]$")]
_Shape = Annotated[tuple[Annotated[int, Field(ge=0, le=1 << 40)], ...], Field(max_length=16)]


class _Latest(Document):
    """What `latest.json` holds."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    step: Whole
    file: Annotated[str, Field(pattern=f"^{_NAME}$")]
    arrays: Annotated[dict[Word, tuple[_Dtype, _Shape]], Field(max_length=100_000)]
    numbers: dict[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """A state, and the number of steps that led to it."""

    step: int
    state: dict[str, Any]


def has_checkpoint(folder: Path) -> bool:
    """Whether a folder holds a checkpoint, or what is in the place of one."""
    return (folder / LATEST).exists()


def write_checkpoint(folder: Path, step: int, state: State) -> None:
    """Write a checkpoint in place of the one that is there.

    Raises:
        TrainingError: the state is not plain data, or cannot be written; the checkpoint that was
            there is untouched.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    numbers = _split(state, "", arrays)
    name = f"{step}-{secrets.token_hex(4)}.npz"
    shapes = {path: (array.dtype.str, list(array.shape)) for path, array in arrays.items()}
    latest = {"schema": 1, "step": step, "file": name, "arrays": shapes, "numbers": numbers}
    text = json.dumps(latest, allow_nan=False).encode()
    read_json(text, _Latest, f"the checkpoint of step {step}", MAX_JSON, TrainingError)
    partial = folder / f"{name}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _write_arrays(partial, arrays)
            partial.rename(folder / name)
            write_whole(folder / LATEST, text)
        except BaseException:
            for path in (partial, folder / name):
                with suppress(OSError):
                    path.unlink()
            raise
    except OSError as error:
        reason = error.strerror or plain(str(error))
        raise TrainingError(
            f"the checkpoint of step {step} cannot be written to {clip(folder, 200)}: {reason}; "
            + (
                "the one before is untouched: make room, then go on with --resume"
                if has_checkpoint(folder)
                else "there is none before it: make room, then train again"
            )
        ) from None
    _tidy(folder, name)


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read the checkpoint of a folder.

    Raises:
        TrainingError: there is none, or it is broken; one sentence says where.
    """
    where = f"checkpoint {clip(folder, 200)}"
    try:
        with (folder / LATEST).open("rb") as file:
            text = file.read(MAX_JSON + 1)
        latest = read_json(text, _Latest, f"{where}: {LATEST}", MAX_JSON, TrainingError)
        check_values(latest.numbers, f"{where}: {LATEST}", TrainingError)
        state: dict[str, Any] = dict(latest.numbers)
        with (folder / latest.file).open("rb") as opened:
            for path, array in _read_arrays(opened, latest, f"{where}: {latest.file}"):
                _insert(state, path, array, where)
    except TrainingError:
        raise
    except OSError as error:
        reason = error.strerror or plain(str(error))
        raise TrainingError(f"{where} cannot be read: {reason}") from None
    return Checkpoint(latest.step, state)


def in_words(error: Exception) -> str:
    """Return what is wrong with a checkpoint, as whoever restores it has found out."""
    if isinstance(error, KibitzError):
        return str(error)
    if isinstance(error, KeyError):
        return f"it has no {clip(error.args[0])}"
    return plain(str(error)) or type(error).__name__


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside, flush it to the disk, and rename it: nobody ever sees half of it."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with partial.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise
    _flush_folder(path.parent)


def remove_partials(path: Path) -> None:
    """Remove what `write_whole` had half written beside a file when it was killed."""
    partial = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.part")
    _remove(path.parent, partial)


def _remove(folder: Path, name: re.Pattern[str]) -> None:
    """Remove the files of a folder whose whole name fits."""
    for path in folder.iterdir():
        if name.fullmatch(path.name):
            with suppress(OSError):
                path.unlink()


def _flush_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _split(state: State, path: str, arrays: dict[str, npt.NDArray[Any]]) -> dict[str, Any]:
    """Return a state without its arrays, which are put into `arrays` by their paths."""
    if path.count("/") > MAX_DEPTH:
        raise TrainingError(f"a state has at most {MAX_DEPTH} dictionaries within each other")
    numbers: dict[str, Any] = {}
    for name, value in state.items():
        inner = f"{path}{name}"
        if not isinstance(name, str) or not name or "/" in name:
            raise TrainingError(f"names in a state are texts without a '/', got {clip(inner)}")
        if isinstance(value, np.ndarray):
            arrays[inner] = _plain_array(value, inner)
        elif isinstance(value, Mapping):
            numbers[name] = _split(value, f"{inner}/", arrays)
        else:
            numbers[name] = _plain_number(value, inner)
    return numbers


def _plain_array(array: npt.NDArray[Any], path: str) -> npt.NDArray[Any]:
    if array.dtype.kind not in _KINDS or array.dtype.itemsize > 8:
        raise TrainingError(
            f"{clip(path)} in the state is an array of {array.dtype}: arrays are of numbers"
        )
    return np.asarray(array, array.dtype.newbyteorder("<"), order="C")


def _plain_number(value: Any, path: str) -> bool | int | float | str:
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, bool | int | float | str):
        raise TrainingError(
            f"{clip(path)} in the state is a {type(value).__name__}: a state is numbers, texts, "
            "arrays and dictionaries of these"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise TrainingError(f"{clip(path)} in the state is {value}: put it into an array")
    if isinstance(value, int) and not -(2**63) < value < 2**63:
        raise TrainingError(f"{clip(path)} in the state has more than 64 bits: write it as text")
    return value


def _write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write an npz file and flush it to the disk."""
    with path.open("xb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())


def _read_arrays(file: Any, latest: _Latest, where: str) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Read the arrays that are announced, which must be all that the file holds."""
    most = os.fstat(file.fileno()).st_size
    n_bytes = sum(_count_bytes(*kind) for kind in latest.arrays.values())
    if n_bytes > min(most, MAX_ARRAYS):
        raise TrainingError(f"{where} has {most} bytes, {LATEST} announces {n_bytes}")
    try:
        with zipfile.ZipFile(file) as archive:
            if sorted(archive.namelist()) != sorted(f"{name}.npy" for name in latest.arrays):
                raise TrainingError(f"{where} holds other arrays than {LATEST} announces")
            for name, (dtype, shape) in latest.arrays.items():
                yield name, _read_array(archive, name, dtype, shape, where)
    except (TrainingError, OSError):
        raise
    except Exception as error:  # whatever a broken archive makes its readers raise
        reason = plain(str(error)) or type(error).__name__
        raise TrainingError(f"{where} is not an npz file of arrays: {reason}") from None


def _count_bytes(dtype: str, shape: tuple[int, ...]) -> int:
    return math.prod(shape) * np.dtype(dtype).itemsize


def _read_array(
    archive: zipfile.ZipFile, name: str, dtype: str, shape: tuple[int, ...], where: str
) -> npt.NDArray[Any]:
    """Read one array after its header has been seen to announce what is expected, and no more."""
    with archive.open(f"{name}.npy") as member:
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[np.lib.format.read_magic(member)]
        found, is_by_column, found_dtype = read_header(member)
        if found_dtype.str != dtype or found != shape or (is_by_column and len(shape) > 1):
            raise TrainingError(
                f"{where}: {clip(name)} is {plain(str(found_dtype))} {plain(str(found))}, "
                f"{LATEST} announces {dtype} {shape}"
            )
        content = bytearray(_count_bytes(dtype, shape))
        n_read = 0
        while n_read < len(content):
            more = member.read(min(len(content) - n_read, 1 << 24))
            if not more:
                raise TrainingError(f"{where}: {clip(name)} ends too early")
            content[n_read : n_read + len(more)] = more
            n_read += len(more)
        if member.read(1):  # also lets the reader compare its check sum
            raise TrainingError(f"{where}: {clip(name)} is longer than it should be")
    return np.frombuffer(content, np.dtype(dtype)).reshape(shape)


def _insert(state: dict[str, Any], path: str, array: npt.NDArray[Any], where: str) -> None:
    """Put an array where it was in the state."""
    *outer, name = path.split("/")
    for key in outer:
        state = state.setdefault(key, {})
        if not isinstance(state, dict):
            raise TrainingError(f"{where}: {clip(path)} is in something that holds nothing")
    if name in state:
        raise TrainingError(f"{where}: {clip(path)} is there twice")
    state[name] = array


def _tidy(folder: Path, name: str) -> None:
    """Remove what other checkpoints than this one have left, and nothing else."""
    remove_partials(folder / LATEST)
    _remove(folder, re.compile(rf"(?!{re.escape(name)}$){_NAME}(\.part)?"))
