"""Every recipe that ships, run for a step with tiny sizes, measured, and played."""

from pathlib import Path

import pytest

import kibitz
from kibitz.learn.recipe import Recipe, change, load_recipe, recipe_names

pytestmark = pytest.mark.train

REPLAY = ["games=2", "batch=4", "warmup=10"]

SMALL = ["games=2", "hidden=[4]", "critic_hidden=[4]", "workers=1"]

TINY = {
    "acer": REPLAY,
    "actor_critic": ["hands=20", "worlds=1", "units=2", "threads=1"],
    "alpha05": ["games=1", "hidden=[4]"],
    "alphazero": ["games=2", "lanes=2", "sims=2", "filters=2", "blocks=1", "gate_deals=1"],
    "calling": ["games=2"],
    "clone": [*SMALL, "test_games=2"],
    "distil": ["decisions=100", "sims=10", "rolls=10", "games=2"],
    "dmc": SMALL,
    "dqn": [*REPLAY, "updates=1"],
    "planning": ["games=1", "lanes=1", "sims=4", "filters=2", "blocks=1", "points=20", "batch=4"],
    "ppo": [*SMALL, "teacher_games=2", 'begin=""', "begin_steps=0"],
    "reinforce": ["games=2"],
}
"""What is replaced in the recipes of an algorithm."""

PLAYERS = {"actor_critic": "ngnet", "planning": "planner"}
"""Who plays what an algorithm learns, if the network does not do so alone."""

MEASURED = ["evaluation.deals=2", "evaluation.every=1", 'evaluation.opponents=["random"]']


def shrunk(name: str) -> Recipe:
    """Return a recipe with tiny sizes; agents that search make two simulations."""
    recipe = load_recipe(name)
    words = ["steps=1", "checkpoint=1", *TINY[recipe.algorithm]]
    searcher = str(recipe.config.get("agent", "")).replace("sims=50", "sims=2")
    if searcher:
        words += [f"agent={searcher}", f"evaluation.agent={searcher}"]
    if recipe.evaluation:
        words += MEASURED
        words += ["evaluation.positions=2"] if recipe.evaluation.positions else []
    return change(recipe, words)


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_runs_and_what_it_learns_plays(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs torch: pip install 'kibitz[train]'")
    from kibitz.learn.trainer import train

    recipe = shrunk(name)
    assert train(recipe, tmp_path / "run").is_finished
    if recipe.algorithm == "calling":
        return  # it answers two questions only: tests/learn/test_calling.py
    game = kibitz.load_game(recipe.game)
    table = game.deal(seed=1)
    seat = table.movers[0]
    player = PLAYERS.get(recipe.algorithm, "net")
    agent = kibitz.load_agent(f"{player}:model={tmp_path / 'run'}", game)
    assert agent.decide(table.view(seat), seat).actions[0] in table.legal(seat)
