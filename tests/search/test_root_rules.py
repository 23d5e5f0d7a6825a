"""Equation 3.1, by hand."""

from collections.abc import Mapping

import numpy as np
import pytest

from kibitz.core.rng import Purpose, derive
from kibitz.search.desks import TreeSize
from kibitz.search.playouts import UNIFORM
from kibitz.search.root_rules import by_prior, equally, root_puct
from kibitz.search.selection import begin_rule, credit, select
from kibitz.search.tree import DECISION, NONE, SEARCH, Tree

RETURNS = {"A": -10.0, "B": -4.0, "C": 0.0}


def three_cards(priors: tuple[float, float, float]) -> Tree:
    """Make a root with three cards that nobody has tried."""
    tree = TreeSize(1, 1, 3, 1, 0, 0).make()
    tree.decisions[0] = np.zeros(1, DECISION)[0]
    for k, prior in enumerate(priors):
        arm = tree.arms[k]
        arm.arm_visits, arm.value_sum, arm.prior = 0, 0, prior
        arm.next_arm = k + 1 if k < 2 else NONE
    return tree


def play(rule: np.record, n: int, returns: Mapping[str, float] = RETURNS) -> str:
    """Run simulations whose return follows from their first card; write down which they tried."""
    tree, how = three_cards((1.5, 0.9, 0.6)), np.zeros(1, SEARCH)[0]  # P = 0.5, 0.3, 0.2
    how.n_seats, rng, tried = 1, derive(1, Purpose.PLAYOUT), ""
    begin_rule(rule)
    for _ in range(n):
        arm = select(tree.arms, tree.decisions[0], how, rule, rng)
        tried += "ABC"[arm]
        tree.values[0] = returns[tried[-1]]
        tree.arms[arm].arm_visits += 1
        tree.arms[arm].value_sum += tree.values[0]
        credit(rule, tree, how, UNIFORM)
    return tried


def test_scaled_returns_and_alpha_2_by_hand() -> None:
    # What q + 2 P sqrt(n) / (1 + visits) is before each simulation, n = 0 to 7:
    #   A                 B                  C
    # 0 0.5 + 0.00003     0.5 + 0.00002      0.5 + 0.00001      A: all returns are -10
    # 1 0.5 + 0.5         0.5 + 0.6          0.5 + 0.4          B: they are -10 to -4
    # 2 0.0 + 0.707       1.0 + 0.424        0.5 + 0.566        B
    # 3 0.0 + 0.866       1.0 + 0.346        0.667 + 0.693      C: they are -10 to 0
    # 4 0.0 + 1.0         0.6 + 0.4          1.0 + 0.4          C
    # 5 0.0 + 1.118       0.6 + 0.447        1.0 + 0.298        C
    # 6 0.0 + 1.225       0.6 + 0.490        1.0 + 0.245        C
    # 7 0.0 + 1.323       0.6 + 0.529        1.0 + 0.212        A
    assert play(root_puct(2.0), 8) == "ABBCCCCA"


def test_raw_returns_and_alpha_2_by_hand() -> None:
    # As above, with mean returns themselves and 0 for what was not tried:
    # 1 -10 + 0.5         0 + 0.6            0 + 0.4            B
    # 2 -10 + 0.707      -4 + 0.424          0 + 0.566          C
    # 3 -10 + 0.866      -4 + 0.520          0 + 0.346          C, and so on
    assert play(root_puct(2.0, is_scaled=False), 12) == "AB" + 10 * "C"


def test_without_exploration_the_best_so_far_is_tried() -> None:
    assert play(root_puct(0.0), 5, {"A": -1.0, "B": -2.0, "C": -3.0}) == "AAAAA"


def test_a_rule_begins_anew_with_every_search() -> None:
    rule = root_puct(2.0)
    assert play(rule, 8) == play(rule, 8)


def test_first_cards_are_drawn_by_their_priors() -> None:
    tried = play(by_prior(), 4000)
    shares = [tried.count(card) / 4000 for card in "ABC"]
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.03)


def test_or_each_has_its_turn() -> None:
    assert play(equally(), 7) == "ABCABCA"
