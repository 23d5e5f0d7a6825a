"""Matrix games: against linear programming."""

import numpy as np
import pytest

from kibitz.core.kernels import COMPILED
from kibitz.search.matrix import Floats, matrix_game
from tests.reference.open_endings import linear_program

SHAPES = [(1, 1), (1, 9), (7, 1), (2, 2), (2, 8), (9, 2), (3, 3), (4, 6), (6, 6), (10, 10)]


def random_matrices(n: int, m: int, count: int) -> list[Floats]:
    """Draw matrices of many kinds: with many ties, of low rank, with repeated rows, any."""
    rng = np.random.default_rng(100 * n + m)
    found: list[Floats] = []
    for k in range(count):
        thin = rng.integers(-2, 3, (n, 1)) @ rng.integers(-2, 3, (1, m))
        kinds = (
            rng.integers(-1, 2, (n, m)),
            rng.integers(-40, 41, (n, m)),
            thin + rng.integers(0, 2, (n, m)),
            rng.integers(-9, 10, (n, m))[rng.integers(0, n, n)] / 3,
            rng.normal(size=(n, m)) * 20,
        )
        found.append(kinds[k % len(kinds)].astype(np.float64))
    return found


@pytest.mark.parametrize(("n", "m"), SHAPES)
def test_matrix_games_have_the_value_that_linear_programming_finds(n: int, m: int) -> None:
    for payoff in random_matrices(n, m, 60 if COMPILED else 10):
        value, rows, columns = matrix_game(payoff)
        assert value == pytest.approx(linear_program(payoff), abs=1e-8)
        assert rows.sum() == pytest.approx(1)
        assert columns.sum() == pytest.approx(1)
        assert min(rows.min(), columns.min()) >= 0
        assert (rows @ payoff).min() == pytest.approx(value, abs=1e-10)
        assert (payoff @ columns).max() == pytest.approx(value, abs=1e-10)


@pytest.mark.skipif(not COMPILED, reason="takes long as plain Python")
@pytest.mark.parametrize("noise", [1e-6, 1e-9, 1e-11, 1e-13, 1e-15])
def test_payoffs_that_are_almost_equal_do_not_spoil_the_strategies(noise: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(2000):
        payoff = rng.integers(0, 2, (5, 5)) + noise * rng.normal(size=(5, 5))
        _, rows, columns = matrix_game(payoff)
        assert (payoff @ columns).max() - (rows @ payoff).min() < 1e-7


def test_rock_paper_scissors_is_played_equally() -> None:
    value, rows, columns = matrix_game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert value == pytest.approx(0)
    assert rows == pytest.approx([1 / 3] * 3)
    assert columns == pytest.approx([1 / 3] * 3)


def test_a_matrix_that_does_not_fit_is_refused() -> None:
    for payoff in (np.zeros((11, 2)), np.zeros((0, 2)), np.zeros(3)):
        with pytest.raises(ValueError, match="at most 10 x 10"):
            matrix_game(payoff)
    with pytest.raises(ValueError, match="finite"):
        matrix_game([[1, np.nan]])
