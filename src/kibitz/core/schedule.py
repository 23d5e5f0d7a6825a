"""Which games are played, by whom, in which batch: what the loop, faults and watching share."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from kibitz.core.agent import Agent, check_agent
from kibitz.core.batch import Batch
from kibitz.core.errors import AgentError, SpecError, clip
from kibitz.core.game import Scores, is_over
from kibitz.core.memory import Ints, Log
from kibitz.core.record import Record, write_record
from kibitz.core.rng import MAX_SEED
from kibitz.core.table import Game, Origin, check_seed


@dataclass(frozen=True)
class Schedule:
    """Which games to play: deal, rotation and who sits where."""

    seed: int
    deals: Ints  # [games]
    rotations: Ints  # [games]
    lineup: npt.NDArray[np.int64]  # [games, seats]: index of the agent

    def __post_init__(self) -> None:
        """Refuse arrays that do not fit each other: kernels would read beyond them."""
        check_seed(self.seed)
        for name in ("deals", "rotations", "lineup"):
            object.__setattr__(self, name, _whole_numbers(name, getattr(self, name)))
        n = len(self.deals)
        fits = self.deals.shape == self.rotations.shape == (n,) == self.lineup.shape[:1]
        if n == 0 or not fits or self.lineup.ndim != 2 or not self.lineup.size:
            raise SpecError(
                f"a schedule of {n} deals needs as many rotations and rows of the lineup, "
                f"got {len(self.rotations)} and a lineup of shape {self.lineup.shape}"
            )

    def __len__(self) -> int:
        """How many games there are."""
        return len(self.deals)

    def part(self, begin: int, end: int) -> "Schedule":
        """Return the games from `begin` to `end`."""
        cut = slice(begin, end)
        return Schedule(self.seed, self.deals[cut], self.rotations[cut], self.lineup[cut])


def _whole_numbers(name: str, given: object) -> Ints:
    """Return an array of whole numbers from 0 as kernels expect it."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.zeros(0, object)
    if array.ndim == 0 or array.dtype.kind not in "iu" or (array.size and array.min() < 0):
        raise SpecError(f"the {name} of a schedule are whole numbers from 0, got {clip(given)}")
    if array.size and int(array.max()) > MAX_SEED:
        raise SpecError(f"the {name} of a schedule are at most 2**63 - 1, got {array.max()}")
    return np.ascontiguousarray(array, np.int64)


@dataclass(frozen=True)
class Sitting:
    """Agents at the tables of a batch; the schedule's lineup refers to them by index."""

    game: Game
    agents: Sequence[Agent]
    batch: Batch
    schedule: Schedule  # the games, which the batch has begun
    begin: int = 0  # the id of the first game

    def __post_init__(self) -> None:
        """Refuse what does not belong together: kernels would read and write beyond arrays."""
        game, lineup = self.game, self.schedule.lineup
        for agent in self.agents:
            check_agent(agent, game)
        low, high, n = int(lineup.min()), int(lineup.max()), len(self.agents)
        if low < 0 or high >= n:
            raise AgentError(f"the lineup names agents {low} to {high}, got {n} agents")
        if lineup.shape[1] != game.n_seats:
            seats = lineup.shape[1]
            raise SpecError(f"{game.spec} has {game.n_seats} seats, the lineup has {seats}")
        if len(self.batch.states) != len(self.schedule):
            n = len(self.batch.states)
            raise SpecError(f"the batch has {n} games, the schedule has {len(self.schedule)}")
        game.check_state(self.batch.states[0])

    def place(self, i: int) -> tuple[int, int]:
        """Return deal and rotation of game i."""
        return int(self.schedule.deals[i]), int(self.schedule.rotations[i])

    def actions(self) -> list[Log]:
        """Return the actions of every game."""
        log = self.batch.log()
        order = np.argsort(log["game"], kind="stable")
        edges = np.searchsorted(log["game"][order], np.arange(len(self.batch.states) + 1))
        return [log[order[begin:end]] for begin, end in pairwise(edges)]

    def record(self, i: int, log: Log, result: Scores | None) -> Record:
        """Write down game i."""
        seats = [self.agents[a].spec for a in self.schedule.lineup[i]]
        actions = zip(log["seat"].tolist(), log["action"].tolist(), strict=True)
        origin = Origin(self.schedule.seed, *self.place(i))
        return write_record(self.game, origin, actions, result, seats)

    def records(self) -> list[Record]:
        """Write down every game."""
        states, actions, scores = self.batch.states, self.actions(), self.batch.scores()
        return [
            self.record(i, actions[i], scores[i] if is_over(states[i]) else None)
            for i in range(len(states))
        ]
