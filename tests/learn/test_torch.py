"""The torch that models are trained with: this version, one thread, the same numbers again."""

import math
from typing import Any

import pytest

pytestmark = pytest.mark.train


def test_torch_is_the_version_that_models_are_trained_with(torch: Any) -> None:
    assert torch.__version__.partition("+")[0] == "2.13.0"
    assert torch.get_num_threads() == 1


def test_a_gradient_is_what_a_hand_calculation_says(torch: Any) -> None:
    logits = torch.tensor([[math.log(3.0), 0.0]], requires_grad=True)  # softmax: 3/4, 1/4
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0]))
    loss.backward()
    assert loss.item() == pytest.approx(math.log(4 / 3), abs=1e-6)
    assert logits.grad[0].tolist() == pytest.approx([-0.25, 0.25], abs=1e-6)


def test_the_same_seed_trains_the_same_weights(torch: Any) -> None:
    def weights() -> list[float]:
        torch.manual_seed(7)
        layer = torch.nn.Linear(4, 1)
        optimiser = torch.optim.Adam(layer.parameters(), lr=0.01)
        for _ in range(20):
            optimiser.zero_grad()
            torch.square(layer(torch.randn(16, 4))).mean().backward()
            optimiser.step()
        found: list[float] = layer.weight[0].tolist()
        return found

    first = weights()
    assert first == weights()
    assert max(map(abs, first)) < 0.5  # it has learnt something: they begin within 0.5
