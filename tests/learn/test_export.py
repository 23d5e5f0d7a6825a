"""A torch module, its twin in a kernel and its ONNX file compute the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError
from kibitz.search.models import load_model, save_model
from tests.search.networks import make_card, save

torch = pytest.importorskip("torch", reason="needs torch: pip install 'kibitz[train]'")
pytest.importorskip("onnxscript", reason="needs onnxscript: pip install 'kibitz[train]'")

pytestmark = pytest.mark.train

CONNECT4 = kibitz.load_game("connect4")


def network(hidden: list[int], outputs: list[int], body: Any = None) -> Any:
    """Make a module with hidden layers and heads."""

    class Network(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            parts: list[Any] = []
            for n, m in zip([126, *hidden], hidden, strict=False):
                parts += [torch.nn.Linear(n, m), torch.nn.ReLU()]
            self.body = torch.nn.Sequential(*parts) if body is None else body
            width = hidden[-1] if hidden else 126
            self.heads = torch.nn.ModuleList(torch.nn.Linear(width, n) for n in outputs)

        def forward(self, features: Any) -> Any:
            seen = self.body(features)
            return tuple(head(seen) for head in self.heads)

    torch.manual_seed(1)
    return Network()


def some_rows() -> Any:
    draw = np.random.default_rng(1)
    return (draw.random((50, 126)) < 0.3).astype(np.float32)


@pytest.mark.parametrize(
    ("hidden", "heads"),
    [
        ([], {"policy": 7}),
        ([16], {"policy": 7, "value": 1}),
        ([64, 64], {"policy": 7, "value": 2, "q": 7}),
        ([300, 9, 40], {"q": 7}),
    ],
)
def test_three_ways_to_run_a_network_agree(
    hidden: list[int], heads: dict[str, int], tmp_path: Path
) -> None:
    from kibitz.learn.export import layers_of, to_onnx

    module = network(hidden, list(heads.values()))
    save(tmp_path / "mlp", CONNECT4, layers_of(module), heads=heads, value="win")
    card = make_card(CONNECT4, kind="onnx", heads=heads, value="win")
    save_model(tmp_path / "onnx", card, to_onnx(module, 126, list(heads)))
    with torch.no_grad():
        expected = dict(zip(heads, module(torch.from_numpy(some_rows())), strict=True))
    for kind in ("mlp", "onnx"):
        found = load_model(f"{tmp_path}/{kind}", CONNECT4).evaluate(some_rows())
        for name in heads:
            np.testing.assert_allclose(found[name], expected[name].numpy(), rtol=0, atol=1e-4)


def test_a_network_that_no_kernel_runs_is_run_by_onnxruntime(tmp_path: Path) -> None:
    from kibitz.learn.export import layers_of, to_onnx

    body = torch.nn.Sequential(
        torch.nn.Unflatten(1, (3, 6, 7)),
        torch.nn.Conv2d(3, 4, 3, padding=1),
        torch.nn.BatchNorm2d(4),
        torch.nn.GELU(),
        torch.nn.Flatten(),
        torch.nn.Linear(168, 32),
        torch.nn.LayerNorm(32),
        torch.nn.Tanh(),
    )
    module = network([32], [7, 1], body)
    heads = {"policy": 7, "value": 1}
    with pytest.raises(AgentError, match="use to_onnx"):
        layers_of(module)
    card = make_card(CONNECT4, kind="onnx", heads=heads, value="win")
    save_model(tmp_path / "onnx", card, to_onnx(module, 126, list(heads)))
    assert module.training
    with torch.no_grad():
        policy, value = module.eval()(torch.from_numpy(some_rows()))
    found = load_model(f"{tmp_path}/onnx", CONNECT4).evaluate(some_rows())
    np.testing.assert_allclose(found["policy"], policy.numpy(), rtol=0, atol=1e-4)
    np.testing.assert_allclose(found["value"], value.numpy(), rtol=0, atol=1e-4)


def test_modules_that_are_no_mlp_are_refused() -> None:
    from kibitz.learn.export import layers_of

    with pytest.raises(AgentError, match="one linear module before each rectifier"):
        layers_of(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(2, 2)))
    with pytest.raises(AgentError, match="is a Tanh"):
        layers_of(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()))
    twisted = network([126, 126], [7])
    twisted.body = torch.nn.Sequential(*reversed(twisted.body))
    with pytest.raises(AgentError, match="one linear module before each rectifier"):
        layers_of(twisted)


def test_a_module_that_computes_something_else_than_its_parts_is_refused() -> None:
    from kibitz.learn.export import layers_of

    module = network([16], [7, 1])
    module.heads = torch.nn.ModuleList(reversed(module.heads))
    assert len(layers_of(module)) == 2
    module.heads[0].register_forward_hook(lambda _, __, made: made + 1)
    with pytest.raises(AgentError, match="computes something else than its layers"):
        layers_of(module)
