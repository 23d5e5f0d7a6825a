"""Imports point one way: the house of docs/architecture.md."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kibitz

PACKAGE = Path(kibitz.__file__).parent

# A room may import from itself and from these.
MAY_IMPORT = {
    "core": set(),
    "games": {"core", "search"},
    "search": {"core"},
    "arena": {"core"},
    "learn": {"core", "games", "search", "arena"},  # a trainer may be of one game alone
    "review": {"core", "games", "search", "learn", "arena"},
    "host": {"core", "review"},
    "web": {"core", "games", "search", "arena", "review", "host", "store"},
    "papers": {"core", "games", "search", "learn", "arena", "bench", "review"},
}
ROOMS = sorted(room for room in MAY_IMPORT if (PACKAGE / room).is_dir())


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms of the package that a file imports from."""
    modules: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.append(node.module)
            if node.module == "kibitz":
                modules += [f"kibitz.{alias.name}" for alias in node.names]
    parts = [module.split(".") for module in modules]
    return {part[1] for part in parts if part[0] == "kibitz" and len(part) > 1}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_what_lies_below_them(room: str) -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    for path in (PACKAGE / room).rglob("*.py"):
        strangers = (imported_rooms(path) & rooms) - MAY_IMPORT[room] - {room}
        assert not strangers, f"{path.relative_to(PACKAGE)} imports from {strangers}"


RULES = [*PACKAGE.glob("games/*/rules.py"), *PACKAGE.glob("games/*/state.py")]
RULES += PACKAGE.glob("games/*/finish.py")


@pytest.mark.parametrize("path", sorted(RULES), ids=str)
def test_rules_import_only_the_core(path: Path) -> None:
    assert imported_rooms(path) <= {"core", "games"}


@pytest.mark.parametrize("room", ["core", "search", "arena", "review", "host", "cli"])
def test_no_game_is_named_outside_the_games(room: str) -> None:
    games = {path.name for path in (PACKAGE / "games").iterdir() if (path / "rules.py").exists()}
    for path in (PACKAGE / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant):
                assert node.value not in games, f"{path.relative_to(PACKAGE)}:{node.lineno}"


@pytest.mark.parametrize(
    "command", [["--help"], ["games"], ["games", "--json"], ["--version"], ["train", "--list"]]
)
def test_quick_commands_load_no_compiler(command: list[str]) -> None:
    code = (
        "import sys; from kibitz.cli import main; sys.argv[0] = 'kibitz'\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "loaded = {'numba', 'llvmlite', 'scipy'} & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_public_names_are_sorted_and_there() -> None:
    assert kibitz.__all__ == sorted(kibitz.__all__)
    for name in kibitz.__all__:
        assert getattr(kibitz, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = kibitz.nothing
