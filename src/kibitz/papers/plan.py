"""What a paper says, and what has to be played to hold against it.

A table is made of series: one player against one opponent, on the same deals as every other series
of the table, each deal from both seats. A `Trial` asks how often a player wins, a `Duel` which of
two players does better on the same cards.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kibitz.core.errors import SpecError, clip, nearest


@dataclass(frozen=True)
class Target:
    """When enough has been played."""

    deals: int  # of a trial, each from both seats
    differing: int  # games of a duel that just one of the two wins
    most: int  # deals of a duel, whether or not they differ
    beyond: int = 0  # differing games in tables that the paper does not have; 0: as in its own

    def differing_in(self, table: "Table") -> int:
        """Give how many games of every duel of a table are to differ.

        A table with budgets that are measured here is none of the paper's.
        """
        return self.beyond if self.beyond and table.budgets else self.differing


BUDGETS = {
    "quick": Target(6, 300, 6),
    "paper": Target(250, 300, 10_000),
    "full": Target(25_000, 30_000, 1_000_000, beyond=3_000),
}
"""Some games of everything; as many as the paper played; a hundred times as many, and ten times
in the tables that it does not have."""


@dataclass(frozen=True)
class Player:
    """Somebody who plays, as the paper calls it and as we do."""

    label: str
    spec: str
    sims: float = 0.0  # simulations of one game, by which times are estimated


@dataclass(frozen=True)
class Series:
    """One player against one opponent on the deals of a table."""

    table: str
    game: str  # spec
    player: Player
    opponent: Player

    @property
    def key(self) -> str:
        """The name of this series in the results."""
        return f"{self.table} {self.player.spec}"

    def seed(self, seed: int) -> int:
        """Derive what its deals come from: the same for all players of a table."""
        digest = hashlib.sha256(f"{seed} {self.table}".encode()).digest()
        return int.from_bytes(digest[:6])


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
class Table:
    """A table or figure of a paper under one reading of its rules."""

    name: str  # such as figure-1/known
    title: str
    heads: tuple[str, ...]  # of the labels of its rows
    rows: tuple[Trial, ...] | tuple[Duel, ...]
    paper_games: int  # that each of the paper's shares comes from
    chosen: str = ""  # the value of x that the paper settles on
    x_label: str = ""  # of its plot, if it has one
    remarks: tuple[str, ...] = ()  # where we disagree, and why
    budgets: tuple[str, ...] = ()  # those that are measured here, not taken from the paper

    @property
    def series(self) -> list[Series]:
        """Everything that is to be played, once each."""
        found: dict[str, Series] = {}
        for row in self.rows:
            for one in (row.series,) if isinstance(row, Trial) else (row.a, row.b):
                found.setdefault(one.key, one)
        return list(found.values())

    @property
    def duels(self) -> list[Duel]:
        """Its rows, if they compare two players."""
        return [row for row in self.rows if isinstance(row, Duel)]

    @property
    def trials(self) -> list[Trial]:
        """Its rows, if they are about one player each."""
        return [row for row in self.rows if isinstance(row, Trial)]


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
        """Give the tables called `figure-1/known`, or by a part of that; all if none is named."""
        tables = self.make_tables(measured)
        parts = {table.name: {table.name, *table.name.split("/")} for table in tables}
        known = {part for every in parts.values() for part in every}
        for name in names:
            if name not in known:
                raise SpecError(f"{self.name} has no table {clip(name)}: {nearest(name, known)}")
        return [table for table in tables if not names or parts[table.name] & set(names)]
