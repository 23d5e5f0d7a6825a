"""Sums of rows in vector registers."""

from typing import Any

import numpy as np
import pytest

from kibitz.core.kernels import kernel
from kibitz.core.vectors import NARROW, WIDE, add_narrow, add_wide


@kernel
def run_wide(sums: Any, weights: Any, first: int, inputs: Any, places: Any, n: int) -> None:
    """Add rows that lie 70 numbers apart."""
    add_wide(sums, weights, first, 70, inputs, places, n)


@kernel
def run_narrow(sums: Any, weights: Any, first: int, inputs: Any, places: Any, n: int) -> None:
    """Add rows that lie 70 numbers apart."""
    add_narrow(sums, weights, first, 70, inputs, places, n)


@pytest.mark.parametrize(("run", "width"), [(run_wide, WIDE), (run_narrow, NARROW)])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_rows_are_added_in_their_order_and_nothing_else_is_touched(
    run: Any, width: int, n: int
) -> None:
    draw = np.random.default_rng(1)
    weights, inputs = draw.normal(size=800).astype(np.float32), np.array([2, 0.3, -5], np.float32)
    places = np.array([2, 0, 1], np.uint32)
    sums = draw.normal(size=80).astype(np.float32)
    expected = sums.copy()
    for place in places[:n].tolist():
        row = weights[7 + 70 * place : 7 + 70 * place + width]
        expected[:width] = expected[:width] + inputs[place] * row
    run(sums, weights, 7, inputs, places, n)
    assert sums.tolist() == expected.tolist()  # to the last bit, on every machine
