"""Learners for papers: made from an algorithm and its parameters, taught some games, and asked.

torch is loaded when somebody learns, not before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.core.agent import Agent
from kibitz.core.registry import load_agent, load_game

if TYPE_CHECKING:
    from kibitz.learn.algorithm import Algorithm, Metrics
    from kibitz.learn.recipe import Recipe


@dataclass(frozen=True)
class Lesson:
    """Who learns what, and by which agent the network plays."""

    label: str
    algorithm: str  # a module of kibitz.learn
    plays: str  # the spec of the agent, without its model
    game: str
    opponents: tuple[str, ...] = ()  # who has the other seats while it learns; empty: itself
    config: Mapping[str, Any] = field(default_factory=dict)  # what is not as the algorithm has it

    @property
    def setting(self) -> str:
        """All that it depends on, in one line."""
        config = ",".join(f"{name}={value}" for name, value in self.config.items())
        beside = "+".join(self.opponents) or "itself"
        return f"{self.label}: {self.algorithm}({config}) beside {beside} in {self.game}"


@dataclass(frozen=True)
class Stage:
    """A learner after some games."""

    games: int
    metrics: "list[Metrics]"  # of the steps since the stage before
    algorithm: "Algorithm"


def make_algorithm(lesson: Lesson, seed: int) -> "Algorithm":
    """Return a learner that has learnt nothing yet."""
    from kibitz.learn.recipe import find_algorithm, make_config

    recipe = _recipe(lesson, seed)
    kind = find_algorithm(recipe.algorithm)  # says what is missing where torch is
    import torch

    torch.set_num_threads(1)
    game = load_game(recipe.game)
    algorithm: Any = kind(game, make_config(recipe, kind), seed)
    if lesson.opponents:
        from kibitz.learn.episodes import Tables

        config = algorithm.config
        algorithm.tables = Tables(game, lesson.opponents, config.games, by_turns=config.by_turns)
    made: Algorithm = algorithm
    return made


def _recipe(lesson: Lesson, seed: int) -> "Recipe":
    from kibitz.learn.recipe import parse_recipe

    facts: dict[str, Any] = {
        "title": lesson.label,
        "game": lesson.game,
        "algorithm": lesson.algorithm,
    }
    facts |= {"seed": seed, "steps": 1, "checkpoint": 1, "config": dict(lesson.config)}
    return parse_recipe(facts, f"the lesson {lesson.label}")


def teach(lesson: Lesson, stages: Sequence[int], seed: int) -> Iterator[Stage]:
    """Let a learner play; yield it after so many games, or as soon as a step ends thereafter."""
    algorithm = make_algorithm(lesson, seed)
    per_step = int(algorithm.config.games)
    games, metrics = 0, []
    for stop in sorted(stages):
        while games < stop:
            metrics.append(algorithm.step())
            games += per_step
        yield Stage(stop, metrics, algorithm)
        metrics = []


def agent_of(lesson: Lesson, stage: Stage, folder: Path) -> Agent:
    """Return what a learner has become so far as an agent; its model goes into the folder."""
    from kibitz.learn.drafts import Making, save_drafts

    algorithm = stage.algorithm
    making = Making(stage.games, 0.0, "not measured")
    recipe = _recipe(lesson, algorithm.seed)
    save_drafts(folder, algorithm.game, recipe, algorithm.drafts(), making)
    separator = "," if ":" in lesson.plays else ":"
    return load_agent(f"{lesson.plays}{separator}model={folder}", algorithm.game)
