"""The actor-critic scheme of Sheephead: what it notes, learns, keeps and plays."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import AgentError, SpecError
from kibitz.games.sheephead.ngnet import PICKS, PREDICTOR_NAMES, NgnetAgent
from kibitz.games.sheephead.situations import CRITIC_NAMES, PICKED, PICKER
from kibitz.learn.actor_critic import ActorCritic, ActorCriticConfig
from kibitz.learn.drafts import Making, save_drafts
from kibitz.learn.recipe import Recipe

GAME = kibitz.load_game("sheephead")

pytestmark = pytest.mark.compiled  # whole hands of look-ahead


def learner(**words: object) -> ActorCritic:
    config = {"hands": 60, "worlds": 2, "units": 4, "predictor_units": 3, "workers": 1}
    return ActorCritic(GAME, ActorCriticConfig(**{**config, **words}), 1)  # type: ignore[arg-type]


def save(algorithm: ActorCritic, folder: Path) -> str:
    recipe = Recipe(
        name="small", title="t", game="sheephead", algorithm="actor_critic", steps=1, checkpoint=1
    )
    save_drafts(folder, GAME, recipe, algorithm.drafts(), Making(1, 0.0, "not measured"))
    return f"ngnet:model={folder / 'model'}"


def assert_same(one: ActorCritic, two: ActorCritic) -> None:
    for a, b in zip(one.nets().values(), two.nets().values(), strict=True):
        assert all((x == y).all() for x, y in zip(a, b, strict=True))


def test_targets_end_with_what_was_paid() -> None:
    algorithm = learner(trace=1.0, learners=(5,))
    lineups = algorithm._lineups()
    (part,) = algorithm._play(algorithm.brain(), lineups)
    assert (part.paid.sum(axis=1) == 0).all()
    for k in range(10):
        known = part.critics[k] >= 0
        assert set(part.targets[k, known]) <= {cents / 10 for cents in part.paid[k]}
        assert known.sum() >= 30  # six cards of everybody
    picked = (part.critics == PICKED).any(axis=1)
    assert ((part.critics == PICKER).sum(axis=1)[picked] == 7).all()  # a declaration, six cards


def test_td_targets_are_what_the_critic_says_of_the_next_state() -> None:
    algorithm = learner(trace=0.0, learners=(1,))
    for _ in range(3):
        algorithm.step()
    (part,) = algorithm._play(algorithm.brain(), algorithm._lineups())
    for k in range(10):
        n = int((part.critics[k] >= 0).sum())
        assert np.allclose(part.targets[k, : n - 1], part.said[k, 1:n])
        assert part.targets[k, n - 1] * 10 in part.paid[k]


def test_steps_do_not_depend_on_threads() -> None:
    one, two = learner(), learner(workers=2)
    for _ in range(3):
        told = one.step(), two.step()
    assert told[0] == pytest.approx(told[1])
    assert_same(one, two)


def test_a_run_goes_on_exactly_from_its_state() -> None:
    one = learner()
    for _ in range(3):
        one.step()
    two = learner()
    two.restore(one.state())
    assert one.step() == two.step()
    assert_same(one, two)


def test_critics_get_all_their_units_however_rarely_they_are_asked() -> None:
    algorithm = learner(hands=20, units=6, learners=(5,))
    algorithm.step()
    placed = [critic.n_units for critic in algorithm.critics]
    assert min(placed) < max(placed) <= 6
    again = learner(hands=20, units=6, learners=(5,))
    again.restore(algorithm.state())
    for _ in range(25):
        algorithm.step()
        again.step()
    assert [critic.n_units for critic in algorithm.critics] == [6] * 6
    assert_same(algorithm, again)


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept["waiting"]["picker"].update(inputs=np.zeros((90, 37))),
        lambda kept: kept["waiting"]["picker"].update(inputs=np.full((1, 37), np.nan)),
        lambda kept: kept["predictors"]["predictor-1"].update(centres=np.zeros((1, 2000))),
        lambda kept: kept["predictors"]["predictor-1"].update(centres=np.zeros(3)),
        lambda kept: kept.update(seen=np.zeros(2)),
        lambda kept: kept.update(picks=np.full((24, 2), np.inf)),
        lambda kept: kept.update(steps=-1),
    ],
)
def test_a_checkpoint_of_another_shape_is_refused(change: Any) -> None:
    kept = learner().state()
    change(kept)
    with pytest.raises(ValueError, match="is|has|steps"):
        learner().restore(kept)


def test_predictors_learn_what_rule_players_do() -> None:
    algorithm = learner(hands=200, learners=(1,), predictor_units=4)
    losses = [algorithm.step()["predictor_loss"] for _ in range(12)]
    assert losses[-1] < 0.85 * losses[0]


@pytest.mark.parametrize("features", ["full", "paper"])
@pytest.mark.parametrize("predictor", ["learnt", "rule"])
def test_what_was_learnt_plays(tmp_path: Path, features: str, predictor: str) -> None:
    algorithm = learner(features=features, predictor=predictor)
    algorithm.step()
    algorithm.step()
    agent = kibitz.load_agent(save(algorithm, tmp_path) + ",worlds=3", GAME)
    table = GAME.deal(seed=3)
    while not table.is_over:
        seat = table.movers[0]
        found = agent.decide(table.view(seat), seat)
        assert found.n_choices is not None
        assert found.choices is not None
        n = int(found.n_choices[0])
        assert list(found.choices[0, :n]) == table.legal(seat) or n == 1
        table.play(seat, int(found.actions[0]))


def test_the_agent_chooses_what_has_most_merit(tmp_path: Path) -> None:
    algorithm = learner()
    for _ in range(3):
        algorithm.step()
    agent = kibitz.load_agent(save(algorithm, tmp_path), GAME)
    table = GAME.deal(seed=4)
    found = agent.decide(table.view(0), 0)
    assert found.values is not None
    assert found.choices is not None
    assert found.choices[0, int(np.nanargmax(found.values[0]))] == found.actions[0]


def test_options_that_were_not_learnt_are_played_by_rule() -> None:
    game = kibitz.load_game("sheephead:pass=leaster,crack=true,blitz=true")
    agent, rule = NgnetAgent(game), kibitz.load_agent("rule", game)
    table = game.deal(seed=2)
    for _ in range(5):
        table.play(table.movers[0], "pass")
    seat = table.movers[0]
    view = table.view(seat)
    assert agent.decide(view, seat).actions == rule.decide(view, seat).actions


def test_a_model_has_all_networks_and_no_others(tmp_path: Path) -> None:
    learnt, by_rule = learner(), learner(predictor="rule")
    assert list(learnt.drafts()["model"].network) == [*CRITIC_NAMES, *PREDICTOR_NAMES, PICKS]
    assert list(by_rule.drafts()["model"].network) == [*CRITIC_NAMES, PICKS]


def test_networks_are_refused_by_who_cannot_use_them(tmp_path: Path) -> None:
    spec = save(learner(), tmp_path).partition(":")[2]
    for agent in ("net", "puct"):
        with pytest.raises(AgentError, match="policy|kind"):
            kibitz.load_agent(f"{agent}:{spec}", GAME)


@pytest.mark.parametrize(
    ("spec", "words"),
    [("sheephead:pass=leaster", {}), ("nimmt", {}), ("sheephead", {"learners": (6,)})],
)
def test_other_games_and_wrong_parameters_are_refused(spec: str, words: dict[str, object]) -> None:
    with pytest.raises(SpecError, match="learns single hands|learners"):
        ActorCritic(kibitz.load_game(spec), ActorCriticConfig(**words), 1)  # type: ignore[arg-type]


@pytest.mark.train
@pytest.mark.usefixtures("torch")
def test_a_run_that_was_stopped_ends_with_the_same_model(tmp_path: Path) -> None:
    from kibitz.learn.trainer import train

    config = {"hands": 40, "worlds": 2, "units": 4, "predictor_units": 3, "workers": 1}
    facts = {"name": "small", "title": "t", "game": "sheephead", "algorithm": "actor_critic"}
    recipe = Recipe(**facts, steps=4, checkpoint=2, config=config)  # type: ignore[arg-type]
    train(recipe, tmp_path / "whole")
    train(recipe.model_copy(update={"steps": 2}), tmp_path / "cut")
    train(recipe, tmp_path / "cut", resume=True)
    models = [np.load(tmp_path / name / "model" / "ngnets.npz") for name in ("whole", "cut")]
    assert set(models[0]) == set(models[1])
    assert all((models[0][name] == models[1][name]).all() for name in models[0])
