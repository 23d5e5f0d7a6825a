"""ACER: its gradients and targets by hand, a tiny game, and exact resuming."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.learn.learning import BEST, FORK, assert_resumes_exactly, scores_of_greedy, train

pytestmark = pytest.mark.train

SMALL = {"hidden": (16,), "scale": 4.0, "learning_rate": 0.01, "capacity": 2000}


def make(**changed: Any) -> Any:
    from kibitz.learn.acer import Acer, AcerConfig

    small = {**SMALL, "games": 8, "warmup": 32, "batch": 32}
    return Acer(FORK, AcerConfig(**{**small, **changed}), 1)


def told(torch: Any) -> Any:
    """Describe two decisions of one sequence; the third column is illegal.

    f = (3/4, 1/4) and Q = (4, 8) in both, so V = 5. mu = (3/8, 5/8) in the first decision and
    (3/4, 1/4) in the second: rho is (2, 2/5) and (1, 1). f_a = (1/2, 1/2) and (3/4, 1/4).
    """
    from kibitz.learn.acer import Told
    from kibitz.learn.reading import NEVER

    return Told(
        torch.tensor([[math.log(3), 0, NEVER]] * 2, requires_grad=True),
        torch.tensor([[4.0, 8.0, NEVER]] * 2, requires_grad=True),
        torch.tensor([[1 / 2, 1 / 2, 0], [3 / 4, 1 / 4, 0]]),
        torch.tensor([[3 / 8, 5 / 8, 0], [3 / 4, 1 / 4, 0]]),
    )


def gradient(torch: Any, delta: float) -> Any:
    """Compute the gradient: column 0 was chosen, then column 1; rewards 1 and 10, c = 1."""
    from kibitz.learn.acer import acer_gradient

    # Not an AcerConfig, which refuses regions below 0.
    config: Any = SimpleNamespace(truncation=1.0, trust_region=delta, gamma=0.5)
    with torch.no_grad():
        rewards, is_last = np.array([1.0, 10.0]), np.array([False, True])
        return acer_gradient(told(torch), torch.tensor([0, 1]), rewards, is_last, config)


def test_targets_and_gradient_without_a_trust_region(torch: Any) -> None:
    found = gradient(torch, 1e9)
    # (5): Q^ret = 10 in the end; before it 1 + (1 (10 - 8) + 5) / 2 = 4.5
    assert found.q_target.tolist() == pytest.approx([4.5, 10])
    assert found.ratio.tolist() == pytest.approx([2, 1])
    # (9), first decision: rho is cut to 1, so 1 (4.5 - 5) (1 - 3/4, -1/4) = (-1/8, 1/8).
    # Correction: rho(0) = 2 gives [1 - 1/2] 3/4 (4 - 5) = -3/8, times (1/4, -1/4): (-3/32, 3/32).
    # Second: 1 (10 - 5) (-3/4, 3/4), and no correction.
    assert found.z[0].tolist() == pytest.approx([-7 / 32, 7 / 32, 0])
    assert found.z[1].tolist() == pytest.approx([-15 / 4, 15 / 4, 0])
    assert found.held_back.tolist() == [False, False]


def test_the_trust_region_cuts_what_leads_away_from_the_average_policy(torch: Any) -> None:
    # First decision: k = f - f_a = (1/4, -1/4), so k g = -7/64: it leads back, but not by 1/8
    # more, which is what delta = -15/64 asks for. |k|^2 = 1/8: z = g - (8/64) / (1/8) k = g - k.
    found = gradient(torch, -15 / 64)
    assert found.z[0].tolist() == pytest.approx([-7 / 32 - 1 / 4, 7 / 32 + 1 / 4, 0])
    assert found.held_back[0].item() is True
    assert gradient(torch, -7 / 64 + 1e-3).held_back[0].item() is False


def test_the_losses_have_these_gradients(torch: Any) -> None:
    from kibitz.learn.acer import losses

    said, found = told(torch), gradient(torch, 1e9)
    loss = losses(said, found, torch.tensor([0, 1]))
    (loss.policy + loss.q).backward()
    # both are means over two decisions; (6): Q goes towards Q^ret, 4 to 4.5 and 8 to 10
    assert said.logits.grad[0].tolist() == pytest.approx([7 / 64, -7 / 64, 0])
    assert said.q.grad.tolist() == [pytest.approx([-0.25, 0, 0]), pytest.approx([0, -1, 0])]
    assert loss.q.item() == pytest.approx((0.5**2 + 2**2) / 2 / 2)
    assert loss.entropy.item() == pytest.approx(-3 / 4 * math.log(3 / 4) - 1 / 4 * math.log(1 / 4))


@pytest.mark.parametrize("inputs", ["view", "candidates"])
def test_it_learns_to_play_fork_perfectly(torch: Any, inputs: str, tmp_path: Path) -> None:
    learner = train(make(inputs=inputs), 60)
    assert scores_of_greedy(tmp_path / "model", learner) == BEST


def test_on_policy_ratios_are_one_and_the_average_follows(torch: Any) -> None:
    learner = make(replay_ratio=0.0, average=0.5)
    before = [p.detach().clone() for p in learner.average.parameters()]
    metrics = learner.step()
    assert metrics["ratio"] == pytest.approx(1, abs=1e-5)
    pairs = zip(before, learner.network.parameters(), learner.average.parameters(), strict=True)
    for old, fast, slow in pairs:
        assert torch.allclose(slow, (old + fast) / 2)


def test_it_resumes_exactly(torch: Any) -> None:
    assert_resumes_exactly(make)
