"""How fast a learner plays and learns, both together."""

import importlib.util
from functools import partial
from time import process_time

import kibitz
from kibitz.bench.measure import Benchmark, Sample, Target

GAMES, WORKERS, CLONED, SEED = 200, 2, 20, 1


def learning_benchmarks() -> list[Benchmark]:
    """Measure PPO as recipes have it: self-play, critic and policy.

    Without torch there is nothing to measure.
    """
    if importlib.util.find_spec("torch") is None:
        return []
    how = f"steps of {GAMES} rounds after cloning, {WORKERS} threads, per second of CPU time"
    return [
        Benchmark(
            name=name,
            unit=f"{what}/s",
            about=f"{what} that {recipe} plays and learns from, {how}",
            ours=partial(_ppo, recipe, what),
            target=Target(least),
        )
        for name, recipe, what, least in (
            ("tichu.ppo_decisions", "tichu-best", "decisions", 10_000),
            ("tichu.ppo_rounds", "tichu-best", "rounds", 150),
            ("sheephead.ppo", "sheephead-best", "hands", 1000),
        )
    ]


def _ppo(name: str, what: str) -> Sample:
    """Prepare a run that has cloned its teacher; a sample takes steps for some CPU time."""
    import torch

    from kibitz.learn.ppo import Ppo
    from kibitz.learn.recipe import change, load_recipe, make_config

    torch.set_num_threads(1)
    words = [f"games={GAMES}", f"teacher_games={GAMES}", f"teacher_steps={CLONED}"]
    words += [f"workers={WORKERS}"]
    recipe = change(load_recipe(name), words)
    learner = Ppo(kibitz.load_game(recipe.game), make_config(recipe, Ppo), SEED)
    for _ in range(CLONED + 1):
        learner.step()

    def sample(seconds: float) -> float:
        n, began = 0.0, process_time()
        while (spent := process_time() - began) < seconds or not n:
            told = learner.step()
            n += told["decisions"] if what == "decisions" else GAMES
        return n / spent

    return sample
