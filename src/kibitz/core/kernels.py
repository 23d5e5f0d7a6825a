"""The one place that compiles: `kernel` is Numba's njit with the project's options.

Numba's cache watches only the file of the function itself: a search kernel cached yesterday would
go on playing yesterday's rules. So the cache lives in a folder named by a hash of every source that
can hold a kernel: our own (core, games, search, learn), those of packages that register games or
agents by entry point, and the paths listed in KIBITZ_SOURCES. The compiler's flags are part of it.
"""

import hashlib
import importlib.util
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import config, types
from numba.core import errors, event, ir
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering, NopythonTypeInference

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not config.DISABLE_JIT  # type: ignore[attr-defined]
"""False when NUMBA_DISABLE_JIT=1: kernels then run as plain Python."""

_PACKAGE = Path(__file__).resolve().parents[1]
_KERNEL_ROOMS = ("core", "games", "search", "learn")
_COMPILER_FLAGS = ("BOUNDSCHECK", "DEBUG", "DEBUGINFO_DEFAULT", "OPT", "CPU_NAME", "CPU_FEATURES")
_KEEP_FOLDERS = 4
_KEEP_SECONDS = 7 * 24 * 3600


def _sources() -> Iterator[Path]:
    """Yield every Python file that can hold a kernel, in a fixed order."""
    for room in _KERNEL_ROOMS:
        yield from sorted((_PACKAGE / room).rglob("*.py"))
    for root in sorted(_outside_roots()):
        yield from sorted(root.rglob("*.py")) if root.is_dir() else [root]


def _outside_roots() -> set[Path]:
    """Find packages that register with us, and what KIBITZ_SOURCES lists."""
    listed = os.environ.get("KIBITZ_SOURCES", "").split(os.pathsep)
    roots = {Path(path).resolve() for path in listed if path}
    for group in ("kibitz.games", "kibitz.agents", "kibitz.agents.hidden"):
        for entry in entry_points(group=group):
            found = None
            with suppress(AttributeError, ImportError, ValueError):  # an entry that names nothing
                top = entry.module.partition(".")[0]
                # It is found without importing it: its kernels must not be defined yet.
                found = None if top == "kibitz" else importlib.util.find_spec(top)
            if found is not None and found.submodule_search_locations:
                roots.update(Path(path).resolve() for path in found.submodule_search_locations)
            elif found is not None and found.origin:
                roots.add(Path(found.origin).resolve())
    return {root for root in roots if root.exists()}


def source_hash() -> str:
    """Hash the sources, the compiler and the debug flags that decide what a kernel compiles to."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.name}:{path.stat().st_size}:".encode())
        digest.update(path.read_bytes())
    for flag in _COMPILER_FLAGS:
        digest.update(f"{flag}={getattr(config, flag, '')};".encode())
    digest.update(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Give the folder for everything that can be made again."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kibitz"


def _open_cache() -> Path | None:
    """Point Numba at the folder of the present sources; None if the user chose another."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return None
    folder = cache_root() / "kernels" / source_hash()
    config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    with suppress(OSError):  # a read-only home only means compiling in every process
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _prune(folder)
    return folder


def _prune(current: Path) -> None:
    """Remove the folders of older sources, except the last few and those of the last week."""
    others = [path for path in current.parent.iterdir() if path.is_dir() and path != current]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[_KEEP_FOLDERS:]:
        if time.time() - path.stat().st_mtime > _KEEP_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


CACHE_FOLDER = _open_cache()

_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # a door for C, which nobody uses
    "_nrt": False,  # reference counts: see `kernel`
}
_njit: Any = numba.njit  # typed without some of the options
_allocating_kernel = _njit(**_OPTIONS | {"_nrt": True})


_ADVICE = (
    "this makes an array, or may, which a kernel must not: write a loop or use allocating_kernel"
)

_REFUSALS = ("Only accept returning of array", "NRT required but not enabled")


class _Kernel(CPUDispatcher):
    """A kernel that is compiled for types: not once more for every constant it is called with."""

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        try:
            return super()._compile_for_args(*args, **kws)  # type: ignore[misc]
        except errors.NumbaError as error:
            if any(text in str(error) for text in _REFUSALS):
                error.add_note(_ADVICE)
            raise

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(*_without_constants(args, kws))

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        return super().fold_argument_types(*_without_constants(args, kws))


def _without_constants(args: Any, kws: Any) -> Any:
    """Give the types of arguments; that of a constant carries its value."""
    plain: Any = types.unliteral
    return [plain(arg) for arg in args], {name: plain(arg) for name, arg in dict(kws).items()}


class _Allocating(_Kernel):
    """A kernel that may make arrays."""


class _AllocatingCache(FunctionCache):
    """Keeps such kernels apart from others of the same function, which were checked."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return *super()._index_key(sig, codegen), "allocating"  # type: ignore[no-untyped-call]


class _Inner(_Kernel):
    """A kernel that is code for other kernels; Python calls a twin that is compiled for it."""

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    @cached_property
    def _twin(self) -> Any:
        return kernel(self.py_func)

    def __call__(self, *args: Any) -> Any:
        return self._twin(*args)


@register_pass(mutates_CFG=False, analysis_only=True)  # type: ignore[no-untyped-call]
class _NoArraysMade(AnalysisPass):
    """Refuse what may make an array in a kernel that counts no references: it would never end.

    Numba itself refuses some of it, depending on what was compiled before. So everything of NumPy's
    that takes or gives an array is refused, but for what looks at the same memory in another way.
    """

    _name = "kibitz_no_arrays_made"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)  # type: ignore[no-untyped-call]

    def run_pass(self, state: Any) -> bool:
        if _holds_array(state.return_type):
            raise errors.UnsupportedError(
                "a kernel must not return an array: let it write to one", loc=state.func_ir.loc
            )
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                if isinstance(statement.value, ir.Expr) and self._makes(state, statement):
                    raise errors.UnsupportedError(_ADVICE, loc=statement.loc)
        return False

    def _makes(self, state: Any, statement: Any) -> bool:
        """Tell whether an expression may make an array."""
        made, result = statement.value, state.typemap[statement.target.name]
        if made.op != "call":
            return made.op in _ARITHMETIC and isinstance(result, types.Array)
        called = state.typemap[made.func.name]
        if _is_kernel(called):
            return _holds_array(result)
        if _looks_only(called):
            return False
        given = [*made.args, *(value for _, value in made.kws)]
        kinds = [result, getattr(called, "this", None), *(state.typemap[x.name] for x in given)]
        return any(map(_holds_array, kinds))


_ARITHMETIC = ("binop", "inplace_binop", "unary", "arrayexpr")


def _holds_array(kind: Any) -> bool:
    """Tell whether values of a type are arrays, or have some."""
    return isinstance(kind, types.Array) or any(map(_holds_array, getattr(kind, "types", ())))


def _is_kernel(called: Any) -> bool:
    """Tell whether a function is a kernel, or generic over kernels."""
    templates = called.templates if isinstance(called, types.Function) else ()
    is_generic = any(getattr(one, "calls_kernels", False) for one in templates)
    return is_generic or isinstance(called, types.Dispatcher | types.RecursiveCall)


def _looks_only(called: Any) -> bool:
    """Tell whether a function of Numba's only looks at the memory of an array."""
    key = getattr(called, "typing_key", None)
    return key is len or key in ("array.reshape", "array.view")


class _KernelCompiler(CompilerBase):
    """Numba's compiler with one more check."""

    def define_pipelines(self) -> list[PassManager]:
        define: Any = DefaultPassBuilder.define_nopython_pipeline
        steps = define(self.state, "kernel")
        steps.add_pass_after(_NoArraysMade, NopythonTypeInference)
        steps.finalize()
        return [steps]


class _InnerLibrary(JITCodeLibrary):
    """The code of an inner kernel: its callers link it in and optimise it there."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class _InnerLowering(NativeLowering):
    """The last step of compiling an inner kernel: it ends with code that can be linked."""

    _name = "kibitz_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        state.flags.no_compile = True
        codegen, name = state.targetctx.codegen(), state.func_id.func_qualname
        state.library = _InnerLibrary(codegen, name)  # type: ignore[no-untyped-call]
        super().run_pass(state)  # type: ignore[no-untyped-call]
        lowered = state["cr"]
        key = lowered.fndesc  # callers find the code by it: there is no door to Python
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class _InnerCompiler(CompilerBase):
    """Numba's compiler with another last step."""

    def define_pipelines(self) -> list[PassManager]:
        define: Any = DefaultPassBuilder.define_nopython_pipeline
        steps = define(self.state, "inner")
        steps.add_pass_after(_NoArraysMade, NopythonTypeInference)
        steps.passes = [
            (_InnerLowering if step is NativeLowering else step, words)
            for step, words in steps.passes
        ]
        steps.finalize()
        return [steps]


_kernel = _njit(**_OPTIONS, pipeline_class=_KernelCompiler)

_INNER_OPTIONS = _OPTIONS | {
    "cache": False,
    "no_cpython_wrapper": True,
    "pipeline_class": _InnerCompiler,
}
_inner_kernel = _njit(**_INNER_OPTIONS)
_inlined_kernel = _njit(**_INNER_OPTIONS, forceinline=True)


def _compile(function: F, compiler: Any, kind: type[_Kernel]) -> F:
    if not COMPILED:
        return function
    compiled = compiler(function)
    compiled.__class__ = kind
    if kind is _Allocating:
        compiled._cache = _AllocatingCache(function)  # type: ignore[no-untyped-call]
    return compiled


def kernel(function: F) -> F:
    """Compile `function` on first use, cache it on disk and release the GIL while it runs.

    A kernel makes no arrays, so it counts no references to them: whoever calls it holds them. The
    counts are atomic, one for every array of every call, and were up to half of a search.
    """
    return _compile(function, _kernel, _Kernel)


def allocating_kernel(function: F) -> F:
    """Compile a kernel that makes arrays, for its own use: scratch that nobody can pass to it.

    They must not leave it: its callers count no references and would never give them back. Nor
    must a record of them be kept (`one = made[0]`), as that does not hold the array: index it anew.
    """
    return _compile(function, _allocating_kernel, _Allocating)


def inner_kernel(function: F) -> F:
    """Compile a helper of kernels, as a part of every kernel that calls it.

    By itself it is neither optimised nor turned into machine code nor cached, which is nearly half
    of the work of compiling a small kernel. Python may call it: it is then compiled for that, too.
    """
    return _compile(function, _inner_kernel, _Inner)


def inlined_kernel(function: F) -> F:
    """Compile a small kernel into its callers, whatever the compiler thinks of its size."""
    return _compile(function, _inlined_kernel, _Inner)


def wrapping_kernel(function: F) -> F:
    """Compile a kernel whose uint64 arithmetic wraps around on purpose.

    Machine code wraps silently; uncompiled, NumPy would warn at every product.
    """
    if COMPILED:
        return kernel(function)
    return np.errstate(over="ignore")(function)


def record_dtype(fields: Sequence[tuple[Any, ...]]) -> np.dtype[np.record]:
    """Make a record dtype whose elements have attributes, compiled or not: `states[i].turn`.

    A plain array of such records reaches a kernel ten times faster than a recarray. Numba tells
    records apart by the names and types of their fields, so these must differ between dtypes. One
    must not begin with all fields of another: Numba may then take it for the other, depending on
    which of the two met a kernel first.
    """
    for name, *_ in fields:
        if hasattr(np.record, name):
            raise ValueError(f"field {name!r} needs another name: uncompiled, it is NumPy's method")
    made: np.dtype[np.record] = np.dtype((np.record, list(fields)))  # type: ignore[assignment]
    own = _described(made)
    with _layouts_lock:
        for other in _layouts:
            n = min(len(own), len(other))
            if len(own) != len(other) and own[:n] == other[:n]:
                names = ", ".join(name for name, *_ in own[:n])
                raise ValueError(
                    f"two records begin with the same fields ({names}): begin one otherwise"
                )
        _layouts.add(own)
    return made


_layouts_lock = threading.Lock()
_layouts: set[tuple[tuple[str, str, tuple[int, ...]], ...]] = set()


def _described(dtype: np.dtype[np.record]) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Give names, types and shapes of all fields."""
    fields = ((name, dtype[name]) for name in dtype.names or ())
    return tuple((name, repr(field.base), field.shape) for name, field in fields)


def _tell_terminal() -> None:
    """Say on a terminal why nothing happens for some seconds."""
    if sys.stderr is not None and sys.stderr.isatty():
        print("kibitz: compiling, some seconds; it is kept for the next time", file=sys.stderr)


class _Announcer(event.Listener):
    """Tell once, before the first real compilation (a cache hit triggers no event)."""

    def __init__(self) -> None:
        self.tell: Callable[[], None] | None = _tell_terminal

    def on_start(self, event: object) -> None:
        if self.tell is not None:
            tell, self.tell = self.tell, None
            tell()

    def on_end(self, event: object) -> None:
        pass


class _Stopwatch(event.Listener):
    """Add up the time spent compiling; compilations within compilations count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._began = 0.0

    def on_start(self, event: object) -> None:
        if self._depth == 0:
            self._began = time.perf_counter()
        self._depth += 1

    def on_end(self, event: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began


_stopwatch, _announcer = _Stopwatch(), _Announcer()
for _listener in (_stopwatch, _announcer):
    event.register("numba:compile", _listener)  # type: ignore[no-untyped-call]


def seconds_compiling() -> float:
    """Give the time this process has spent compiling, so that agents are not charged for it."""
    return _stopwatch.seconds


def announce_compilation(tell: Callable[[], None]) -> None:
    """Call `tell` once, when something has to be compiled because the cache does not hold it.

    Without it, a line on stderr says so if that is a terminal.
    """
    _announcer.tell = tell
