"""Models that call: who goes out first, balanced draws, honest probabilities; the agent on top."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import SpecError
from tests.learn.learning import assert_resumes_exactly, save_draft, train

pytestmark = pytest.mark.train

TICHU = kibitz.load_game("tichu")


def make(**changed: Any) -> Any:
    from kibitz.learn.calling import Calling, CallingConfig

    return Calling(TICHU, CallingConfig(**{"games": 20, "batch": 16, **changed}), 1)


def test_who_is_out_first_is_read_from_the_log(torch: Any) -> None:
    from kibitz.learn.calling import write_first_out

    table = TICHU.deal(seed=5)
    kibitz.play_out(table, [kibitz.load_agent("convention", TICHU)] * 4)
    log = np.array(list(table.actions), np.int64)
    out, offsets = np.empty(1, np.int64), np.array([0, len(log)])
    write_first_out(log[:, 0].copy(), log[:, 1].copy(), offsets, np.zeros(4, np.int64), out)
    assert table.state.finished[out[0]] == 1


def test_a_balanced_draw_has_as_many_of_both(torch: Any) -> None:
    from kibitz.learn.calling import balanced, calibration_error

    is_first = np.arange(40) % 4 == 0
    rows = balanced(is_first, np.random.default_rng(1))
    assert len(set(rows.tolist())) == 20
    assert is_first[rows].sum() == 10
    said = np.array([0.95, 0.95, 0.05, 0.05], np.float32)
    assert calibration_error(said, said > 0.5) == pytest.approx(0.05)
    assert calibration_error(said, said < 0.5) == pytest.approx(0.95)


@pytest.mark.parametrize("question", ["grand", "tichu"])
def test_good_hands_are_told_from_bad_ones(torch: Any, question: str) -> None:
    learner: Any = train(make(question=question, games=100), 12)
    metrics = learner.step()
    assert metrics["first"] == pytest.approx(0.25, abs=0.05)
    assert metrics["separation"] > 0.01
    (weights, _), *_ = learner.drafts()["model"].network
    assert weights.shape == (17, 48)


def test_a_model_tells_probabilities_of_unbalanced_hands(torch: Any) -> None:
    learner: Any = train(make(games=100), 8)
    counts, _ = learner._play(7)
    layers = learner.drafts()["model"].network
    said = counts.astype(np.float64)
    for k, (w, b) in enumerate(layers):
        said = (np.maximum(said, 0) if k else said) @ w + b
    assert (1 / (1 + np.exp(-said))).mean() == pytest.approx(0.25, abs=0.06)


def test_odds_are_stretched_and_moved_to_what_came_true(torch: Any) -> None:
    from kibitz.learn.calling import recalibrate

    said = np.linspace(-2, 2, 41)
    chances = 1 / (1 + np.exp(-(1.5 * said - 0.7)))
    counts = 100_000 * np.stack([chances, 1 - chances], axis=1)
    assert recalibrate(said, counts, 0.3) == pytest.approx((1.5, -0.7), abs=0.01)
    assert recalibrate(said, 0 * counts, 0.3) == pytest.approx((1, 0.3))


def test_it_resumes_exactly(torch: Any) -> None:
    assert_resumes_exactly(lambda: make(rate_steps=6))


def test_a_caller_calls_from_its_cutoff_on(torch: Any, tmp_path: Path) -> None:
    learner = train(make(games=20), 2)
    save_draft(tmp_path / "calls", TICHU, learner.drafts()["model"])
    table = TICHU.deal(seed=3)

    def answer(cutoff: float) -> str:
        spec = f"caller:of=rule,grand={tmp_path / 'calls'},tichu=none,grand_cutoff={cutoff}"
        action = kibitz.load_agent(spec, TICHU).decide(table.view(0), 0).actions[0]
        return str(TICHU.text.format_action(table.state, 0, int(action)))

    assert [answer(0.0), answer(1.0)] == ["grand", "no grand"]
    for wrong, told in (
        ("grand_cutoff=2", "a cutoff is a probability"),
        ("of=caller", "not of itself"),
        ("grand=nothing", "unknown model"),
    ):
        with pytest.raises(SpecError, match=told):
            kibitz.load_agent(f"caller:{wrong}", TICHU)
