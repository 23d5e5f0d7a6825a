"""Rewards, returns and targets, beside numbers worked out by hand."""

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import SpecError
from kibitz.core.lanes import Finished, Lanes
from kibitz.core.table import Game, make_game
from kibitz.learn.returns import (
    discounted,
    gae,
    n_step,
    retrace,
    retrace_coefficients,
    rewards_of,
    running_scores,
)
from tests.toy.fork import GAME

# Two sequences: rewards 1, 2, 3 and then 4, 5.
REWARDS = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
IS_LAST = np.array([False, False, True, False, True])


def play(game: Game, actions: list[int]) -> Finished:
    """Play one game on lanes by the actions that come next; keep the views."""
    lanes = Lanes(game, 1, 1)
    while True:
        turn = lanes.ask()
        chosen = np.array([actions.pop(0) for _ in range(len(turn))])
        finished = lanes.answer(chosen, views=turn.views, seats=turn.seats)
        if len(finished):
            return finished


def test_rewards_by_turns_are_what_the_score_gains_until_the_next_decision() -> None:
    fork = make_game(GAME, {"ways": 2, "turns": 2})
    finished = play(fork, [1, 0])  # the road is 1, then 10 in binary: scores 2 and 3 - 2
    running = running_scores(finished.kept["views"], finished.kept["seats"], 2)
    # Seat 0 decides at the beginning, where the highest road is 0: it has 0, and ends with 2.
    # Seat 1 decides when the road is 1 of at most 1: it has 0 and ends with 1.
    assert running.tolist() == [0, 0]
    assert rewards_of(finished, running).tolist() == [2, 1]
    finished = play(fork, [0, 1])  # the road is 0, then 01: scores 1 and 2
    running = running_scores(finished.kept["views"], finished.kept["seats"], 2)
    assert running.tolist() == [0, 1]
    assert rewards_of(finished, running).tolist() == [1, 1]


def test_without_turns_the_last_decision_of_a_round_gets_what_the_round_brought() -> None:
    duel = kibitz.load_game("duel:rounds=3")
    lanes = Lanes(duel, 4, 7)
    finished = lanes.answer(lanes.ask().legal.actions[lanes.ask().legal.offsets[:-1]])
    while not len(finished):
        turn = lanes.ask()
        finished = lanes.answer(turn.legal.actions[turn.legal.offsets[:-1]])
    rewards = rewards_of(finished)
    rounds = finished.decisions.rounds
    # Three cards are two decisions, as the third is forced; they come by game, seat and number.
    assert rounds[:6].tolist() == [0, 0, 1, 1, 2, 2]
    assert rewards[0::2].tolist() == [0] * (len(rewards) // 2)
    assert rewards[1::2].tolist() == finished.round_scores[1::2].tolist()
    assert rewards.reshape(-1, 6).sum(axis=1).tolist() == finished.scores.ravel().tolist()


def test_returns_are_discounted_to_the_end_of_each_sequence() -> None:
    # 3; 2 + 3/2 = 3.5; 1 + 3.5/2 = 2.75; 5; 4 + 5/2 = 6.5
    assert discounted(REWARDS, IS_LAST, 0.5).tolist() == [2.75, 3.5, 3.0, 6.5, 5.0]
    assert discounted(REWARDS, IS_LAST, 1.0).tolist() == [6, 5, 3, 9, 5]


def test_n_steps_stop_at_the_end_of_a_sequence() -> None:
    steps = n_step(REWARDS, IS_LAST, 0.5, 2)
    # 1 + 2/2, then the value two rows on counts a quarter; 2 + 3/2 ends; 3 ends; 4 + 5/2 ends.
    assert steps.rewards.tolist() == [2.0, 3.5, 3.0, 6.5, 5.0]
    assert steps.ahead.tolist() == [2, 0, 0, 0, 0]
    assert steps.discounts.tolist() == [0.25, 0, 0, 0, 0]
    one = n_step(REWARDS, IS_LAST, 0.5, 1)
    assert one.rewards.tolist() == REWARDS.tolist()
    assert one.ahead.tolist() == [1, 1, 0, 1, 0]
    assert one.discounts.tolist() == [0.5, 0.5, 0, 0.5, 0]
    far = n_step(REWARDS, IS_LAST, 0.5, 9)
    assert far.rewards.tolist() == discounted(REWARDS, IS_LAST, 0.5).tolist()


def test_generalised_advantages() -> None:
    values = np.array([1.0, 2.0, 4.0, 0.0, 2.0])
    # d: 1 + 2/2 - 1 = 1; 2 + 4/2 - 2 = 2; 3 - 4 = -1; 4 + 2/2 - 0 = 5; 5 - 2 = 3
    # with gamma lam = 1/4: -1; 2 - 1/4 = 1.75; 1 + 1.75/4 = 1.4375; 3; 5 + 3/4 = 5.75
    found = gae(REWARDS, values, IS_LAST, 0.5, 0.5)
    assert found.tolist() == [1.4375, 1.75, -1.0, 5.75, 3.0]
    # lam = 1 is the return less the value, lam = 0 the error of one step
    assert (gae(REWARDS, values, IS_LAST, 0.5, 1.0) + values).tolist() == [2.75, 3.5, 3, 6.5, 5]
    assert gae(REWARDS, values, IS_LAST, 0.5, 0.0).tolist() == [1, 2, -1, 5, 3]


def test_retrace_corrects_only_as_far_as_the_learning_policy_would_have_gone_along() -> None:
    q = np.array([9.0, 2.0, 1.0, 9.0, 4.0])
    values = np.array([9.0, 3.0, 2.0, 9.0, 6.0])
    ratios = np.array([9.0, 0.5, 4.0, 9.0, 0.0])
    assert retrace_coefficients(ratios, 0.5).tolist() == [0.5, 0.25, 0.5, 0.5, 0.0]
    # the last is 3; before it: 2 + (min(1, 4) (3 - 1) + 2) / 2 = 4;
    # the first: 1 + (0.5 (4 - 2) + 3) / 2 = 3. Then 5, and 4 + (0 + 6) / 2 = 7.
    found = retrace(REWARDS, q, values, ratios, IS_LAST, 0.5)
    assert found.tolist() == [3.0, 4.0, 3.0, 7.0, 5.0]


def test_arrays_of_other_decisions_are_refused() -> None:
    with pytest.raises(SpecError, match="for each of 5 decisions"):
        gae(REWARDS, np.zeros(4), IS_LAST, 1.0, 1.0)
    with pytest.raises(SpecError, match="ends a sequence"):
        discounted(REWARDS, ~IS_LAST, 1.0)
    with pytest.raises(SpecError, match="one step or more"):
        n_step(REWARDS, IS_LAST, 1.0, 0)
