"""Residual networks for boards (He et al. 2016), with a policy and a value.

A module made here maps rows of features to the outputs of its heads, as those of `learn.networks`
do; the features are planes of one size. It is too large for a kernel: it ships as ONNX.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from kibitz.core.encoding import Encoding
from kibitz.core.errors import SpecError
from kibitz.learn.networks import seeded

Tensor = Any  # torch.Tensor: mypy knows no torch

POLICY_FILTERS, VALUE_FILTERS, VALUE_HIDDEN = 32, 3, 32
"""Sizes of the heads, as in the thesis on planning models, section 4.1.2."""


def planes_of(encoding: Encoding) -> tuple[int, int, int]:
    """Return planes, rows and columns of an encoding that consists of planes.

    Raises:
        SpecError: it has other parts.
    """
    shapes = [shape for _, shape in encoding.layout]
    boards = {shape[-2:] for shape in shapes}
    if len(boards) != 1 or any(len(shape) not in (2, 3) for shape in shapes):
        raise SpecError(
            f"encoding {encoding.name!r} is not made of planes of one size: filters=0 takes an MLP"
        )
    ((rows, columns),) = boards
    return sum(shape[0] if len(shape) == 3 else 1 for shape in shapes), rows, columns


class Convolution(nn.Module):
    """A convolution that keeps the size of the board, and batch normalisation."""

    def __init__(self, n_inputs: int, n_outputs: int, size: int) -> None:
        """Draw the first weights of filters of a size, which is odd."""
        super().__init__()
        self.convolution = nn.Conv2d(n_inputs, n_outputs, size, padding=size // 2, bias=False)
        self.norm = nn.BatchNorm2d(n_outputs)

    def forward(self, board: Tensor) -> Tensor:
        """Convolve and normalise."""
        return self.norm(self.convolution(board))


class Block(nn.Module):
    """Two convolutions, whose result is added to what they saw."""

    def __init__(self, filters: int) -> None:
        """Draw the first weights."""
        super().__init__()
        self.first = Convolution(filters, filters, 3)
        self.second = Convolution(filters, filters, 3)

    def forward(self, board: Tensor) -> Tensor:
        """Add what the convolutions find."""
        return torch.relu(board + self.second(torch.relu(self.first(board))))


class ResidualNetwork(nn.Module):
    """A tower of residual blocks with one head for the policy and one for the value."""

    def __init__(
        self, planes: tuple[int, int, int], blocks: int, filters: int, n_actions: int, seed: int = 0
    ) -> None:
        """Draw the first weights.

        Args:
            planes: number of planes, their rows and columns; a row of features holds them flat.
            blocks: residual blocks of the tower.
            filters: of every convolution in it.
            n_actions: outputs of the policy.
            seed: what the weights are drawn from.
        """
        super().__init__()
        if blocks < 1 or filters < 1:
            raise SpecError(f"blocks={blocks} and filters={filters}: expected 1 or more of both")
        self.planes = planes
        cells = planes[1] * planes[2]
        with seeded(seed):
            self.entry = Convolution(planes[0], filters, 3)
            self.tower = nn.Sequential(*(Block(filters) for _ in range(blocks)))
            self.policy_entry = Convolution(filters, POLICY_FILTERS, 1)
            self.policy = nn.Linear(POLICY_FILTERS * cells, n_actions)
            self.value_entry = Convolution(filters, VALUE_FILTERS, 1)
            self.value_hidden = nn.Linear(VALUE_FILTERS * cells, VALUE_HIDDEN)
            self.value = nn.Linear(VALUE_HIDDEN, 1)

    def forward(self, features: Tensor) -> Mapping[str, Tensor]:
        """Compute the logits of the policy and the value, [rows, outputs] each."""
        board = features.reshape(-1, *self.planes)
        board = self.tower(torch.relu(self.entry(board)))
        policy = torch.relu(self.policy_entry(board)).flatten(1)
        value = torch.relu(self.value_entry(board)).flatten(1)
        value = torch.relu(self.value_hidden(value))
        return {"policy": self.policy(policy), "value": self.value(value)}


def folded(network: nn.Module) -> nn.Module:
    """Return a copy for play: normalisation is part of the convolutions, which makes it faster."""
    copy = deepcopy(network).eval()
    for part in copy.modules():
        if isinstance(part, Convolution):
            part.convolution = fuse_conv_bn_eval(part.convolution, part.norm)
            part.norm = nn.Identity()
    return copy.to(memory_format=torch.channels_last)
