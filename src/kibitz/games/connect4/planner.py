"""The planning models of Connect 4: searches that a network steers, in place of PUCT."""

from dataclasses import dataclass

from kibitz.search import planner


@dataclass(frozen=True)
class PlannerConfig(planner.PlannerConfig):
    """Parameters of a search by a planning model, with those that ship unless others are named."""

    sims: int = 100  # simulations per decision
    model: str = "connect4-planner"  # the planning model: its name, or its folder
    base: str = "connect4-alphazero"  # the network it plans for


class PlannerAgent(planner.PlannerAgent):
    """Searches by a planning model; see docs/planning.md."""

    Config = PlannerConfig
