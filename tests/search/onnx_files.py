"""ONNX files for tests, written byte by byte: no package that knows the format is needed."""

from typing import Any

import numpy as np

from kibitz.search.mlp import Layers


def varint(value: int) -> bytes:
    """Write a number that is not negative."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | str | bytes) -> bytes:
    """Write one field: a number as such, anything else with its length before it."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name: str, array: Any, more: bytes = b"") -> bytes:
    """Write a float32 or int64 tensor with its name."""
    kind = 1 if array.dtype == np.float32 else 7
    dims = b"".join(field(1, size) for size in array.shape)
    return dims + field(2, kind) + field(8, name) + field(9, array.tobytes()) + more


def node(operator: str, inputs: list[str], outputs: list[str], more: bytes = b"") -> bytes:
    """Write a node."""
    named = b"".join(field(1, one) for one in inputs) + b"".join(field(2, one) for one in outputs)
    return named + field(4, operator) + more


def value(name: str, size: int, kind: int = 1) -> bytes:
    """Write an input or output of shape [any, size]."""
    shape = field(1, field(2, "rows")) + field(1, field(1, size))
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def graph(nodes: list[bytes], tensors: list[bytes], doors: list[bytes], more: bytes = b"") -> bytes:
    """Write a graph; the first of the doors is its input, the others are outputs."""
    parts = [field(1, one) for one in nodes] + [field(5, one) for one in tensors]
    parts += [field(11, doors[0])] + [field(12, one) for one in doors[1:]]
    return field(2, "g") + b"".join(parts) + more


def model(inside: bytes, more: bytes = b"", opset: int = 17) -> bytes:
    """Write a whole file."""
    return field(1, 8) + field(7, inside) + field(8, field(1, "") + field(2, opset)) + more


def mlp_parts(layers: Layers, head: str) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Return nodes, tensors and doors of a network with one head."""
    nodes, tensors, last = [], [], "features"
    for k, (w, b) in enumerate(layers):
        tensors += [tensor(f"w{k}", w), tensor(f"b{k}", b)]
        made = head if k == len(layers) - 1 else f"sum{k}"
        nodes.append(node("Gemm", [last, f"w{k}", f"b{k}"], [made]))
        if made != head:
            nodes.append(node("Relu", [made], [f"hidden{k}"]))
            last = f"hidden{k}"
    sizes = len(layers[0][0]), len(layers[-1][1])
    return nodes, tensors, [value("features", sizes[0]), value(head, sizes[1])]


def mlp_file(layers: Layers, head: str = "policy") -> bytes:
    """Write a network with one head as an ONNX file."""
    return model(graph(*mlp_parts(layers, head)))
