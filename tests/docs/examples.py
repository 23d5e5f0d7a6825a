"""Run the examples of a page of documentation, in the order in which they stand there.

- Blocks marked `python` are executed; blocks of one page share their names.
- Blocks marked `pycon` (or `python`, if they show the prompt) are sessions: doctest compares them.
- In blocks marked `console`, lines that begin with `$ kibitz ` are run and must succeed. Commands
  that wait for somebody or take long are not: they must exist, with all options that are used.
- `<!-- not run: reason -->` on the line before a block leaves it out.
- `<!-- needs torch -->` on a line of a page leaves the page to the tests of learning.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOY = Path(__file__).parents[1] / "toy"
TIME_LIMIT = 120
"""Seconds that one command may take, compiling included."""

LONG = {"play", "bench", "serve", "paper", "train"}
"""Commands that wait for somebody, or measure or learn for minutes."""

QUICK = {"--help", "--list"}
"""Options with which no command takes long."""

LANGUAGES = {"python", "pycon", "console"}
FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)")
NOT_RUN = re.compile(r"\s*<!-- not run: \S.* -->\s*")
PROMPT = "$ kibitz "
NEEDS_TORCH = "<!-- needs torch -->"


class BadExample(AssertionError):
    """An example that does not do what the page says."""


@dataclass(frozen=True)
class Block:
    """A fenced block that can be run."""

    language: str
    text: str
    line: int  # number of its first line on the page


def find_blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page that are to be run; a fence that is never closed is an error."""
    lines = page.splitlines()
    begin = 0
    while begin < len(lines):
        opening = FENCE.match(lines[begin])
        begin += 1
        if opening is None:
            continue
        end = begin
        while end < len(lines) and lines[end].strip() != opening["fence"]:
            end += 1
        if end == len(lines):
            raise BadExample(f"line {begin}: this block is never closed")
        is_left_out = begin > 1 and NOT_RUN.fullmatch(lines[begin - 2])
        if opening["language"] in LANGUAGES and not is_left_out:
            text = textwrap.dedent("\n".join(lines[begin:end])) + "\n"
            yield Block(opening["language"], text, begin + 1)
        begin = end + 1


def run_page(path: Path, folder: Path) -> int:
    """Run all examples of a page; `folder` is where its commands leave files.

    Returns:
        How many statements, sessions and commands were run or checked.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    n_run = 0
    for block in find_blocks(path.read_text(encoding="utf-8")):
        where = f"{path.name}:{block.line}"
        if block.language == "console":
            for command in find_commands(block.text):
                _run_command(command, where, folder)
                n_run += 1
        elif block.language == "pycon" or block.text.startswith(">>> "):
            n_run += _run_session(block, where, names)
        else:
            _run_code(block, where, names)
            n_run += 1
    return n_run


def _run_code(block: Block, where: str, names: dict[str, Any]) -> None:
    """Execute a block; an error is told with its line on the page."""
    padding = "\n" * (block.line - 1)
    try:
        exec(compile(padding + block.text, where.partition(":")[0], "exec"), names)
    except Exception:
        raise BadExample(f"{where}: {traceback.format_exc(limit=-3)}") from None


def _run_session(block: Block, where: str, names: dict[str, Any]) -> int:
    """Type a session and compare the answers."""
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line - 1)
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    failed, attempted = runner.run(test, out=told.append, clear_globs=False)
    names.update(test.globs)
    if failed or not attempted:
        raise BadExample(f"{where}: {''.join(told) or 'a session without a prompt'}")
    return attempted


def find_commands(text: str) -> Iterator[str]:
    """Yield the kibitz commands of a console block, with lines joined that end in a backslash."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith(PROMPT):
            yield line.removeprefix("$ ")


def _run_command(command: str, where: str, folder: Path) -> None:
    """Run a command, or check that it could be run."""
    words = shlex.split(command, comments=True)
    if words[1] in LONG and not QUICK & set(words):
        _check_options(words, command, where, folder)
    else:
        _shell(command, where, folder)


def _check_options(words: list[str], command: str, where: str, folder: Path) -> None:
    """Look up every option of a command in its help."""
    shown = _shell(f"kibitz {words[1]} --help", where, folder)
    for word in words[2:]:
        option = word.partition("=")[0]
        if option.startswith("-") and not re.search(rf"(?<![\w-]){option}(?![\w-])", shown):
            raise BadExample(f"{where}: {command}: there is no option {option}")


def _shell(command: str, where: str, folder: Path) -> str:
    """Run a line the way a reader does who has just installed kibitz; return its output."""
    scripts = str(Path(sys.executable).parent)
    env = {
        **os.environ,
        "PATH": os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)]),
        "PYTHONPATH": str(TOY),  # so that it shares the compiler's cache with the tests
        "XDG_STATE_HOME": str(folder),
        "COLUMNS": "100",
    }
    try:
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BadExample(f"{where}: {command}: took more than {TIME_LIMIT} s") from None
    if done.returncode:
        raise BadExample(f"{where}: {command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout
