"""REINFORCE: its loss by hand, a tiny game, and exact resuming."""

import math
from pathlib import Path
from typing import Any

import pytest

from tests.learn.learning import BEST, FORK, assert_resumes_exactly, scores_of_greedy, train

pytestmark = pytest.mark.train

SMALL = {"hidden": (16,), "scale": 4.0, "learning_rate": 0.02}


def make(**changed: Any) -> Any:
    from kibitz.learn.reinforce import Reinforce, ReinforceConfig

    return Reinforce(FORK, ReinforceConfig(**{**SMALL, "games": 32, **changed}), 1)


def test_the_loss_and_its_gradient(torch: Any) -> None:
    from kibitz.learn.reading import NEVER
    from kibitz.learn.reinforce import losses

    # The policy is 3/4 and 1/4, the third column is illegal. First: column 0, G = 2, b = 1/2;
    # second: column 1, G = 0, b = 1. So the advantages are 3/2 and -1.
    logits = torch.tensor([[math.log(3), 0, NEVER]] * 2, requires_grad=True)
    values = torch.tensor([0.5, 1.0], requires_grad=True)
    loss = losses(logits, values, torch.tensor([0, 1]), torch.tensor([2.0, 0.0]))
    assert loss.policy.item() == pytest.approx((-1.5 * math.log(3 / 4) + math.log(1 / 4)) / 2)
    assert loss.value.item() == pytest.approx((1.5**2 + 1) / 2 / 2)
    assert loss.entropy.item() == pytest.approx(-3 / 4 * math.log(3 / 4) - 1 / 4 * math.log(1 / 4))
    # d(-A log pi(a)) = -A (1 at a - pi), over two decisions: -3/4 (1/4, -1/4), 1/2 (-3/4, 3/4)
    (loss.policy + loss.value).backward()
    assert logits.grad[0].tolist() == pytest.approx([-3 / 16, 3 / 16, 0])
    assert logits.grad[1].tolist() == pytest.approx([-3 / 8, 3 / 8, 0])
    # d (G - v)^2 / 2 = v - G, over two decisions; advantages push no baseline
    assert values.grad.tolist() == pytest.approx([-0.75, 0.5])


@pytest.mark.parametrize("inputs", ["view", "candidates"])
def test_it_learns_to_play_fork_perfectly(torch: Any, inputs: str, tmp_path: Path) -> None:
    learner = train(make(inputs=inputs), 40)
    assert scores_of_greedy(tmp_path / "model", learner) == BEST


def test_without_a_baseline_it_is_not_trained(torch: Any) -> None:
    plain = make(baseline=False)
    before = {name: p.detach().clone() for name, p in plain.value.named_parameters()}
    train(plain, 2)
    assert all(torch.equal(before[name], p) for name, p in plain.value.named_parameters())


def test_it_resumes_exactly(torch: Any) -> None:
    assert_resumes_exactly(make)


def test_opponents_take_turns_and_leave_one_seat(torch: Any) -> None:
    learner = make(opponents=("self", "random"), games=8)
    rows = learner.tables._lineup
    assert rows.tolist() == [[-1, -1], [-1, 0], [-1, -1], [0, -1]]
    metrics = learner.step()
    assert set(metrics) == {"score", "loss/policy", "loss/value", "loss/entropy"}


def test_bad_parameters_are_refused(torch: Any) -> None:
    from kibitz.core.errors import SpecError

    for wrong, told in (
        ({"encoding": "no"}, "unknown encoding"),
        ({"inputs": "no"}, "a view or candidates"),
        ({"opponents": ()}, "name somebody"),
        ({"games": 0}, "games=0: expected 1 to"),
        ({"scale": 0.0}, "scale=0.0: expected above 0"),
    ):
        with pytest.raises(SpecError, match=told):
            make(**wrong)
