"""The recipe of `best` of Sheephead, shrunk: it runs, resumes exactly, and ships its critic."""

from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.lanes import LEARNER
from tests.learn.learning import assert_resumes_exactly, train
from tests.search.networks import outputs_by_numpy

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
    insight = game.encodings["insight"]
    assert draft.encoding == "insight"
    assert len(draft.network[0][0]) == insight.size + insight.candidate_size
    hidden = game.oracle.size - insight.size
    assert hidden == 8 * 32  # five hands, blind, bury and the unknown card
    assert len(learner.critic.weight) > insight.size + hidden
    assert not set(game.encodings) & {"oracle"}


def test_a_critic_that_is_written_down_says_the_same_among_equals(torch: Any) -> None:
    from kibitz.learn.troupe import Manner

    learner: Any = train(make(), 3)
    draft = learner.drafts()["critic"]
    assert (draft.inputs, draft.value, draft.scale) == ("oracle", "score", 20.0)
    (part,) = learner.perform(np.full((4, 5), LEARNER), [], Manner())
    bag, n = part.truths, learner.troupe.n_truth
    rows = np.zeros((len(part), n), np.float32)
    for k in range(len(part)):
        for one in (bag.views, bag.candidates):
            places = slice(one.ends[k], one.ends[k + 1])
            rows[k, one.places[places]] = one.numbers[places]
    assert rows[:, n - learner.troupe.n_kinds].all()  # everybody meets itself
    said = outputs_by_numpy(draft.network, rows[:, : n - learner.troupe.n_kinds])[:, 0]
    np.testing.assert_allclose(said, learner.values(part), atol=1e-4)
