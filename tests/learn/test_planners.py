"""Planning models: what is collected, imitation, PPO by hand, twins outside torch, resuming."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.listing import list_legal
from tests.learn.learning import assert_resumes_exactly, train
from tests.search.networks import make_card

pytestmark = pytest.mark.train

GAME = kibitz.load_game("connect4")
SMALL: dict[str, Any] = {
    "sims": 12,
    "lanes": 2,
    "games": 2,
    "points": 350,
    "hidden": (16,),
    "filters": 4,
    "blocks": 1,
    "batch": 64,
    "update_games": 2,
}
CRN: dict[str, Any] = {"kind": "crn", "variance": True, "history": True}


def make(**changed: Any) -> Any:
    from kibitz.learn.planning import Planning, PlanningConfig

    return Planning(GAME, PlanningConfig(**{**SMALL, **changed}), 1)


def test_the_clipped_objective_and_its_gradient(torch: Any) -> None:
    from kibitz.learn.planning import ppo_loss
    from kibitz.learn.reading import NEVER

    # The first has 3/4 now and had 1/2, so its ratio is 1.5; the third action is illegal.
    logits = torch.tensor([[math.log(3), 0, NEVER]] * 2, requires_grad=True)
    before = torch.log(torch.tensor([0.5, 0.5]))
    won_and_lost = torch.tensor([1.0, -1.0])
    loss, entropy = ppo_loss(logits, torch.tensor([0, 0]), before, won_and_lost, 0.2)
    assert loss.item() == pytest.approx(-(min(1.5, 1.2) + min(-1.5, -1.2)) / 2)
    assert entropy.item() == pytest.approx(-(0.75 * math.log(0.75) + 0.25 * math.log(0.25)))
    loss.backward()
    # Where it won, the clip ends the way up; where it lost, d(1.5 p/p0)/2 moves it down.
    assert logits.grad[0].tolist() == pytest.approx([0, 0, 0])
    assert logits.grad[1].tolist() == pytest.approx([1.5 * 0.25 / 2, -1.5 * 0.25 / 2, 0])


def test_selections_have_their_positions_and_the_result_for_who_chose(torch: Any) -> None:
    learner = make(**CRN)
    points = learner.collect()
    assert len(points.positions) == len(points.chosen) > 50
    for k in range(0, len(points.chosen), 7):
        legal = list_legal(points.positions[k : k + 1], points.seats[k : k + 1])
        assert (np.flatnonzero(points.rows[k, 22:29]) + 1).tolist() == legal.actions.tolist()
        assert points.chosen[k] + 1 in legal.actions
        assert points.positions[k]["n_moves"] % 2 == points.seats[k]
    one = learner._self_play(1.0, 0.0).play(learner.rule(), 1, 3)
    for seat in range(2):
        assert len(set(one.results[one.seats == seat].tolist())) == 1
    assert one.results[one.seats == 0][0] == -one.results[one.seats == 1][0]


def test_a_balanced_part_has_as_much_of_each_action(torch: Any) -> None:
    from kibitz.learn.planning import balanced

    chosen = np.repeat(np.arange(3), [50, 10, 4])
    drawn = balanced(chosen, 30, 3, np.random.default_rng(1))
    assert np.bincount(chosen[drawn]).tolist() == [10, 10, 4]
    assert len(set(drawn.tolist())) == 24


def test_whole_games_are_held_out(torch: Any) -> None:
    from kibitz.learn.planning import hold_out

    games = np.repeat(np.arange(40), np.arange(1, 41))
    held = hold_out(games, 0.2, np.random.default_rng(1))
    assert 0.15 < held.mean() < 0.25
    assert not set(games[held]) & set(games[~held])
    assert not hold_out(np.zeros(9, int), 0.9, np.random.default_rng(1)).any()  # a single game


def test_accuracy_is_that_of_games_that_were_held_out(torch: Any) -> None:
    learner = make(games=5, epochs=2)
    points = learner.collect()
    learner.imitate_points(points)
    told = learner.step()
    hits, trials = learner.examined
    assert told["imitation/accuracy"] == pytest.approx(hits.sum() / trials.sum())
    assert 1 <= (trials > 0).sum() <= 4
    assert all(trials[k] in (0, (points.games == k).sum()) for k in range(5))


def told_apart(points: Any) -> Any:
    """Leave out ties: PUCT draws lots among actions of which Q, P and N are the same."""
    arms = points.rows[:, :21].reshape(-1, 3, 7)
    mine = arms[np.arange(len(arms)), :, points.chosen][:, :, np.newaxis]
    n_alike = np.isclose(arms, mine, rtol=0, atol=0.01).all(axis=1).sum(axis=1)
    return points.take(np.flatnonzero(n_alike == 1))


@pytest.mark.parametrize(("kind", "least"), [("mlp", 0.97), ("arm", 0.97), ("crn", 0.92)])
def test_imitation_overfits_a_tiny_set(torch: Any, kind: str, least: float) -> None:
    learner = make(
        kind=kind, hidden=(64, 64), points=70, held_out=0.0, epochs=300, batch=70, rate=0.015
    )
    learner.imitate_points(told_apart(learner.collect()))
    points = learner._points
    first = learner.step()["imitation/loss"]
    train(learner, 298)
    last = learner.step()["imitation/loss"]
    assert len(points.chosen) > 40
    assert last < first / 3
    assert learner.hits(points).mean() > least


@pytest.mark.parametrize(
    "config",
    [{"variance": True}, {"kind": "arm"}, {"kind": "crn"}, CRN, {**CRN, "variance": False}],
)
def test_models_say_what_their_torch_twins_say(
    torch: Any, tmp_path: Path, config: dict[str, Any]
) -> None:
    from kibitz.search.models import load_model, save_model

    learner: Any = train(make(**config, epochs=2), 2)
    draft = learner.drafts()["model"]
    facts: dict[str, Any] = {"kind": "onnx"} if isinstance(draft.network, bytes) else {}
    if not facts:
        facts["layers"] = (len(draft.network[0][0]), *(len(b) for _, b in draft.network))
    facts |= {"encoding": draft.encoding, "heads": draft.heads, "inputs": draft.inputs}
    save_model(tmp_path / "m", make_card(GAME, sees=draft.sees, **facts), draft.network)
    model = load_model(str(tmp_path / "m"), GAME, use="planning")
    points = learner.collect().take(np.arange(40))
    inputs = learner.sight.inputs(points.rows, points.positions, points.seats)
    learner.network.eval()
    with torch.inference_mode():
        twin = learner.network(torch.from_numpy(inputs))["policy"].numpy()
    if draft.inputs == "arm":
        each = [inputs[:, 7 * k : 7 * k + 7] for k in range(3)]
        inputs = np.stack([*each, np.repeat(inputs[:, 21:22], 7, axis=1)], axis=2).reshape(-1, 4)
    made = model.evaluate(inputs)["policy"].reshape(twin.shape)
    assert made == pytest.approx(twin, abs=1e-4)
    agent = kibitz.load_agent(f"planner:model={tmp_path}/m,sims=10", GAME)
    found: Any = agent.decide(GAME.parse("44"), 0)
    assert np.nansum(found.visits) == 10


def test_an_update_makes_what_won_likelier(torch: Any) -> None:
    learner = make(epochs=1, update_rate=1e-3, l2=0.0, hidden=(32,), update_share=1.0)
    train(learner, 1)
    play = learner._self_play(1.0, 0.0)
    from kibitz.learn.learner import Stream, seed_of

    points = play.play(learner.rule(), 2, seed_of(1, 1, Stream.GAMES))
    before = learner._log_probabilities(points)
    learner.step()
    moved = (learner._log_probabilities(points) - before).numpy()
    assert np.mean(moved * points.results) > 0


@pytest.mark.parametrize(
    "config",
    [{"value_weight": 0.5, "entropy": 0.01, "heat": 1.0}, {**CRN, "heat": 0.5}],
)
def test_it_resumes_exactly(torch: Any, config: dict[str, Any]) -> None:
    assert_resumes_exactly(lambda: make(**config, epochs=4, points=100))


def test_configs_that_make_no_sense_are_refused(torch: Any) -> None:
    with pytest.raises(kibitz.SpecError, match="kind=mlp sees no planes"):
        make(history=True)
    with pytest.raises(kibitz.SpecError, match="expected 0 to 1"):
        make(update_share=2.0)
    with pytest.raises(kibitz.SpecError, match="held_out=1: that leaves nothing"):
        make(held_out=1.0)
    with pytest.raises(kibitz.AgentError, match="at most 32768 weights"):
        make(hidden=(256, 256))
    with pytest.raises(kibitz.TrainingError, match="no selection is left to learn from"):
        make(points=1).step()
    with pytest.raises(kibitz.TrainingError, match="a larger update_share than 1e-09"):
        make(epochs=0, update_share=1e-9).step()


def test_points_that_are_not_finite_are_refused(torch: Any) -> None:
    state = train(make(epochs=2), 1).state()
    state["points"]["rows"][0, 0] = np.nan  # type: ignore[index]
    with pytest.raises(ValueError, match="not finite"):
        make(epochs=2).restore(state)


def test_low_temperatures_draw_what_was_visited_most(torch: Any) -> None:
    from kibitz.learn.searching import tempered

    visits = np.array([[3.0, 0.0, 600.0], [5.0, 5.0, 0.0]])
    assert tempered(visits, 0.001).tolist() == [[0, 0, 1], [1, 1, 0]]
    powers = visits ** (1 / 1.1)
    assert tempered(visits, 1.1) == pytest.approx(powers / powers.max(axis=1, keepdims=True))
    assert len(make(temperature=0.001).collect().chosen) > 50


def test_the_recipe_of_the_thesis_imitates_and_updates_with_its_networks(torch: Any) -> None:
    from kibitz.learn.recipe import change, find_algorithm, load_recipe, make_config

    few = ["games=1", "points=140", "sims=6", "epochs=1", "update_games=1", "update_share=0.1"]
    recipe = change(load_recipe("connect4-planning-thesis"), few)
    kind = find_algorithm(recipe.algorithm)
    learner: Any = kind(GAME, make_config(recipe, kind), recipe.seed)
    assert learner.sight.size == 36 + 12 * 42
    assert learner.network.entry.convolution.weight.shape == (128, 48, 3, 3)
    assert len(learner.network.tower) == 2
    imitated, updated = learner.step(), learner.step()
    assert 0 < imitated["imitation/loss"] < 10
    assert updated["ppo/points"] > 1
