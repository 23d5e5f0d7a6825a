"""What `best` makes of the cards that others have played."""

import numpy as np
import pytest

import kibitz
from kibitz.core.game import Actions, States
from kibitz.core.kernels import wrapping_kernel
from kibitz.core.rng import RNG, Rngs, derive
from kibitz.games.nimmt.beliefs import load_judgement
from kibitz.games.nimmt.lookahead import (
    DEALT,
    Desk,
    Notions,
    best_arm,
    deal_world,
    lay_down,
    make_desk,
    make_notions,
)
from kibitz.games.nimmt.rolling import Orders, make_orders, roll_view
from kibitz.games.nimmt.suspicion import LEAST_TILT, MEMORY, Memories, recall

GAME = kibitz.load_game("nimmt:players=3,rows=lowest")
FACTORS = load_judgement("auto", GAME).factors


def two_views() -> States:
    """Return what seat 0 sees in the first turn of a game, and in the second."""
    table = GAME.deal(seed=5)
    views = GAME.blank(2)
    views[0] = table.view(0)
    for seat in range(3):
        table.play(seat, table.legal(seat)[4])
    views[1] = table.view(0)
    return views


def hidden_from(view: np.record) -> list[int]:
    """Return the cards that seat 0 has never seen."""
    own = set(view.hand[0].tolist())
    seen = int(view.seen[0]) | int(view.seen[1]) << 64
    return [card for card in range(1, 105) if card not in own and not seen >> card & 1]


def remembered(views: States) -> tuple[Memories, Notions]:
    """Return memory and notions of seat 0 after two views of a game."""
    memory, notions = np.zeros(1, MEMORY), make_notions(1)
    recall(views[:1], views[:1], 0, FACTORS, memory, make_notions(1))
    recall(views[:1], views[1:], 0, FACTORS, memory, notions)
    return memory, notions


def test_tilts_are_those_of_the_formula() -> None:
    views = two_views()
    memory, notions = remembered(views)
    likes, hidden = memory[0].likes[0].astype(float), hidden_from(views[1])
    played = likes[views[1].last[1]]
    beside = played + 8 * likes[hidden].mean()  # nine cards are left in that hand
    tilts = beside / (beside + likes[hidden])
    expected = np.maximum(tilts / tilts.max(), LEAST_TILT)
    assert notions[0].tilts[1][hidden] == pytest.approx(expected, rel=1e-4)
    assert expected.min() < 0.9  # it does tell something


def test_other_games_are_not_remembered() -> None:
    views = two_views()
    memory, _ = remembered(views)
    other = GAME.blank(1)
    other[0] = GAME.deal(seed=1).view(0)
    notions = make_notions(1)
    recall(views[1:], other, 0, FACTORS, memory, notions)
    assert (notions[0].tilts == 1).all()
    assert not memory[0].odds.any()


@wrapping_kernel
def deal_many(views: States, desk: Desk, rngs: Rngs, n: int, out: Actions) -> None:
    """Count in how many of n worlds seat 1 holds each card."""
    plan = lay_down(views[0], 0, 1, desk)
    for _ in range(n):
        deal_world(desk, plan, rngs[0])
        for card in range(len(out)):
            bit = desk.worlds[DEALT].holds[1, card >> 6] >> np.uint64(card & 63)
            out[card] += np.int64(bit & np.uint64(1))


@pytest.mark.compiled
def test_worlds_deal_improbable_cards_less_often() -> None:
    views, desk, counts = two_views(), make_desk(), np.zeros(105, np.int64)
    rngs = np.zeros(1, RNG)
    rngs[0] = derive(1, 2)
    rare, usual, *_ = hidden = hidden_from(views[1])
    desk.notions[0].tilts[1, rare] = 0.1
    deal_many(views[1:], desk, rngs, 5_000, counts)
    # A tenth of the weight is about a tenth of the worlds.
    assert counts[usual] / 5_000 == pytest.approx(9 / len(hidden), abs=0.02)
    assert counts[rare] / counts[usual] == pytest.approx(0.1, abs=0.05)
    assert counts[hidden].sum() == counts.sum() == 9 * 5_000


@wrapping_kernel
def roll(views: States, desk: Desk, orders: Orders, rngs: Rngs) -> int:
    """Return which card flat Monte Carlo chooses."""
    return best_arm(desk, roll_view(views[0], 0, 4000, desk, orders, rngs[0]))


@pytest.mark.compiled
def test_rolls_expect_what_flat_monte_carlo_does() -> None:
    views, desk = two_views(), make_desk()
    rngs = np.zeros(1, RNG)
    rngs[0] = derive(1, 2)
    best = roll(views[1:], desk, make_orders(), rngs)
    agent = kibitz.load_agent("mcs:sims=40000", GAME)
    found = agent.decide(views[1], 0, derive(1, 3))
    assert found.values is not None
    values = found.values[0]
    arm = desk.arms[best]
    assert values[best] == pytest.approx(np.nanmax(values), abs=0.15)
    assert -arm.heads_sum / arm.tries == pytest.approx(values[best], abs=0.5)
