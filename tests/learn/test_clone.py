"""Cloning: its loss by hand, a teacher who is learnt, records, winners alone; exact resuming."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import SpecError, TrainingError
from tests.learn.learning import FORK, assert_resumes_exactly, train

pytestmark = pytest.mark.train

SMALL = {"hidden": (16,), "critic_hidden": (16,), "games": 16, "batch": 64, "test_games": 8}
FORKED = {"critic": "view", "chain": "seat", "learning_rate": 0.02}


def make(game: Any = FORK, **changed: Any) -> Any:
    from kibitz.learn.clone import Clone, CloneConfig

    return Clone(game, CloneConfig(**{**SMALL, **FORKED, **changed}), 1)


def write_records(path: Path, spec: str, n: int) -> str:
    """Let the first legal action be played; write the games down."""
    game = kibitz.load_game(spec)
    lines = []
    for seed in range(n):
        table = game.deal(seed)
        while not table.is_over:
            seat = table.movers[0]
            table.play(seat, table.legal(seat)[0])
        lines.append(table.record().to_line())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_the_loss_by_hand(torch: Any) -> None:
    from kibitz.learn.clone import cross_entropy

    scores = torch.tensor([math.log(3), 0.0, 0.0, math.log(3)], requires_grad=True)
    owners, chosen = torch.tensor([0, 0, 1, 1]), torch.tensor([0, 2])
    total, right = cross_entropy(scores, owners, chosen, torch.tensor([1.0, 0.5]))
    assert total.item() == pytest.approx(-math.log(3 / 4) - math.log(1 / 4) / 2)
    assert right.item() == 1  # the second would rather have chosen otherwise
    total.backward()
    assert scores.grad.tolist() == pytest.approx([-1 / 4, 1 / 4, -3 / 8, 3 / 8])


def test_losers_count_less_and_ties_in_full(torch: Any) -> None:
    from kibitz.learn.clone import weights_of

    class Played:
        games, seats = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
        scores = np.array([[2.0, -2.0], [1.0, 1.0]])

    played: Any = Played()
    assert weights_of(played, 0.25).tolist() == [1, 0.25, 1, 1]


def test_a_bot_is_learnt_and_its_accuracy_is_of_other_games(torch: Any) -> None:
    game = kibitz.load_game("connect4")
    learner = make(game, encoding="own", teacher="centre", noise=0.5, learning_rate=0.005)
    first = learner.step()
    last = train(learner, 12).step()
    assert first["held_out/accuracy"] < 0.6
    assert last["held_out/accuracy"] > 0.9
    assert last["held_out/loss"] < first["held_out/loss"] / 2


def test_records_are_learnt_all_once_before_one_is_learnt_again(torch: Any, tmp_path: Path) -> None:
    path = write_records(tmp_path / "games.jsonl", "tichu", 6)
    game = kibitz.load_game("tichu")
    few = {"games": 3, "encoding": "candidates", "chain": "side", "critic": "oracle"}
    learner = make(game, records=(path,), held_out=0.4, **few)
    read: list[int] = []
    show = learner._shown.read

    def note(number: int) -> Any:
        read.append(number)
        return show(number)

    learner._shown.read = note
    metrics = [learner.step() for _ in range(2)]
    held_out, learnt = [4, 5], [read[2:5], read[7:10]]
    assert read[:2] == read[5:7] == held_out
    assert sorted(learnt[0] + learnt[1][:1]) == [0, 1, 2, 3]
    assert metrics[1]["held_out/loss"] < metrics[0]["held_out/loss"]


def test_records_of_nothing_that_fits_are_refused(torch: Any, tmp_path: Path) -> None:
    path = write_records(tmp_path / "games.jsonl", "connect4", 3)
    learner = make(kibitz.load_game("tichu"), records=(path,), chain="side", games=2)
    with pytest.raises(SpecError, match="none of 1 records is a finished game of tichu"):
        learner.step()
    (tmp_path / "bad.jsonl").write_text('{"no": 1}\n{}\n')
    broken = make(records=(str(tmp_path / "bad.jsonl"),))
    with pytest.raises(TrainingError, match="cannot learn from"):
        broken.step()
    for wrong, told in (
        ({"records": ("nowhere.jsonl",)}, "cannot be read"),
        ({"records": (path,), "teacher": "random"}, "not both"),
        ({}, "name a teacher"),
        ({"teacher": "random", "losers": 2.0}, "losers=2.0: expected 0 to 1"),
    ):
        with pytest.raises((SpecError, TrainingError), match=told):
            make(**wrong)


def test_it_resumes_exactly(torch: Any) -> None:
    assert_resumes_exactly(lambda: make(teacher="random", losers=0.0, workers=2))
