"""Compiled kernels on disk: found again as long as nothing that they are made of has changed.

What a kernel compiles to follows from the compiler and its flags, from the types of its arguments,
from the code of its module and of all that this imports, and from the rules that generic functions
stand for. These are found by the dtypes of records: those among the arguments, and those that the
modules keep. The name of a file is a digest of all that, so a file is never out of date.
"""

import hashlib
import os
import pickle
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numba
import numpy as np
from numba import config, types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from kibitz.core.sources import Source, cache_root, closure, listed_digest, notice, write_whole

Table = dict[np.dtype[Any], Callable[..., Any]]

_FLAGS = (
    *("BOUNDSCHECK", "DEBUG", "DEBUGINFO_DEFAULT", "OPT", "CPU_NAME", "CPU_FEATURES"),
    *("ENABLE_AVX", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_INTEL_SVML"),
)
_MOST_BYTES = 2 * 10**9
_KEEP_SECONDS = 7 * 24 * 3600
_generics: list[tuple[str, str, Table]] = []


def generic_function(declaration: Callable[..., Any], table: Table) -> None:
    """Declare a function whose code is found by dtype, in a table that may grow."""
    _generics.append((declaration.__module__, declaration.__name__, table))


def rule_for(name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
    """Return what a generic function means for records of a dtype."""
    tables = (table for _, declared, table in _generics if declared == name)
    return next((table[dtype] for table in tables if dtype in table), None)


class KernelCache(_Cache):
    """What Numba asks for compiled code of one function before it compiles, and hands it to."""

    def __init__(self, function: FunctionType, kind: str) -> None:
        """Keep kernels of one kind that are made of a function."""
        self._function = function
        self._kind = kind
        self._enabled = True
        notice(function.__module__)

    @property
    def cache_path(self) -> str:
        """The folder of all kernels."""
        return str(kernel_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the code for some types of arguments; None if there is none."""
        target_context.refresh()
        path = self._path(sig)
        kept, parts = _read(path) if path is not None else (None, ())
        if kept != _arguments(sig):
            return None
        return CompileResult._rebuild(target_context, *parts)  # type: ignore[no-untyped-call]

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, unless it holds addresses of this process."""
        path = self._path(sig)
        if path is None:
            return
        if data.library.has_dynamic_globals:
            warnings.warn(f"{path.stem}: a large global array, compiled every time", stacklevel=2)
            return
        with suppress(OSError):  # a read-only home only means compiling in every process
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, dumps((_arguments(sig), data._reduce())))  # type: ignore[no-untyped-call]
            _prune_once()

    def enable(self) -> None:
        """Keep code from now on."""
        self._enabled = True

    def disable(self) -> None:
        """Keep nothing and find nothing."""
        self._enabled = False

    def flush(self) -> None:
        """Forget what is kept of this function, whatever it was made of."""
        with suppress(OSError):
            for path in kernel_folder().glob(f"{self._name}-*.nbc"):
                path.unlink()

    @property
    def _name(self) -> str:
        name = f"{self._function.__module__}.{self._function.__qualname__}"
        return name.replace("<", "").replace(">", "")[:120]

    def _path(self, sig: Any) -> Path | None:
        """Name the file for some types of arguments; None if nothing must be kept."""
        digest = dependencies(self._function, _arguments(sig)) if self._enabled else None
        if digest is None:
            return None
        whole = _sha(self._kind, _ENVIRONMENT, _machine(), _identity(self._function), digest)
        return kernel_folder() / f"{self._name}-{whole[:24]}.nbc"


def _read(path: Path) -> tuple[Any, Any]:
    """Read what is kept, and note that it was of use."""
    with suppress(OSError, EOFError, ValueError, ImportError, AttributeError, pickle.PickleError):
        kept, parts = pickle.loads(path.read_bytes())
        os.utime(path)
        return kept, parts
    return None, ()


def kernel_folder() -> Path:
    """Return the folder of compiled kernels; NUMBA_CACHE_DIR, if set, is above it."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(chosen) if chosen else cache_root()) / "kernels"


def source_hash() -> str:
    """Return a digest of what all kernels go by: the compiler, its flags and KIBITZ_SOURCES."""
    flags = [f"{flag}={getattr(config, flag, '')}" for flag in _FLAGS]
    return _sha(numba.__version__, np.__version__, sys.version, *flags, listed_digest())


@cache
def _machine() -> str:
    return repr(cpu_target.target_context.codegen().magic_tuple())


def dependencies(function: FunctionType, arguments: Iterable[Any]) -> str | None:
    """Return a digest of types of arguments and of all code that is compiled for them.

    None if that is not known: a type of which it is not clear what it brings along, a module that
    has changed since it was loaded.
    """
    arguments = tuple(arguments)
    modules: dict[str, Source] = {}
    rules: dict[tuple[str, str], str] = {}
    waiting = [function.__module__]
    if not all(map(_is_plain, arguments)):
        return None
    dtypes = {one for argument in arguments for one in dtypes_of(argument)}
    while waiting:
        for name in waiting:
            found = closure(name) if name not in modules else {}
            if found is None:
                return None
            modules |= found
        dtypes.update(*map(_kept_dtypes, modules))
        reached = dict(_rules(modules, dtypes))
        waiting = [reached[key].__module__ for key in reached.keys() - rules.keys()]
        rules |= {key: _identity(reached[key]) for key in reached.keys() - rules.keys()}
    sources = sorted(f"{name}={source.digest}" for name, source in modules.items())
    called = sorted(f"{name} of {dtype}={rule}" for (name, dtype), rule in rules.items())
    return _sha(*map(str, arguments), *sources, *called)


def _rules(modules: dict[str, Source], dtypes: set[Any]) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield the rules that these modules may call by a generic function, for these dtypes."""
    for module, name, table in _generics:
        if module in modules and any(name in source.names for source in modules.values()):
            for dtype, rule in list(table.items()):
                if dtype in dtypes:
                    yield (name, _described(dtype)), getattr(rule, "py_func", rule)


_described = cache(str)


def _arguments(sig: Any) -> tuple[Any, ...]:
    return tuple(getattr(sig, "args", sig))


@cache
def _is_plain(kind: Any) -> bool:
    """Whether values of a type are numbers, records, or arrays and tuples of these."""
    plain = types.Number | types.Boolean | types.NoneType | types.CharSeq
    return isinstance(kind, plain) or all(map(_is_plain, _parts(kind) or (None,)))


def _parts(kind: Any) -> list[Any]:
    """List the types within a type."""
    if isinstance(kind, types.Record):
        return [kind.typeof(name) for name in kind.fields]
    if isinstance(kind, types.BaseTuple):
        return list(kind.types)  # type: ignore[attr-defined]
    return [kind.dtype] if isinstance(kind, types.Array) else []


@cache
def dtypes_of(kind: Any) -> frozenset[np.dtype[Any]]:
    """Return all dtypes of records in a type, those of their fields too."""
    own = {kind.dtype} if isinstance(kind, types.Record) else set()
    return frozenset(own.union(*map(dtypes_of, _parts(kind))))


def _kept_dtypes(module: str) -> frozenset[np.dtype[Any]]:
    """Return the dtypes of records among the values of a module: constants to kernels."""
    values = vars(sys.modules[module]) if module in sys.modules else {}
    known = _kept.get(module)
    if known is None or known[0] != len(values):  # it may be loaded only in part
        found = frozenset(one for value in list(values.values()) for one in _dtypes_in(value))
        known = _kept[module] = len(values), found
    return known[1]


_kept: dict[str, tuple[int, frozenset[np.dtype[Any]]]] = {}


def _dtypes_in(value: Any) -> Iterator[np.dtype[Any]]:
    """Yield the dtypes of records in a value, if it is an array, a record, a dtype or a tuple."""
    if isinstance(value, tuple):
        for one in value:
            yield from _dtypes_in(one)
    elif isinstance(value, np.ndarray | np.generic):
        yield from _nested(value.dtype)
    elif isinstance(value, np.dtype):
        yield from _nested(value)


def _nested(dtype: np.dtype[Any]) -> Iterator[np.dtype[Any]]:
    if dtype.names:
        yield dtype
        for name in dtype.names:
            yield from _nested(dtype[name].base)


@cache
def _identity(function: Any) -> str:
    """Return a digest of a function as it is: which one it is, its code and what it closes over."""
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    closed = dumps(cells).hex() if cells else ""  # type: ignore[no-untyped-call]
    code = repr(_code(function.__code__, function.__doc__))
    return _sha(function.__module__, function.__qualname__, code, closed)


def _code(code: CodeType, sentence: str | None = None) -> tuple[Any, ...]:
    """Return what code consists of, without its docstring and the places of its lines."""
    constants = code.co_consts
    if sentence is not None and constants and constants[0] == sentence:
        constants = constants[1:]
    inner = tuple(_code(one) if isinstance(one, CodeType) else one for one in constants)
    named = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, inner, named, code.co_argcount, code.co_kwonlyargcount


def _sha(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


@cache
def _prune_once() -> None:
    prune(kernel_folder(), _MOST_BYTES)
    prune(cache_root() / "sources", _MOST_BYTES // 100)


def prune(folder: Path, most: int) -> None:
    """Remove files that were not used for longest, until what is left has at most `most` bytes."""
    with suppress(OSError):
        files = [(entry, entry.stat()) for entry in os.scandir(folder)]
        files.sort(key=lambda one: one[1].st_mtime, reverse=True)
        total = 0
        for entry, status in files:
            total += status.st_size
            if entry.is_dir():  # of an older version
                is_old = status.st_mtime < time.time() - _KEEP_SECONDS
                shutil.rmtree(entry, ignore_errors=True) if is_old else None
            elif total > most:
                Path(entry).unlink(missing_ok=True)


_ENVIRONMENT = source_hash()  # before anything that is listed is loaded
