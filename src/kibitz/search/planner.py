"""A planning model in place of PUCT: a network says which arm every simulation tries."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.encoding import observe_all
from kibitz.core.errors import AgentError, SpecError, plain
from kibitz.core.table import Game
from kibitz.search.forest import Forest
from kibitz.search.guided import GuidedAgent, GuidedConfig
from kibitz.search.models import Model, load_model
from kibitz.search.planning import (
    best_places,
    check_layers,
    columns_of,
    planned,
    planned_outside,
    see_asked,
)


@dataclass(frozen=True)
class PlannerConfig(GuidedConfig):
    """Parameters of a search by a planning model."""

    base: str = "none"  # the network that values leaves and gives priors: a model, or its folder
    heat: float = 0.0  # temperature at which arms are drawn, as learning needs; 0: the best

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        if not 0 <= self.heat <= 100:
            raise SpecError(f"heat={self.heat}: expected 0 to 100")


class PlannerAgent(GuidedAgent):
    """Grows a tree by what a planning model says, with values and priors of another network."""

    name = "planner"
    Config = PlannerConfig

    def __init__(
        self,
        game: Game,
        config: Any = None,
        model: Model | None = None,
        planner: Model | None = None,
    ) -> None:
        """Load the planning model and the network it plans for; whoever trains hands them over."""
        config = self.Config() if config is None else config
        if planner is None:
            if config.model == "none":
                raise AgentError(
                    f"{self.name} needs a planning model: {self.name}:model=NAME, or a folder such "
                    "as ./NAME; kibitz models lists what ships"
                )
            planner = load_model(config.model, game, use="planning")
        self.planner = planner
        self.columns = columns_of(game, planner.encoding)
        self.asks_outside = planner.session is not None
        if not self.asks_outside:
            check_layers(planner.layers)
        super().__init__(game, config, model)
        if self.asks_outside and self._outside is None:
            raise AgentError(
                f"{self.name}: the model {plain(config.model, 80)} runs outside of the search, as "
                "must the network it plans for: name one with base="
            )
        if self.asks_outside and config.heat:
            raise AgentError(
                f"{self.name}:heat={config.heat}: the model {plain(config.model, 80)} runs outside "
                "of the search, leave heat out"
            )
        if config.foresight and "variance" in planner.card.sees:
            raise AgentError(
                f"{self.name}:foresight={config.foresight}: the model "
                f"{plain(config.model, 80)} sees the variance of values, of which proven ones "
                "have none: leave foresight out"
            )

    def load_network(self) -> Model | None:
        """Load the network that the model plans for."""
        name = self.config.base
        return None if name == "none" else load_model(name, self.game)

    def make_rule(self) -> np.record:
        """Return the planning model as a rule, or the one that asks it."""
        if self.asks_outside:
            return planned_outside()
        one_by_one = self.planner.card.inputs == "arm"
        return planned(self.planner.layers, self.columns, one_by_one, self.config.heat)

    def steer(self, forest: Forest) -> bool:
        """Ask the planning model about all trees that wait for it, at once."""
        steps = forest.asking() if self.asks_outside else None
        if steps is None:
            return False
        planner, sees = self.planner, self.planner.card.sees
        rows = see_asked(forest, steps, self.columns, "variance" in sees)
        if "history" in sees:
            seen = np.zeros((len(rows), planner.encoding.size), np.float32)
            observe_all(forest.positions(steps), steps.seats, planner.encoding.record, seen)
            rows = np.hstack([rows, seen])
        outputs = planner.evaluate(rows)["policy"]
        forest.steer(steps, best_places(steps, outputs, self.columns))
        return True
