"""Who learns to plan: the six models of table 4.1, one of single actions, and how they are taught.

Everything learnt is kept for as long as the process runs, so that studies which need the same
models teach them once.
"""

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent
from kibitz.core.registry import load_game
from kibitz.core.table import Game
from kibitz.papers.learning import Lesson, make_algorithm
from kibitz.search.models import Model, load_model

if TYPE_CHECKING:
    from kibitz.learn.selections import Points

GAME = "connect4:opening=4"
"""Tournaments begin from positions after four random moves, played from both sides."""

BASE = "connect4-alphazero"
POINTS = 250_000
"""Selections that are imitated: 200,000 are learnt from, the others held out."""

REMEDIES = "MLP Base, remedies"

C = 1.5
"""Exploration of PUCT: the thesis's 3 where values lie between -1 and 1."""


class Scale(NamedTuple):
    """How much is done for a size, which is the number of selections."""

    sims: int
    games: int  # of self-play that are imitated
    epochs: int  # of MLPs; residual networks have a tenth
    updates: int  # by PPO
    update_games: int
    deals: int  # of every pair in a tournament


def scale_of(size: int) -> Scale:
    """Return all of it, or enough to see that it works."""
    if size >= POINTS:
        return Scale(sims=100, games=100, epochs=20, updates=10, update_games=20, deals=20)
    return Scale(sims=8, games=3, epochs=3, updates=1, update_games=2, deals=2)


@dataclass(frozen=True)
class Pupil:
    """A kind of planning model, as the thesis calls it."""

    label: str
    kind: str
    variance: bool = False
    history: bool = False
    remedies: bool = False  # the value term, entropy, draws, and twice the games of an update

    def lesson(self, size: int) -> Lesson:
        """Return how it learns."""
        scale, is_crn = scale_of(size), self.kind == "crn"
        config: dict[str, Any] = {"kind": self.kind, "base": BASE, "c": C}
        config |= {"variance": self.variance, "history": self.history}
        config |= {"hidden": [32, 32] if self.kind == "arm" else [64, 64], "filters": 16}
        config |= {"sims": scale.sims, "games": scale.games, "points": size}
        config |= {"epochs": max(scale.epochs // 10, 1) if is_crn else scale.epochs}
        config |= {"batch": 1024 if size >= POINTS else 256, "rate": 8e-3 if is_crn else 4e-3}
        config |= {"update_games": scale.update_games, "update_share": 0.3}
        config |= {"update_rate": 1e-3 if is_crn else 1e-4}  # table B.1
        if self.remedies:
            config |= {"value_weight": 0.5, "entropy": 0.01, "heat": 1.0}
            config |= {"update_games": 2 * scale.update_games}
        return Lesson(self.label, "planning", "planner", "connect4", config=config)


PUPILS = {
    one.label: one
    for one in (
        Pupil("MLP Base", "mlp"),
        Pupil("MLP QV", "mlp", variance=True),
        Pupil("CRN Base", "crn"),
        Pupil("CRN QV", "crn", variance=True),
        Pupil("CRN MH", "crn", history=True),
        Pupil("CRN QV/MH", "crn", variance=True, history=True),
        Pupil("one action", "arm"),
        Pupil(REMEDIES, "mlp", remedies=True),
    )
}

SIX = ("MLP Base", "MLP QV", "CRN Base", "CRN QV", "CRN MH", "CRN QV/MH")


class Grown(NamedTuple):
    """A pupil after imitation and after some updates."""

    hits: npt.NDArray[np.int64]  # [games] that were held out: selections that it predicts
    trials: npt.NDArray[np.int64]  # all of them
    epochs: int
    stages: dict[int, Model]  # by the number of updates


@cache
def game(spec: str = GAME) -> Game:
    """Return the game of tournaments, or another."""
    return load_game(spec)


@cache
def base() -> Model:
    """Return the base network, which remembers what it has said."""
    from kibitz.learn.selections import remembering

    return remembering(load_model(BASE, game()), game())


@cache
def collected(size: int, seed: int) -> "Points":
    """Return the selections that all pupils imitate."""
    learner: Any = make_algorithm(PUPILS["CRN QV/MH"].lesson(size), seed)
    points: Points = learner.collect()
    return points


def stages_of(size: int) -> tuple[int, ...]:
    """Return the numbers of updates after which a pupil plays: as 0, 10, 20 and 30 of 30."""
    n = scale_of(size).updates
    return tuple(sorted({0, round(n / 3), round(2 * n / 3), n}))


@cache
def grow(label: str, size: int, seed: int) -> Grown:
    """Let a pupil imitate, and update it."""
    lesson = PUPILS[label].lesson(size)
    learner: Any = make_algorithm(lesson, seed)
    learner.imitate_points(collected(size, seed))
    for _ in range(learner.config.epochs):
        learner.step()
    hits, trials = learner.examined
    stages = {0: _model_of(learner)}
    for n in range(1, stages_of(size)[-1] + 1):
        learner.step()
        if n in stages_of(size):
            stages[n] = _model_of(learner)
    return Grown(hits, trials, learner.config.epochs, stages)


def _model_of(learner: Any) -> Model:
    """Return what a pupil has become as a model, by way of its files."""
    from kibitz.learn.drafts import Making, save_drafts
    from kibitz.learn.recipe import parse_recipe

    facts = {"title": "a pupil", "game": "connect4", "algorithm": "planning"}
    recipe = parse_recipe({**facts, "seed": learner.seed, "steps": 1, "checkpoint": 1}, "a pupil")
    with tempfile.TemporaryDirectory(prefix="kibitz-") as folder:
        making = Making(learner.n_steps, 0.0, "not measured")
        save_drafts(Path(folder), learner.game, recipe, learner.drafts(), making)
        return load_model(f"{folder}/model", learner.game, use="planning")


def planner_agent(model: Model, sims: int, spec: str = GAME) -> Agent:
    """Return a search by a planning model."""
    from kibitz.search.planner import PlannerAgent, PlannerConfig

    return PlannerAgent(game(spec), PlannerConfig(sims=sims, leaves=1), base(), model)


def base_agent(sims: int, spec: str = GAME) -> Agent:
    """Return the search of the base network by PUCT."""
    from kibitz.search.puct import PuctAgent, PuctConfig

    return PuctAgent(game(spec), PuctConfig(sims=sims, leaves=1, c=C), base())
