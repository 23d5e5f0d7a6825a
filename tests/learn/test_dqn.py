"""DQN and its additions: targets and losses by hand, a tiny game, and exact resuming."""

import math
from pathlib import Path
from typing import Any

import pytest

from tests.learn.learning import BEST, FORK, assert_resumes_exactly, scores_of_greedy, train

pytestmark = pytest.mark.train

SMALL = {"hidden": (16,), "scale": 4.0, "learning_rate": 0.01, "gamma": 1.0, "capacity": 2000}
ALL = {"double": True, "dueling": True, "noisy": True, "prioritised": True, "n_step": 3}


def make(**changed: Any) -> Any:
    from kibitz.learn.dqn import Dqn, DqnConfig

    small = {**SMALL, "games": 8, "warmup": 200, "target_every": 50, "epsilon_steps": 20}
    return Dqn(FORK, DqnConfig(**{**small, **changed}), 1)


def batch(torch: Any, **changed: Any) -> Any:
    """Make two decisions: rewards 1 and 2, of which the second ends the game."""
    from kibitz.learn.dqn import Batch

    facts = {"chosen": torch.tensor([0, 1]), "rewards": torch.tensor([1.0, 2.0])}
    facts |= {"discounts": torch.tensor([0.5, 0.0]), "weights": torch.tensor([1.0, 0.5])}
    return Batch(**facts | changed)


def test_targets_and_double_targets(torch: Any) -> None:
    from kibitz.learn.dqn import targets

    following = torch.tensor([[4.0, 6.0], [7.0, 9.0]])  # of the target network
    deciding = torch.tensor([[3.0, 2.0], [0.0, 1.0]])  # of the one that learns
    # plain: 1 + max(4, 6) / 2; double: 1 + 4 / 2, as the learning one prefers column 0
    assert targets(batch(torch), following, following).tolist() == [4, 2]
    assert targets(batch(torch), following, deciding).tolist() == [3, 2]


def test_the_loss_is_square_near_zero_linear_far_away_and_weighted(torch: Any) -> None:
    from kibitz.learn.dqn import td_loss

    q = torch.tensor([[3.5, 0.0], [0.0, 5.0]], requires_grad=True)
    loss, errors = td_loss(q, batch(torch), torch.tensor([4.0, 2.0]))
    # errors 1/2 and -3: (1/2)^2 / 2 = 1/8 with weight 1, 3 - 1/2 = 5/2 with weight 1/2
    assert errors.tolist() == [0.5, -3]
    assert loss.item() == pytest.approx((1 / 8 + 5 / 4) / 2)
    loss.backward()
    assert q.grad.tolist() == [[-0.25, 0], [0, 0.25]]  # -1/2 and (clipped to 1) 1/2, over two


def test_epsilon_greedy_is_a_policy_over_legal_columns(torch: Any) -> None:
    from kibitz.learn.dqn import epsilon_greedy, moved
    from kibitz.learn.reading import NEVER

    q, mask = torch.tensor([[1.0, 3.0, NEVER]]), torch.tensor([[True, True, False]])
    chances = torch.softmax(epsilon_greedy(q, mask, 0.2), dim=1)[0]
    assert chances.tolist() == pytest.approx([0.1, 0.9, 0])
    greedy = torch.softmax(epsilon_greedy(q, mask, 0.0), dim=1)[0]
    assert greedy.tolist() == [0, 1, 0]
    assert [moved(1.0, 0.1, k / 2) for k in range(4)] == pytest.approx([1, 0.55, 0.1, 0.1])


def test_dueling_candidates_are_the_value_and_what_exceeds_the_mean(torch: Any) -> None:
    from kibitz.learn.reading import NEVER, Seen

    learner = make(inputs="candidates", dueling=True)
    network, reader = learner.network, learner.reader
    features, n_row = torch.zeros(2, 9), reader.encoding.candidate_size
    mask = torch.tensor([[True, True], [True, False]])
    owners, columns = torch.tensor([0, 0, 1]), torch.tensor([0, 1, 0])
    seen = Seen(features, mask, torch.eye(3, n_row), owners, columns)
    v = network.value(features)["value"][:, 0].tolist()
    a = network.advantage(torch.cat([torch.zeros(3, 9), seen.rows], dim=1))["q"][:, 0].tolist()
    found = learner.values(network, seen)
    mean = (a[0] + a[1]) / 2
    assert found[0].tolist() == pytest.approx([v[0] + a[0] - mean, v[0] + a[1] - mean], abs=1e-6)
    assert found[1].tolist() == pytest.approx([v[1], NEVER], abs=1e-6)


@pytest.mark.parametrize("inputs", ["view", "candidates"])
@pytest.mark.parametrize("more", [{}, ALL], ids=["dqn", "d3qn"])
def test_it_learns_to_play_fork_perfectly(
    torch: Any, more: dict[str, Any], inputs: str, tmp_path: Path
) -> None:
    learner = train(make(inputs=inputs, **more), 50)
    assert scores_of_greedy(tmp_path / "model", learner) == BEST


@pytest.mark.parametrize("name", ["double", "dueling", "noisy", "prioritised"])
def test_each_addition_alone_learns_it_too(torch: Any, name: str, tmp_path: Path) -> None:
    learner = train(make(**{name: True}), 50)
    assert scores_of_greedy(tmp_path / "model", learner) == BEST


def test_values_of_rounds_are_a_head_q_in_points(torch: Any) -> None:
    draft = make(by_turns=False).drafts()["model"]
    assert (draft.heads, draft.value, draft.scale) == ({"q": 3}, "score", 4)
    assert make().drafts()["model"].heads == {"policy": 3}


@pytest.mark.parametrize("more", [{}, ALL], ids=["dqn", "d3qn"])
def test_it_resumes_exactly(torch: Any, more: dict[str, Any]) -> None:
    assert_resumes_exactly(lambda: make(warmup=64, target_every=3, **more))


def test_it_explores_by_epsilon_or_by_noise(torch: Any) -> None:
    plain, noisy = make(warmup=32), make(warmup=32, noisy=True)
    assert plain.epsilon == noisy.epsilon == 1
    train(plain, 2)
    train(noisy, 2)
    assert plain.epsilon == pytest.approx(1 - 0.9 * 2 / 20)
    assert noisy.epsilon == 0


def test_importance_weights_reach_one_step_by_step(torch: Any) -> None:
    from kibitz.learn.dqn import moved

    assert moved(0.4, 1.0, 0.5) == pytest.approx(0.7)
    assert math.isclose(moved(0.4, 1.0, 3.0), 1.0)
