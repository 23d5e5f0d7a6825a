"""The compiler's cache tells the truth."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from kibitz.core import kernels
from kibitz.core.kernels import COMPILED, inner_kernel, kernel, record_dtype

TOY = Path(__file__).parents[1] / "toy"

PLAY = """
import kibitz, numpy as np
from kibitz.search.playouts import random_games
from kibitz.core.rng import derive
game = kibitz.load_game("duel")
out = np.zeros(2)
random_games(game.blank(2), 50, derive(1, 3), out)
hits = sum(random_games.stats.cache_hits.values())
print(int(out.sum()), hits)
"""

needs_compiler = pytest.mark.skipif(not COMPILED, reason="the compiler is off")


def run(folder: Path, cache: Path, **flags: str) -> tuple[int, int]:
    """Play Duel from `folder` in a process of its own: (sum of all scores, cache hits)."""
    env = {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(cache), **flags}
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env=env, capture_output=True, text=True, check=True
    )
    total, hits = done.stdout.split()
    return int(total), int(hits)


@needs_compiler
def test_an_edited_rule_is_never_served_stale(tmp_path: Path) -> None:
    shutil.copytree(TOY, tmp_path / "toy")
    cache = tmp_path / "cache"
    assert run(tmp_path / "toy", cache) == (150, 0)
    assert run(tmp_path / "toy", cache) == (150, 1)
    rules = tmp_path / "toy" / "duel" / "rules.py"
    rules.write_text(rules.read_text().replace("state.won[best] += 1", "state.won[best] += 2"))
    assert run(tmp_path / "toy", cache) == (300, 0)


@needs_compiler
def test_debug_flags_have_a_cache_of_their_own(tmp_path: Path) -> None:
    run(TOY, tmp_path)
    assert run(TOY, tmp_path, NUMBA_BOUNDSCHECK="1")[1] == 0


@needs_compiler
def test_paths_in_kibitz_sources_are_part_of_the_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "mine.py"
    source.write_text("x = 1\n")
    monkeypatch.setenv("KIBITZ_SOURCES", str(source))
    before = kernels.source_hash()
    source.write_text("x = 2\n")
    assert kernels.source_hash() != before


def test_old_cache_folders_are_pruned(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abcdefgh"]
    for age, folder in enumerate(folders):
        folder.mkdir()
        os.utime(folder, (10**9 - age, 10**9 - age))
    kernels._prune(folders[7])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c", "d", "h"]


def test_field_names_that_numpy_uses_are_refused() -> None:
    with pytest.raises(ValueError, match="'round' needs another name"):
        record_dtype([("round", np.int64)])


@needs_compiler
def test_compiling_is_announced_once_and_loading_from_the_cache_is_not(tmp_path: Path) -> None:
    code = (
        "from kibitz.core import kernels, rng\n"
        "kernels.announce_compilation(lambda: print('compiling'))\n"
        "rng.derive(1, 2)\n"
        "print(kernels.seconds_compiling() > 0)"
    )
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    outputs = [subprocess.check_output(command, env=env, text=True) for _ in range(2)]
    assert outputs == ["compiling\nTrue\n", "False\n"]


@inner_kernel
def _factorial(n: int) -> int:
    return 1 if n <= 0 else n * _factorial(n - 1)


@inner_kernel
def _entry(numbers: npt.NDArray[np.int64], i: int) -> int:
    return numbers[i] + _factorial(2)


@kernel
def _entry_and_factorials(numbers: npt.NDArray[np.int64], i: int) -> int:
    return _entry(numbers, i) + _factorial(i) + _factorial(4)


def test_inner_kernels_are_called_by_kernels_and_by_python() -> None:
    numbers = np.array([10, 20, 30], np.int64)
    assert _entry_and_factorials(numbers, 2) == 30 + 2 + 2 + 24
    assert _entry(numbers, 1) == 22


@needs_compiler
def test_kernels_are_compiled_once_for_all_constants_they_are_called_with() -> None:
    _entry_and_factorials(np.zeros(1, np.int64), 0)
    _entry_and_factorials.recompile()  # type: ignore[attr-defined]  # it may come from the cache
    assert len(_factorial.overloads) == 1  # type: ignore[attr-defined]


@needs_compiler
def test_what_inner_kernels_raise_reaches_python(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_kernels import _entry_and_factorials\n"
        "try:\n"
        "    _entry_and_factorials(np.zeros(1, np.int64), 5)\n"
        "except IndexError:\n"
        "    print('caught')"
    )
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "NUMBA_BOUNDSCHECK": "1"}
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    outputs = [subprocess.check_output(command, env=env, text=True) for _ in range(2)]
    assert outputs == ["caught\n", "caught\n"]
