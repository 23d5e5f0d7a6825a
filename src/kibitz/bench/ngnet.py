"""How fast the actor-critic scheme of Sheephead learns."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from kibitz.bench.measure import Benchmark, Sample, Target
from kibitz.core.registry import load_game

if TYPE_CHECKING:
    from kibitz.learn.actor_critic import ActorCritic

RECIPE = "sheephead-ngnet"

STEPS_BEFORE = 5
"""Steps before anything counts: all units are placed in them."""


def ngnet_learning() -> list[Benchmark]:
    """Measure hands that are played and learnt from, one to five learners at the table."""
    how = f"hands of the recipe {RECIPE}, played and learnt from"
    return [
        Benchmark(
            name="sheephead.learning",
            unit="hands/s",
            about=f"{how}, on one core; CPU time",
            ours=partial(_hands, 1, process_time),
            target=Target(1000),
        ),
        Benchmark(
            name="sheephead.learning_2_threads",
            unit="hands/s",
            about=f"{how}, with two threads; wall time",
            ours=partial(_hands, 2, perf_counter),
            target=Target(2000),
        ),
    ]


def prepare(threads: int) -> "ActorCritic":
    """Return the recipe's learner with so many threads, after all its units are placed."""
    from kibitz.learn.actor_critic import ActorCritic
    from kibitz.learn.recipe import load_recipe, make_config

    recipe = load_recipe(RECIPE)
    config = replace(make_config(recipe, ActorCritic), workers=threads)
    learner = ActorCritic(load_game(recipe.game), config, recipe.seed)
    for _ in range(STEPS_BEFORE):
        learner.step()
    return learner


def _hands(threads: int, clock: Callable[[], float]) -> Sample:
    learner = prepare(threads)

    def learn(seconds: float) -> float:
        n, began = 0, clock()
        while (spent := clock() - began) < seconds or not n:
            learner.step()
            n += learner.config.hands
        return n / spent

    return learn
