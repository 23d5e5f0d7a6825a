"""What a paper says, and what has to be played to hold against it.

A table is made of series and studies. A `Series` is one player at a table with opponents, on the
same deals as every other series of the table, each deal from every seat: a `Trial` asks how often
the player wins, a `Duel` which of two players does better on the same cards, a `Standing` what
somebody at a table of many scores. A `Study` is whatever else takes some games to find out: how a
learner's loss falls, how long a move takes. It finds points, and a `Reading` is one of them.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kibitz.arena.statistics import Estimate
from kibitz.core.errors import SpecError, clip, nearest


@dataclass(frozen=True)
class Target:
    """When enough has been played."""

    deals: int  # of a trial, each from both seats
    differing: int  # games of a duel that just one of the two wins
    most: int  # deals of a duel, whether or not they differ
    beyond: int = 0  # differing games in tables that the paper does not have; 0: as in its own
    part: float = 1.0  # of the deals of a standing and of the size of a study

    def differing_in(self, table: "Table") -> int:
        """Return how many games of every duel of a table are to differ.

        A table with budgets that are measured here is none of the paper's.
        """
        return self.beyond if self.beyond and table.budgets else self.differing

    def part_of(self, whole: int, least: int) -> int:
        """Return how much of something is enough: at least `least`, but not more than all."""
        return min(whole, max(math.ceil(self.part * whole), least))


LEAST_DEALS = 2
"""Deals of a standing at least."""

BUDGETS = {
    "quick": Target(6, 300, 6, part=0.01),
    "paper": Target(250, 300, 10_000),
    "full": Target(25_000, 30_000, 1_000_000, beyond=3_000),
}
"""Some games of everything; as many as the paper played; a hundred times as many, and ten times
in the tables that it does not have. Standings and studies set their own number, which is never
less than the paper's, and have no more than that to play."""


@dataclass(frozen=True)
class Player:
    """Somebody who plays, as the paper calls it and as we do."""

    label: str
    spec: str
    sims: float = 0.0  # simulations of one game, by which times are estimated


@dataclass(frozen=True)
class Series:
    """One player at a table with opponents, on the deals of a table of the paper."""

    table: str
    game: str  # spec
    player: Player
    opponents: tuple[Player, ...]  # the last one takes all seats that are left
    keeps_scores: bool = False  # of everybody, instead of how the player fared against one

    @property
    def key(self) -> str:
        """The name of this series in the results."""
        return f"{self.table} {self.player.spec}"

    @property
    def players(self) -> tuple[Player, ...]:
        """Everybody at the table."""
        return (self.player, *self.opponents)

    @property
    def opponent_specs(self) -> str:
        """The opponents, as the results name them."""
        return " ".join(one.spec for one in self.opponents)

    def seed(self, seed: int) -> int:
        """Derive what its deals come from: the same for all players of a table."""
        digest = hashlib.sha256(f"{seed} {self.table}".encode()).digest()
        return int.from_bytes(digest[:6])


@dataclass(frozen=True)
class Point:
    """One number that a study has found."""

    line: str  # what it belongs to, such as a player or a loss
    x: float
    y: Estimate


@dataclass(frozen=True)
class Study:
    """Something to find out that is no match: a learner's curve, a time, a comparison of moves."""

    table: str
    name: str
    setting: str  # all that its numbers depend on, in words and specs
    size: int  # games, as the study counts them
    least: int  # of them that say anything at all
    run: Callable[[int, int, int], list[Point]] = field(compare=False)  # size, seed, threads
    needs_torch: bool = False

    @property
    def key(self) -> str:
        """The name of this study in the results."""
        return f"{self.table} {self.name}"


@dataclass(frozen=True)
class Trial:
    """How often a player wins."""

    labels: tuple[str, ...]
    series: Series
    paper: float | None = None  # share of games won
    paper_seconds: float | None = None  # per game
    line: str = ""  # of a plot
    x: float | None = None  # its place in the plot


@dataclass(frozen=True)
class Duel:
    """Which of two players beats the same defender where the other does not."""

    labels: tuple[str, ...]
    a: Series
    b: Series
    paper: float | None = None  # share of differing games that a wins


@dataclass(frozen=True)
class Standing:
    """What somebody scores at a table of many, and how often it wins."""

    labels: tuple[str, ...]
    series: Series
    who: int = 0  # of the players at the table
    paper: float | None = None  # mean score
    paper_wins: float | None = None  # share of games won
    line: str = ""  # of a plot
    x: float | None = None  # its place in the plot
    also: tuple[tuple[Series, int], ...] = ()  # other tables, and who there: the mean of all counts

    @property
    def tables(self) -> tuple[tuple[Series, int], ...]:
        """Every table that counts, and who it is there; each has deals of its own."""
        return ((self.series, self.who), *self.also)


@dataclass(frozen=True)
class Reading:
    """One number of a study."""

    labels: tuple[str, ...]
    study: Study
    line: str
    x: float | None  # None: the last place of the line
    paper: float | None = None
    paper_margin: float = math.nan  # of its 95 % interval, as far as that can be known
    wins_line: str = ""  # where the share of games won stands, if it belongs to the number
    paper_wins: float | None = None
    behind: str = ""  # the line whose last point is how much it rests on; else the study's size


@dataclass(frozen=True)
class Drawn:
    """A line of a study in a plot."""

    study: Study
    line: str
    label: str = ""  # if it is called otherwise there
    behind: str = ""  # as of a reading


@dataclass(frozen=True)
class Unit:
    """How the numbers of a table are written."""

    label: str  # of the axis of a plot
    form: str  # of an estimate
    telling: float  # margin up to which a number of ours can confirm one of the paper's
    scale: float = 1.0  # what is written is so many times what is kept
    paper_form: str = ""  # of the paper's numbers, if these are written otherwise
    is_time: bool = False  # whether less is better, and compared by how many times as fast


SHARES = Unit("share of games won against random", ".1%", 0.06)
"""What 300 games leave: ±6 %."""

SCORES = Unit("mean score", ".2f", 0.75)
"""Likewise: ±0.75 bull heads at a standard deviation of 6.6."""


@dataclass(frozen=True)
class Table:
    """A table or figure of a paper under one reading of its rules."""

    name: str  # such as figure-1/known
    title: str
    heads: tuple[str, ...]  # of the labels of its rows
    rows: tuple[Trial, ...] | tuple[Duel, ...] | tuple[Standing, ...] | tuple[Reading, ...]
    paper_games: int  # that each of the paper's numbers comes from
    chosen: str = ""  # the value of x that the paper settles on
    x_label: str = ""  # of its plot, if it has one
    remarks: tuple[str, ...] = ()  # where we disagree, and why
    budgets: tuple[str, ...] = ()  # those that are measured here, not taken from the paper
    unit: Unit = SHARES
    drawn: Unit | None = None  # of its plot, where that shows something else
    deals: int = 0  # of every standing; at least as many as the paper's games need
    is_log: bool = False  # whether the x axis of its plot is logarithmic
    curves: tuple[Drawn, ...] = ()  # lines of studies that its plot shows
    same_players: bool = True  # False: ours are others of their kind, which need not score alike
    counted: str = "games"  # what its numbers rest on so many of

    @property
    def series(self) -> list[Series]:
        """Everything that is to be played, once each."""
        found: dict[str, Series] = {}
        for row in self.rows:
            for one in _series_of(row):
                found.setdefault(one.key, one)
        return list(found.values())

    @property
    def studies(self) -> list[Study]:
        """Everything else that is to be found out, once each."""
        found = {one.study.key: one.study for one in self.curves}
        found |= {row.study.key: row.study for row in self.readings}
        return list(found.values())

    @property
    def duels(self) -> list[Duel]:
        """Its rows, if they compare two players."""
        return [row for row in self.rows if isinstance(row, Duel)]

    @property
    def trials(self) -> list[Trial]:
        """Its rows, if they are about how often one player wins."""
        return [row for row in self.rows if isinstance(row, Trial)]

    @property
    def standings(self) -> list[Standing]:
        """Its rows, if they are about scores at tables of many."""
        return [row for row in self.rows if isinstance(row, Standing)]

    @property
    def readings(self) -> list[Reading]:
        """Its rows, if they come from studies."""
        return [row for row in self.rows if isinstance(row, Reading)]


def _series_of(row: Trial | Duel | Standing | Reading) -> list[Series]:
    """Return what a row is played from."""
    if isinstance(row, Reading):
        return []
    if isinstance(row, Duel):
        return [row.a, row.b]
    return [one for one, _ in row.tables] if isinstance(row, Standing) else [row.series]


Measured = Mapping[str, int]
"""Budgets in simulations that were measured on this machine, by player."""


@dataclass(frozen=True)
class Paper:
    """A paper that can be played again."""

    name: str
    title: str
    make_tables: Callable[[Measured], Sequence[Table]]
    measure: Callable[[Measured], Measured]  # adds the budgets that are not known yet

    def select(self, names: Sequence[str], measured: Measured) -> list[Table]:
        """Return the tables called `figure-1/known`, or by a part of that; all if none is named."""
        tables = self.make_tables(measured)
        parts = {table.name: {table.name, *table.name.split("/")} for table in tables}
        known = {part for every in parts.values() for part in every}
        for name in names:
            if name not in known:
                raise SpecError(f"{self.name} has no table {clip(name)}: {nearest(name, known)}")
        return [table for table in tables if not names or parts[table.name] & set(names)]
