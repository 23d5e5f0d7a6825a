"""Deep Monte Carlo: goals by hand, a tiny game with and without a critic, exact resuming."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz.core.errors import SpecError
from tests.learn.learning import BEST, FORK, assert_resumes_exactly, scores_of_greedy, train

pytestmark = pytest.mark.train

SMALL = {"hidden": (32,), "critic_hidden": (16,), "scale": 8.0, "games": 128, "batch": 64}
FORKED = {"critic": "view", "chain": "seat", "learning_rate": 0.02, "critic_rate": 0.02}


def make(**changed: Any) -> Any:
    from kibitz.learn.dmc import Dmc, DmcConfig

    return Dmc(
        FORK,
        DmcConfig(
            **{
                **SMALL,
                **FORKED,
                "epsilon": 0.15,
                "epochs": 4,
                "rate_steps": 60,
                "last_rate": 0.05,
                **changed,
            }
        ),
        1,
    )


@pytest.mark.parametrize("inputs", ["view", "candidates"])
@pytest.mark.parametrize("lam", [1.0, 0.5])
def test_it_learns_to_play_fork_perfectly(
    torch: Any, inputs: str, lam: float, tmp_path: Path
) -> None:
    learner = train(make(inputs=inputs, lam=lam), 60)
    assert scores_of_greedy(tmp_path / "model", learner) == BEST


@pytest.mark.parametrize("inputs", ["view", "candidates"])
def test_what_was_chosen_is_one_of_all_candidates(torch: Any, inputs: str) -> None:
    learner = make(inputs=inputs)
    (part,) = learner.play()
    rows = np.arange(len(part))
    scores, _ = learner.scores_of(part, rows)
    places = torch.from_numpy(part.first[:-1] + part.chosen)
    chosen = learner.chosen_scores(part, rows)
    assert torch.allclose(chosen, scores[places] - torch.from_numpy(part.shifts)[places], atol=1e-5)


def test_it_plays_the_best_but_for_a_share_of_random_actions(torch: Any) -> None:
    (part,) = make(epsilon=0.0).play()
    assert not part.forced.any()
    (part,) = make(epsilon=1.0).play()
    assert part.forced.all()


def test_it_resumes_exactly(torch: Any) -> None:
    assert_resumes_exactly(lambda: make(lam=0.8, workers=2))


def test_bad_parameters_are_refused(torch: Any) -> None:
    with pytest.raises(SpecError, match="expected 0 to 1"):
        make(epsilon=2.0)
