"""Gumbel search: which arm is lagging, what is played, and that more simulations help."""

import math
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import kibitz
from kibitz.bench.endings import draw_endings
from kibitz.bench.mistakes import by_seed, player_of
from kibitz.core.kernels import COMPILED
from kibitz.core.rng import Purpose, derive
from kibitz.search import guided
from kibitz.search.gumbel import NETWORK_SCALE, PLAYOUT_SCALE, GumbelAgent
from kibitz.search.halving import halving, select_halving
from kibitz.search.tree import ARM, DECISION, JOINT, NONE, SEARCH
from tests.search.networks import random_layers, save

CONNECT4 = kibitz.load_game("connect4")


def lagging(scale: float, *arms: tuple[float, int, float]) -> int:
    """Return the arm, of priors, visits and means, that is tried next below the root."""
    made = np.zeros(len(arms), ARM)
    for k, (prior, visits, mean) in enumerate(arms):
        made[k]["prior"], made[k]["arm_visits"] = prior, visits
        made[k]["value_sum"], made[k]["next_arm"] = visits * mean, k + 1
    made[-1]["next_arm"] = NONE
    decision, how = np.zeros(1, DECISION)[0], np.zeros(1, SEARCH)[0]
    decision["n_at_first"], how["n_path"], how["keys"] = len(arms), 1, JOINT
    how["lowest_value"], how["highest_value"] = 0, 1
    rule, rng = halving(16, 0.0, scale), derive(1, Purpose.AGENT)
    return int(select_halving(made, decision, how, rule, rng))


def test_an_arm_falls_behind_by_its_own_visits() -> None:
    # Weights 1 and exp(-2 * sqrt(1) * 0.5) = 0.368: of 18 visits 13.16 and 4.84 are due.
    assert lagging(2.0, (1, 16, 0.75), (1, 1, 0.25)) == 1
    # Weights 1 and exp(-2 * sqrt(4) * 0.5) = 0.135: of 18 visits 15.85 and 2.15 are due.
    assert lagging(2.0, (1, 13, 0.75), (1, 4, 0.25)) == 0


def test_a_larger_scale_trusts_values_more() -> None:
    # Weights 1 and exp(-6 * 0.5) = 0.0498: of 18 visits 17.15 and 0.85 are due.
    assert lagging(6.0, (1, 16, 0.75), (1, 1, 0.25)) == 0


def test_an_arm_never_tried_keeps_its_prior() -> None:
    # Weights 1, 0.368 and the prior 0.2: of 6 visits 3.83, 1.41 and 0.77 are due.
    assert lagging(2.0, (1, 4, 0.75), (1, 1, 0.25), (0.2, 0, 0.0)) == 2
    # With a prior of 0.05 it is 4.23, 1.56 and 0.21.
    assert lagging(2.0, (1, 4, 0.75), (1, 1, 0.25), (0.05, 0, 0.0)) == 1


def test_the_policy_of_the_root_takes_values_by_the_square_root_of_visits() -> None:
    agent = kibitz.load_agent("gumbel:sims=200,considered=4,value_scale=2", CONNECT4)
    found = agent.decide(CONNECT4.deal(seed=1).view(0), 0, derive(1, Purpose.AGENT))
    assert found.visits is not None
    assert found.values is not None
    assert found.weights is not None
    visits, means = found.visits[0], found.values[0]
    assert (visits == 0).sum() == 3
    completed = np.where(visits > 0, means, np.nanmean(means))  # priors are all the same
    expected = np.exp(2 * math.sqrt(visits.max()) * (completed - completed.max()))
    np.testing.assert_allclose(found.weights[0], expected / expected.sum(), rtol=1e-6)
    assert found.choices is not None
    played = found.choices[0].tolist().index(found.actions[0])
    assert means[played] == np.nanmax(means[visits == visits.max()])


def test_values_of_networks_are_trusted_more_than_playouts(tmp_path: Path) -> None:
    layers = random_layers(126, 8)
    both = save(tmp_path / "b", CONNECT4, layers, heads={"policy": 7, "value": 1}, value="win")
    policy = save(tmp_path / "p", CONNECT4, random_layers(126, 7))
    for more, scale in (
        ("sims=10", PLAYOUT_SCALE),
        (f"model={policy}", PLAYOUT_SCALE),
        (f"model={both}", NETWORK_SCALE),
        (f"model={both},value_scale=0.5", 0.5),
    ):
        agent = kibitz.load_agent(f"gumbel:{more}", CONNECT4)
        assert isinstance(agent, GumbelAgent)
        assert agent.make_rule()["value_scale"] == scale


@pytest.mark.skipif(not COMPILED, reason="makes two million simulations")
def test_more_simulations_make_fewer_mistakes() -> None:
    endings = draw_endings(150, 16, 31)
    few, many = (
        int(by_seed(endings, player_of(f"gumbel:sims={sims}"), [1]).sum())
        for sims in (1000, 10_000)
    )
    assert 2 * many < few


def test_the_first_search_by_the_clock_halves_as_its_time_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent, view = kibitz.load_agent("alphazero:time=0.1", CONNECT4), CONNECT4.deal(seed=1).view(0)
    ticks = SimpleNamespace(perf_counter=(k / 1000 for k in count()).__next__)
    monkeypatch.setattr(guided, "time", ticks)  # 100 steps, however busy the machine is
    found = agent.decide(view, 0, derive(1, Purpose.AGENT))
    assert found.visits is not None
    visits = sorted(found.visits[0].tolist())
    assert visits[0] > sum(visits) / 30  # a phase of three, shared by seven, is 1 of 21
    assert visits[-2] > sum(visits) / 5  # the last two had the last phase together
