"""Kept kernels are used as long as their code is the same, and no longer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.core.kernels import COMPILED
from kibitz.core.sources import closure, notice, parse

needs_compiler = pytest.mark.skipif(not COMPILED, reason="the compiler is off")

HELPER = "POINTS = 3\n"

MINE = '''
from kibitz.core.kernels import kernel
from helper import POINTS

@kernel
def worth(n):
    """Say what n cards are worth."""
    return n * POINTS
'''

ASK = "import mine; print(mine.worth(2), sum(mine.worth.stats.cache_hits.values()))"

GENERIC = """
import sys
import numpy as np
from kibitz.core.game import generic, implement
from kibitz.core.kernels import kernel, record_dtype
import rules

@generic
def worth(card):
    raise AssertionError

@kernel
def twice(card):
    return 2 * worth(card)

CARD = record_dtype([("face", np.int64)])
implement("worth", CARD, getattr(rules, sys.argv[1]))
print(twice(np.ones(1, CARD)[0]), sum(twice.stats.cache_hits.values()))
"""

RULES = """
from kibitz.core.kernels import kernel

@kernel
def plain(card):
    return card.face

@kernel
def tenfold(card):
    return 10 * card.face
"""


def run(folder: Path, *command: str) -> tuple[int, int]:
    """Run Python in a folder: (what a kernel gave, how often it came from the cache)."""
    env = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], env=env, cwd=folder, capture_output=True, text=True, check=True
    )
    given, hits = done.stdout.split()
    return int(given), int(hits)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a module, its kernel, and what it imports."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "helper.py").write_text(HELPER)
    return tmp_path


@needs_compiler
def test_what_a_module_imports_is_never_stale_though_nobody_lists_it(folder: Path) -> None:
    assert run(folder, "-c", ASK) == (6, 0)
    assert run(folder, "-c", ASK) == (6, 1)
    (folder / "helper.py").write_text("POINTS = 4\n")
    assert run(folder, "-c", ASK) == (8, 0)


@needs_compiler
def test_sentences_and_modules_that_no_kernel_imports_recompile_nothing(folder: Path) -> None:
    assert run(folder, "-c", ASK) == (6, 0)
    (folder / "mine.py").write_text("# A comment.\n\n" + MINE.replace("Say", "Tell in\n    words"))
    (folder / "helper.py").write_text('"""Some points."""\n\nPOINTS = 3  # not more\n')
    (folder / "board.py").write_text("import mine\n")
    assert run(folder, "-c", "import board; " + ASK) == (6, 1)


@needs_compiler
def test_a_file_that_changes_after_it_was_loaded_leaves_nothing_behind(folder: Path) -> None:
    edit = "import mine, pathlib; pathlib.Path('helper.py').write_text('POINTS = 4'); "
    assert run(folder, "-c", edit + ASK) == (6, 0)
    assert run(folder, "-c", ASK) == (8, 0)


@needs_compiler
def test_another_rule_for_the_same_record_is_another_kernel(tmp_path: Path) -> None:
    (tmp_path / "generic.py").write_text(GENERIC)
    (tmp_path / "rules.py").write_text(RULES)
    assert run(tmp_path, "generic.py", "plain") == (2, 0)
    assert run(tmp_path, "generic.py", "tenfold") == (20, 0)
    assert run(tmp_path, "generic.py", "plain") == (2, 1)


def test_only_code_counts_unless_somebody_reads_docstrings() -> None:
    one, two, other = (
        parse(b'def f():\n    "One."\n    return 1\n'),
        parse(b'\n# Comment.\ndef f():\n    "Two."\n\n    return 1\n'),
        parse(b"def f():\n    return 2\n"),
    )
    assert one == two
    assert one.digest != other.digest
    assert parse(b'"One."\nx = __doc__').digest != parse(b'"Two."\nx = __doc__').digest


def test_imports_are_followed_but_for_those_of_type_checkers() -> None:
    source = parse(
        b"import a.b\nfrom c import d\nfrom . import e\nfrom .f import g\n"
        b"if TYPE_CHECKING:\n    import h\ndef i():\n    import j\n"
    )
    assert source.imports == (".", ".e", ".f", ".f.g", "a", "a.b", "c", "c.d", "j")


def test_rules_depend_on_the_core_and_not_on_text_boards_or_agents() -> None:
    import kibitz.games.tichu.rules  # noqa: F401

    notice("kibitz.games.tichu.rules")
    found = closure("kibitz.games.tichu.rules")
    assert found is not None
    assert {"kibitz.core.game", "kibitz.games.tichu.cards"} <= found.keys()
    assert not {"kibitz.games.tichu.board", "kibitz.games.tichu.text"} & found.keys()
    assert not any(name.startswith(("kibitz.search", "kibitz.arena")) for name in found)


def test_a_package_that_imports_by_name_counts_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "whole_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text("from importlib import import_module\n")
    (package / "tables.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = closure("whole_package.rules")
    assert found is not None
    assert found.keys() == {"whole_package", "whole_package.rules", "whole_package.tables"}
