"""How fast the actor-critic scheme of Sheephead learns."""

from time import process_time

from kibitz.bench.measure import Benchmark, Sample, Target
from kibitz.core.registry import load_game

STEPS_BEFORE = 3
"""Steps before anything counts: units are placed in them."""


def ngnet_learning() -> Benchmark:
    """Measure hands that are played and learnt from, one to five learners at the table."""
    return Benchmark(
        name="sheephead.learning",
        unit="hands/s",
        about="hands of the recipe sheephead-ngnet, played and learnt from, on one core; CPU time",
        ours=_hands,
        target=Target(1000),
    )


def _hands() -> Sample:
    from kibitz.learn.actor_critic import ActorCritic, ActorCriticConfig

    algorithm = ActorCritic(load_game("sheephead"), ActorCriticConfig(worlds=4, threads=1), 1)
    for _ in range(STEPS_BEFORE):
        algorithm.step()

    def learn(seconds: float) -> float:
        n, began = 0, process_time()
        while (spent := process_time() - began) < seconds:
            algorithm.step()
            n += algorithm.config.hands
        return n / spent

    return learn
