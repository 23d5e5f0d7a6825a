"""AlphaZero: its loss by hand, a tiny game, mirror images, and exact resuming."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from tests.learn.learning import BEST, FORK, assert_resumes_exactly, scores_of_greedy, train

pytestmark = pytest.mark.train

SMALL = {
    "filters": 0,
    "hidden": (16,),
    "games": 16,
    "lanes": 8,
    "sims": 16,
    "epochs": (4,),
    "rates": (0.02,),
    "falls": (),
    "capacity": 10_000,
    "gate": 0.0,
}

BOARD = {"filters": 4, "blocks": 1, "encoding": "own"}


def make(**changed: Any) -> Any:
    from kibitz.learn.alphazero import AlphaZero, AlphaZeroConfig

    score = {"value": "score", "scale": 26.0}
    return AlphaZero(FORK, AlphaZeroConfig(**{**SMALL, **score, **changed}), 1)


def make_connect4(**changed: Any) -> Any:
    from kibitz.learn.alphazero import AlphaZero, AlphaZeroConfig

    game = kibitz.load_game("connect4")
    return AlphaZero(game, AlphaZeroConfig(**{**SMALL, **BOARD, "sims": 8, **changed}), 1)


def test_the_loss_and_its_gradient(torch: Any) -> None:
    from kibitz.learn.alphazero import losses
    from kibitz.learn.reading import NEVER

    # The policy is 3/4 and 1/4, the third action is illegal; the search found 1/2 and 1/2.
    logits = torch.tensor([[math.log(3), 0, NEVER]], requires_grad=True)
    value = torch.tensor([0.25], requires_grad=True)
    loss = losses(logits, torch.tensor([[0.5, 0.5, 0.0]]), value, torch.tensor([1.0]))
    assert loss.policy.item() == pytest.approx(-(math.log(3 / 4) + math.log(1 / 4)) / 2)
    assert loss.value.item() == pytest.approx(0.75**2)
    (loss.policy + loss.value).backward()
    assert logits.grad[0].tolist() == pytest.approx([1 / 4, -1 / 4, 0])  # p - pi
    assert value.grad.tolist() == pytest.approx([-1.5])


@pytest.mark.parametrize(("rule", "sims"), [("puct", 32), ("gumbel", 32)])
def test_it_learns_to_play_fork_perfectly(torch: Any, rule: str, sims: int, tmp_path: Path) -> None:
    # The encoding does not show the road, so only searches that reach its end tell ways apart.
    learner = train(make(rule=rule, sims=sims), 15)
    assert scores_of_greedy(tmp_path / "model", learner) == BEST


def test_it_resumes_exactly(torch: Any) -> None:
    quick = {"rule": "gumbel", "full": 0.5, "quick_sims": 4, "random": 2, "value_mix": 0.5}
    assert_resumes_exactly(lambda: make_connect4(**quick, games=4, lanes=4))


def test_it_plays_at_low_temperatures(torch: Any) -> None:
    assert make_connect4(rule="puct", temperature=0.001, games=2, lanes=2).step()["loss/policy"] > 0


def test_a_network_that_does_not_pass_the_gate_does_not_play(torch: Any) -> None:
    learner = make_connect4(gate=1.0, gate_deals=2, games=2, lanes=2)
    before = {name: part.clone() for name, part in learner.champion.state_dict().items()}
    train(learner, 2)
    assert all(torch.equal(part, before[n]) for n, part in learner.champion.state_dict().items())
    assert learner.first_new == 0  # what was played goes on to count as new


def test_mirror_images_are_answered_as_one(torch: Any) -> None:
    from kibitz.learn.searching import Answers, symmetries_of

    learner = make_connect4()
    mirrors = symmetries_of(learner.game, learner.encoding)
    answers = Answers(learner.network, learner.heads, mirrors)
    table = learner.game.deal(1)
    table.play(0, 3)
    row = learner.encoding.observe(np.array([table.view(1)]), np.array([1]))
    image = row[:, mirrors[0][0]]
    found = answers.run(np.concatenate([row, image]))
    assert answers.n_computed == 1
    assert found["policy"][0].tolist() == found["policy"][1][::-1].tolist()
    alone = Answers(learner.network, learner.heads, []).run(image)  # as the network itself sees it
    assert found["policy"][1] == pytest.approx(alone["policy"][0], abs=1e-4)


def test_answers_are_forgotten_only_when_they_are_not_needed(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kibitz.learn import searching

    monkeypatch.setattr(searching, "MOST_REMEMBERED", 3)
    learner = make_connect4()
    answers = searching.Answers(learner.network, learner.heads, [])
    rows = np.eye(learner.encoding.size, dtype=np.float32)
    first = answers.run(rows[:2])["policy"]
    again = answers.run(rows[:5])["policy"]  # more than there is room for
    assert again[:2].tolist() == first.tolist()
    assert answers.n_computed == 5


def test_openings_are_of_all_lengths(torch: Any) -> None:
    from kibitz.learn.alphazero import _openings

    counts = np.bincount(_openings(np.arange(3000), 2), minlength=3)
    assert counts.sum() == 3000
    assert counts.min() > 900


def test_noise_keeps_priors_probabilities(torch: Any) -> None:
    learner = make_connect4(rule="puct", noise=1.0, alpha=0.3)
    metrics = learner.step()
    assert 0 < metrics["loss/policy"] < 3
    assert np.allclose(learner.replay.take(np.arange(5), "pi")["pi"].sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"full": 0.0}, "full=0"),
        ({"epochs": (0,)}, "epochs"),
        ({"epochs": (), "rates": ()}, "rates and epochs"),
        ({"random": -1}, "random=-1"),
        ({"gate": 0.5, "gate_game": "openin=4"}, "opening"),
    ],
)
def test_configs_that_make_no_sense_are_refused(
    torch: Any, changed: dict[str, Any], error: str
) -> None:
    with pytest.raises(kibitz.SpecError, match=error):
        make_connect4(**changed)


def test_only_open_games_of_two_are_learnt(torch: Any) -> None:
    from kibitz.learn.alphazero import AlphaZero, AlphaZeroConfig

    with pytest.raises(kibitz.SpecError, match="two seats in which nothing is hidden"):
        AlphaZero(kibitz.load_game("nimmt"), AlphaZeroConfig(), 1)
    with pytest.raises(kibitz.SpecError, match="planes"):
        AlphaZero(FORK, AlphaZeroConfig(), 1)
