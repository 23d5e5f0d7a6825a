"""ONNX files: what is run, what is refused, and that nothing else can happen."""

import numpy as np
import pytest

from kibitz import AgentError
from kibitz.search import onnx
from kibitz.search.onnx import CHUNK, OPERATORS, Session, check_onnx
from tests.search.networks import outputs_by_numpy, random_layers
from tests.search.onnx_files import field, graph, mlp_file, mlp_parts, model, node, tensor, value

LAYERS = random_layers(6, 5, 3)
NODES, TENSORS, DOORS = mlp_parts(LAYERS, "policy")
HEADS = {"policy": 3}
GOOD = mlp_file(LAYERS)
ZEROS = np.zeros((2, 2), np.float32)


def with_node(more: bytes) -> bytes:
    return model(graph([*NODES, more], TENSORS, DOORS))


def with_tensor(more: bytes) -> bytes:
    return model(graph(NODES, [*TENSORS, more], DOORS))


def attribute(number: int, content: int | bytes) -> bytes:
    """Write a node with an attribute that has this field."""
    return node("Relu", ["policy"], ["x"], field(5, field(1, "a") + field(number, content)))


def test_a_file_computes_what_its_layers_do() -> None:
    rows = np.random.default_rng(1).normal(size=(CHUNK + 5, 6)).astype(np.float32)
    found = Session(GOOD, 6, HEADS, "it").run(rows)
    assert list(found) == ["policy"]
    np.testing.assert_allclose(found["policy"], outputs_by_numpy(LAYERS, rows), atol=1e-5)


def test_rows_do_not_depend_on_their_batch() -> None:
    rows = np.random.default_rng(1).normal(size=(40, 6)).astype(np.float32)
    session = Session(GOOD, 6, HEADS, "it")
    one_by_one = [session.run(row.reshape(1, 6))["policy"][0] for row in rows]
    np.testing.assert_allclose(session.run(rows)["policy"], one_by_one, rtol=1e-6, atol=1e-6)
    assert session.run(rows[:0])["policy"].shape == (0, 3)


BAD: list[tuple[str, bytes, str]] = [
    ("nothing", b"", "imports 0 sets of operators"),
    ("text", b"not a network", "wire type"),
    ("no graph", field(8, field(2, 17)), "model has no graph"),
    ("cut", GOOD[:-1], "ends too early"),
    ("long number", b"\x08" + b"\xff" * 10 + b"\x01", "more than 64 bits"),
    ("idle bytes", b"\x88\x00\x08", "idle bytes"),
    ("group", GOOD + b"\x0b\x0c", "wire type 3"),
    ("two graphs", GOOD + field(7, graph(NODES, TENSORS, DOORS)), "the field graph twice"),
    ("functions", GOOD + field(25, b""), "field 25"),
    ("training", GOOD + field(20, b""), "field 20"),
    ("metadata", GOOD + field(14, b""), "field 14"),
    ("two opsets", GOOD + field(8, field(1, "x")), "imports 2 sets"),
    ("late opset", model(graph(NODES, TENSORS, DOORS), opset=99), "version 99 of the operators"),
    ("other operator", with_node(node("Loop", ["policy"], ["x"])), "'Loop' is not on the list"),
    ("no operator", with_node(field(1, "policy")), "a node has no op_type"),
    ("two operators", with_node(node("Relu", [], []) + field(4, "If")), "op_type twice"),
    ("no text", with_node(node("Relu", ["policy"], [], field(3, b"\xff"))), "name is not text"),
    ("other domain", with_node(node("Relu", [], [], field(7, "com.microsoft"))), "com.microsoft"),
    ("subgraph", with_node(attribute(6, graph(NODES, [], DOORS))), "field 6"),
    ("subgraphs", with_node(attribute(11, b"")), "field 11"),
    ("reference", with_node(attribute(21, b"x")), "field 21"),
    ("sparse", with_node(attribute(22, b"")), "field 22"),
    ("sparse tensor", model(graph(NODES, TENSORS, DOORS, field(15, b""))), "field 15"),
    ("external", with_tensor(tensor("x", ZEROS, field(13, b""))), "field 13"),
    ("outside", with_tensor(tensor("x", ZEROS, field(14, 1))), "lies outside the file"),
    ("segment", with_tensor(tensor("x", ZEROS, field(3, b""))), "field 3"),
    ("strings", with_tensor(field(2, 8) + field(6, b"x")), "field 6"),
    ("other numbers", with_tensor(field(1, 1) + field(2, 10) + field(9, b"xx")), "type 10"),
    ("short tensor", with_tensor(field(1, 9) + field(2, 1) + field(9, b"1234")), "9 numbers holds"),
    ("huge tensor", with_tensor(field(1, 10**12) + field(2, 1)), "too large"),
    ("negative", with_tensor(field(1, 2**64 - 1) + field(2, 1)), "too large"),
    ("many axes", with_tensor(field(1, 1) * 9 + field(2, 1) + field(9, b"1234")), "too large"),
    ("two contents", with_tensor(tensor("x", ZEROS, field(4, b"1234"))), "in one way"),
    ("not finite", with_tensor(tensor("x", ZEROS + np.float32(np.inf))), "finite"),
    ("no door", model(graph(NODES, TENSORS, [value("other", 6), DOORS[1]])), "inputs are 'other'"),
    ("one more", model(graph(NODES, TENSORS, [*DOORS, value("x", 1)])), "outputs are 'policy, x'"),
    (
        "other size",
        model(graph(NODES, TENSORS, [value("features", 7), DOORS[1]])),
        r"any, 7\], exp",
    ),
    ("not float", model(graph(NODES, TENSORS, [value("features", 6, 7), DOORS[1]])), "not float32"),
    ("many nodes", model(graph([NODES[0]] * 2001, TENSORS, DOORS)), "more than 2000 nodes"),
    ("two texts", GOOD + field(6, "") * 2, "doc_string twice"),
]


@pytest.mark.parametrize(("data", "message"), [bad[1:] for bad in BAD], ids=[b[0] for b in BAD])
def test_a_file_that_holds_anything_else_is_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(AgentError, match=message) as told:
        Session(data, 6, HEADS, "it")
    assert str(told.value).startswith("it ")
    assert "\n" not in str(told.value)


def test_no_operator_runs_a_graph_or_draws_at_random() -> None:
    refused = "If Loop Scan SequenceMap RandomNormal Multinomial Expand Tile ConstantOfShape Range"
    assert not OPERATORS & set(refused.split())


def test_fields_are_counted() -> None:
    many = b"".join(field(13, b"") for _ in range(onnx.MAX_FIELDS))
    with pytest.raises(AgentError, match="more than 100000 fields"):
        check_onnx(model(graph(NODES, TENSORS, DOORS, many)), 6, HEADS, "it")


def test_what_looks_right_and_is_not_is_one_sentence() -> None:
    nowhere = model(graph([node("Relu", ["nowhere"], ["policy"])], [], DOORS))
    with pytest.raises(AgentError, match="it cannot be loaded: "):
        Session(nowhere, 6, HEADS, "it")
    wider = model(graph([node("Relu", ["features"], ["policy"])], [], DOORS))
    with pytest.raises(AgentError, match=r"it (cannot be loaded|gives float32 \(1, 6\))"):
        Session(wider, 6, HEADS, "it")
    log = model(graph([NODES[0], node("Log", ["features"], ["policy"])], TENSORS, DOORS))
    with pytest.raises(AgentError, match="it "):
        Session(log, 6, HEADS, "it")


@pytest.mark.parametrize("first", ["features", "w0"])
def test_memory_is_bounded(first: str) -> None:
    """Forty nodes that each double what there is ask for terabytes."""
    axis = field(5, field(1, "axis") + field(3, 1) + field(20, 2))
    names = [first, *(f"double{k}" for k in range(40))]
    nodes = [
        node("Concat", [one, one], [other], axis)
        for one, other in zip(names, names[1:], strict=False)
    ]
    nodes += [node("ReduceMax", [names[-1]], ["most"]), node("Add", ["wrong", "most"], ["policy"])]
    nodes += [node("MatMul", ["features", "w"], ["wrong"])]
    tensors = [*TENSORS, tensor("w", np.zeros((6, 3), np.float32))]
    with pytest.raises(AgentError, match=r"it cannot be (run|loaded)"):
        Session(model(graph([nodes[-1], *nodes[:-1]], tensors, DOORS)), 6, HEADS, "it")


def test_spoilt_files_end_in_a_sentence_or_in_numbers(capfd: pytest.CaptureFixture[str]) -> None:
    draw = np.random.default_rng(7)
    n_refused = 0
    for _ in range(1500):
        data = bytearray(GOOD)
        for _ in range(draw.integers(1, 4)):
            data[draw.integers(len(data))] = draw.integers(256)
        cut = int(draw.integers(len(data))) if draw.random() < 0.2 else len(data)
        try:
            session = Session(bytes(data[:cut]), 6, HEADS, "it")
        except AgentError:
            n_refused += 1
        else:
            assert session.run(np.ones((2, 6), np.float32))["policy"].shape == (2, 3)
    assert 300 < n_refused < 1500
    assert capfd.readouterr() == ("", "")  # what runs them says nothing either
