"""Sets of small numbers in a uint64: what the processor can do in one instruction."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

ONE = np.uint64(1)


def popcount(bits: np.uint64) -> int:
    """Count the members of a set."""
    return int(bits).bit_count()


def lowest(bits: np.uint64) -> int:
    """Return the smallest member of a set that is not empty."""
    return (int(bits) & -int(bits)).bit_length() - 1


def highest(bits: np.uint64) -> int:
    """Return the largest member of a set that is not empty."""
    return int(bits).bit_length() - 1


@intrinsic
def _ctpop(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def _cttz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), codegen


@intrinsic
def _ctlz(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), codegen


@overload(popcount, strict=False)
def _compiled_popcount(bits: Any) -> Any:
    if bits == types.uint64:
        return lambda bits: _ctpop(bits)  # type: ignore[call-arg]
    return None


@overload(lowest, strict=False)
def _compiled_lowest(bits: Any) -> Any:
    if bits == types.uint64:
        return lambda bits: _cttz(bits)  # type: ignore[call-arg]
    return None


@overload(highest, strict=False)
def _compiled_highest(bits: Any) -> Any:
    if bits == types.uint64:
        return lambda bits: 63 - _ctlz(bits)  # type: ignore[call-arg]
    return None
