"""Self-play of guided searches: losses by hand, exact resume, and what is learnt."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import SpecError
from tests.learn.learning import BEST, FORK, scores_of_greedy, train
from tests.search.networks import outputs_by_numpy

torch = pytest.importorskip("torch", reason="needs torch: pip install 'kibitz[train]'")

from kibitz.learn.alpha05 import Alpha05, Alpha05Config, losses  # noqa: E402 (needs torch)
from kibitz.learn.export import layers_of  # noqa: E402
from kibitz.learn.networks import Mlp  # noqa: E402
from kibitz.learn.standardising import Standardised  # noqa: E402

pytestmark = pytest.mark.train

GAME = kibitz.load_game("nimmt:players=4")
SMALL = Alpha05Config(agent="dirv:sims=5", encoding="paper", hidden=(8,), games=2, batch=16)


def make(seed: int = 1, **changed: Any) -> Alpha05:
    """Make a small run."""
    return Alpha05(GAME, replace(SMALL, **changed), seed)


def weights_of(run: Alpha05) -> list[Any]:
    return [part for layer in run.network.layers() for part in layer]


def test_losses_by_hand() -> None:
    # Softmax of (0, log 3) is (1/4, 3/4); of (0, 0) it is (1/2, 1/2).
    logits = torch.tensor([[0.0, np.log(3)], [0.0, 0.0]])
    move = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    predicted, returns = torch.tensor([1.0, -2.0]), torch.tensor([-1.0, -2.5])
    loss = losses(logits, move, predicted, returns)
    assert float(loss.policy) == pytest.approx((-np.log(0.75) - np.log(0.5)) / 2)
    assert float(loss.value) == pytest.approx((2**2 + 0.5**2) / 2)
    visits = torch.tensor([[0.25, 0.75], [0.5, 0.5]])
    mixed = losses(logits, visits, None, returns)
    expected = (-0.25 * np.log(0.25) - 0.75 * np.log(0.75) - np.log(0.5)) / 2
    assert float(mixed.policy) == pytest.approx(expected)
    assert float(mixed.value) == 0


@pytest.mark.parametrize("target", ["move", "visits"])
@pytest.mark.parametrize("inputs", ["view", "candidates"])
def test_the_policy_learns_what_was_played_or_tried(target: str, inputs: str) -> None:
    run = make(agent="alpha05:sims=5")
    kept = run.tables.play(run.choose, 1).kept
    other = make(agent="alpha05:sims=5", target=target, inputs=inputs)
    seen = other.reader.read(kept["views"], kept["seats"])
    columns, goal = other._goal(kept, seen)
    np.testing.assert_allclose(goal.sum(dim=1), 1, rtol=1e-5)
    assert not goal[~seen.mask].any()
    if target == "move":
        assert (goal.argmax(dim=1).numpy() == columns).all()
    else:  # five simulations went somewhere
        assert {round(5 * part, 4) for part in goal[goal > 0].tolist()} <= {1, 2, 3, 4, 5}


def test_returns_are_discounted_heads_of_the_rest_of_the_round() -> None:
    run = make()
    episodes = run.tables.play(run.choose, 1)
    first = np.flatnonzero(np.concatenate([[True], episodes.is_last[:-1]]))
    totals = np.add.reduceat(episodes.rewards, first)
    np.testing.assert_allclose(totals, episodes.scores[first])  # nothing has been taken before


@pytest.mark.parametrize("agent", ["alpha05", "policy-mcs", "dirv", "dirq", "separate"])
def test_a_run_that_stops_goes_on_with_the_same_weights(agent: str) -> None:
    spec = f"{agent}:sims=4"
    straight, before, after = (make(agent=spec) for _ in range(3))
    told = [straight.step() for _ in range(2)]
    before.step()
    after.restore(before.state())
    assert after.step() == told[1]
    for one, other in zip(weights_of(straight), weights_of(after), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("agent", ["alpha05", "policy-mcs", "dirv", "dirq", "separate"])
def test_a_tiny_game_is_played_perfectly(agent: str, tmp_path: Path) -> None:
    config = Alpha05Config(
        agent=f"{agent}:sims=12", hidden=(16,), games=8, batch=16, learning_rate=0.01
    )
    run = Alpha05(FORK, config, 1)
    assert scores_of_greedy(tmp_path / "before", run) != BEST
    train(run, 30)
    assert scores_of_greedy(tmp_path / "after", run) == BEST


def test_the_agent_plays_by_what_was_learnt_last() -> None:
    run = make(agent="alpha05:sims=4")
    run.step()
    learnt = run.network.layers()
    run.step()
    assert run.agent.weights[: len(learnt[0][1])].tolist() == learnt[0][1].tolist()


def test_heads_of_separate_networks_share_nothing() -> None:
    run = make(agent="separate:sims=4")
    loss = run.network(torch.ones(1, 47))["value"].sum()
    loss.backward()
    touched = {name for name, part in run.network.named_parameters() if part.grad is not None}
    assert touched
    assert not any("policy" in name for name in touched)


def test_standardised_features_fold_into_the_first_layer() -> None:
    rows = np.random.default_rng(1).normal(50, 30, (200, 6)).astype(np.float32)
    rows[:, 5] = 7  # never varies
    network = Standardised(Mlp(6, [9], {"policy": 4, "value": 1}), rows)
    mean, spread = network.mean.numpy(), network.spread.numpy()
    np.testing.assert_allclose(mean, rows.mean(axis=0), rtol=1e-4)
    np.testing.assert_allclose(spread[:5], rows[:, :5].std(axis=0), rtol=1e-4)
    assert spread[5] == 1
    made = torch.cat(list(network(torch.from_numpy(rows)).values()), dim=1).detach().numpy()
    np.testing.assert_allclose(outputs_by_numpy(layers_of(network), rows), made, atol=1e-4)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"agent": "mcs:sims=5"}, "agent='mcs:sims=5' is guided by no network"),
        ({"agent": "dirv:model=x"}, "the network is what learns, leave model= out"),
        ({"inputs": "candidates"}, "a network of candidates has no value, use view"),
        ({"gamma": 2.0}, "gamma=2.0: expected 0 to 1"),
        ({"batch": 0}, "batch=0: expected 1 to"),
        ({"opponents": ("random",)}, "the agent that learns has every seat"),
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, Any], error: str) -> None:
    with pytest.raises(SpecError, match=error):
        make(**changed)
