"""Sums of many rows that stay in the vector registers of the processor while they grow.

The compiler turns loops into vector instructions, but not such that what a loop adds up stays in
registers from one row to the next: it cannot know that the sums and the rows are not the same
memory. Here the code is written down by hand, for sums of a fixed width. The forward pass of a
network of 64 hidden units takes half the time with it.

Nothing is checked: rows and sums must lie within their arrays. Products and sums are rounded one by
one, so results are the same on every machine and without the compiler.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

WIDE, NARROW = 64, 16
"""How many sums the two functions below add up."""

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.uint32]
AddRows = Callable[[Floats, Floats, int, int, Floats, Places, int], None]


def _define(width: int) -> AddRows:
    """Make a function for sums of this width."""

    def add_rows(
        sums: Floats,
        weights: Floats,
        first: int,
        stride: int,
        inputs: Floats,
        places: Places,
        n: int,
    ) -> None:
        for place in places[:n].tolist():
            begin = first + place * stride
            sums[:width] += inputs[place] * weights[begin : begin + width]

    class AtCompileTime(AbstractTemplate):
        """A call makes no array and needs no reference counts, as kernels do not."""

        key = add_rows
        calls_kernels = True

        def generic(self, args: Any, kws: Any) -> Any:
            ints, floats = types.int64, types.float32[::1]
            return types.void(floats, floats, ints, ints, floats, types.uint32[::1], ints)

    infer_global(add_rows, types.Function(AtCompileTime))  # type: ignore[no-untyped-call]

    @lower_builtin(add_rows, *[types.VarArg(types.Any)])  # type: ignore[no-untyped-call,untyped-decorator]
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _write_loop(builder, width, _data(context, builder, signature, args))
        return context.get_dummy_value()

    return add_rows


def _data(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Return the arguments, for arrays where their numbers begin."""
    return [
        context.make_array(kind)(context, builder, arg).data
        if isinstance(kind, types.Array)
        else arg
        for kind, arg in zip(signature.args, args, strict=True)
    ]


def _write_loop(builder: Any, width: int, data: list[Any]) -> None:
    """Write `sums += inputs[place] * row of that place` for all places."""
    sums, weights, first, stride, inputs, places, n = data
    vector = ir.VectorType(ir.FloatType(), width)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    nothing, lane = ir.Constant(vector, ir.Undefined), ir.Constant(ir.IntType(32), 0)

    def at(pointer: Any, *index: Any) -> Any:
        return builder.bitcast(builder.gep(pointer, index), vector.as_pointer())

    kept = cgutils.alloca_once(builder, vector)  # type: ignore[no-untyped-call]
    begin = at(sums, ir.Constant(ir.IntType(64), 0))
    builder.store(builder.load(begin, align=4), kept)
    rows = builder.gep(weights, [first])
    with cgutils.for_range(builder, n) as loop:
        place = builder.zext(builder.load(builder.gep(places, [loop.index])), ir.IntType(64))
        value = builder.load(builder.gep(inputs, [place]))
        row = builder.load(at(rows, builder.mul(place, stride)), align=4)
        everywhere = builder.shuffle_vector(
            builder.insert_element(nothing, value, lane), nothing, lanes
        )
        grown = builder.fadd(builder.load(kept), builder.fmul(everywhere, row))
        builder.store(grown, kept)
    builder.store(builder.load(kept), begin, align=4)


add_wide = _define(WIDE)
"""Add rows of weights to 64 sums: `sums += inputs[place] * weights[first + place * stride:]`, where
`place` is each of the first `n` places."""

add_narrow = _define(NARROW)
"""The same for 16 sums."""
