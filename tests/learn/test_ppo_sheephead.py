"""The recipe of `best` of Sheephead, shrunk: it runs, resumes exactly, and ships a policy alone."""

from typing import Any

import pytest

import kibitz
from tests.learn.learning import assert_resumes_exactly, train

pytestmark = pytest.mark.train

FEW = ("games=6", "teacher_games=4", "teacher_steps=2", "hidden=[16]", "critic_hidden=[16]")


def make() -> Any:
    from kibitz.learn.ppo import Ppo
    from kibitz.learn.recipe import change, load_recipe, make_config

    recipe = change(load_recipe("sheephead-best"), [*FEW, "snapshot_every=40", "keep=2"])
    return Ppo(kibitz.load_game(recipe.game), make_config(recipe, Ppo), recipe.seed)


def test_it_resumes_exactly(torch: Any) -> None:
    assert_resumes_exactly(make)


def test_the_critic_sees_all_cards_and_the_policy_does_not(torch: Any) -> None:
    learner = train(make(), 3)
    assert isinstance(learner, type(make()))
    game, draft = learner.game, learner.drafts()["model"]
    assert list(learner.drafts()) == ["model"]  # the critic is not written down
    insight = game.encodings["insight"]
    assert draft.encoding == "insight"
    assert len(draft.network[0][0]) == insight.size + insight.candidate_size
    hidden = game.oracle.size - insight.size
    assert hidden == 8 * 32  # five hands, blind, bury and the unknown card
    assert len(learner.critic.weight) > insight.size + hidden
    assert not set(game.encodings) & {"oracle"}
