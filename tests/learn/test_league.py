"""Leagues: who is met how often, and for whole games."""

from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError
from kibitz.core.lanes import LEARNER, Lanes
from kibitz.learn.algorithm import Draft
from kibitz.learn.league import League, Shares
from tests.search.networks import random_layers

DUEL = kibitz.load_game("duel:players=3")
SHARES = Shares(latest=0.5, older=0.25, bots={"random": 0.2, "mcs:sims=5": 0.05})
DEALS = np.arange(8000)


def draft(seed: int) -> Draft:
    return Draft("cards", {"policy": 14}, random_layers(28, 8, 14, seed=seed))


def share(lineup: Any, who: int) -> float:
    """Return how often somebody sits at the seats that do not always learn."""
    others = np.arange(3)[None, :] != DEALS[:, None] % 3
    return float((lineup[others] == who).mean())


def test_everybody_is_met_as_often_as_the_shares_say() -> None:
    league = League(DUEL, 1, SHARES)
    lineup = league.lineup(DEALS)
    assert (lineup[DEALS, DEALS % 3] == LEARNER).all()
    expected = {LEARNER: 0.75, 0: 0.2, 1: 0.05}  # there are no older ones yet
    assert {who: share(lineup, who) for who in expected} == pytest.approx(expected, abs=0.015)
    first, second = league.add(draft(1)), league.add(draft(2))
    lineup = league.lineup(DEALS)
    expected = {LEARNER: 0.5, 0: 0.2, 1: 0.05, first: 0.125, second: 0.125}
    assert {who: share(lineup, who) for who in expected} == pytest.approx(expected, abs=0.015)


def test_a_deal_has_the_same_lineup_however_it_is_asked_for() -> None:
    league = League(DUEL, 1, SHARES)
    league.add(draft(1))
    whole = league.lineup(DEALS[:50])
    parts = [league.lineup(DEALS[k : k + 1])[0] for k in range(50)]
    np.testing.assert_array_equal(whole, parts)
    assert (League(DUEL, 2, SHARES).lineup(DEALS) != League(DUEL, 1, SHARES).lineup(DEALS)).any()


def test_team_mates_are_the_same_player() -> None:
    game = kibitz.load_game("tichu")
    lineup = League(game, 1, Shares(latest=0.5, bots={"random": 0.5})).lineup(DEALS[:100])
    np.testing.assert_array_equal(lineup[:, 0], lineup[:, 2])
    np.testing.assert_array_equal(lineup[:, 1], lineup[:, 3])
    assert set(np.unique(lineup)) == {LEARNER, 0}


def play(lanes: Lanes, steps: int) -> list[Any]:
    """Let the learner play its first legal action; return who sat where, and the scores."""
    told = []
    for _ in range(steps):
        turn = lanes.ask()
        finished = lanes.answer(turn.legal.actions[turn.legal.offsets[:-1]])
        told += [*finished.lineup.tolist(), *finished.scores.tolist()]
    return told


def test_whoever_leaves_the_pool_plays_its_games_to_the_end() -> None:
    league = League(DUEL, 1, Shares(latest=0.2, older=0.8), keep=2)
    lanes = Lanes(DUEL, 6, 1, agents=league.agents, lineup=league.lineup)
    for seed in range(12):
        seated = {number: lanes.agents[number] for number in lanes.seated().tolist()}
        league.add(draft(seed), lanes)
        assert all(lanes.agents[number] is agent for number, agent in seated.items())
        play(lanes, 2)
    assert len(league.pool) == 2
    assert len(league.agents) == len(lanes.agents) < 12  # places are used again
    assert all(a is b for a, b in zip(league.agents, lanes.agents, strict=True))


def test_a_league_goes_on_from_its_state() -> None:
    def make() -> League:
        return League(DUEL, 1, SHARES, keep=3)

    league = make()
    lanes = Lanes(DUEL, 6, 1, agents=league.agents, lineup=league.lineup)
    for seed in range(5):
        league.add(draft(seed), lanes)
        play(lanes, 4)
    other = make()
    other.restore(league.state())
    again = Lanes(DUEL, 6, 1, agents=other.agents, lineup=other.lineup)
    again.restore(lanes.state())
    for seed in (7, 8):
        assert play(again, 10) == play(lanes, 10)
        assert other.add(draft(seed), again) == league.add(draft(seed), lanes)
    assert play(again, 10) == play(lanes, 10)


def test_a_snapshot_does_not_change_with_the_learner() -> None:
    learner = draft(1)
    league = League(DUEL, 1, Shares(older=1.0))
    number = league.add(learner)
    before = league.agents[number].model.layers[0][0].copy()  # type: ignore[attr-defined]
    learner.network[0][0][:] = 0  # type: ignore[index]
    after = league.agents[number].model.layers[0][0]  # type: ignore[attr-defined]
    np.testing.assert_array_equal(before, after)


def test_leagues_that_make_no_sense_are_refused() -> None:
    wrong: Any = ({"latest": 0.0}, {"latest": -1.0, "older": 2.0}, {"older": float("nan")})
    for shares in wrong:
        with pytest.raises(SpecError, match="shares are numbers from 0 on"):
            Shares(**shares)
    with pytest.raises(SpecError, match="did you mean 'random'"):
        League(DUEL, 1, Shares(bots={"randm": 1.0}))
    league = League(DUEL, 1, Shares(older=1.0))
    with pytest.raises(AgentError, match="has no encoding 'card'"):
        league.add(Draft("card", {"policy": 14}, random_layers(28, 14)))
    with pytest.raises(SpecError, match="a snapshot is an mlp"):
        league.add(Draft("cards", {"policy": 14}, b""))
    with pytest.raises(SpecError, match="holds no league"):
        league.restore({})
    league.add(draft(1))
    state = league.state()
    with pytest.raises(SpecError, match="a league of other bots"):
        League(DUEL, 1, SHARES).restore(state)
