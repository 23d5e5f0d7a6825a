"""What came of a match."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from kibitz.arena.sample import Sample
from kibitz.arena.statistics import Estimate
from kibitz.core.conduct import Fault
from kibitz.core.record import Record
from kibitz.core.table import Game

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Standing:
    """How one agent did."""

    agent: int  # its index
    label: str
    spec: str
    score: Estimate  # points per game, higher is better
    wins: Estimate  # share of games won, ties split
    seconds_per_move: float
    n_faults: int


@dataclass(frozen=True)
class Paired:
    """The difference of two agents' scores on the same deals."""

    a: int
    b: int
    difference: Estimate


@dataclass(frozen=True, repr=False)
class Result:
    """All games of a match, and what they say."""

    game: Game
    agents: tuple[str, ...]  # specs
    seed: int
    deals: Ints  # number of each deal: [deals]
    lineup: npt.NDArray[np.int16]  # agent at each seat: [deals, games, seats]
    scores: Floats  # [deals, games, seats]
    seconds: Floats  # spent in each agent at each step: [agents, steps]
    n_decisions: Ints  # asked of each agent at each step: [agents, steps]
    elapsed: float  # wall time, without compiling
    records: list[Record]
    faults: list[Fault]

    def __repr__(self) -> str:
        """Say who played what; the arrays are too long to be read."""
        agents = ", ".join(self.agents)
        return f"<Result {self.game.spec}: {agents}; {len(self.deals)} deals, {self.n_games} games>"

    @property
    def n_games(self) -> int:
        """How many games were played."""
        return len(self.deals) * self.lineup.shape[1]

    @cached_property
    def labels(self) -> list[str]:
        """A name for every agent: its spec, numbered if the same one plays twice."""
        return label(self.agents)

    @cached_property
    def sample(self) -> Sample:
        """The scores by side, for statistics."""
        return Sample.of_seats(self.game.sides, len(self.agents), self.lineup, self.scores)

    @property
    def seconds_per_move(self) -> Floats:
        """The mean time of a decision, for each agent."""
        return self.seconds.sum(axis=1) / np.maximum(self.n_decisions.sum(axis=1), 1)

    def standings(self) -> list[Standing]:
        """Rank the agents by mean score, best first."""
        rows = [
            Standing(
                a,
                self.labels[a],
                spec,
                self.sample.score(a),
                self.sample.wins(a),
                float(self.seconds_per_move[a]),
                sum(fault.agent == a for fault in self.faults),
            )
            for a, spec in enumerate(self.agents)
        ]
        return sorted(rows, key=lambda row: -row.score.mean)

    def paired(self) -> list[Paired]:
        """Compare every two agents on the same deals."""
        pairs = combinations(range(len(self.agents)), 2)
        return [Paired(a, b, self.sample.paired(a, b)) for a, b in pairs]


def label(specs: Sequence[str]) -> list[str]:
    """Number specs that occur more than once."""
    seen: dict[str, int] = {}
    labels = []
    for spec in specs:
        seen[spec] = seen.get(spec, 0) + 1
        labels.append(spec if seen[spec] == 1 else f"{spec} #{seen[spec]}")
    return labels
