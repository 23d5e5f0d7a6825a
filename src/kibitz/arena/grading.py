"""An agent judged by perfect play: how many of its moves are good, and how many perfect.

Positions are drawn stage by stage, as many of each, and the agent decides once in every one of
them, with a random stream of its own. The position is the unit of all intervals.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kibitz.arena.statistics import Estimate, share_of
from kibitz.core.agent import Agent, check_agents
from kibitz.core.conduct import asking
from kibitz.core.errors import AgentError, clip
from kibitz.core.habits import Grades, Grading
from kibitz.core.messages import Message
from kibitz.core.modules import find_module
from kibitz.core.rng import Purpose, derive
from kibitz.core.spec import GameFacts
from kibitz.core.table import Game, check_seed

AT_ONCE = 10
"""Positions that are decided and graded between two signs of life."""


def find_grading(facts: GameFacts) -> Grading | None:
    """Return how decisions of a game are graded by perfect play, if it is solved."""
    found: Grading | None = getattr(find_module(facts, "judging"), "GRADING", None)
    return found


@dataclass(frozen=True)
class Marks:
    """How an agent does in one stage, or in all."""

    stage: tuple[int, int]  # the first and the last, such as discs on the board
    n: int  # positions
    good: Estimate  # share of decisions that keep the result of perfect play
    perfect: Estimate  # share of those that are not worse than any other
    chance: float  # share of good ones if one chose at random


@dataclass(frozen=True)
class Report:
    """What came of grading an agent."""

    game: Game
    judged: str  # its spec
    stage: Message | str  # what makes a stage
    seed: int
    elapsed: float
    by_stage: list[Marks]
    whole: Marks  # all stages together


class Examination:
    """One agent graded by perfect play; `run` asks it, `report` says what came of it."""

    def __init__(self, game: Game, judged: Agent, grading: Grading, n: int, seed: int) -> None:
        """Prepare `n` positions of every stage."""
        check_agents([judged], game)
        check_seed(seed)
        self.game, self.judged, self.grading, self.seed = game, judged, grading, seed
        self._n, self._elapsed = n, 0.0
        self._grades: list[list[Grades]] = [[] for _ in grading.stages]

    @property
    def n_positions(self) -> int:
        """How many positions there are."""
        return self._n * len(self.grading.stages)

    @property
    def has_run(self) -> bool:
        """Whether every stage has some grades."""
        return all(self._grades)

    def run(self) -> Iterator[int]:
        """Ask about all positions; yields how many were graded since it last did.

        The stages take turns, so that an end in the middle leaves all of them some positions.
        """
        drawn = [
            self.grading.draw(self.game, stage, self._n, self.seed)
            for stage in range(len(self.grading.stages))
        ]
        for begin in range(0, self._n, AT_ONCE):
            for stage, (views, seats) in enumerate(drawn):
                began = time.perf_counter()
                rows = slice(begin, begin + AT_ONCE)
                numbers = range(begin, min(begin + AT_ONCE, self._n))
                actions = [self._ask(views[i], int(seats[i]), stage, i) for i in numbers]
                some = self.grading.grade(views[rows], seats[rows], np.array(actions, np.int64))
                self._grades[stage].append(some)
                self._elapsed += time.perf_counter() - began
                yield len(actions)

    def _ask(self, view: np.record, seat: int, stage: int, number: int) -> int:
        rng = derive(self.seed, Purpose.AGENT, stage, number)
        with asking(self.judged.spec):
            action = int(self.judged.decide(view, seat, rng).actions[0])
        if action not in self.game.legal(view, seat):
            where = self.game.format(view)
            raise AgentError(f"{self.judged.spec} chose {clip(str(action))}, illegal in {where}")
        return action

    def report(self) -> Report:
        """Sum up what was graded."""
        stages = self.grading.stages
        parts = [Grades(*map(np.concatenate, zip(*some, strict=True))) for some in self._grades]
        whole = Grades(*map(np.concatenate, zip(*parts, strict=True)))
        return Report(
            game=self.game,
            judged=self.judged.spec,
            stage=self.grading.stage,
            seed=self.seed,
            elapsed=self._elapsed,
            by_stage=[_mark(*both) for both in zip(stages, parts, strict=True)],
            whole=_mark((stages[0][0], stages[-1][1]), whole),
        )


def _mark(stage: tuple[int, int], grades: Grades) -> Marks:
    every = np.ones(len(grades.good))
    return Marks(
        stage=stage,
        n=len(grades.good),
        good=share_of(grades.good, every),
        perfect=share_of(grades.perfect, every),
        chance=float(grades.chance.mean()),
    )
