"""People are told of every long compilation, and of no short one."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

import kibitz
from kibitz.core import compiling
from kibitz.core.compiling import Compilations, Estimates, describe
from kibitz.core.kernels import COMPILED


def an_event(module: str, name: str) -> SimpleNamespace:
    """Make what Numba says when it compiles a kernel for no arguments."""
    kernel = SimpleNamespace(__module__=module, __qualname__=name)
    return SimpleNamespace(data={"dispatcher": kernel, "args": ()})


def test_what_took_long_last_time_is_announced_before_it_begins(tmp_path: Path) -> None:
    estimates = Estimates(tmp_path / "folder" / "compiling.json")
    said: list[str] = []
    compilations = Compilations(estimates)
    compilations.tell = said.append
    for name in ("roots.search_views", "tree.small", "roots.search_views"):
        module, kernel = f"kibitz.search.{name}".rsplit(".", 1)
        estimates.put(f"{module}.{kernel}", 11.2 if kernel == "search_views" else 0.3)
        compilations.on_start(an_event(module, kernel))
        compilations.on_end(an_event(module, kernel))
    assert said == [
        "compiling the search, about 12 s; it is kept for the next time",
        "compiling more of the search, about 12 s",
    ]
    assert (estimates.get("kibitz.search.roots.search_views") or 0) < 1  # as long as it took now


def test_what_nobody_has_timed_is_announced_once_it_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "LONG", 0.1)
    said: list[str] = []
    compilations = Compilations(Estimates(tmp_path / "compiling.json"))
    compilations.tell = said.append
    began = time.perf_counter()
    for takes_long in (False, True):
        compilations.on_start(an_event("kibitz.games.nimmt.solver", "solve"))
        compilations.on_start(an_event("kibitz.games.nimmt.solver", "inner"))
        while takes_long and not said and time.perf_counter() < 60 + began:
            time.sleep(0.01)
        compilations.on_end(an_event("kibitz.games.nimmt.solver", "inner"))
        compilations.on_end(an_event("kibitz.games.nimmt.solver", "solve"))
    assert said == ["compiling the solver, about 5 s; it is kept for the next time"]
    assert 0.1 <= compilations.seconds <= time.perf_counter() - began


@pytest.mark.parametrize(
    "content", ["", "[1]", '{"a": NaN}', '{"a": "b"}', "[" * 10**5, '{"a": -1.0}']
)
def test_a_broken_file_of_estimates_is_no_estimate(tmp_path: Path, content: str) -> None:
    (tmp_path / "compiling.json").write_text(content)
    estimates = Estimates(tmp_path / "compiling.json")
    assert estimates.get("a") is None
    estimates.put("a", 3.0)
    assert estimates.get("a") == 3.0


@pytest.mark.skipif(not COMPILED, reason="the compiler is off")
def test_a_kernel_is_told_by_its_part_and_its_game() -> None:
    states = kibitz.load_game("tichu").blank(1)
    kinds = [numba.int64, numba.typeof(states)]  # type: ignore[no-untyped-call]
    assert describe("kibitz.search.roots", kinds) == ("search", "tichu")
    assert describe("kibitz.core.batch", kinds) == ("rules", "tichu")
    assert describe("kibitz.core.encoding", kinds) == ("features", "tichu")
    assert describe("kibitz.games.tichu.bots", kinds) == ("bots", "tichu")
    assert describe("kibitz.search.matrix", [numba.int64]) == ("search", "")


@pytest.mark.skipif(not COMPILED, reason="the compiler is off")
def test_only_what_is_compiled_and_not_what_is_kept_is_timed(tmp_path: Path) -> None:
    code = (
        "from kibitz.core import kernels, rng\n"
        "kernels.announce_compilation(print)\n"
        "rng.derive(1, 2)\n"
        "print(kernels.seconds_compiling() > 0)"
    )
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    outputs = [subprocess.check_output(command, env=env, text=True) for _ in range(2)]
    assert [one.splitlines()[-1] for one in outputs] == ["True", "False"]
