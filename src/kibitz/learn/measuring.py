"""How strong is what has been learnt: matches on duplicate deals against fixed opponents."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kibitz import arena
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
        return {
            f"{self.opponent}/{name}{end}": value
            for name, one in named.items()
            for end, value in (("", one.mean), ("_low", one.low), ("_high", one.high))
            if value == value  # without an interval, its ends are NaN
        }


class Referee:
    """Plays the matches of an evaluation."""

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

    def player(self, model: Path) -> Agent:
        """Make the agent that plays a model."""
        with_model = self._parameters | {"model": str(model.absolute())}
        return load_agent(join_spec(self._name, with_model), self._game)

    def measure(self, model: Path) -> list[Measured]:
        """Play the model in a folder against every opponent."""
        agent, found = self.player(model), []
        for opponent in self._opponents:
            deals = self._evaluation.deals
            sample = arena.play(self._game, [agent, opponent], deals, self._seed).sample
            scores = sample.score(0), sample.paired(0, 1), sample.wins(0)
            found.append(Measured(opponent.spec, self._game.facts.unit, deals, *scores))
        return found
