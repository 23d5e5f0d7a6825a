"""From torch to models: the layers of an MLP, or the bytes of an ONNX file.

`search.models.save_model` takes either. This is the only module outside trainers that imports
torch, and onnx with it; both are in the extra `train`.
"""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from kibitz.core.errors import AgentError
from kibitz.search.mlp import Layers
from kibitz.search.onnx import INPUT

_PLAIN = (nn.Identity, nn.Dropout, nn.Sequential, nn.ModuleList)

OPSET = 20
"""The version of ONNX's operators that files are written in."""


def layers_of(module: nn.Module) -> Layers:
    """Return the layers of a module that is linear ones with rectifiers between them.

    Modules that hold others (`nn.Sequential`, or one of your own whose parts stand in the order in
    which it uses them) are looked into. Several linear modules without a rectifier between them are
    heads: they see the same inputs, and their outputs lie side by side. A module that has a method
    `layers`, as those of `learn.networks` do, is believed instead. What comes out is tried.

    Raises:
        AgentError: there is another module in it, or it computes something else.
    """
    if hasattr(module, "layers"):
        layers: Layers = module.layers()
    else:
        layers = _found_layers(module)
    _try(module, layers)
    return layers


def _found_layers(module: nn.Module) -> Layers:
    """Return the linear modules in a module as layers, without a look at what it computes."""
    groups: list[list[nn.Linear]] = [[]]
    for name, part in module.named_modules():
        if isinstance(part, nn.Linear):
            groups[-1].append(part)
        elif isinstance(part, nn.ReLU):
            groups.append([])
        elif not isinstance(part, _PLAIN) and not list(part.children()):
            raise AgentError(
                f"{name or 'the module'} is a {type(part).__name__}, an mlp has linear ones and "
                "rectifiers: use to_onnx"
            )
    if not all(groups) or any(len(group) > 1 for group in groups[:-1]):
        raise AgentError(
            "an mlp is one linear module before each rectifier, and one or more at the end"
        )
    return [_join(group) for group in groups]


def _try(module: nn.Module, layers: Layers) -> None:
    """Refuse layers that compute something else than the module."""
    rows = torch.randn(8, len(layers[0][0]), generator=torch.Generator().manual_seed(0))
    with _evaluating(module):
        made = module(rows.to(next(module.parameters()).device))
    made = list(made.values()) if isinstance(made, dict) else made
    made = torch.cat(made, 1) if isinstance(made, tuple | list) else made
    values = rows.double().numpy()
    for k, (w, b) in enumerate(layers):
        values = (np.maximum(values, 0) if k else values) @ w + b
    found = made.cpu().numpy()
    if found.shape != values.shape or not np.allclose(found, values, rtol=1e-3, atol=1e-4):
        raise AgentError(
            "the module computes something else than its layers one after the other: use to_onnx"
        )


def _join(group: Sequence[nn.Linear]) -> tuple[Any, Any]:
    """Put linear modules that see the same inputs side by side."""
    if len({part.in_features for part in group}) != 1:
        raise AgentError("the heads of an mlp must have the same inputs: use to_onnx")
    weights = [part.weight.detach().cpu().numpy().T for part in group]
    biases = [
        np.zeros(part.out_features) if part.bias is None else part.bias.detach().cpu().numpy()
        for part in group
    ]
    return (
        np.ascontiguousarray(np.concatenate(weights, axis=1), np.float32),
        np.concatenate(biases).astype(np.float32),
    )


class _InOrder(nn.Module):
    """A module whose outputs are in the order of its heads, which it may have by name."""

    def __init__(self, module: nn.Module, heads: Sequence[str]) -> None:
        super().__init__()
        self.module, self.names = module, list(heads)
        self.eval()  # or torch would export it as it trains

    def forward(self, features: Any) -> Any:
        """Compute the outputs of all heads."""
        made = self.module(features)
        return tuple(made[name] for name in self.names) if isinstance(made, dict) else made


def to_onnx(module: nn.Module, n_inputs: int, heads: Sequence[str]) -> bytes:
    """Write a module as an ONNX file that `save_model` takes.

    Args:
        module: from rows of features, float32 [rows, n_inputs], to one tensor [rows, outputs] per
            head, in the order of `heads` or by name; it is exported as it evaluates, not as it
            trains.
        n_inputs: features of a row.
        heads: names of the outputs, as on the card.
    """
    with _quiet(), _evaluating(module):
        program = torch.onnx.export(
            _InOrder(module, heads),
            (torch.zeros(2, n_inputs),),
            input_names=[INPUT],
            output_names=list(heads),
            dynamic_shapes=({0: torch.export.Dim("rows")},),
            opset_version=OPSET,
            dynamo=True,
            verbose=False,
        )
    if program is None:
        raise AgentError("torch made no ONNX file of this module")
    file = program.model_proto
    for part in (file, file.graph, *file.graph.node, *file.graph.value_info):
        del part.metadata_props[:]  # where in the sources a node came from
        part.doc_string = ""
    written: bytes = file.SerializeToString()
    return written


@contextlib.contextmanager
def _evaluating(module: nn.Module) -> Iterator[None]:
    """Let a module compute as it does after training, without gradients."""
    was_training = module.training
    module.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        module.train(was_training)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter from talking about packages that are not there."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)
