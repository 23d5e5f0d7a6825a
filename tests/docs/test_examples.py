"""What the documentation shows is what happens."""

import doctest
from collections.abc import Callable
from pathlib import Path

import pytest

import kibitz
from tests.docs import examples
from tests.docs.examples import NEEDS_TORCH, BadExample, find_blocks, find_commands, run_page

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]

LEARNING = [page for page in PAGES if NEEDS_TORCH in page.read_text("utf-8").splitlines()]

Check = Callable[..., int]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Return a function that runs a page with these lines."""
    monkeypatch.chdir(tmp_path)

    def run(*lines: str) -> int:
        page = tmp_path / "page.md"
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return run_page(page, tmp_path)

    return run


@pytest.mark.train
@pytest.mark.parametrize("page", LEARNING, ids=lambda page: page.name)
def test_the_examples_of_a_page_on_learning_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "tensorboard"):
        pytest.importorskip(name, reason="needs torch: pip install 'kibitz[train]'")
    monkeypatch.chdir(tmp_path)
    assert run_page(page, tmp_path) > 0


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in LEARNING], ids=lambda page: page.name
)
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    n_run = run_page(page, tmp_path)
    assert n_run > 0 or page != README, "README.md shows nothing that can be run"


def test_the_example_of_the_package_runs() -> None:
    failed, attempted = doctest.testmod(kibitz)
    assert (failed, attempted > 0) == (0, True)


def test_blocks_of_a_page_share_their_names(check: Check) -> None:
    first = ("```python", "a = 20", "def double(x):", "    return 2 * x", "```")
    assert check(*first, "text", "```python", "assert double(a) == 40", "```") == 2
    with pytest.raises(BadExample, match="name 'double' is not defined"):
        check("```python", "double(1)", "```")


def test_an_error_names_the_line_of_the_page(check: Check) -> None:
    with pytest.raises(BadExample, match=r"(?s)page\.md:4.*line 5, in.*division by zero"):
        check("# Title", "", "```python", "a = 1", "a / 0", "```")
    with pytest.raises(BadExample, match=r"page\.md:2: (?s:.*)SyntaxError"):
        check("```python", "a = = 1", "```")


def test_a_block_in_a_list_is_run(check: Check) -> None:
    assert check("- see:", "", "  ```python", "  for x in (1, 2):", "      y = x", "  ```") == 1


def test_sessions_are_compared(check: Check) -> None:
    session = ("```pycon", ">>> x = 2", ">>> x + 1", "3", ">>> [x, print]", "[2, ...]", "```")
    assert check(*session) == 3
    assert check(*session, "```python", ">>> x + 2", "4", "```", "```python", "x", "```") == 5
    with pytest.raises(BadExample, match=r"(?s)page\.md.*Expected:\n    4\nGot:\n    3"):
        check("```pycon", ">>> 1 + 2", "4", "```")
    with pytest.raises(BadExample, match="a session without a prompt"):
        check("```pycon", "1 + 2", "```")


def test_commands_are_run_and_must_succeed(check: Check) -> None:
    assert check("```console", "$ kibitz --version", "kibitz 0", "$ echo no; false", "```") == 1
    with pytest.raises(BadExample, match=r"exit code 2: error: unknown game 'nimt'"):
        check("```console", "$ kibitz agents nimt", "```")


def test_files_that_a_command_writes_are_there_for_what_follows(check: Check) -> None:
    command = "$ kibitz games --json > games.json  # a list"
    code = ("from pathlib import Path", "assert Path('games.json').read_text()[0] == '['")
    assert check("```console", command, "```", "```python", *code, "```") == 2


def test_commands_that_take_too_long_are_refused(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "TIME_LIMIT", 0.01)
    with pytest.raises(BadExample, match=r"kibitz games: took more than 0.01 s"):
        check("```console", "$ kibitz games", "```")


def test_long_commands_are_only_looked_up_in_their_help(check: Check) -> None:
    words = "$ kibitz play nimmt --vs random --seed=3"
    assert check("```console", words, "$ kibitz bench nimmt --json", "```") == 2
    with pytest.raises(BadExample, match=r"there is no option --opponent"):
        check("```console", f"{words} --opponent random", "```")
    with pytest.raises(BadExample, match=r"there is no option --see$"):
        check("```console", "$ kibitz play nimmt --see 3", "```")


def test_a_command_may_go_on_after_a_backslash() -> None:
    text = "$ kibitz tournament nimmt \\\n    random\noutput\n$ pip install kibitz\n"
    assert [command.split() for command in find_commands(text)] == [
        ["kibitz", "tournament", "nimmt", "random"]
    ]


@pytest.mark.parametrize(
    ("before", "n_found"),
    [
        ("<!-- not run: it needs a network -->", 0),
        ("  <!-- not run: it needs a network -->", 0),
        ("<!-- not run: -->", 1),
        ("<!-- not run -->", 1),
        ("<!-- not run: too far away -->\n", 1),
    ],
)
def test_a_block_is_left_out_for_a_reason_only(before: str, n_found: int) -> None:
    assert len(list(find_blocks(f"{before}\n```python\nx\n```\n"))) == n_found


def test_blocks_in_other_languages_and_without_one_are_no_examples() -> None:
    page = "```\n$ kibitz x\n```\n```toml\na = 1\n```\n~~~~python\nx = '```'\n~~~~\n"
    assert [(block.text, block.line) for block in find_blocks(page)] == [("x = '```'\n", 8)]
    assert list(find_blocks("nothing here\n")) == []


def test_a_block_that_is_never_closed_is_refused() -> None:
    with pytest.raises(BadExample, match="line 2: this block is never closed"):
        list(find_blocks("text\n```python\nx = 1\n"))
