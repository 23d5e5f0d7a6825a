"""The recipes of the model-free learners for 6 nimmt!, and the models they made."""

from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz import arena
from kibitz.search.models import MODELS, load_model

NAMES = ["nimmt-reinforce", "nimmt-acer", "nimmt-dqn", "nimmt-d3qn"]
TABLE = kibitz.load_game("nimmt:players=5,rows=lowest")


@pytest.mark.train
@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_that_is_stopped_and_resumed_makes_the_same_model_which_plays(
    torch: Any, name: str, tmp_path: Path
) -> None:
    from kibitz.learn.recipe import change, load_recipe
    from kibitz.learn.trainer import train

    words = ["steps=4", "checkpoint=4", "games=4", "evaluation.deals=2"]
    if load_recipe(name).algorithm == "dqn":
        words += ["warmup=100", "capacity=1000"]
    recipe = change(load_recipe(name), words)
    assert train(recipe, tmp_path / "whole").is_finished
    assert train(recipe, tmp_path / "parts", minutes=1e-9).step == 1
    assert train(recipe, tmp_path / "parts", resume=True).is_finished
    whole, parts = (tmp_path / run / "model" / "weights.npz" for run in ("whole", "parts"))
    assert whole.read_bytes() == parts.read_bytes()
    agent = kibitz.load_agent(f"net:model={tmp_path / 'whole'}", TABLE)
    table = TABLE.deal(1)
    kibitz.play_out(table, [agent] * 5)
    assert -171 <= table.scores.sum() < 0


@pytest.mark.parametrize("name", NAMES)
def test_the_model_that_ships_is_small_and_says_how_it_was_made(name: str) -> None:
    card = load_model(name, TABLE).card
    assert f"kibitz train {name}" in card.recipe
    assert "against random" in card.strength
    folder = MODELS / "nimmt" / name
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_000_000


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
def test_the_model_that_ships_beats_random_players(name: str) -> None:
    result = arena.play(TABLE, [f"net:model={name}", "random"], 60, 1)
    assert result.sample.paired(0, 1).low > 2  # heads that it takes less than they do
