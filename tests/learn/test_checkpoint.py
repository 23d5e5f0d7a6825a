"""Checkpoints: plain data in a folder, whole at every moment, believed by nobody."""

import errno
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz import TrainingError
from kibitz.learn import checkpoint
from kibitz.learn.checkpoint import has_checkpoint, read_checkpoint, write_checkpoint

STATE: Any = {
    "network": {"body.0.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "empty": {}},
    "flags": np.array([True, False]),
    "none": np.zeros((0, 4), np.int64),
    "scalar": np.array(3.5),
    "step": 7,
    "rate": 0.1,
    "name": "näme",
    "on": True,
}


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and (a == b).all())
    return bool(type(a) is type(b) and a == b)


def test_a_state_comes_back_as_it_was(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "c", 12, STATE)
    found = read_checkpoint(tmp_path / "c")
    assert found.step == 12
    assert same(found.state, STATE)
    found.state["network"]["body.0.weight"][0, 0] = 5  # it can be written to


def test_a_checkpoint_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    for step in (1, 2, 2):
        write_checkpoint(tmp_path, step, {"array": np.full(3, step), "step": step})
    assert read_checkpoint(tmp_path).state["array"].tolist() == [2, 2, 2]
    assert len(list(tmp_path.iterdir())) == 2


def test_files_of_somebody_else_stay_beside_a_checkpoint(tmp_path: Path) -> None:
    mine = {"backup.npz", "x.part", ".notes.part", "7-zzzzzzzz.npz"}
    left = {"3-01234567.npz", "3-01234567.npz.part", ".latest.json.01234567.part"}
    for name in mine | left:
        (tmp_path / name).write_text("x")
    write_checkpoint(tmp_path, 4, STATE)
    names = {path.name for path in tmp_path.iterdir()}
    assert mine <= names
    assert not left & names
    assert len(names) == len(mine) + 2


@pytest.mark.parametrize(
    ("state", "complaint"),
    [
        ({"a": object()}, "'a' in the state is a object"),
        ({"a": {"b": np.array(["x"])}}, "'a/b' in the state is an array of <U1"),
        ({"a": np.array([None])}, "is an array of object"),
        ({"a": float("nan")}, "'a' in the state is nan"),
        ({"a": 2**70}, "more than 64 bits"),
        ({"a/b": 1}, "texts without a '/'"),
        ({3: 1}, "texts without a '/'"),
        ({"a": [1]}, "is a list"),
    ],
)
def test_only_plain_data_is_written(tmp_path: Path, state: Any, complaint: str) -> None:
    write_checkpoint(tmp_path, 1, STATE)
    with pytest.raises(TrainingError, match=complaint):
        write_checkpoint(tmp_path, 2, state)
    assert read_checkpoint(tmp_path).step == 1


@pytest.mark.parametrize("moment", ["arrays", "rename", "json"])
def test_a_full_disk_leaves_the_checkpoint_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    write_checkpoint(tmp_path, 1, STATE)

    def fail(*given: Any, **more: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if moment == "arrays":
        monkeypatch.setattr(np.lib.format, "write_array", fail)
    elif moment == "rename":
        monkeypatch.setattr(Path, "rename", fail)
    else:
        monkeypatch.setattr(checkpoint, "write_whole", fail)
    with pytest.raises(TrainingError, match="step 2 cannot be written .* No space left .*resume"):
        write_checkpoint(tmp_path, 2, STATE)
    assert same(read_checkpoint(tmp_path).state, STATE)
    assert len(list(tmp_path.iterdir())) == 2  # nothing half-written is left


def test_whoever_is_killed_while_writing_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from kibitz.learn.checkpoint import write_checkpoint\n"
        "for step in range(10**6):\n"
        "    state = {'array': np.full(50_000, step), 'step': step}\n"
        "    write_checkpoint(Path(sys.argv[1]), step, state)\n"
    )
    for k in range(4):
        running = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
        while not has_checkpoint(tmp_path) and running.poll() is None:
            time.sleep(0.02)
        time.sleep(0.05 + 0.013 * k)
        running.kill()
        running.wait()
        found = read_checkpoint(tmp_path)
        assert (found.state["array"] == found.step).all()
        assert found.state["step"] == found.step


def broken(folder: Path, **changed: Any) -> None:
    """Change what `latest.json` says."""
    path = folder / "latest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"schema": 2}, "schema: expected 1"),
        ({"step": -1}, "step: expected a number from 0 on"),
        ({"file": "../../etc/passwd"}, "file: expected text of the form"),
        ({"file": "99-00000000.npz"}, "cannot be read: No such file"),
        ({"arrays": {}}, "holds other arrays than latest.json announces"),
        ({"arrays": {"flags": ["<f8", [1 << 40]]}}, "announces 8796093022208"),
        ({"arrays": {"flags": ["|O8", [1]]}}, "expected text of the form"),
        ({"numbers": {"flags": 3}}, "'flags' is there twice"),
        ({"numbers": {"network": 3}}, "is in something that holds nothing"),
        ({"numbers": {"big": 2**65}}, "whole numbers are at most"),
        ({"more": 1}, "more: there is no such field"),
    ],
)
def test_a_checkpoint_that_is_broken_is_refused(
    tmp_path: Path, changed: dict[str, Any], complaint: str
) -> None:
    write_checkpoint(tmp_path, 1, STATE)
    broken(tmp_path, **changed)
    with pytest.raises(TrainingError, match=complaint):
        read_checkpoint(tmp_path)


def test_files_of_strangers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="cannot be read: No such file"):
        read_checkpoint(tmp_path)
    write_checkpoint(tmp_path, 1, {"a": np.zeros(4)})
    (file,) = tmp_path.glob("*.npz")
    whole = file.read_bytes()
    file.write_bytes(whole[:50] + b"\0" * (len(whole) - 50))
    with pytest.raises(TrainingError, match="not an npz file of arrays"):
        read_checkpoint(tmp_path)
    spoiled = bytearray(whole)
    spoiled[spoiled.index(b"\x93NUMPY") + 130] ^= 1  # one bit of the array
    file.write_bytes(spoiled)
    with pytest.raises(TrainingError, match="not an npz file of arrays: Bad CRC"):
        read_checkpoint(tmp_path)
    with zipfile.ZipFile(file, "w") as archive, archive.open("a.npy", "w") as member:
        np.lib.format.write_array(member, np.zeros(5), allow_pickle=False)
    with pytest.raises(TrainingError, match=r"'a' is float64 \(5,\), latest.json announces <f8"):
        read_checkpoint(tmp_path)
    (tmp_path / "latest.json").write_text("{")
    with pytest.raises(TrainingError, match="not JSON"):
        read_checkpoint(tmp_path)
