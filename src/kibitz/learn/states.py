"""What torch and NumPy keep, as plain data: modules, optimisers and random generators.

`Algorithm.state` returns numbers and arrays only, so that nothing in a checkpoint has to be
unpickled. Restoring copies into what is there already: shapes and names must be the same.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from kibitz.core.errors import SpecError, clip
from kibitz.learn.checkpoint import in_words

ADAM = {"step", "exp_avg", "exp_avg_sq"}
"""What Adam remembers of each parameter."""

Tree = dict[str, Any]
"""Names with arrays, numbers or such dictionaries; see `learn.algorithm.State`."""


def module_state(module: nn.Module) -> Tree:
    """Return the parameters and buffers of a module as arrays, by name."""
    return {name: _array(tensor) for name, tensor in module.state_dict().items()}


def restore_module(module: nn.Module, state: Mapping[str, Any]) -> None:
    """Copy the parameters and buffers that another module like this one had into it.

    Raises:
        SpecError: they are of another module, or not finite; nothing was changed.
    """
    own = module.state_dict()
    if sorted(own) != sorted(state):
        raise SpecError(f"the checkpoint is of another network: it has {_names(state)}")
    given = {name: np.array(state[name]) for name in own}
    for name, tensor in own.items():
        here, there = _array(tensor), given[name]
        if there.shape != here.shape:
            raise SpecError(
                f"the checkpoint is of another network: {name} is {list(there.shape)}, "
                f"here it is {list(here.shape)}"
            )
        if there.dtype != here.dtype:
            raise SpecError(
                f"the checkpoint is of another network: {name} is of {there.dtype}, here it is of "
                f"{here.dtype}"
            )
        _check_finite(name, there)
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(torch.from_numpy(given[name]))


def optimiser_state(optimiser: Any) -> Tree:
    """Return what an optimiser remembers of each parameter, and its learning rates."""
    found = optimiser.state_dict()
    slots = {str(k): {n: _leaf(v) for n, v in slot.items()} for k, slot in found["state"].items()}
    rates = {str(k): float(group["lr"]) for k, group in enumerate(found["param_groups"])}
    return {"slots": slots, "rates": rates}


def restore_optimiser(optimiser: Any, state: Mapping[str, Any]) -> None:
    """Let an optimiser go on from what another one like it remembered.

    Raises:
        SpecError: it is of other parameters, or not finite; nothing was changed.
    """
    found = optimiser.state_dict()
    groups = found["param_groups"]
    shapes = [tuple(one.shape) for group in optimiser.param_groups for one in group["params"]]
    try:
        slots = {int(k): {m: _tensor(v) for m, v in s.items()} for k, s in state["slots"].items()}
        rates = [float(state["rates"][str(k)]) for k in range(len(groups))]
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise SpecError(f"the checkpoint holds no optimiser: {in_words(error)}") from None
    if not set(slots) <= set(range(len(shapes))):
        raise SpecError(f"the checkpoint is of an optimiser of other than {len(shapes)} parameters")
    for k, slot in slots.items():
        _check_slot(optimiser, k, slot, shapes[k])
    _check_finite("a rate of the optimiser", rates)
    for group, rate in zip(groups, rates, strict=True):
        group["lr"] = rate
    optimiser.load_state_dict({"state": slots, "param_groups": groups})


def _check_slot(optimiser: Any, k: int, slot: Mapping[str, Any], shape: tuple[int, ...]) -> None:
    """Refuse what an optimiser cannot have remembered of a parameter of a shape."""
    is_adam = isinstance(optimiser, torch.optim.Adam)
    if is_adam and not set(slot) >= ADAM:
        raise SpecError(
            f"the checkpoint is of another optimiser: it remembers {_names(slot)} of parameter {k}"
        )
    for name, value in slot.items():
        array, where = np.asarray(value), f"{clip(name)[1:-1]} of parameter {k}"
        expected = [()] if name == "step" else [shape] if is_adam else [(), shape]
        if array.shape not in expected or array.dtype.kind not in "fiu":
            raise SpecError(
                f"the checkpoint is of another optimiser: {where} is {list(array.shape)} of "
                f"{array.dtype}, the parameter is {list(shape)}"
            )
        _check_finite(where, array)
        if is_adam and name != "exp_avg" and (array < 0).any():
            raise SpecError(f"the checkpoint is broken: {where} is below zero")


def _check_finite(what: str, numbers: Any) -> None:
    if not np.isfinite(numbers).all():
        raise SpecError(f"the checkpoint is broken: {what} is not finite")


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
            f"the checkpoint holds no state of a generator: {in_words(error)}"
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
            f"the checkpoint holds no state of a generator: {in_words(error)}"
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
