"""The one place that compiles: `kernel` is Numba's njit with the project's options.

Numba's own cache watches only the file of the function itself: a search kernel cached yesterday
would go on playing yesterday's rules. `cache.py` finds kernels by all that they are made of.
"""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import config, types
from numba.core import errors, ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering, NopythonTypeInference

from kibitz.core.cache import KernelCache
from kibitz.core.compiling import announce_compilation as announce_compilation
from kibitz.core.compiling import seconds_compiling as seconds_compiling

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not config.DISABLE_JIT  # type: ignore[attr-defined]
"""False when NUMBA_DISABLE_JIT=1: kernels then run as plain Python."""

_OPTIONS: dict[str, Any] = {
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
    """Return the types of arguments without the values that types of constants carry."""
    plain: Any = types.unliteral
    return [plain(arg) for arg in args], {name: plain(arg) for name, arg in dict(kws).items()}


class _Allocating(_Kernel):
    """A kernel that may make arrays."""


class _Inner(_Kernel):
    """A kernel that is code for other kernels; Python calls a twin that is compiled for it."""

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    @cached_property
    def _twin(self) -> Any:
        return kernel(self.py_func)

    def __call__(self, *args: Any) -> Any:
        return self._twin(*args)


class _Viewing(_Inner):
    """An inner kernel that returns parts of the arrays it is given."""


@register_pass(mutates_CFG=False, analysis_only=True)  # type: ignore[no-untyped-call]
class _NoArraysMade(AnalysisPass):
    """Refuse what may make an array in a kernel that counts no references: it would never end.

    Numba itself refuses some of it, depending on what was compiled before. So everything of NumPy's
    that takes or gives an array is refused, but for what looks at the same memory in another way.
    """

    _name = "kibitz_no_arrays_made"
    returns_views = False

    def __init__(self) -> None:
        AnalysisPass.__init__(self)  # type: ignore[no-untyped-call]

    def run_pass(self, state: Any) -> bool:
        if _holds_array(state.return_type) and not self.returns_views:
            raise errors.UnsupportedError(
                "a kernel must not return an array: let it write to one", loc=state.func_ir.loc
            )
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                if isinstance(statement.value, ir.Expr) and self._makes(state, statement):
                    raise errors.UnsupportedError(_ADVICE, loc=statement.loc)
        return False

    def _makes(self, state: Any, statement: Any) -> bool:
        """Whether an expression may make an array."""
        made, result = statement.value, state.typemap[statement.target.name]
        if made.op != "call":
            return made.op in _ARITHMETIC and isinstance(result, types.Array)
        called = state.typemap[made.func.name]
        if _is_kernel(called):
            is_viewing = isinstance(getattr(called, "dispatcher", None), _Viewing)
            return _holds_array(result) and not is_viewing
        if _looks_only(called):
            return False
        given = [*made.args, *(value for _, value in made.kws)]
        kinds = [result, getattr(called, "this", None), *(state.typemap[x.name] for x in given)]
        return any(map(_holds_array, kinds))


@register_pass(mutates_CFG=False, analysis_only=True)  # type: ignore[no-untyped-call]
class _NoArraysMadeButViews(_NoArraysMade):
    """The same, for kernels that return other looks at the arrays they were given."""

    _name = "kibitz_no_arrays_made_but_views"
    returns_views = True


_ARITHMETIC = ("binop", "inplace_binop", "unary", "arrayexpr")


def _holds_array(kind: Any) -> bool:
    """Whether values of a type are arrays, or have some."""
    return isinstance(kind, types.Array) or any(map(_holds_array, getattr(kind, "types", ())))


def _is_kernel(called: Any) -> bool:
    """Whether a function is a kernel, or generic over kernels."""
    templates = called.templates if isinstance(called, types.Function) else ()
    is_generic = any(getattr(one, "calls_kernels", False) for one in templates)
    return is_generic or isinstance(called, types.Dispatcher | types.RecursiveCall)


def _looks_only(called: Any) -> bool:
    """Whether a function of Numba's only looks at the memory of an array."""
    key = getattr(called, "typing_key", None)
    is_looking = key is len or key in ("array.reshape", "array.view")
    return is_looking or isinstance(called, types.NamedTupleClass)


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

    check: type[_NoArraysMade] = _NoArraysMade

    def define_pipelines(self) -> list[PassManager]:
        define: Any = DefaultPassBuilder.define_nopython_pipeline
        steps = define(self.state, "inner")
        steps.add_pass_after(self.check, NopythonTypeInference)
        steps.passes = [
            (_InnerLowering if step is NativeLowering else step, words)
            for step, words in steps.passes
        ]
        steps.finalize()
        return [steps]


class _ViewingCompiler(_InnerCompiler):
    """The same for kernels that return views."""

    check = _NoArraysMadeButViews


_kernel = _njit(**_OPTIONS, pipeline_class=_KernelCompiler)

_INNER_OPTIONS = _OPTIONS | {
    "no_cpython_wrapper": True,
    "pipeline_class": _InnerCompiler,
}
_inner_kernel = _njit(**_INNER_OPTIONS)
_inlined_kernel = _njit(**_INNER_OPTIONS, forceinline=True)
_viewing_kernel = _njit(**_INNER_OPTIONS | {"pipeline_class": _ViewingCompiler}, forceinline=True)


def _compile(function: F, compiler: Any, kind: type[_Kernel]) -> F:
    if not COMPILED:
        return function
    compiled = compiler(function)
    compiled.__class__ = kind
    if not issubclass(kind, _Inner):  # those that were not checked are kept apart
        compiled._cache = KernelCache(cast(FunctionType, function), kind.__name__)
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


def viewing_kernel(function: F) -> F:
    """Compile a small kernel that returns parts of the arrays it is given, into its callers.

    Whoever calls it holds those arrays. Python must not call it.
    """
    return _compile(function, _viewing_kernel, _Viewing)


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
    """Return names, types and shapes of all fields."""
    fields = ((name, dtype[name]) for name in dtype.names or ())
    return tuple((name, repr(field.base), field.shape) for name, field in fields)
