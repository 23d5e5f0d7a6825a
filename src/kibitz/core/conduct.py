"""What agents must keep to, and what is written down of those that do not."""

from dataclasses import dataclass
from typing import Literal

from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.record import Record


@dataclass(frozen=True)
class Conduct:
    """What agents must keep to, and what happens if they do not.

    An illegal action, an exception and a missed deadline are faults. They stop the play, or cost
    the seat its game: somebody else plays on at random, so that the others' scores mean what they
    always do, and the seat gets the lowest score there is.
    """

    on_error: Literal["stop", "forfeit"] = "stop"
    deadline: float | None = None  # seconds per decision; agents are then asked one at a time

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.on_error not in ("stop", "forfeit"):
            raise SpecError(f"on_error is stop or forfeit, got {clip(self.on_error)}")
        if self.deadline is not None and not self.deadline > 0:
            raise SpecError(f"a deadline is a number of seconds above 0, got {self.deadline}")


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong, and where."""

    agent: int  # its index
    spec: str
    game: int  # id of the game
    deal: int
    rotation: int
    seat: int
    position: str
    reason: str
    n_actions: int  # committed in that game before
    record: Record | None = None  # the game up to there, once it is written

    def __str__(self) -> str:
        """Say who did what, where."""
        where = f" in {self.position}" if self.position else ""
        return (
            f"agent {clip(self.spec)} at seat {self.seat} of deal {self.deal}, "
            f"rotation {self.rotation}, {self.reason}{where}"
        )


class Misbehaviour(AgentError):
    """An agent's fault that stopped the play."""

    def __init__(self, fault: Fault) -> None:
        """Keep the fault, with its record."""
        super().__init__(str(fault))
        self.fault = fault
