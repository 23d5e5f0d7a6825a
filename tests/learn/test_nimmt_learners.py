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
def test_two_steps_of_a_recipe_make_a_model_that_plays(
    torch: Any, name: str, tmp_path: Path
) -> None:
    from kibitz.learn.recipe import change, load_recipe
    from kibitz.learn.trainer import train

    words = ["steps=2", "checkpoint=2", "games=4", "evaluation.deals=2"]
    if load_recipe(name).algorithm == "dqn":
        words += ["warmup=100", "capacity=1000"]
    result = train(change(load_recipe(name), words), tmp_path / "run")
    assert result.is_finished
    agent = kibitz.load_agent(f"net:model={tmp_path / 'run'}", TABLE)
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
