"""The compiler's cache tells the truth."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt
import pytest

from kibitz.core import cache
from kibitz.core.kernels import (
    COMPILED,
    allocating_kernel,
    inner_kernel,
    kernel,
    record_dtype,
    viewing_kernel,
)

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
    for name in ("text", "features"):  # which playouts do not import
        with (tmp_path / "toy" / "duel" / f"{name}.py").open("a") as file:
            file.write("EDITED = True\n")
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
    before = cache.source_hash()
    source.write_text("x = 2\n")
    assert cache.source_hash() != before


def test_what_was_not_used_for_longest_is_pruned(tmp_path: Path) -> None:
    files = [tmp_path / name for name in "abcdef"]
    for age, file in enumerate(files):
        file.write_bytes(b"1234")
        os.utime(file, (10**9 - age, 10**9 - age))
    cache.prune(tmp_path, 15)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]


def test_field_names_that_numpy_uses_are_refused() -> None:
    with pytest.raises(ValueError, match="'round' needs another name"):
        record_dtype([("round", np.int64)])


def test_a_record_that_begins_with_all_fields_of_another_is_refused() -> None:
    record_dtype([("one_of_them", np.int64)])
    record_dtype([("one_of_them", np.int32), ("and_more", np.int64)])
    with pytest.raises(ValueError, match=r"begin with the same fields \(one_of_them\)"):
        record_dtype([("one_of_them", np.int64), ("and_more", np.int64)])


def scratch_total(values: npt.NDArray[np.float64]) -> float:
    """Add up values in an array of its own."""
    scratch = np.zeros(1)
    for value in values:
        scratch[0] += value
    return scratch[0]


def copied(values: npt.NDArray[np.float64]) -> float:
    """Return the first value of a copy."""
    return values.copy()[0]


def doubled(values: npt.NDArray[np.float64]) -> float:
    """Return twice the first value, by way of all."""
    return (values + values)[0]


def summed(values: npt.NDArray[np.float64]) -> float:
    """Add up values, as NumPy does."""
    return values.sum()


def named(values: npt.NDArray[np.float64]) -> float:
    """Add up values that are passed by name."""
    return np.sum(a=values)


def looked_at(values: npt.NDArray[np.float64]) -> float:
    """Look at the same memory in several ways."""
    return values[1:].reshape(2, 2)[0, 0] + values.view(np.float64)[0] + len(values)


@needs_compiler
@pytest.mark.parametrize("function", [scratch_total, copied, doubled, summed, named])
def test_only_an_allocating_kernel_may_make_arrays(function: Callable[..., float]) -> None:
    values = np.arange(5.0)
    # First without the check: what Numba has compiled before, it does not refuse by itself.
    assert numba.njit(function)(values) == function(values)
    with pytest.raises(numba.NumbaError, match="allocating_kernel"):
        kernel(function)(values)


def itself(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return what was given."""
    return values


def its_rest(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], int]:
    """Return a part of what was given, and a number."""
    return values[1:], 1


@needs_compiler
@pytest.mark.parametrize("function", [itself, its_rest])
def test_a_kernel_returns_no_array(function: Callable[..., object]) -> None:
    with pytest.raises(numba.NumbaError, match="must not return an array"):
        kernel(function)(np.arange(5.0))


@needs_compiler
def test_a_kernel_takes_no_array_from_one_that_may_make_some() -> None:
    make = allocating_kernel(itself)

    def first(values: npt.NDArray[np.float64]) -> float:
        return make(values)[0]

    with pytest.raises(numba.NumbaError, match="allocating_kernel"):
        kernel(first)(np.arange(5.0))


@needs_compiler
def test_a_kernel_is_checked_though_one_that_makes_arrays_was_kept(tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        "import sys\n"
        "import numpy as np\n"
        "from kibitz.core import kernels\n"
        "def itself(values):\n"
        "    return values\n"
        "print(getattr(kernels, sys.argv[1])(itself)(np.arange(3.0)))\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    told = [
        subprocess.run(
            [sys.executable, "twice.py", how],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=environment,
        )
        for how in ("allocating_kernel", "kernel", "allocating_kernel")
    ]
    assert [one.returncode for one in told] == [0, 1, 0]
    assert "must not return an array" in told[1].stderr


@needs_compiler
def test_a_kernel_may_look_at_an_array_in_another_way() -> None:
    values = np.arange(5.0)
    assert kernel(looked_at)(values) == looked_at(values) == 6


@needs_compiler
def test_scratch_that_kernels_make_is_given_back() -> None:
    code = (
        "import kibitz\n"
        "from kibitz.arena import play\n"
        "from numba.core.runtime import rtsys\n"
        "game = kibitz.load_game('tichu')\n"
        "agents = [kibitz.load_agent(name, game) for name in ('convention', 'random')]\n"
        "for deals in (1, 20):\n"
        "    before = rtsys.get_allocation_stats()\n"
        "    play(game, agents, deals, 1)\n"
        "    after = rtsys.get_allocation_stats()\n"
        "made, freed = after.alloc - before.alloc, after.free - before.free\n"
        "print(made, made - freed)"
    )
    env = {**os.environ, "NUMBA_NRT_STATS": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    made, left = map(int, ran.stdout.split())
    assert made > 1000
    assert left == 0


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


def test_a_viewing_kernel_hands_parts_of_arrays_to_its_caller() -> None:
    @viewing_kernel
    def part(rows: npt.NDArray[np.int64], i: int) -> tuple[npt.NDArray[np.int64], int]:
        return rows[i], i

    @kernel
    def write(rows: npt.NDArray[np.int64]) -> None:
        part(rows, 1)[0][0] = 7

    rows = np.zeros((2, 2), np.int64)
    write(rows)
    assert rows.tolist() == [[0, 0], [7, 0]]


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
