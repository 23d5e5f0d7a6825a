"""Normalised Gaussian networks inside kernels: units that share the inputs out among themselves.

Each unit has a place and a width for every input, and a linear function. What a network says is the
mean of its units' functions, weighted by how near they are: with G_i the density of unit i,
y(x) = sum_i N_i(x) (W_i x + b_i) and N_i = G_i / sum_j G_j (Sato and Ishii 2000; the paper's
equations 1 and 2). Widths are diagonal here: with dozens of inputs, whole covariances cost more
than they tell. Learning is `learn.ngnet`; this is what a model needs to play.

A network is a record of sizes beside one flat array of numbers, so that kernels are compiled once
for all of them. Units lie innermost: sums over them need no order, so they are made in registers.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import AgentError
from kibitz.core.kernels import inlined_kernel, kernel, record_dtype

MAX_NETS = 64
"""Most networks of a model."""

MAX_INPUTS, MAX_UNITS, MAX_OUTPUTS = 256, 128, 256
"""Most inputs, units and outputs of a network."""

MAX_NUMBERS = 4_000_000
"""Most numbers of a model: its file is then at most 16 MB."""

MAX_PLACE, MAX_PRECISION, MAX_WEIGHT = 1e4, 1e8, 1e8
"""Largest numbers that a model may have: what is computed with them stays finite."""

NETWORK = record_dtype(
    [
        ("ngnet_inputs", np.int64),
        ("ngnet_units", np.int64),
        ("ngnet_outputs", np.int64),
        ("ngnet_first", np.int64),  # where its numbers begin in the flat array
    ]
)

Floats = npt.NDArray[np.float64]
Networks = npt.NDArray[np.record]
Size = tuple[int, int, int]
"""Inputs, units and outputs."""


class Net(NamedTuple):
    """One network, as learning makes it and a model keeps it."""

    centres: Floats  # [inputs, units]
    precisions: Floats  # [inputs, units]: one over the variance
    weights: Floats  # [outputs, 1 + inputs, units]: the constant first

    @property
    def size(self) -> Size:
        """Inputs, units and outputs."""
        return len(self.centres), self.centres.shape[1], len(self.weights)


Nets = Mapping[str, Net]
"""The networks of a model by their names, in order."""


def n_numbers(size: Size) -> int:
    """Return how many numbers a network of a size takes in the flat array."""
    n_inputs, n_units, n_outputs = size
    return n_units * (2 * n_inputs + 1 + n_outputs * (1 + n_inputs))


def check_sizes(sizes: Mapping[str, Size], where: str) -> None:
    """Refuse a model that announces more than is read."""
    if not 1 <= len(sizes) <= MAX_NETS:
        raise AgentError(f"{where}: a model has 1 to {MAX_NETS} networks, got {len(sizes)}")
    most = (MAX_INPUTS, MAX_UNITS, MAX_OUTPUTS)
    for name, size in sizes.items():
        if any(not 1 <= n <= limit for n, limit in zip(size, most, strict=True)):
            raise AgentError(
                f"{where}: {name} has {size} inputs, units and outputs, at most {most} are read"
            )
    if sum(map(n_numbers, sizes.values())) > MAX_NUMBERS:
        raise AgentError(f"{where}: a model has at most {MAX_NUMBERS} numbers")


def check_net(name: str, net: Net, where: str) -> None:
    """Refuse numbers that are none, or that could not be computed with."""
    parts = (("centres", MAX_PLACE), ("precisions", MAX_PRECISION), ("weights", MAX_WEIGHT))
    for (part, most), numbers in zip(parts, net, strict=True):
        if not (np.isfinite(numbers).all() and np.abs(numbers).max(initial=0) <= most):
            raise AgentError(f"{where}: {part} of {name} are not finite numbers up to {most:g}")
    if not (net.precisions > 0).all():
        raise AgentError(f"{where}: precisions of {name} are not all above 0")


def pack(nets: Nets) -> tuple[Networks, Floats]:
    """Return the records of networks, in their order, and all their numbers in one row."""
    networks = np.zeros(len(nets), NETWORK)
    rows, first = [], 0
    for record, net in zip(networks, nets.values(), strict=True):
        record["ngnet_inputs"], record["ngnet_units"], record["ngnet_outputs"] = net.size
        record["ngnet_first"] = first
        heights = 0.5 * np.log(net.precisions).sum(axis=0)
        parts = (net.centres, net.precisions, heights, net.weights)
        rows.append(np.concatenate([np.ravel(part) for part in parts]))
        first += len(rows[-1])
    return networks, np.concatenate(rows).astype(np.float64)


@inlined_kernel
def share_out(network: np.record, numbers: Floats, x: Floats, shares: Floats) -> None:
    """Write how much each unit has to say about an input: `shares`, which add up to 1.

    Args:
        network: a record that `pack` made.
        numbers: the array beside it.
        x: at least as many numbers as the network has inputs.
        shares: room for as many numbers as it has units.
    """
    n_inputs, n_units, at = network.ngnet_inputs, network.ngnet_units, network.ngnet_first
    centres = numbers[at : at + n_inputs * n_units]
    precisions = numbers[at + n_inputs * n_units : at + 2 * n_inputs * n_units]
    heights = numbers[at + 2 * n_inputs * n_units : at + (2 * n_inputs + 1) * n_units]
    for i in range(n_units):
        shares[i] = -2 * heights[i]
    for k in range(n_inputs):
        value = x[k]
        for i in range(n_units):
            off = value - centres[k * n_units + i]
            shares[i] += off * off * precisions[k * n_units + i]
    nearest = shares[0]
    for i in range(1, n_units):
        nearest = min(nearest, shares[i])
    total = 0.0
    for i in range(n_units):
        shares[i] = np.exp(-0.5 * (shares[i] - nearest))
        total += shares[i]
    for i in range(n_units):
        shares[i] /= total


@inlined_kernel
def first_weight(network: np.record, output: int) -> int:
    """Return where the weights of an output begin in the flat array: [1 + inputs, units]."""
    n_inputs, n_units = network.ngnet_inputs, network.ngnet_units
    return network.ngnet_first + n_units * (2 * n_inputs + 1 + output * (1 + n_inputs))


@inlined_kernel
def say(
    network: np.record, numbers: Floats, x: Floats, shares: Floats, output: int, sums: Floats
) -> float:
    """Return one output for an input that has been shared out; `sums` is room for the units."""
    n_inputs, n_units = network.ngnet_inputs, network.ngnet_units
    at = first_weight(network, output)
    weights = numbers[at : at + (1 + n_inputs) * n_units]
    for i in range(n_units):
        sums[i] = weights[i]
    for k in range(n_inputs):
        value = x[k]
        if value != 0:
            for i in range(n_units):
                sums[i] += value * weights[(1 + k) * n_units + i]
    total = 0.0
    for i in range(n_units):
        total += shares[i] * sums[i]
    return total


@kernel
def say_all(
    network: np.record, numbers: Floats, inputs: Floats, outputs: Floats, room: Floats
) -> None:
    """Run a network on rows of inputs [rows, inputs]; write `outputs` [rows, outputs].

    `room` is scratch for twice as many numbers as the network has units.
    """
    n = network.ngnet_units
    for row in range(len(inputs)):
        share_out(network, numbers, inputs[row], room[:n])
        for k in range(outputs.shape[1]):
            outputs[row, k] = say(network, numbers, inputs[row], room[:n], k, room[n:])
