"""What code there is behind a module: its own and that of all it imports, without its sentences.

A compiled kernel is kept as long as this does not change. Files are read as they are on disk, and a
file that has changed since its module was loaded has no digest at all: what runs is not what it
says. Comments, docstrings and line numbers do not count.
"""

import ast
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

_Stamp = tuple[int, int, int]


class Source(NamedTuple):
    """What one file says."""

    digest: str
    imports: tuple[str, ...]  # all that an import may mean, modules or not; relative ones too
    names: frozenset[str]  # every name that the code mentions


_EXACT = frozenset({"numpy", "numba", "llvmlite"})  # their versions are part of every key
_DYNAMIC = frozenset({"import_module", "__import__", "exec", "eval", "run_path", "run_module"})
_followed = {"kibitz"}  # packages whose imports count, wherever they are installed
_noticed: set[str] = set()
_stamps: dict[str, _Stamp] = {}
_sources: dict[str, Source] = {}
_closures: dict[str, dict[str, str]] = {}


def cache_root() -> Path:
    """Return the folder for everything that can be made again."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kibitz"


def notice(module: str) -> None:
    """Remember how the files of a module and of all that is loaded look, while they are fresh."""
    if module in _noticed:
        return
    _noticed.add(module)
    _followed.add(module.partition(".")[0])
    for loaded in list(sys.modules.values()):
        file = getattr(loaded, "__file__", None)
        if isinstance(file, str) and file not in _stamps:
            with suppress(OSError):
                _stamps[file] = _stamp(file)


def closure(module: str) -> dict[str, Source] | None:
    """Return the sources of a module and of all that it imports, directly or not.

    None if one of them is not known: it has no file, or the file has changed since it was loaded.
    """
    if module not in _closures:
        found = _follow(module)
        if found is None:
            return None
        _closures[module] = found
    known = _closures[module]
    return (
        None
        if any(map(_has_changed, known.values()))
        else {one: _sources[known[one]] for one in known}
    )


def _follow(module: str) -> dict[str, str] | None:
    """Find the files of a module and of all that it imports, and read them."""
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        file = _file(name) if name not in found else None
        if file is None:
            if not found:
                return None
            continue  # done, or what was imported is not a module
        source = _read(name, file)
        if source is None:
            return None
        found[name] = file
        waiting += [one for one in _absolute(name, file, source.imports) if _counts(one)]
        if source.names & _DYNAMIC:
            waiting += _package(name)
    return found


def listed_digest() -> str:
    """Return a digest of what KIBITZ_SOURCES lists: files and folders that all kernels go by."""
    digest = hashlib.sha256()
    for path in filter(None, os.environ.get("KIBITZ_SOURCES", "").split(os.pathsep)):
        root = Path(path).resolve()
        for file in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            with suppress(OSError):
                content = file.read_bytes()
                said = _parsed(content).digest if file.suffix == ".py" else _sha(content)
                digest.update(f"{file.name}:{said};".encode())
    return digest.hexdigest()


def _stamp(file: str) -> _Stamp:
    status = os.stat(file)
    return status.st_mtime_ns, status.st_size, status.st_ino


def _counts(name: str) -> bool:
    """Whether a module may differ between two runs of the same Python, NumPy and Numba."""
    top = name.partition(".")[0]
    return top not in sys.stdlib_module_names and top not in _EXACT


def _absolute(module: str, file: str, imports: Iterable[str]) -> Iterator[str]:
    """Yield imports of a module without leading dots."""
    package = module if Path(file).name == "__init__.py" else module.rpartition(".")[0]
    for name in imports:
        if not name.startswith("."):
            yield name
        elif package:
            with suppress(ImportError):  # beyond the outermost package
                yield importlib.util.resolve_name(name, package)


def _package(module: str) -> list[str]:
    """List all modules of the package of a module that imports by name, whatever it imports.

    Not those of kibitz: games and agents, which it loads by name, reach kernels by dispatch only.
    """
    top = module.partition(".")[0]
    if top == "kibitz":
        return []
    roots = [Path(folder) for folder in _folders(top) or ()]
    files = [(root, file) for root in roots for file in sorted(root.rglob("*.py"))]
    parts = [(top, *file.relative_to(root).with_suffix("").parts) for root, file in files]
    return [".".join(one).removesuffix(".__init__") for one in parts]


def _file(name: str) -> str | None:
    """Find the file of a module without importing it."""
    if name in sys.modules:
        file = getattr(sys.modules[name], "__file__", None)
        return file if isinstance(file, str) else None
    parent = name.rpartition(".")[0]
    folders = _folders(parent) if parent else None
    if parent and folders is None:
        return None
    with suppress(ImportError, ValueError):
        spec = PathFinder.find_spec(name, folders)
        return spec.origin if spec is not None and spec.has_location else None
    return None


def _folders(package: str) -> list[str] | None:
    """List where the modules of a package are; None if it is not one."""
    if package in sys.modules:
        path = getattr(sys.modules[package], "__path__", None)
        return None if path is None else list(path)
    parent = package.rpartition(".")[0]
    outer = _folders(parent) if parent else None
    if parent and outer is None:
        return None
    spec = PathFinder.find_spec(package, outer)
    inner = spec.submodule_search_locations if spec is not None else None
    return None if inner is None else list(inner)


def _read(name: str, file: str) -> Source | None:
    """Read what a file says; None if it has changed, or cannot be read."""
    try:
        _stamps.setdefault(file, _stamp(file))
        if file not in _sources:
            content = Path(file).read_bytes()
            _sources[file] = _parsed(content) if _is_ours(name, file) else _opaque(content)
    except (OSError, SyntaxError, ValueError):
        return None
    return None if _has_changed(file) else _sources[file]


def _has_changed(file: str) -> bool:
    """Whether a file is not as it was when its module was loaded."""
    try:
        return _stamp(file) != _stamps[file]
    except OSError:
        return True


def _is_ours(name: str, file: str) -> bool:
    """Whether the imports of a module count, too: not those of a library that is installed."""
    installed = {"site-packages", "dist-packages"} & set(Path(file).parts)
    is_followed = not installed or name.partition(".")[0] in _followed
    return file.endswith(".py") and is_followed


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _opaque(content: bytes) -> Source:
    return Source(_sha(content), (), frozenset())


def _parsed(content: bytes) -> Source:
    """Parse a file, or remember what came of parsing the same bytes."""
    kept = cache_root() / "sources" / f"{_sha(sys.version.encode() + content)[:32]}.json"
    try:
        digest, imports, names = json.loads(kept.read_bytes())
        return Source(str(digest), tuple(map(str, imports)), frozenset(map(str, names)))
    except (OSError, ValueError, TypeError):
        source = parse(content)
    with suppress(OSError):  # a read-only home only means parsing in every process
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, json.dumps([source[0], source[1], sorted(source[2])]).encode())
    return source


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever reads a part of it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def parse(content: bytes) -> Source:
    """Take from a file what can matter to compiled code."""
    tree = ast.parse(content)
    names: set[str] = set()
    imports: set[str] = set()
    keeps_sentences = b"__doc__" in content  # somebody may read them
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and _is_for_types(node.test):
            node.body = [ast.Pass()]  # never run
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and not keeps_sentences:
            node.body = [one for one in body if not _is_sentence(one)]  # type: ignore[attr-defined]
        imports.update(_imports(node))
        names.update(_names(node))
    dump = ast.dump(tree, annotate_fields=False)
    return Source(_sha(dump.encode()), tuple(sorted(imports)), frozenset(names))


def _is_for_types(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _is_sentence(statement: ast.AST) -> bool:
    """Whether a statement is a string by itself: the docstring of something."""
    constant = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(constant, ast.Constant) and isinstance(constant.value, str)


def _imports(node: ast.AST) -> Iterator[str]:
    """Yield all modules that a statement may import."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            parts = alias.name.split(".")
            yield from (".".join(parts[: i + 1]) for i in range(len(parts)))
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        yield module
        between = "." if node.module else ""
        yield from (f"{module}{between}{alias.name}" for alias in node.names)


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names that code could mean a function by."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.ImportFrom):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.Constant) and str(node.value).isidentifier():
        yield str(node.value)
