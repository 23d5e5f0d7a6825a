"""A player that sees all cards and plays them perfectly."""

from dataclasses import dataclass
from typing import Any, ClassVar

from kibitz.core.errors import AgentError
from kibitz.core.table import Game
from kibitz.games.sheephead.pimc import PimcAgent
from kibitz.games.sheephead.solver import Objective
from kibitz.search.weighing import NO_BELIEF


@dataclass(frozen=True)
class ExactConfig:
    """What it plays for."""

    objective: Objective = "money"
    worlds: ClassVar[int] = 1  # there is only one, and nothing to doubt
    doubt: ClassVar[float] = 1.0
    belief: ClassVar[str] = NO_BELIEF
    before: ClassVar[str] = "rule"


class ExactAgent(PimcAgent):
    """Solves hands that lie open (open=true), and plays the card that is best for its side.

    It bids, buries, calls and doubles like `rule`, and plays like it where nobody picked: there
    everybody is for himself, and a hand has no value of two sides.
    """

    name = "exact"
    rest = ""
    Config: ClassVar[type[Any]] = ExactConfig

    def __init__(self, game: Game, config: Any = None) -> None:
        """Refuse games in which cards are hidden."""
        if game.options["open"] != "true":
            raise AgentError(
                f"exact solves open hands, and {game.spec} hides them: play sheephead:open=true, "
                "or use pimc, which solves worlds that fit what it sees"
            )
        super().__init__(game, config)
