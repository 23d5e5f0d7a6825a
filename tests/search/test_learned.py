"""Playout policies that learn: every move has a place of its own."""

import numpy as np
import pytest

from kibitz.search.learned import SIZE, _code, _page, _raise_all, mast


@pytest.mark.parametrize(
    ("seats", "depths", "actions"),
    [
        pytest.param(2, 10, 104, id="6 nimmt! of two"),
        pytest.param(5, 10, 104, id="of five"),
        pytest.param(10, 1, 104, id="of ten, without depth"),
        pytest.param(2, 21, 7, id="Connect 4"),
    ],
)
def test_no_two_moves_share_a_code(seats: int, depths: int, actions: int) -> None:
    policy = mast(3.5, depths > 1, actions)
    codes = []
    for depth in range(depths):
        for seat in range(seats):
            policy.depths[seat] = depth
            page = np.uint64(_page(policy, seat))
            codes += [int(_code(page, action)) for action in range(actions)]
    assert len(set(codes)) == len(codes)
    assert 0 <= min(codes) <= max(codes) < SIZE


def test_large_actions_have_a_code_too() -> None:
    policy = mast(3.5, True, 10)
    page = np.uint64(_page(policy, 1))
    codes = {int(_code(page, SIZE + action)) for action in range(100)}
    assert len(codes) > 95
    assert max(codes) < SIZE


def test_powers_are_raised_to_thirteen_digits() -> None:
    powers = np.concatenate([np.linspace(-30, 30, 301), [-700.0, 0.0, 1e-9, 650.0]])
    policy = mast(3.5, True, 10)
    policy["powers"][: len(powers)] = powers
    _raise_all(policy, len(powers))
    assert policy["powers"][: len(powers)] == pytest.approx(np.exp(powers), rel=1e-13)


def test_powers_beyond_any_number_stay_finite_and_above_zero() -> None:
    policy = mast(3.5, True, 10)
    policy["powers"][:2] = -1e6, 1e6
    _raise_all(policy, 2)
    low, high = policy["powers"][:2].tolist()
    assert 0 < low < 1e-300
    assert 1e300 < high < np.inf
