"""Weights as a file of arrays: read without trust, written in one piece.

The file of an MLP is an npz archive of the float32 arrays `w0`, `b0`, `w1`, `b1`, ...; that of
normalised Gaussian networks has `NAME.centres`, `NAME.precisions` and `NAME.weights` of each.
Nothing is unpickled, and no array is read before its header has been seen to announce what the card
says.
"""

import io
import math
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import AgentError, plain
from kibitz.search.mlp import MAX_WEIGHTS, Floats, Layers
from kibitz.search.ngnet import MAX_NUMBERS, Net, Nets, check_net

MAX_FILE = 4 * MAX_WEIGHTS + 64_000
"""Largest file of weights, in bytes."""

MAX_NETS_FILE = 4 * MAX_NUMBERS + 64_000
"""Largest file of normalised Gaussian networks, in bytes."""

MAX_FEATURE, MAX_OUTPUT = 1e4, 1e30
"""Features up to the first must not give numbers beyond the second: they could overflow."""

Shapes = dict[str, tuple[int, ...]]
Weights = Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]


def as_layers(weights: Weights, shapes: Shapes, where: str) -> Layers:
    """Return weights as float32 layers, if they have these shapes and can be computed with."""
    try:
        with np.errstate(over="ignore"):  # what is too large for a float32 is refused below
            layers = [
                (np.asarray(w, np.float32, "C"), np.asarray(b, np.float32, "C")) for w, b in weights
            ]
    except (TypeError, ValueError) as error:
        raise AgentError(f"{where}: weights are pairs of arrays: {plain(str(error))}") from None
    given = [part.shape for layer in layers for part in layer]
    if given != list(shapes.values()):
        expected = list(shapes.values())
        raise AgentError(f"{where}: by its card the weights are {expected}, they are {given}")
    check_numbers(layers, where)
    return layers


def write_weights(layers: Layers) -> bytes:
    """Write layers as an npz file."""
    arrays: dict[str, Any] = {}
    for k, (w, b) in enumerate(layers):
        arrays[f"w{k}"], arrays[f"b{k}"] = w, b
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def read_weights(data: bytes, shapes: Shapes, where: str) -> Layers:
    """Read the layers of an npz file, which must have these arrays and no others."""
    arrays = read_arrays(data, shapes, where)
    layers = [(arrays[f"w{k}"], arrays[f"b{k}"]) for k in range(len(shapes) // 2)]
    check_numbers(layers, where)
    return layers


def write_nets(nets: Nets) -> bytes:
    """Write normalised Gaussian networks as an npz file of float32 arrays."""
    arrays: dict[str, Any] = {}
    for name, net in nets.items():
        for part, numbers in net._asdict().items():
            arrays[f"{name}.{part}"] = np.asarray(numbers, np.float32)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def read_nets(data: bytes, shapes: Shapes, where: str) -> Nets:
    """Read the networks of an npz file, which must have these arrays and no others."""
    arrays = read_arrays(data, shapes, where)
    names = dict.fromkeys(name.rpartition(".")[0] for name in shapes)
    nets = {
        name: Net(*(arrays[f"{name}.{part}"].astype(np.float64) for part in Net._fields))
        for name in names
    }
    for name, net in nets.items():
        check_net(name, net, where)
    return nets


def read_arrays(data: bytes, shapes: Shapes, where: str) -> dict[str, Floats]:
    """Read the arrays of an npz file, which must be these and no others."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            held, expected = sorted(archive.namelist()), sorted(f"{name}.npy" for name in shapes)
            if held != expected:
                raise AgentError(
                    f"{where} holds {plain(', '.join(held)) or 'nothing'}, "
                    f"by its card it should be {', '.join(expected)}"
                )
            return {name: _read_array(archive, name, shapes[name], where) for name in shapes}
    except AgentError:
        raise
    except Exception as error:  # whatever a broken archive makes its readers raise
        reason = plain(str(error)) or type(error).__name__
        raise AgentError(f"{where} is not an npz file of arrays: {reason}") from None


def _read_array(archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], where: str) -> Floats:
    """Read one array after its header has been seen to announce what is expected, and no more."""
    n_bytes = 4 * math.prod(shape)
    with archive.open(f"{name}.npy") as member:
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[np.lib.format.read_magic(member)]
        found, is_by_column, dtype = read_header(member)
        if dtype != np.float32 or found != shape:
            raise AgentError(
                f"{where}: {name} is {plain(str(dtype))} {plain(str(found))}, "
                f"by its card it should be float32 {shape}"
            )
        content = member.read(n_bytes)
    if len(content) != n_bytes:
        raise AgentError(f"{where}: {name} ends too early")
    flat: Floats = np.frombuffer(content, np.float32)
    return flat.reshape(shape, order="F" if is_by_column else "C")


def check_numbers(layers: Layers, where: str) -> None:
    """Refuse weights that are no numbers, or so large that what is computed with them is none."""
    bound = np.full(len(layers[0][0]), MAX_FEATURE)
    for k, (w, b) in enumerate(layers):
        if not (np.isfinite(w).all() and np.isfinite(b).all()):
            raise AgentError(f"{where}: layer {k} has weights that are not finite numbers")
        bound = bound @ np.abs(w.astype(np.float64)) + np.abs(b.astype(np.float64))
        if not bound.max() <= MAX_OUTPUT:
            raise AgentError(f"{where}: layer {k} has weights so large that they may overflow")
