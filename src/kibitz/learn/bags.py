"""Sparse rows of features, and networks whose first layer adds up rows of weights.

Most features of a card game are zero. A *bag* keeps the others of many rows: their places and their
numbers. The first layer of a `SparseMlp` adds up the weights at these places, forwards and
backwards, in kernels that release the lock of Python; the layers above are torch's. Where a network
scores candidates, what the view gives the first layer is added up once and serves all of them.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.core.errors import SpecError
from kibitz.core.kernels import inlined_kernel, kernel
from kibitz.learn.networks import check_sizes, seeded
from kibitz.search.mlp import Layers

Tensor = Any  # torch.Tensor: mypy knows no torch
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float32]

SPREAD = 0.1
"""Deviation of the first weights of a sparse layer: about a hundred features are not zero."""


class Bag(NamedTuple):
    """Rows of features, as the numbers that are not zero."""

    places: npt.NDArray[np.uint16]  # row after row
    numbers: Floats
    ends: Ints  # [rows + 1] where rows begin and end


class Scored(NamedTuple):
    """Decisions whose candidates a network scores: a row for the view, and one for each."""

    views: Bag
    candidates: Bag  # their places come after those of the view
    first: Ints  # [decisions + 1] where the candidates of each begin


def make_bag(n_rows: int, n_places: int) -> Bag:
    """Make room for so many rows that have so many numbers together."""
    places = np.zeros(n_places, np.uint16)
    return Bag(places, np.zeros(n_places, np.float32), np.zeros(n_rows + 1, np.int64))


def bag_of(rows: Floats, first: int = 0) -> Bag:
    """Put dense rows [rows, features] into a bag, whose places begin at `first`."""
    owners, places = np.nonzero(rows)
    ends = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(rows)))])
    return Bag((places + first).astype(np.uint16), rows[owners, places], ends.astype(np.int64))


@inlined_kernel
def _add_row(bag: Bag, row: int, weights: Matrix, out: Floats) -> None:
    """Add the weights of a row to `out`, two at a time: sums are read and written half as often."""
    at, end, width = bag.ends[row], bag.ends[row + 1], weights.shape[1]
    while at + 1 < end:
        one, other = weights[bag.places[at]], weights[bag.places[at + 1]]
        x, y = bag.numbers[at], bag.numbers[at + 1]
        for j in range(width):
            out[j] += x * one[j] + y * other[j]
        at += 2
    if at < end:
        one, x = weights[bag.places[at]], bag.numbers[at]
        for j in range(width):
            out[j] += x * one[j]


@inlined_kernel
def _spread_row(bag: Bag, row: int, slopes: Floats, out: Matrix) -> None:
    """Add slopes to those of the weights of a row."""
    for at in range(bag.ends[row], bag.ends[row + 1]):
        target, x = out[bag.places[at]], bag.numbers[at]
        for j in range(len(slopes)):
            target[j] += x * slopes[j]


@kernel
def add_up(bag: Bag, rows: Ints, weights: Matrix, bias: Floats, out: Matrix) -> None:
    """Write what the first layer makes of some rows: [rows, outputs]."""
    for k in range(len(rows)):
        for j in range(len(bias)):
            out[k, j] = bias[j]
        _add_row(bag, rows[k], weights, out[k])


@kernel
def spread(bag: Bag, rows: Ints, slopes: Matrix, weights: Matrix, bias: Floats) -> None:
    """Add the slopes [rows, outputs] of some rows to those of weights and biases."""
    for k in range(len(rows)):
        for j in range(len(bias)):
            bias[j] += slopes[k, j]
        _spread_row(bag, rows[k], slopes[k], weights)


@kernel
def add_up_scored(scored: Scored, rows: Ints, weights: Matrix, bias: Floats, out: Matrix) -> None:
    """Write what the first layer makes of all candidates of some decisions: [all, outputs].

    What the view gives is added up in the row of the first one, and copied from the last to it.
    """
    at = 0
    for k in range(len(rows)):
        row = rows[k]
        n = scored.first[row + 1] - scored.first[row]
        for j in range(len(bias)):
            out[at, j] = bias[j]
        _add_row(scored.views, row, weights, out[at])
        for i in range(n - 1, -1, -1):
            if i > 0:
                for j in range(len(bias)):
                    out[at + i, j] = out[at, j]
            _add_row(scored.candidates, scored.first[row] + i, weights, out[at + i])
        at += n


@kernel
def spread_scored(
    scored: Scored, rows: Ints, slopes: Matrix, weights: Matrix, bias: Floats, summed: Floats
) -> None:
    """Add the slopes [all, outputs] of all candidates of some decisions; `summed` is scratch."""
    at = 0
    for k in range(len(rows)):
        row = rows[k]
        for j in range(len(bias)):
            summed[j] = 0
        for one in range(scored.first[row], scored.first[row + 1]):
            _spread_row(scored.candidates, one, slopes[at], weights)
            for j in range(len(bias)):
                summed[j] += slopes[at, j]
            at += 1
        for j in range(len(bias)):
            bias[j] += summed[j]
        _spread_row(scored.views, row, summed, weights)


@kernel
def add_up_chosen(
    scored: Scored, rows: Ints, places: Ints, weights: Matrix, bias: Floats, out: Matrix
) -> None:
    """Write what the first layer makes of one candidate of each decision: [rows, outputs]."""
    for k in range(len(rows)):
        for j in range(len(bias)):
            out[k, j] = bias[j]
        _add_row(scored.views, rows[k], weights, out[k])
        _add_row(scored.candidates, places[k], weights, out[k])


@kernel
def spread_chosen(
    scored: Scored, rows: Ints, places: Ints, slopes: Matrix, weights: Matrix, bias: Floats
) -> None:
    """Add the slopes [rows, outputs] of one candidate of each decision."""
    for k in range(len(rows)):
        for j in range(len(bias)):
            bias[j] += slopes[k, j]
        _spread_row(scored.views, rows[k], slopes[k], weights)
        _spread_row(scored.candidates, places[k], slopes[k], weights)


class _OfChosen(torch.autograd.Function):
    """The first layer on one candidate of each decision."""

    @staticmethod
    def forward(
        ctx: Any, weight: Tensor, bias: Tensor, scored: Scored, rows: Ints, places: Ints
    ) -> Tensor:
        out = torch.empty(len(rows), weight.shape[1])
        numbers = weight.detach().numpy(), bias.detach().numpy(), out.numpy()
        add_up_chosen(scored, rows, places, *numbers)
        ctx.seen = scored, rows, places, weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, slopes: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        scored, rows, places, shape = ctx.seen
        weight, bias = torch.zeros(shape), torch.zeros(shape[1])
        made = slopes.contiguous().numpy(), weight.numpy(), bias.numpy()
        spread_chosen(scored, rows, places, *made)
        return weight, bias, None, None, None


class _OfRows(torch.autograd.Function):
    """The first layer on rows of a bag."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, bag: Bag, rows: Ints) -> Tensor:
        out = torch.empty(len(rows), weight.shape[1])
        add_up(bag, rows, weight.detach().numpy(), bias.detach().numpy(), out.numpy())
        ctx.seen = bag, rows, weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, slopes: Tensor) -> tuple[Tensor, Tensor, None, None]:
        bag, rows, shape = ctx.seen
        weight, bias = torch.zeros(shape), torch.zeros(shape[1])
        spread(bag, rows, slopes.contiguous().numpy(), weight.numpy(), bias.numpy())
        return weight, bias, None, None


class _OfScored(torch.autograd.Function):
    """The first layer on all candidates of some decisions."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, scored: Scored, rows: Ints) -> Tensor:
        n = int((scored.first[rows + 1] - scored.first[rows]).sum())
        out = torch.empty(n, weight.shape[1])
        add_up_scored(scored, rows, weight.detach().numpy(), bias.detach().numpy(), out.numpy())
        ctx.seen = scored, rows, weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, slopes: Tensor) -> tuple[Tensor, Tensor, None, None]:
        scored, rows, shape = ctx.seen
        weight, bias = torch.zeros(shape), torch.zeros(shape[1])
        made = slopes.contiguous().numpy(), weight.numpy(), bias.numpy()
        spread_scored(scored, rows, *made, np.empty(shape[1], np.float32))
        return weight, bias, None, None


class SparseMlp(nn.Module):
    """Linear layers with rectifiers between them; the first one takes bags."""

    def __init__(
        self, n_inputs: int, hidden: Sequence[int], heads: Mapping[str, int], seed: int = 0
    ) -> None:
        """Draw the first weights.

        Args:
            n_inputs: features of a row.
            hidden: outputs of every hidden layer, of which there is one or more.
            heads: outputs of each head, in the order in which a card lists them.
            seed: what the weights are drawn from.
        """
        super().__init__()
        check_sizes(n_inputs, hidden, heads)
        if not hidden or n_inputs > 1 << 16:
            raise SpecError(
                "a sparse network has a hidden layer or more, and at most 65536 inputs, got "
                f"hidden={list(hidden)} and {n_inputs} inputs"
            )
        with seeded(seed):
            self.weight = nn.Parameter(SPREAD * torch.randn(n_inputs, hidden[0]))
            self.bias = nn.Parameter(torch.zeros(hidden[0]))
            parts: list[Any] = [nn.ReLU()]
            for n, m in pairwise(hidden):
                parts += [nn.Linear(n, m), nn.ReLU()]
            self.body = nn.Sequential(*parts)
            self.heads = nn.ModuleDict(
                {name: nn.Linear(hidden[-1], n) for name, n in heads.items()}
            )

    def forward(self, features: Tensor) -> dict[str, Tensor]:
        """Compute the outputs of every head [rows, outputs] from dense rows."""
        return self._go_on(features @ self.weight + self.bias)

    def of_rows(self, bag: Bag, rows: Ints) -> dict[str, Tensor]:
        """Compute the outputs of every head [rows, outputs] for some rows of a bag."""
        return self._go_on(_OfRows.apply(self.weight, self.bias, bag, rows))

    def of_scored(self, scored: Scored, rows: Ints) -> dict[str, Tensor]:
        """Compute the outputs of every head [all, outputs] for all candidates of decisions."""
        return self._go_on(_OfScored.apply(self.weight, self.bias, scored, rows))

    def of_chosen(self, scored: Scored, rows: Ints, places: Ints) -> dict[str, Tensor]:
        """Compute the outputs of every head [rows, outputs] for one candidate of each decision."""
        return self._go_on(_OfChosen.apply(self.weight, self.bias, scored, rows, places))

    def _go_on(self, sums: Tensor) -> dict[str, Tensor]:
        seen = self.body(sums)
        return {name: head(seen) for name, head in self.heads.items()}

    def layers(self) -> Layers:
        """Return the layers as kernels run them."""
        layers = [(_plain(self.weight), _plain(self.bias))]
        parts = [part for part in self.body if isinstance(part, nn.Linear)]
        layers += [(_plain(part.weight.T), _plain(part.bias)) for part in parts]
        heads = [(_plain(head.weight.T), _plain(head.bias)) for head in self.heads.values()]
        weights, biases = zip(*heads, strict=True)
        return [*layers, (np.concatenate(weights, axis=1), np.concatenate(biases))]

    def set_layers(self, layers: Layers) -> None:
        """Take over the weights of a network that was trained before: the opposite of `layers`."""
        own = [weights.shape for weights, _ in self.layers()]
        given = [weights.shape for weights, _ in layers]
        if own != given:
            raise SpecError(
                f"a network of layers {_sizes(own)} cannot begin as one of {_sizes(given)}"
            )
        parts = [part for part in self.body if isinstance(part, nn.Linear)]
        with torch.no_grad():
            self.weight.copy_(torch.tensor(layers[0][0]))
            self.bias.copy_(torch.tensor(layers[0][1]))
            for part, (weights, biases) in zip(parts, layers[1:-1], strict=True):
                part.weight.copy_(torch.tensor(weights.T))
                part.bias.copy_(torch.tensor(biases))
            begin = 0
            for head in self.heads.values():
                end = begin + head.out_features
                head.weight.copy_(torch.tensor(layers[-1][0][:, begin:end].T))
                head.bias.copy_(torch.tensor(layers[-1][1][begin:end]))
                begin = end


def _sizes(shapes: Sequence[tuple[int, ...]]) -> str:
    """Write the sizes of layers in a row, such as 126-9-7; or that there are none."""
    if not shapes:
        return "another kind"
    return "-".join(str(n) for n in (shapes[0][0], *(shape[1] for shape in shapes)))


def _plain(tensor: Tensor) -> Floats:
    """Return a copy of a tensor as an array."""
    return np.array(tensor.detach().cpu().numpy(), np.float32, order="C")
