"""Flat searches that a network guides."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import AgentError, SpecError
from kibitz.core.decisions import Decisions, ValueKind
from kibitz.core.game import scores
from kibitz.core.table import Game, Table
from kibitz.search.alpha05 import DirvAgent
from tests.search.networks import random_layers, save

OPEN = kibitz.load_game("nimmt:players=2,hands=open")
FIVE = kibitz.load_game("nimmt")
N_CARDS, N_INPUTS = 108, 47
LIKES_HIGH = 50.0 * np.arange(N_CARDS)
"""Logits by which the highest card is played for certain."""


def constant(folder: Path, game: Game, **heads: Any) -> str:
    """Write a network that says the same of every position; return its name in specs."""
    outputs = np.concatenate([np.atleast_1d(heads[name]) for name in heads]).astype(np.float32)
    sizes = {name: len(np.atleast_1d(head)) for name, head in heads.items()}
    layers = [(np.zeros((N_INPUTS, len(outputs)), np.float32), outputs)]
    value = {"value": "rest", "scale": 10.0} if len(heads) > 1 else {}
    return save(folder, game, layers, encoding="paper", heads=sizes, **value)


def rated(folder: Path, game: Game, logits: Any) -> str:
    """Write a network that looks at one card at a time, and not at the position."""
    code = game.encodings["paper"]
    weights = np.zeros((code.size + code.candidate_size, 1), np.float32)
    weights[code.size : code.size + N_CARDS, 0] = logits  # a row begins with the card itself
    layers = [(weights, np.zeros(1, np.float32))]
    return save(folder, game, layers, encoding="paper", inputs="candidates", heads={"policy": 1})


def played(turns: int, game: Game = OPEN) -> Table:
    """Deal a table and play some turns at random."""
    table = game.deal(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(turns):
        for seat in list(table.movers):
            table.play(seat, int(rng.choice(table.legal(seat))))
    return table


def decide(spec: str, table: Table, seat: int = 0) -> Decisions:
    """Let an agent decide for a seat."""
    return kibitz.load_agent(spec, table.game).decide(table.view(seat), seat)


def copy_of(table: Table) -> Table:
    """Open another table in the same position."""
    return kibitz.open_table(table.game.format(table.batch.states[0]))


def score_of(table: Table) -> float:
    """Return the score of seat 0 so far."""
    out = np.zeros(table.game.n_seats)
    scores(table.batch.states[0], out)
    return float(out[0])


def highest(table: Table, seat: int) -> int:
    """Return the highest card of a seat."""
    return max(table.legal(seat))


def after(table: Table, card: int, turns: int) -> float:
    """Return the score of seat 0 if it plays a card, and otherwise all play their highest."""
    copy = copy_of(table)
    copy.play(0, card)
    copy.play(1, highest(copy, 1))
    for _ in range(turns - 1):
        for seat in list(copy.movers):
            copy.play(seat, highest(copy, seat))
    return score_of(copy)


def values_of(found: Decisions) -> dict[int, float]:
    """Return what was found of each card that was tried."""
    assert found.values is not None
    assert found.choices is not None
    rows = zip(found.choices[0].tolist(), found.values[0].tolist(), strict=True)
    return {card: value for card, value in rows if not np.isnan(value)}


def test_playouts_follow_the_policy(tmp_path: Path) -> None:
    table = played(3)
    model = rated(tmp_path / "m", OPEN, LIKES_HIGH)
    found = values_of(decide(f"policy-mcs:model={model},sims=7,allocation=equal", table))
    assert found == {card: after(table, card, 7) for card in table.legal(0)}
    assert len(set(found.values())) > 1


@pytest.mark.parametrize("turns", [1, 2, 4])
def test_the_value_of_a_guided_turn_is_what_was_taken_and_the_rest(
    turns: int, tmp_path: Path
) -> None:
    table = played(3)
    model = constant(tmp_path / "m", OPEN, policy=LIKES_HIGH, value=-0.7)
    found = decide(f"dirv:model={model},steps={turns},sims=60,alpha=0,q=raw", table)
    expected = {card: after(table, card, turns) - 7 for card in table.legal(0)}
    assert values_of(found) == pytest.approx(expected, abs=1e-5)
    assert found.kind(0) == ValueKind.SCORE


def ends_of(table: Table, card: int) -> list[float]:
    """Return the scores of seat 0 after it plays a card, for every answer."""
    ends = []
    for other in table.legal(1):
        copy = copy_of(table)
        copy.play(0, card)
        copy.play(1, other)
        ends.append(score_of(copy))
    return ends


def test_without_steps_the_others_end_the_turn_at_random(tmp_path: Path) -> None:
    for turns in range(2, 9):  # until it matters what the other plays
        table = played(turns)
        ends = {card: ends_of(table, card) for card in table.legal(0)}
        if any(len(set(some)) > 1 for some in ends.values()):
            break
    assert turns < 8
    model = constant(tmp_path / "m", OPEN, policy=np.zeros(N_CARDS), value=-0.7)
    found = values_of(decide(f"dirv:model={model},sims=4000,alpha=1000", table))
    for card, value in found.items():
        error = 4 * np.std(ends[card]) / 1000**0.5
        assert value == pytest.approx(np.mean(ends[card]) - 7, abs=error + 1e-5)


def test_dirq_takes_the_mean_of_q_over_the_cards_that_are_left(tmp_path: Path) -> None:
    table = played(3)
    q = -np.arange(N_CARDS) / 100
    model = constant(tmp_path / "m", OPEN, policy=LIKES_HIGH, q=q)
    found = values_of(decide(f"dirq:model={model},steps=1,sims=60,alpha=0,q=raw", table))
    hand = table.legal(0)
    for card, value in found.items():
        left = [10 * q[other - 1] for other in hand if other != card]
        assert value == pytest.approx(after(table, card, 1) + np.mean(left), abs=1e-4)


def test_enough_steps_are_a_playout_and_the_value_is_never_asked_for(tmp_path: Path) -> None:
    table = played(3)
    model = constant(tmp_path / "m", OPEN, policy=LIKES_HIGH, value=1e5)
    full = {card: after(table, card, 7) for card in table.legal(0)}
    for steps in (7, 1000):  # as policy-mcs above
        spec = f"dirv:model={model},sims=60,alpha=0,q=raw,steps={steps}"
        assert values_of(decide(spec, table)).items() <= full.items()
    spec = spec.replace("steps=1000", "steps=6")
    assert max(values_of(decide(spec, table)).values()) > 9e5


def test_equation_3_1_asks_the_cards_that_the_network_likes_first(tmp_path: Path) -> None:
    table = played(3)
    model = rated(tmp_path / "m", OPEN, np.arange(N_CARDS) / 40)
    found = decide(f"alpha05:model={model},sims=1", table)
    assert list(values_of(found)) == [highest(table, 0)]
    visits = decide(f"alpha05:model={model},sims=50,alpha=1000", table).visits
    assert visits is not None
    likes = np.exp(np.array(table.legal(0)) / 40)  # visits go by P / (1 + n) if alpha is large
    np.testing.assert_allclose(visits[0], 57 * likes / likes.sum() - 1, atol=2)


def test_what_was_tried_most_often_is_played_if_asked_for(tmp_path: Path) -> None:
    table = played(3)
    model = rated(tmp_path / "m", OPEN, np.arange(N_CARDS) / 20)
    spec = f"alpha05:model={model},sims=50,alpha=1000"
    by_mean, by_visits = decide(spec, table), decide(f"{spec},play=visits", table)
    values = values_of(by_mean)
    assert by_mean.actions[0] == max(values, key=lambda card: values[card])
    assert by_visits.actions[0] == highest(table, 0)  # which the network likes best
    np.testing.assert_array_equal(by_mean.visits, by_visits.visits)


@pytest.mark.parametrize("agent", ["alpha05", "dirv"])
def test_a_view_is_searched_alike_alone_and_in_a_batch(agent: str, tmp_path: Path) -> None:
    model = rated(tmp_path / "m", FIVE, LIKES_HIGH / 1000)
    if agent == "dirv":
        model = constant(tmp_path / "v", FIVE, policy=LIKES_HIGH / 1000, value=0)
    table = played(1, FIVE)
    one = kibitz.load_agent(f"{agent}:model={model},sims=30", FIVE)
    views = np.array([table.view(seat) for seat in range(5)], FIVE.rules.STATE)
    _, _, rngs, _ = one.ask_one(table.view(0), 0)
    together = one.act(views, np.arange(5), np.repeat(rngs, 5), np.arange(5))
    for seat in range(5):
        assert together.actions[seat] == one.decide(table.view(seat), seat).actions[0]


def test_other_weights_are_used_at_once(tmp_path: Path) -> None:
    facts: dict[str, Any] = {"heads": {"policy": N_CARDS, "value": 1}, "value": "rest"}
    first, second = (random_layers(N_INPUTS, 8, N_CARDS + 1, seed=k) for k in (1, 2))
    specs = [
        f"dirv:sims=40,model={save(tmp_path / str(k), FIVE, layers, encoding='paper', **facts)}"
        for k, layers in enumerate((first, second))
    ]
    table = played(0, FIVE)
    agent = kibitz.load_agent(specs[0], FIVE)
    assert isinstance(agent, DirvAgent)
    before = agent.decide(table.view(0), 0)
    agent.use(second)
    now = agent.decide(table.view(0), 0)
    assert values_of(now) == values_of(decide(specs[1], table))
    assert values_of(now) != values_of(before)


@pytest.mark.parametrize(
    ("spec", "agents"),
    [
        ("nimmt:players=5", ["policy-mcs", "alpha05", "dirv", "dirq", "separate"]),
        ("nimmt:players=2,hands=open,rows=free", ["alpha05", "dirv"]),
        ("nimmt:players=10,rows=free,match=66", 5 * ["alpha05", "dirv"]),
        ("nimmt:players=3,draft=true", ["alpha05", "dirv", "dirq"]),
    ],
)
def test_all_of_them_play_without_a_model_of_ones_own(spec: str, agents: list[str]) -> None:
    game = kibitz.load_game(spec)
    table = game.deal(seed=1)
    players = [kibitz.load_agent(f"{name}:sims=3", game) for name in agents]
    kibitz.play_out(table, players)
    assert table.is_over
    assert [player.spec for player in players] == [f"{name}:sims=3" for name in agents]


def test_a_network_that_cannot_guide_the_search_is_refused(tmp_path: Path) -> None:
    model = constant(tmp_path / "p", FIVE, policy=LIKES_HIGH)
    with pytest.raises(AgentError, match="dirv needs a network with the heads policy and value"):
        kibitz.load_agent(f"dirv:model={model}", FIVE)
    with pytest.raises(SpecError, match="steps=-1: expected"):
        kibitz.load_agent(f"dirv:model={model},steps=-1", FIVE)
    with pytest.raises(SpecError, match="alpha=-1.0: expected"):
        kibitz.load_agent(f"alpha05:model={model},alpha=-1", FIVE)
    with pytest.raises(AgentError, match="dirv has no model of its own for connect4: name one"):
        DirvAgent(kibitz.load_game("connect4"))
    valued = constant(tmp_path / "v", FIVE, policy=LIKES_HIGH, value=0)
    with pytest.raises(AgentError, match="value=win: the model .* values by rest, leave value="):
        kibitz.load_agent(f"dirv:model={valued},value=win", FIVE)
