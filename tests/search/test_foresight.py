"""Some moves ahead by the rules: wins, losses, and what is left to a network."""

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import KibitzError
from kibitz.core.listing import list_legal
from kibitz.search.foresight import foresee
from kibitz.search.forest import Leaves

GAME = kibitz.load_game("connect4")


def corrected(moves: str, plies: int = 2) -> tuple[list[float], list[float]]:
    """Return priors and values of a position of which a network says nothing."""
    state = GAME.parse(moves)
    views = GAME.blank(1)
    views[0] = state
    seats = np.array([state.n_moves % 2])
    legal = list_legal(views, seats)
    zero = np.zeros(1, np.int64)
    priors, values = np.full(len(legal.actions), 1 / len(legal.actions)), np.full((1, 2), 0.5)
    foresee(GAME, Leaves(1, zero, zero, views, seats, legal), plies, priors, values)
    return priors.tolist(), values[0].tolist()


def test_who_can_win_at_once_has_won() -> None:
    assert corrected("112233") == ([0, 0, 0, 1, 0, 0, 0], [1, 0])
    assert corrected("7112233") == ([0, 0, 0, 1, 0, 0, 0], [0, 1])


def test_who_must_stop_a_four_does_so_and_nothing_is_decided() -> None:
    assert corrected("1122337") == ([0, 0, 0, 1, 0, 0, 0], [0.5, 0.5])


def test_who_must_stop_two_fours_has_lost() -> None:
    priors, values = corrected("44556")
    assert values == [1, 0]
    assert priors == pytest.approx([1 / 7] * 7)


def test_deeper_looks_decide_more() -> None:
    """The third disc in a row makes two fours possible at once: four moves before the end."""
    assert corrected("4455")[1] == [0.5, 0.5]
    priors, values = corrected("4455", 3)
    assert values == [1, 0]
    assert priors == pytest.approx([0, 0, 0.5, 0, 0, 0.5, 0])


def test_where_the_rules_decide_nothing_the_network_is_heard() -> None:
    priors, values = corrected("4")
    assert values == [0.5, 0.5]
    assert priors == pytest.approx([1 / 7] * 7)


@pytest.mark.parametrize("spec", ["alphazero:model=none", "gumbel:foresight=2"])
def test_it_needs_a_network_outside_of_the_search(spec: str) -> None:
    with pytest.raises(KibitzError, match="leave foresight out"):
        kibitz.load_agent(spec, GAME)


def test_it_is_refused_where_something_is_hidden() -> None:
    with pytest.raises(KibitzError, match="hide nothing"):
        kibitz.load_agent("gumbel:foresight=2,value=score", kibitz.load_game("tichu"))


def test_it_looks_ahead_a_few_moves_at_most() -> None:
    with pytest.raises(KibitzError, match=r"foresight=21: expected 0..20 moves"):
        kibitz.load_agent("alphazero:foresight=21", GAME)
