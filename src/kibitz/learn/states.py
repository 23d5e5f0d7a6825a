"""What torch and NumPy keep, as plain data: modules, optimisers and random generators.

`Algorithm.state` returns numbers and arrays only, so that nothing in a checkpoint has to be
unpickled. Restoring copies into what is there already: shapes and names must be the same.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from kibitz.core.errors import SpecError, clip, plain

Tree = dict[str, Any]
"""Names with arrays, numbers or such dictionaries; see `learn.algorithm.State`."""


def module_state(module: nn.Module) -> Tree:
    """Return the parameters and buffers of a module as arrays, by name."""
    return {name: _array(tensor) for name, tensor in module.state_dict().items()}


def restore_module(module: nn.Module, state: Mapping[str, Any]) -> None:
    """Give a module the parameters and buffers that another one like it had.

    Raises:
        SpecError: they are of another module; nothing was changed.
    """
    own = module.state_dict()
    if sorted(own) != sorted(state):
        raise SpecError(f"the checkpoint is of another network: it has {_names(state)}")
    for name, tensor in own.items():
        if np.shape(state[name]) != tuple(tensor.shape):
            raise SpecError(
                f"the checkpoint is of another network: {name} is {list(np.shape(state[name]))}, "
                f"here it is {list(tensor.shape)}"
            )
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(torch.from_numpy(np.array(state[name])))


def optimiser_state(optimiser: Any) -> Tree:
    """Return what an optimiser remembers of each parameter, and its learning rates."""
    found = optimiser.state_dict()
    slots = {str(k): {n: _leaf(v) for n, v in slot.items()} for k, slot in found["state"].items()}
    rates = {str(k): float(group["lr"]) for k, group in enumerate(found["param_groups"])}
    return {"slots": slots, "rates": rates}


def restore_optimiser(optimiser: Any, state: Mapping[str, Any]) -> None:
    """Let an optimiser go on from what another one like it remembered."""
    found = optimiser.state_dict()
    groups = found["param_groups"]
    n = sum(len(group["params"]) for group in groups)
    try:
        slots = {int(k): {m: _tensor(v) for m, v in s.items()} for k, s in state["slots"].items()}
        rates = [float(state["rates"][str(k)]) for k in range(len(groups))]
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise SpecError(f"the checkpoint holds no optimiser: {plain(repr(error))}") from None
    if slots and not set(slots) <= set(range(n)):
        raise SpecError(f"the checkpoint is of an optimiser of other than {n} parameters")
    for group, rate in zip(groups, rates, strict=True):
        group["lr"] = rate
    optimiser.load_state_dict({"state": slots, "param_groups": groups})


def generator_state(generator: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return where a `torch.Generator` is in its stream."""
    state: np.ndarray[Any, np.dtype[np.uint8]] = generator.get_state().numpy().copy()
    return state


def restore_generator(generator: Any, state: Any) -> None:
    """Put a `torch.Generator` where another one was in its stream."""
    try:
        generator.set_state(torch.from_numpy(np.array(state, np.uint8)))
    except (RuntimeError, ValueError, TypeError) as error:
        raise SpecError(
            f"the checkpoint holds no state of a generator: {plain(str(error))}"
        ) from None


def numpy_state(generator: np.random.Generator) -> Tree:
    """Return where a generator of NumPy (PCG64, as `default_rng` makes them) is in its stream."""
    state: Any = generator.bit_generator.state
    words = {name: str(number) for name, number in state["state"].items()}  # they have 128 bits
    return {
        "kind": state["bit_generator"],
        **words,
        "half": state["uinteger"] if state["has_uint32"] else -1,
    }


def restore_numpy(generator: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Put a generator of NumPy where another one was in its stream."""
    try:
        half = int(state["half"])
        words = {name: int(state[name]) % 2**128 for name in ("state", "inc")}
        generator.bit_generator.state = {
            "bit_generator": state["kind"],
            "state": words,
            "has_uint32": int(half >= 0),
            "uinteger": max(half, 0) % 2**32,
        }
    except (KeyError, TypeError, ValueError) as error:
        raise SpecError(
            f"the checkpoint holds no state of a generator: {plain(str(error))}"
        ) from None


def _array(tensor: Any) -> np.ndarray[Any, Any]:
    array: np.ndarray[Any, Any] = tensor.detach().cpu().numpy().copy()
    return array


def _leaf(value: Any) -> Any:
    """Return a tensor as an array; numbers stay what they are."""
    return _array(value) if torch.is_tensor(value) else value


def _tensor(value: Any) -> Any:
    return torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value


def _names(state: Mapping[str, Any]) -> str:
    return clip(", ".join(map(str, state)), 200)
