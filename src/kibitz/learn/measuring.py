"""How strong is what has been learnt: matches on duplicate deals, and moves beside perfect play."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kibitz import arena
from kibitz.arena.grading import Examination, find_grading
from kibitz.arena.statistics import Estimate
from kibitz.core.agent import Agent
from kibitz.core.errors import SpecError
from kibitz.core.registry import load_agent, load_game
from kibitz.core.spec import join_spec, split_spec
from kibitz.core.table import Game
from kibitz.learn.recipe import Evaluation, Recipe

SEED = 1_000_003
"""Added to the seed of a recipe: all measurements of a run are on the same deals."""


@dataclass(frozen=True)
class Measured:
    """How a model did against one opponent, who filled the table."""

    opponent: str
    unit: str
    deals: int
    score: Estimate  # points per game of the model
    difference: Estimate  # to the opponent's, on the same deals
    wins: Estimate  # share of games

    def __str__(self) -> str:
        """Write it in one sentence, with intervals."""
        return (
            f"{self.score} {self.unit} per game against {self.opponent} ({self.difference:+.2f} "
            f"to theirs), wins {self.wins:.1%}, on {self.deals} duplicate deals"
        )

    @property
    def numbers(self) -> Mapping[str, float]:
        """What goes into the log."""
        named = {"score": self.score, "difference": self.difference, "wins": self.wins}
        elo = Estimate(*(_elo(share) for share in (self.wins.mean, self.wins.low, self.wins.high)))
        return _flat(self.opponent, named | {"elo": elo})


@dataclass(frozen=True)
class Graded:
    """How the moves of a model are beside perfect play."""

    n: int  # positions
    good: Estimate  # share that keeps the result of perfect play
    perfect: Estimate

    def __str__(self) -> str:
        """Write it in one sentence, with intervals."""
        return (
            f"{self.good:.1%} of moves keep the result of perfect play and {self.perfect:.1%} are "
            f"perfect, on {self.n} positions"
        )

    @property
    def numbers(self) -> Mapping[str, float]:
        """What goes into the log."""
        return _flat("solver", {"good": self.good, "perfect": self.perfect})


def _flat(about: str, named: Mapping[str, Estimate]) -> dict[str, float]:
    """Name means and ends of intervals as the log does."""
    return {
        f"{about}/{name}{end}": value
        for name, one in named.items()
        for end, value in (("", one.mean), ("_low", one.low), ("_high", one.high))
        if math.isfinite(value)  # without an interval, its ends are NaN
    }


def _elo(share: float) -> float:
    """Return the difference of ratings at which such a share of games is won."""
    if not 0 < share < 1:
        return math.nan if math.isnan(share) else math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


class CutOff(Exception):
    """Somebody wants an end, and the measurement is not whole."""


class Referee:
    """Plays the matches of an evaluation.

    A measurement asks `is_over` again and again, and raises `CutOff` as soon as that is so.
    """

    def __init__(self, recipe: Recipe, evaluation: Evaluation) -> None:
        """Load the opponents, so that a mistake is found before anything is trained."""
        self._evaluation = evaluation
        self._game: Game = load_game(recipe.game, defaults="arena")
        self._opponents = [load_agent(spec, self._game) for spec in evaluation.opponents]
        self._seed = (recipe.seed + SEED) % (1 << 62)
        name, parameters = split_spec(evaluation.agent)
        if "model" in parameters:
            raise SpecError(f"the agent of an evaluation gets its model, got {evaluation.agent!r}")
        self._name, self._parameters = name, parameters
        self._grading = find_grading(self._game.facts)
        if evaluation.positions and self._grading is None:
            raise SpecError(
                f"evaluation.positions={evaluation.positions}: {self._game.facts.name} is not "
                "solved, leave positions out"
            )

    def player(self, model: Path) -> Agent:
        """Make the agent that plays a model."""
        with_model = self._parameters | {"model": str(model.absolute())}
        return load_agent(join_spec(self._name, with_model), self._game)

    def measure(self, model: Path, is_over: Callable[[], bool]) -> list[Measured]:
        """Play the model in a folder against every opponent."""
        agent, found = self.player(model), []
        for opponent in self._opponents:
            deals = self._evaluation.deals
            match = arena.Match(self._game, [agent, opponent], deals, self._seed)
            _finish(match.play(), is_over)
            sample = match.result().sample
            scores = sample.score(0), sample.paired(0, 1), sample.wins(0)
            found.append(Measured(opponent.spec, self._game.facts.unit, deals, *scores))
        return found

    def grade(self, model: Path, is_over: Callable[[], bool]) -> Graded | None:
        """Compare moves of the model in a folder with perfect play, if that is asked for."""
        if not self._evaluation.positions or self._grading is None:
            return None
        n = self._evaluation.positions
        exam = Examination(self._game, self.player(model), self._grading, n, self._seed)
        _finish(exam.run(), is_over)
        whole = exam.report().whole
        return Graded(whole.n, whole.good, whole.perfect)


def _finish(parts: Iterator[object], is_over: Callable[[], bool]) -> None:
    """Do all parts of some work, unless it is to end before."""
    for _ in parts:
        if is_over():
            raise CutOff
