"""Networks: small torch modules that learn, each of which folds into the layers of an MLP.

A module made here maps rows of features [rows, inputs] to the outputs of its heads by name,
[rows, outputs] each. Whatever it is made of (bodies of their own for every head, the two streams of
a dueling network, layers with noise), without noise it computes what linear layers with rectifiers
between them compute: `layers` returns these, `learn.export.layers_of` checks them, and kernels run
them without torch.

Weights are drawn from the seed a module is given; torch's own stream is left alone.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

from kibitz.core.errors import SpecError, clip
from kibitz.search.mlp import MAX_LAYERS, MAX_WIDTH, Floats, Layers

Tensor = Any  # torch.Tensor: mypy knows no torch
Layer = tuple[Floats, Floats]

SIGMA = 0.5
"""Noise of a layer at first, times the root of its inputs (Fortunato et al. 2018, section 3.2)."""


class NoisyLinear(nn.Module):
    """A linear layer whose weights have noise that is learnt (Fortunato et al. 2018, eq. 10-11).

    The noise is that of the last `draw`; while the module evaluates, there is none.
    """

    def __init__(self, n_inputs: int, n_outputs: int, sigma: float = SIGMA) -> None:
        """Begin with uniform means, as in the paper, and without noise until the first draw."""
        super().__init__()
        bound = n_inputs**-0.5
        self.weight = nn.Parameter(torch.empty(n_outputs, n_inputs).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(n_outputs).uniform_(-bound, bound))
        self.weight_sigma = nn.Parameter(torch.full((n_outputs, n_inputs), sigma * bound))
        self.bias_sigma = nn.Parameter(torch.full((n_outputs,), sigma * bound))
        self.register_buffer("noise_in", torch.zeros(n_inputs))
        self.register_buffer("noise_out", torch.zeros(n_outputs))

    def draw(self, generator: Any) -> None:
        """Draw other noise, of one number per input and output, from a `torch.Generator`."""
        for noise in (self.noise_in, self.noise_out):
            drawn = torch.randn(len(noise), generator=generator)
            noise.copy_(drawn.sign() * drawn.abs().sqrt())

    def forward(self, features: Tensor) -> Tensor:
        """Compute the outputs [rows, outputs]."""
        if not self.training:
            return nn.functional.linear(features, self.weight, self.bias)
        weight = self.weight + self.weight_sigma * torch.outer(self.noise_out, self.noise_in)
        bias = self.bias + self.bias_sigma * self.noise_out
        return nn.functional.linear(features, weight, bias)


def draw_noise(module: nn.Module, generator: Any) -> None:
    """Draw other noise for every noisy layer of a module, in their order."""
    for part in module.modules():
        if isinstance(part, NoisyLinear):
            part.draw(generator)


class Mlp(nn.Module):
    """Linear layers with rectifiers between them, then one linear layer for each head."""

    def __init__(
        self,
        n_inputs: int,
        hidden: Sequence[int],
        heads: Mapping[str, int],
        *,
        separate: bool = False,
        noisy: bool = False,
        seed: int = 0,
    ) -> None:
        """Draw the first weights.

        Args:
            n_inputs: features of a row.
            hidden: outputs of every hidden layer; there may be none.
            heads: outputs of each head, in the order in which a card lists them.
            separate: every head has a body of its own, so that they share nothing.
            noisy: all layers but the first hidden one of the body have noise.
            seed: what the weights are drawn from.
        """
        super().__init__()
        sizes = check_sizes(n_inputs, hidden, heads)
        self.n_inputs, self.sizes, self.separate = n_inputs, dict(heads), separate
        with seeded(seed):
            bodies = [_body(sizes, noisy) for _ in (heads if separate else [None])]
            self.body = nn.ModuleDict(zip(heads, bodies, strict=True)) if separate else bodies[0]
            self.heads = nn.ModuleDict(
                {name: _linear(sizes[-1], n, noisy) for name, n in heads.items()}
            )

    def forward(self, features: Tensor) -> dict[str, Tensor]:
        """Compute the outputs of every head [rows, outputs], by name."""
        if self.separate:
            return {name: head(self.body[name](features)) for name, head in self.heads.items()}
        seen = self.body(features)
        return {name: head(seen) for name, head in self.heads.items()}

    def layers(self) -> Layers:
        """Return the layers that compute the same without noise; bodies lie side by side."""
        heads = [_layer(head) for head in self.heads.values()]
        if not self.separate:
            return [*_layers(self.body), _beside(heads)]
        bodies = [_layers(self.body[name]) for name in self.sizes]
        return _side_by_side([[*b, head] for b, head in zip(bodies, heads, strict=True)])


class DuelingMlp(nn.Module):
    """A network for action values with two streams: q = v + a - mean(a) (Wang et al. 2016, eq. 9).

    Its only output is the head `q`.
    """

    def __init__(
        self,
        n_inputs: int,
        hidden: Sequence[int],
        n_actions: int,
        *,
        stream: Sequence[int] = (),
        noisy: bool = False,
        seed: int = 0,
    ) -> None:
        """Draw the first weights.

        Args:
            n_inputs: features of a row.
            hidden: outputs of the hidden layers that both streams share.
            n_actions: outputs.
            stream: outputs of the hidden layers that each stream has for itself.
            noisy: all layers but the first hidden one of the body have noise.
            seed: what the weights are drawn from.
        """
        super().__init__()
        sizes = check_sizes(n_inputs, [*hidden, *stream], {"q": n_actions})
        shared, own = sizes[: len(hidden) + 1], sizes[len(hidden) :]
        self.n_inputs, self.sizes = n_inputs, {"q": n_actions}
        with seeded(seed):
            self.body = _body(shared, noisy)
            self.value = _stream(own, 1, noisy)
            self.advantage = _stream(own, n_actions, noisy)

    def forward(self, features: Tensor) -> dict[str, Tensor]:
        """Compute the value of every action [rows, actions], as `q`."""
        seen = self.body(features)
        advantage = self.advantage(seen)
        return {"q": self.value(seen) + advantage - advantage.mean(dim=1, keepdim=True)}

    def layers(self) -> Layers:
        """Return the layers that compute the same without noise: both streams in one."""
        joined = _side_by_side([_layers(self.value), _layers(self.advantage)])
        weight, bias = joined[-1]
        n = self.sizes["q"]
        fold = np.vstack([np.ones((1, n)), np.eye(n) - 1 / n])  # from (v, a) to q
        last = (weight @ fold).astype(np.float32), (bias @ fold).astype(np.float32)
        return [*_layers(self.body), *joined[:-1], last]


def check_sizes(n_inputs: int, hidden: Sequence[int], heads: Mapping[str, int]) -> list[int]:
    """Return the inputs and the outputs of the hidden layers, if there can be such a network."""
    if not heads or min(n_inputs, *hidden, *heads.values()) < 1:
        raise SpecError(
            f"a network has inputs, hidden layers and heads of one or more numbers each, "
            f"got {n_inputs}, {list(hidden)} and {dict(heads)}"
        )
    if max(hidden, default=0) > MAX_WIDTH or len(hidden) >= MAX_LAYERS:
        raise SpecError(
            f"a network has at most {MAX_LAYERS - 1} hidden layers of up to {MAX_WIDTH} outputs, "
            f"got {clip(list(hidden))}"
        )
    return [n_inputs, *hidden]


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Let modules draw their weights from a seed, and leave torch's own stream as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def _linear(n_inputs: int, n_outputs: int, noisy: bool) -> nn.Module:
    return NoisyLinear(n_inputs, n_outputs) if noisy else nn.Linear(n_inputs, n_outputs)


def _body(sizes: Sequence[int], noisy: bool) -> nn.Module:
    """Make hidden layers, each followed by a rectifier; the first has no noise."""
    parts: list[Any] = []
    for k, (n, m) in enumerate(pairwise(sizes)):
        parts += [_linear(n, m, noisy and k > 0), nn.ReLU()]
    return nn.Sequential(*parts)


def _stream(sizes: Sequence[int], n_outputs: int, noisy: bool) -> nn.Module:
    """Make the hidden layers of one stream and its outputs."""
    parts: list[Any] = []
    for n, m in pairwise(sizes):
        parts += [_linear(n, m, noisy), nn.ReLU()]
    return nn.Sequential(*parts, _linear(sizes[-1], n_outputs, noisy))


def _layer(part: nn.Module) -> Layer:
    """Return the weights [inputs, outputs] and biases of a linear module, without noise."""
    weight = part.weight.detach().cpu().numpy().T
    return np.ascontiguousarray(weight, np.float32), part.bias.detach().cpu().numpy().copy()


def _layers(parts: nn.Module) -> Layers:
    """Return the layers of modules that stand one after the other."""
    return [_layer(part) for part in parts if not isinstance(part, nn.ReLU)]


def _beside(layers: Sequence[Layer]) -> Layer:
    """Put layers that see the same inputs side by side."""
    weights, biases = zip(*layers, strict=True)
    return np.concatenate(weights, axis=1), np.concatenate(biases)


def _side_by_side(chains: Sequence[Layers]) -> Layers:
    """Put networks that see the same inputs, and have as many layers, side by side in one."""
    first, *later = zip(*chains, strict=True)
    return [_beside(first), *(_diagonal(layers) for layers in later)]


def _diagonal(layers: Sequence[Layer]) -> Layer:
    """Put layers side by side of which each sees inputs of its own; all other weights are zero."""
    rows, columns = (np.cumsum([0, *(w.shape[k] for w, _ in layers)]) for k in (0, 1))
    weight = np.zeros((rows[-1], columns[-1]), np.float32)
    for k, (w, _) in enumerate(layers):
        weight[rows[k] : rows[k + 1], columns[k] : columns[k + 1]] = w
    return weight, np.concatenate([b for _, b in layers])
