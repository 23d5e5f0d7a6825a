"""Networks in ONNX files: looked at field by field, then run by onnxruntime in one thread.

An ONNX file is a program. This module takes it for one of a small language: a flat list of nodes
with operators that are known to compute and nothing else (`OPERATORS`), tensors that lie in the
file itself, one input and one output per head. So it reads the file (a protocol buffer) before
onnxruntime does, and refuses every field that it does not know: subgraphs, functions, external
data, other domains, sparse tensors. The reader is strict where the format is lax, because what two
readers could take for two things is refused: fields given twice, numbers with idle bytes.

What a network may use of memory while it runs is bounded, too, since a few nodes can ask for a
terabyte.
"""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.errors import AgentError, clip, plain
from kibitz.search.mlp import MAX_WEIGHTS, Floats

INPUT = "features"
"""The name of the one input: float32 [rows, features]. Outputs have the names of heads."""

_NAMES = (
    "Abs Add BatchNormalization Clip Concat Constant Conv Div Elu Erf Exp Flatten Gather Gelu "
    "Gemm GlobalAveragePool Identity LayerNormalization LeakyRelu Log LogSoftmax MatMul Max Min "
    "Mul Neg Pow ReduceMax ReduceMean ReduceSum Relu Reshape Sigmoid Slice Softmax Softplus "
    "Split Sqrt Squeeze Sub Tanh Transpose Unsqueeze"
)

OPERATORS = frozenset(_NAMES.split())
"""What a node may do: arithmetic, and putting numbers in another order."""

MAX_FILE = 4 * MAX_WEIGHTS + 1_000_000
"""Largest file, in bytes."""

MAX_FIELDS = 100_000
"""Most fields of a file."""

MAX_NODES = 2000
MAX_DIMENSIONS = 8

MAX_MEMORY = 1 << 30
"""What all networks of a process may use together while they run, in bytes."""

CHUNK = 1024
"""Rows that are computed at a time."""

_FLOAT, _INT64 = 1, 7  # TensorProto.DataType
_ITEM_BYTES = {_FLOAT: 4, _INT64: 8}
_OPSETS = range(7, 27)
_DOMAINS = ("", "ai.onnx")

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5  # wire types; 3 and 4, groups, are refused

Fields = dict[str, list[Any]]


class _Field(NamedTuple):
    """A field that is known: its name, how it may be written, and what it holds."""

    name: str
    wires: tuple[int, ...]
    is_many: bool = False
    message: "dict[int, _Field] | None" = None
    is_text: bool = False


def _text(name: str, is_many: bool = False) -> _Field:
    return _Field(name, (_BYTES,), is_many, is_text=True)


def _bytes(name: str) -> _Field:
    return _Field(name, (_BYTES,))


def _number(name: str, is_many: bool = False) -> _Field:
    return _Field(name, (_VARINT, _BYTES) if is_many else (_VARINT,), is_many)


def _inside(name: str, message: dict[int, _Field], is_many: bool = False) -> _Field:
    return _Field(name, (_BYTES,), is_many, message)


_NOTE = {1: _text("key"), 2: _text("value")}
_TENSOR = {
    1: _number("dims", True),
    2: _number("data_type"),
    4: _bytes("float_data"),  # packed
    7: _bytes("int64_data"),  # packed
    8: _text("name"),
    9: _bytes("raw_data"),
    12: _text("doc_string"),
    14: _number("data_location"),
    16: _inside("notes", _NOTE, True),
}
_ATTRIBUTE = {
    1: _text("name"),
    2: _Field("f", (_FOUR,)),
    3: _number("i"),
    4: _bytes("s"),
    5: _inside("t", _TENSOR),
    7: _Field("floats", (_FOUR, _BYTES), True),
    8: _number("ints", True),
    13: _text("doc_string"),
    20: _number("type"),
}
_NODE = {
    1: _text("input", True),
    2: _text("output", True),
    3: _text("name"),
    4: _text("op_type"),
    5: _inside("attribute", _ATTRIBUTE, True),
    6: _text("doc_string"),
    7: _text("domain"),
    9: _inside("notes", _NOTE, True),
}
_DIMENSION = {1: _number("size"), 2: _text("symbol")}
_SHAPE = {1: _inside("dim", _DIMENSION, True)}
_TENSOR_TYPE = {1: _number("elem_type"), 2: _inside("shape", _SHAPE)}
_VALUE = {
    1: _text("name"),
    2: _inside("type", {1: _inside("tensor_type", _TENSOR_TYPE)}),
    3: _text("doc_string"),
    4: _inside("notes", _NOTE, True),
}
_GRAPH = {
    1: _inside("node", _NODE, True),
    2: _text("name"),
    5: _inside("initializer", _TENSOR, True),
    10: _text("doc_string"),
    11: _inside("input", _VALUE, True),
    12: _inside("output", _VALUE, True),
    13: _inside("value_info", _VALUE, True),
    16: _inside("notes", _NOTE, True),
}
_MODEL = {
    1: _number("ir_version"),
    2: _text("producer_name"),
    3: _text("producer_version"),
    4: _text("domain"),
    5: _number("model_version"),
    6: _text("doc_string"),
    7: _inside("graph", _GRAPH),
    8: _inside("opset_import", {1: _text("domain"), 2: _number("version")}, True),
}


class _Bad(Exception):
    """What is wrong with a file."""


class _Reader:
    """Reads protocol buffers of known fields, and no more than so many of them."""

    def __init__(self) -> None:
        self.n_fields = 0

    def read(self, data: memoryview, known: dict[int, _Field], where: str) -> Fields:
        """Return the values of all fields by name, messages as such dictionaries."""
        found: Fields = {}
        for number, wire, value in self._split(data, where):
            field = known.get(number)
            if field is None or wire not in field.wires:
                what = "does not belong there" if field else "is not allowed"
                raise _Bad(f"{where} has the field {number} (wire type {wire}), which {what}")
            values = found.setdefault(field.name, [])
            if values and not field.is_many:
                raise _Bad(f"{where} has the field {field.name} twice")
            values.append(self._inside(value, field, f"{where}.{field.name}"))
        return found

    def _inside(self, value: Any, field: _Field, where: str) -> Any:
        """Return what a field holds."""
        if field.message is not None:
            return self.read(value, field.message, where)
        if not field.is_text:
            return value
        try:
            return str(value, "utf-8")
        except UnicodeDecodeError:
            raise _Bad(f"{where} is not text") from None

    def _split(self, data: memoryview, where: str) -> Iterator[tuple[int, int, Any]]:
        """Yield the number, the wire type and the value of each field."""
        at = 0
        while at < len(data):
            self.n_fields += 1
            if self.n_fields > MAX_FIELDS:
                raise _Bad(f"it has more than {MAX_FIELDS} fields")
            key, at = _read_varint(data, at, where)
            number, wire = key >> 3, key & 7
            if wire == _VARINT:
                value, at = _read_varint(data, at, where)
                yield number, wire, value
                continue
            length = {_EIGHT: 8, _FOUR: 4}.get(wire)
            if wire == _BYTES:
                length, at = _read_varint(data, at, where)
            if length is None:
                raise _Bad(f"{where} has the wire type {wire}, which is not allowed")
            if length > len(data) - at:
                raise _Bad(f"{where} ends too early")
            yield number, wire, data[at : at + length]
            at += length


def _read_varint(data: memoryview, at: int, where: str) -> tuple[int, int]:
    """Return a number of up to 64 bits, and where the next field begins."""
    value = 0
    for k in range(10):
        if at + k >= len(data):
            raise _Bad(f"{where} ends too early")
        byte = data[at + k]
        value |= (byte & 127) << (7 * k)
        if byte < 128:
            if (k and byte == 0) or value >= 1 << 64:
                raise _Bad(f"{where} has a number with idle bytes")
            return value, at + k + 1
    raise _Bad(f"{where} has a number of more than 64 bits")


def check_onnx(data: bytes, n_inputs: int | None, heads: dict[str, int], where: str) -> int:
    """Refuse a file that is not a network from so many features (None: any) to these heads.

    Returns:
        The number of features.

    Raises:
        AgentError: one sentence says what is wrong with it.
    """
    try:
        if len(data) > MAX_FILE:
            raise _Bad(f"it has more than {MAX_FILE} bytes")
        model = _Reader().read(memoryview(data), _MODEL, "model")
        _check_opsets(model)
        graph = _one(model, "graph", "model")
        _check_nodes(graph)
        (n_features,) = _check_doors(graph, "input", {INPUT: n_inputs})
        _check_doors(graph, "output", heads)
        tensors = [*graph.get("initializer", []), *_constants(graph)]
        if sum(map(_check_tensor, tensors)) > MAX_WEIGHTS:
            raise _Bad(f"it has more than {MAX_WEIGHTS} weights")
    except _Bad as error:
        raise AgentError(f"{where} is not a network that may be run: {error}") from None
    return n_features


def _one(fields: Fields, name: str, where: str) -> Any:
    """Return a field that must be there."""
    if name not in fields:
        raise _Bad(f"{where} has no {name}")
    return fields[name][0]


def _check_opsets(model: Fields) -> None:
    """Refuse other sets of operators than ONNX's own."""
    opsets = model.get("opset_import", [])
    if len(opsets) != 1:
        raise _Bad(f"it imports {len(opsets)} sets of operators instead of one")
    domain = opsets[0].get("domain", [""])[0]
    version = opsets[0].get("version", [0])[0]
    if domain not in _DOMAINS or version not in _OPSETS:
        raise _Bad(
            f"it needs version {version} of the operators {clip(domain)}, "
            f"known: {_OPSETS[0]} to {_OPSETS[-1]} of ONNX's own"
        )


def _check_nodes(graph: Fields) -> None:
    """Refuse nodes whose operators are not on the list."""
    nodes = graph.get("node", [])
    if len(nodes) > MAX_NODES:
        raise _Bad(f"it has more than {MAX_NODES} nodes")
    for node in nodes:
        operator, domain = _one(node, "op_type", "a node"), node.get("domain", [""])[0]
        if domain not in _DOMAINS:
            raise _Bad(f"a node is of the domain {clip(domain)}")
        if operator not in OPERATORS:
            raise _Bad(f"the operator {clip(operator)} is not on the list")


def _constants(graph: Fields) -> Iterator[Fields]:
    """Yield the tensors that nodes carry."""
    for node in graph.get("node", []):
        for attribute in node.get("attribute", []):
            yield from attribute.get("t", [])


def _check_tensor(tensor: Fields) -> int:
    """Return how many numbers a tensor has, if they are there, and finite."""
    if tensor.get("data_location", [0])[0] != 0:
        raise _Bad("a tensor lies outside the file")
    kind = tensor.get("data_type", [0])[0]
    if kind not in _ITEM_BYTES:
        raise _Bad(f"a tensor has numbers of type {kind}, known: float (1) and int64 (7)")
    sizes = _numbers(tensor.get("dims", []))
    if len(sizes) > MAX_DIMENSIONS or any(size > MAX_WEIGHTS for size in sizes):
        raise _Bad("a tensor is too large")
    held = [name for name in ("raw_data", "float_data", "int64_data") if name in tensor]
    n_items = math.prod(sizes)
    if not held and n_items == 0:
        return 0
    own = "float_data" if kind == _FLOAT else "int64_data"
    if len(held) != 1 or held[0] not in ("raw_data", own):
        raise _Bad("a tensor does not hold its numbers in one way")
    content = tensor[held[0]][0]
    is_packed = held[0] == "int64_data"
    n_bytes = 8 * len(_numbers([content])) if is_packed else len(content)
    if n_bytes != n_items * _ITEM_BYTES[kind]:
        raise _Bad(f"a tensor of {n_items} numbers holds {n_bytes} bytes")
    if kind == _FLOAT and not np.isfinite(np.frombuffer(content, "<f4")).all():
        raise _Bad("a tensor holds what is not a finite number")
    return n_items


def _numbers(values: list[Any]) -> list[int]:
    """Return whole numbers that are written one by one, or packed."""
    found: list[int] = []
    for value in values:
        if isinstance(value, int):
            found.append(value)
            continue
        if len(value) > 10 * MAX_FIELDS:
            raise _Bad("it has a list of too many numbers")
        at = 0
        while at < len(value):
            number, at = _read_varint(value, at, "a list of numbers")
            found.append(number)
    return found


def _check_doors(graph: Fields, door: str, expected: Mapping[str, int | None]) -> list[int]:
    """Return the sizes of all inputs or outputs, if they are what a card announces."""
    found = graph.get(door, [])
    names = [_one(value, "name", f"an {door}") for value in found]
    if names != list(expected):
        raise _Bad(f"its {door}s are {clip(', '.join(names))}, expected {', '.join(expected)}")
    return [
        _check_shape(f"the {door} {name}", value, expected[name])
        for name, value in zip(names, found, strict=True)
    ]


def _check_shape(where: str, value: Fields, size: int | None) -> int:
    """Return the size of float32 [rows, size], with any number of rows."""
    tensor = _one(_one(value, "type", where), "tensor_type", where)
    if tensor.get("elem_type", [0])[0] != _FLOAT:
        raise _Bad(f"{where} is not float32")
    sizes = [dim.get("size", [None])[0] for dim in _one(tensor, "shape", where).get("dim", [])]
    is_row = len(sizes) == 2 and sizes[0] is None and sizes[1] is not None
    if not is_row or sizes[1] > MAX_WEIGHTS or size not in (None, sizes[1]):
        shown = ", ".join("any" if one is None else str(one) for one in sizes[:MAX_DIMENSIONS])
        expected = "a number" if size is None else str(size)
        raise _Bad(f"{where} has the shape [{shown}], expected [any, {expected}]")
    return int(sizes[1])


class Session:
    """A network that onnxruntime runs; it may be used by several threads at once."""

    def __init__(
        self, data: bytes, n_inputs: int | None, heads: dict[str, int], where: str
    ) -> None:
        """Check a file as `check_onnx` does, load it and try it."""
        n_inputs = check_onnx(data, n_inputs, heads, where)
        self._heads, self._where = heads, where
        try:
            self._session = _open(data)
            self.run(np.zeros((1, n_inputs), np.float32))
        except AgentError:
            raise
        except Exception as error:  # onnxruntime has many kinds of its own
            raise AgentError(f"{where} cannot be loaded: {plain(str(error))}") from None

    def run(self, rows: Floats) -> dict[str, Floats]:
        """Return the outputs of every head: [rows, outputs]."""
        outputs = {
            name: np.empty((len(rows), size), np.float32) for name, size in self._heads.items()
        }
        for begin in range(0, len(rows), CHUNK):
            part = np.ascontiguousarray(rows[begin : begin + CHUNK])
            try:
                found = self._session.run(list(self._heads), {INPUT: part})
            except Exception as error:
                raise AgentError(f"{self._where} cannot be run: {plain(str(error))}") from None
            for (name, size), values in zip(self._heads.items(), found, strict=True):
                if values.shape != (len(part), size) or values.dtype != np.float32:
                    raise AgentError(
                        f"{self._where} gives {values.dtype} {values.shape} for {name}, "
                        f"expected float32 {(len(part), size)}"
                    )
                if not np.isfinite(values).all():
                    raise AgentError(f"{self._where} gives what is not a finite number for {name}")
                outputs[name][begin : begin + len(part)] = values
        return outputs


def _open(data: bytes) -> Any:
    """Let onnxruntime load a file that was checked: one thread, bounded memory, no messages."""
    import onnxruntime

    _bound_memory()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.use_env_allocators", "1")
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(
        data,
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["ConstantFolding"],  # it computes with memory of its own
        enable_fallback=0,  # which would tell on stdout that it tries again
    )


@cache
def _bound_memory() -> None:
    """Let all networks of this process share one pool of memory in onnxruntime."""
    import onnxruntime

    kind = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    memory = onnxruntime.OrtMemoryInfo("Cpu", kind, 0, onnxruntime.OrtMemType.DEFAULT)
    onnxruntime.create_and_register_allocator(
        memory, onnxruntime.OrtArenaCfg(MAX_MEMORY, -1, -1, -1)
    )
