"""Small networks inside kernels: layers of weights with rectifiers between them.

A network is a record of sizes beside one flat array of weights, so kernels are compiled once for
all of them. Weights lie layer after layer: the biases, then for each input what it adds to every
output. Outputs lie side by side in memory, padded with zeros to a multiple of 16, so that 64 or 16
of them are added up at a time (`core.vectors`). Inputs that are zero, as most features are and half
of what a rectifier lets through, cost nothing: the others are listed first.

Where many candidates of one view are scored, `keep_view` adds up what the view gives the first
layer, once, and `forward_from` runs the network for one candidate after the other.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.kernels import inlined_kernel, inner_kernel, kernel, record_dtype
from kibitz.core.vectors import NARROW, WIDE, add_narrow, add_wide

MAX_LAYERS = 8
"""Most layers of weights."""

MAX_WIDTH = 2048
"""Most outputs of a hidden layer."""

MAX_WEIGHTS = 20_000_000
"""Most weights and biases."""

NETWORK = record_dtype(
    [
        ("n_layers", np.int64),
        ("layer_sizes", np.int64, (MAX_LAYERS + 1,)),  # inputs, then the outputs of every layer
        ("first_weight", np.int64),  # where its weights begin in the flat array
    ]
)

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.uint32]
Layers = list[tuple[Floats, Floats]]
"""The layers of a network: weights [inputs, outputs] and biases [outputs] of each."""


class Rows(NamedTuple):
    """What a network of candidates is asked: the features of views and of their legal actions."""

    views: Floats  # [views, features]
    candidates: Floats  # [all, features], those of one view after the other
    offsets: npt.NDArray[np.int64]  # [views + 1]: of view i they are offsets[i] to offsets[i + 1]


def pack(layers: Layers, first: int = 0) -> tuple[np.record, Floats]:
    """Return the record of a network and its weights in one row.

    Args:
        layers: weights and biases, checked already.
        first: where the row is to begin in the array that kernels get.
    """
    network: np.record = np.zeros(1, NETWORK)[0]
    network["n_layers"] = len(layers)
    network["layer_sizes"][: len(layers) + 1] = [len(layers[0][0]), *(len(b) for _, b in layers)]
    network["first_weight"] = first
    rows = [np.vstack([b, w]) for w, b in layers]
    padded = [np.pad(part, ((0, 0), (0, -part.shape[1] % NARROW))) for part in rows]
    return network, np.concatenate([part.ravel() for part in padded])


def scratch_for(layers: Layers) -> int:
    """Return how many numbers of scratch a network needs."""
    return 4 * int(_pad(max(max(w.shape) for w, _ in layers)))


@inlined_kernel
def _pad(n_outputs: int) -> int:
    """Return how many outputs a layer has with those that fill it up."""
    return (n_outputs + NARROW - 1) // NARROW * NARROW


@inner_kernel
def forward(network: np.record, weights: Floats, scratch: Floats) -> int:
    """Run a network on the features that `scratch` begins with; they do not outlive it.

    Args:
        network: what `pack` made.
        weights: the array that holds its row.
        scratch: at least `scratch_for` numbers.

    Returns:
        Where in `scratch` the outputs begin.
    """
    made = len(scratch) // 4
    _add_features(network, weights, scratch, network.layer_sizes[0], made)
    return _run_on(network, weights, scratch)


@inner_kernel
def keep_view(network: np.record, weights: Floats, scratch: Floats, n_view: int) -> None:
    """Keep in `scratch` what the features of a view, its first `n_view` numbers, add up to.

    `forward_from` leaves it there, so it serves all candidates of a view.
    """
    _add_features(network, weights, scratch, n_view, len(scratch) // 4 * 3)


@inner_kernel
def forward_from(network: np.record, weights: Floats, scratch: Floats, n_view: int) -> int:
    """Run a network on the view that was kept and one candidate.

    Args:
        network: what `pack` made; its inputs are `n_view` of the view, then those of a candidate.
        weights: the array that holds its row.
        scratch: as `keep_view` left it, with the features of the candidate at its beginning.
        n_view: how many features the view has.

    Returns:
        Where in `scratch` the outputs begin.
    """
    n_in, n_out = network.layer_sizes[0] - n_view, _pad(network.layer_sizes[1])
    made, kept = len(scratch) // 4, len(scratch) // 4 * 3
    _copy(scratch[kept : kept + n_out], scratch[made:])
    places = scratch[len(scratch) // 4 * 2 :].view(np.uint32)
    n_listed = _list_nonzero(scratch[:n_in].view(np.int32), places)
    first = network.first_weight + (1 + n_view) * n_out
    _add_rows(weights, first, scratch[:n_in], places, n_listed, scratch[made : made + n_out])
    return _run_on(network, weights, scratch)


@kernel
def forward_all(
    network: np.record, weights: Floats, inputs: Floats, outputs: Floats, scratch: Floats
) -> None:
    """Run a network on every row of `inputs` [rows, features]; write `outputs` [rows, outputs]."""
    for row in range(len(inputs)):
        _copy(inputs[row], scratch)
        at = forward(network, weights, scratch)
        _copy(scratch[at : at + outputs.shape[1]], outputs[row])


@kernel
def forward_candidates(
    network: np.record, weights: Floats, rows: Rows, outputs: Floats, scratch: Floats
) -> None:
    """Run a network on every candidate of every view; write `outputs` [all, outputs]."""
    n_view = rows.views.shape[1]
    for i in range(len(rows.views)):
        _copy(rows.views[i], scratch)
        keep_view(network, weights, scratch, n_view)
        for k in range(rows.offsets[i], rows.offsets[i + 1]):
            _copy(rows.candidates[k], scratch)
            at = forward_from(network, weights, scratch, n_view)
            _copy(scratch[at : at + outputs.shape[1]], outputs[k])


@inner_kernel
def _run_on(network: np.record, weights: Floats, scratch: Floats) -> int:
    """Run all layers but the first, whose sums stand in the second quarter of `scratch`."""
    given, made = len(scratch) // 4, 0
    places = scratch[len(scratch) // 4 * 2 :].view(np.uint32)
    at = network.first_weight + (network.layer_sizes[0] + 1) * _pad(network.layer_sizes[1])
    for layer in range(1, network.n_layers):
        n_in, n_out = network.layer_sizes[layer], _pad(network.layer_sizes[layer + 1])
        inputs, outputs = scratch[given : given + n_in], scratch[made : made + n_out]
        _copy(weights[at : at + n_out], outputs)
        n_listed = _list_positive(inputs.view(np.int32), places)
        _add_rows(weights, at + n_out, inputs, places, n_listed, outputs)
        at += (n_in + 1) * n_out
        given, made = made, given
    return given


@inlined_kernel
def _add_features(
    network: np.record, weights: Floats, scratch: Floats, n_in: int, made: int
) -> None:
    """Write the sums of the first layer for the features that `scratch` begins with to `made`."""
    n_out, at = _pad(network.layer_sizes[1]), network.first_weight
    _copy(weights[at : at + n_out], scratch[made:])
    places = scratch[len(scratch) // 4 * 2 :].view(np.uint32)
    n_listed = _list_nonzero(scratch[:n_in].view(np.int32), places)
    _add_rows(weights, at + n_out, scratch[:n_in], places, n_listed, scratch[made : made + n_out])


@inlined_kernel
def _list_nonzero(bits: npt.NDArray[np.int32], places: Places) -> int:
    """List where floats, given by their bits, are not zero; without a branch to mispredict."""
    n = np.uint64(0)  # an index without a sign needs no check
    for i in range(len(bits)):
        places[n] = i
        n += np.uint64(bits[i] != 0)
    return int(n)


@inlined_kernel
def _list_positive(bits: npt.NDArray[np.int32], places: Places) -> int:
    """List where floats, given by their bits, are above zero: what a rectifier lets through."""
    n = np.uint64(0)
    for i in range(len(bits)):
        places[n] = i
        n += np.uint64(bits[i] > 0)
    return int(n)


@inlined_kernel
def _add_rows(
    weights: Floats, first: int, inputs: Floats, places: Places, n_listed: int, outputs: Floats
) -> None:
    """Add to the outputs the rows at some places, times the inputs there; row 0 is at `first`."""
    done, n_out = 0, len(outputs)
    while done + WIDE <= n_out:
        add_wide(outputs[done:], weights, first + done, n_out, inputs, places, n_listed)
        done += WIDE
    while done < n_out:
        add_narrow(outputs[done:], weights, first + done, n_out, inputs, places, n_listed)
        done += NARROW


@inlined_kernel
def _copy(source: Floats, target: Floats) -> None:
    """Copy all of `source` to the beginning of `target`."""
    for k in range(len(source)):
        target[k] = source[k]
