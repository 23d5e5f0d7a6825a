"""The forward pass of small networks, compiled."""

import numpy as np
import pytest

from kibitz.search.mlp import (
    Floats,
    Layers,
    forward,
    forward_all,
    forward_from,
    keep_view,
    pack,
    scratch_for,
)
from tests.search.networks import outputs_by_numpy, random_layers

SIZES = [(5, 3), (1, 1), (126, 40, 7), (6, 30, 2, 17, 4), (84, 64, 64, 8), (3, *[9] * 7, 2)]


def sparse_rows(n_rows: int, size: int) -> Floats:
    draw = np.random.default_rng(2)
    rows = draw.normal(size=(n_rows, size)) * (draw.random((n_rows, size)) < 0.4)
    return rows.astype(np.float32)


def run(layers: Layers, row: Floats, first: int = 0) -> Floats:
    network, flat = pack(layers, first)
    weights = np.concatenate([np.full(first, np.nan, np.float32), flat])
    scratch = np.full(scratch_for(layers), np.nan, np.float32)
    scratch[: len(row)] = row
    at = int(forward(network, weights, scratch))
    return scratch[at : at + len(layers[-1][1])]


def test_two_layers_by_hand() -> None:
    layers = [
        (np.array([[1, -1], [2, 0.5]], np.float32), np.array([0.5, 1], np.float32)),
        (np.array([[3], [100]], np.float32), np.array([-1], np.float32)),
    ]
    # The hidden ones are 0.5 + 1*1 + 3*2 = 7.5, and 1 - 1 + 1.5 = 1.5; then 22.5 + 150 - 1.
    assert run(layers, np.array([1, 3], np.float32)).tolist() == [171.5]
    # With 4 and 0 the second is 1 - 4 = -3, which the rectifier stops: 4.5 * 3 - 1.
    assert run(layers, np.array([4, 0], np.float32)).tolist() == [12.5]


@pytest.mark.parametrize("sizes", SIZES)
def test_the_forward_pass_is_what_numpy_computes(sizes: tuple[int, ...]) -> None:
    layers = random_layers(*sizes)
    for row in [*sparse_rows(8, sizes[0]), np.zeros(sizes[0], np.float32)]:
        expected = outputs_by_numpy(layers, row)
        np.testing.assert_allclose(run(layers, row), expected, rtol=1e-4, atol=1e-5)


def test_a_network_may_lie_anywhere_in_the_row_of_weights() -> None:
    layers = random_layers(6, 5, 4)
    row = sparse_rows(1, 6)[0]
    assert run(layers, row, first=17).tolist() == run(layers, row).tolist()


@pytest.mark.parametrize("sizes", SIZES)
def test_batches_are_computed_row_by_row(sizes: tuple[int, ...]) -> None:
    layers, rows = random_layers(*sizes), sparse_rows(5, sizes[0])
    network, flat = pack(layers)
    outputs = np.empty((5, sizes[-1]), np.float32)
    forward_all(network, flat, rows, outputs, np.empty(scratch_for(layers), np.float32))
    assert outputs.tolist() == [run(layers, row).tolist() for row in rows]


@pytest.mark.parametrize("sizes", [(9, 3), (20, 16, 8, 1)])
def test_a_view_that_is_kept_serves_all_its_candidates(sizes: tuple[int, ...]) -> None:
    layers, n_view = random_layers(*sizes), 6
    network, flat = pack(layers)
    view, candidates = sparse_rows(1, n_view)[0], sparse_rows(4, sizes[0] - n_view)
    scratch = np.full(scratch_for(layers), np.nan, np.float32)
    scratch[:n_view] = view
    keep_view(network, flat, scratch, n_view)
    for candidate in candidates:
        scratch[: len(candidate)] = candidate
        at = int(forward_from(network, flat, scratch, n_view))
        expected = outputs_by_numpy(layers, np.concatenate([view, candidate]))
        np.testing.assert_allclose(scratch[at : at + sizes[-1]], expected, rtol=1e-4, atol=1e-5)
