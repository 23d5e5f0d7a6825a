"""Features of any size for networks that learn: shifted and scaled by what random games show.

Some encodings hold card numbers up to 103, others ones and zeros. A network learns from features
that are all about as large; what is saved is the same network of features as they come.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from kibitz.search.mlp import Layers

Tensor = Any  # torch.Tensor: mypy knows no torch

LEAST_SPREAD = 0.1
"""Features that hardly vary are not blown up by more than the inverse of this."""


class Standardised(nn.Module):
    """A network that first subtracts a mean from every feature and divides by its spread."""

    def __init__(self, inner: nn.Module, rows: npt.NDArray[np.float32]) -> None:
        """Measure means and spreads on rows of features [rows, inputs]."""
        super().__init__()
        self.inner = inner
        spread = rows.std(axis=0, dtype=np.float64)
        spread = np.where(spread > 0, np.maximum(spread, LEAST_SPREAD), 1.0)
        mean = rows.mean(axis=0, dtype=np.float64)
        self.register_buffer("mean", torch.from_numpy(mean.astype(np.float32)))
        self.register_buffer("spread", torch.from_numpy(spread.astype(np.float32)))

    def forward(self, features: Tensor) -> dict[str, Tensor]:
        """Compute the outputs of every head [rows, outputs], by name."""
        outputs: dict[str, Tensor] = self.inner((features - self.mean) / self.spread)
        return outputs

    def layers(self) -> Layers:
        """Return the layers that compute the same of features as they come."""
        (weight, bias), *rest = self.inner.layers()
        mean, spread = (part.numpy().astype(np.float64) for part in (self.mean, self.spread))
        scaled = weight.astype(np.float64) / spread[:, np.newaxis]
        return [(scaled.astype(np.float32), (bias - mean @ scaled).astype(np.float32)), *rest]
