"""Mistakes on solved positions of Connect 4."""

import os
from pathlib import Path

import numpy as np
import pytest

from kibitz import KibitzError
from kibitz.bench import mistakes
from kibitz.bench.measure import Missing


@pytest.fixture
def solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> mistakes.Solved:
    """Return three positions of our own: win or lose, only one column left, nothing to lose."""
    (tmp_path / "connect4").mkdir()
    lines = [
        "121212 18 -2 -2 -2 -2 -2 -2",  # the first column wins
        "1 -1000 -1000 -1000 -1000 -1000 -1000 0",
        "12121 -18 -1 -18 -18 -18 -18 -18",
    ]
    path = tmp_path / "connect4" / mistakes.SETS["End-Easy"]
    path.write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("KIBITZ_DATA", str(tmp_path))
    return mistakes.load("End-Easy")


def test_positions_without_a_choice_are_left_out(solved: mistakes.Solved) -> None:
    assert solved.moves == ["121212", "12121"]
    assert solved.first(1).moves == ["121212"]


def test_a_mistake_gives_away_the_result(solved: mistakes.Solved) -> None:
    assert solved.mistakes([1, 2]).tolist() == [False, False]
    assert solved.mistakes([2, 1]).tolist() == [True, False]  # lost anyway


def test_agents_play_solved_positions(solved: mistakes.Solved) -> None:
    wrong = mistakes.by_seed(solved, mistakes.player_of("winning-move"), range(2))
    assert wrong.shape == (2, 2)
    assert not wrong.any()


def test_missing_and_broken_files_are_told(solved: mistakes.Solved, tmp_path: Path) -> None:
    with pytest.raises(Missing, match="set KIBITZ_DATA"):
        mistakes.load("Middle-Easy")
    broken = tmp_path / "connect4" / mistakes.SETS["Middle-Easy"]
    broken.write_text("121 1 2 three 4 5 6 7\n")
    with pytest.raises(KibitzError, match="line 1: expected moves and 7 scores"):
        mistakes.load("Middle-Easy")


@pytest.mark.slow
@pytest.mark.skipif("KIBITZ_DATA" not in os.environ, reason="KIBITZ_DATA names no solved positions")
def test_uct_makes_no_more_mistakes_than_open_spiel() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'kibitz[bench]'")
    for name in mistakes.SETS:
        positions = mistakes.load(name)
        ours = mistakes.by_seed(positions, mistakes.player_of("uct:sims=1000"), range(10))
        theirs = mistakes.by_seed(positions, mistakes.open_spiel_player(1000), range(10))
        difference = ours.mean(axis=0) - theirs.mean(axis=0)
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        assert difference.mean() < 2 * error
