"""The rules and searches, told: what goes another way than the stored text is a change of them."""

import difflib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.core.kernels import COMPILED
from kibitz.core.record import parse_record, replay
from tests.golden.regenerate import COMMAND, FOLDER, PLAYTHROUGHS, playthrough, write_file
from tests.golden.trees import TREES, write_tree

ROOT = Path(__file__).parents[2]
WITHOUT_COMPILER = """
from kibitz.core.kernels import COMPILED
from tests.golden.regenerate import PLAYTHROUGHS, write_file
from tests.golden.trees import TREES, write_tree
assert not COMPILED
for name in PLAYTHROUGHS:
    print(write_file(name), end="")
for name in TREES:
    print(write_tree(name), end="")
"""


def stored(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def assert_same(expected: str, told: str) -> None:
    """Compare line by line; the message shows what changed and how to accept it."""
    before, after = expected.splitlines(), told.splitlines()
    changes = list(difflib.unified_diff(before, after, "stored", "played now", lineterm=""))
    if changes:
        advice = f"if this is meant, run `{COMMAND}` and have the diff reviewed"
        pytest.fail("\n".join([*changes[:60], advice]), pytrace=False)


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_games_go_the_way_that_is_stored(name: str) -> None:
    assert_same(stored(name), write_file(name))


@pytest.mark.parametrize("name", TREES)
def test_trees_grow_the_way_that_is_stored(name: str) -> None:
    assert_same(stored(name), write_tree(name))


def test_every_file_belongs_to_a_playthrough_or_a_tree() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*PLAYTHROUGHS, *TREES}


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_the_stored_records_replay_to_the_stored_positions(name: str) -> None:
    sections = stored(name).split("\n# ")[1:]
    assert len(sections) == len(PLAYTHROUGHS[name])
    for section in sections:
        _, end = section.rsplit("\n## ", 1)
        position, record = end.partition("position")[2].split("record")
        table = replay(parse_record(" ".join(record.split())))
        told = position.partition("\nscores")[0].split()
        assert table.position.split()[1:] == told


@pytest.mark.skipif(not COMPILED, reason="the compiler is off already")
def test_the_same_is_told_without_the_compiler() -> None:
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", WITHOUT_COMPILER]
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert_same("".join(stored(name) for name in (*PLAYTHROUGHS, *TREES)), done.stdout)


def test_another_seed_is_another_game() -> None:
    first, again, other = (playthrough("connect4", seed) for seed in (1, 1, 2))
    assert first == again != other


def test_a_change_is_shown_with_the_command_that_accepts_it() -> None:
    with pytest.raises(pytest.fail.Exception) as failure:
        assert_same("a\nb\n", "a\nc\n")
    assert "-b\n+c\n" in str(failure.value)
    assert "python -m tests.golden.regenerate" in str(failure.value)
