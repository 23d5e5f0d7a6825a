"""What the outcomes say: one line for every row of a table."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.arena.statistics import Estimate, differing_deals, mean_of, share_of
from kibitz.papers.plan import Duel, Table, Trial
from kibitz.papers.results import Log, Results, differing

TELLING = 0.06
"""Margin up to which a share of ours can confirm one of the paper's: what 300 games leave."""

UNKNOWN = Estimate(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Line:
    """One row of a table: the paper's number and ours."""

    labels: tuple[str, ...]
    paper: float | None
    ours: Estimate
    n_deals: int
    n_games: int  # of a duel: those that differ
    agrees: bool | None  # None: nothing to compare, or too little
    against_chosen: Estimate | None = None  # the lead over what the paper settles on
    better: str = ""  # the player of a duel that is ahead for certain
    seconds: float | None = None  # of processor time per game
    rival_seconds: float | None = None  # likewise, of the second player of a duel
    paper_seconds: float | None = None

    @property
    def speed(self) -> float | None:
        """How many times as fast as the paper's program ours is."""
        if not self.seconds or self.paper_seconds is None:
            return None
        return self.paper_seconds / self.seconds

    def as_json(self) -> dict[str, Any]:
        """Give what a program reads."""
        chosen = self.against_chosen
        return {
            "labels": list(self.labels),
            "paper": self.paper,
            "ours": _number(self.ours.mean),
            "ci95": _bounds(self.ours),
            "deals": self.n_deals,
            "games": self.n_games,
            "agrees": self.agrees,
            "against_chosen": None if chosen is None else _number(chosen.mean),
            "against_chosen_ci95": None if chosen is None else _bounds(chosen),
            "better": self.better or None,
            "seconds_per_game": _rounded(self.seconds),
            "rival_seconds_per_game": _rounded(self.rival_seconds),
            "paper_seconds_per_game": self.paper_seconds,
        }


def lines_of(table: Table, results: Results) -> list[Line]:
    """Sum up a table, as far as it has been played."""
    return [_trial(table, row, results) for row in table.trials] + [
        _duel(table, row, results) for row in table.duels
    ]


def as_json(table: Table, results: Results) -> dict[str, Any]:
    """Give what a program reads of a table."""
    return {
        "name": table.name,
        "title": table.title,
        "heads": list(table.heads),
        "rows": [line.as_json() for line in lines_of(table, results)],
        "remarks": list(table.remarks),
        "pooled": [
            {
                "line": one.line,
                "paper": _number(one.paper.mean),
                "ours": _number(one.ours.mean),
                "ci95": _bounds(one.ours),
                "agrees": one.agrees,
            }
            for one in pooled_of(table, results)
        ],
    }


@dataclass(frozen=True)
class Pooled:
    """All rows of a line together: what single rows have too few games for."""

    line: str
    paper: Estimate
    ours: Estimate
    agrees: bool | None


def pooled_of(table: Table, results: Results) -> list[Pooled]:
    """Pool the trials of every line that the paper has numbers for, on the deals all have."""
    found = []
    for line in dict.fromkeys(row.line for row in table.trials):
        rows = [row for row in table.trials if row.line == line and row.paper is not None]
        shares = [row.paper for row in rows if row.paper is not None]
        n = min((len(results.log(row.series)) for row in rows), default=0)
        if n < 2 or len(rows) < 2:
            continue
        points = np.mean([results.log(row.series).points[:n] for row in rows], axis=0)
        paper, n_paper, ours = (
            float(np.mean(shares)),
            len(rows) * table.paper_games,
            mean_of(points),
        )
        theirs = paper_estimate(paper, n_paper)
        found.append(Pooled(line, theirs, ours, agrees(paper, n_paper, ours)))
    return found


def agrees(paper: float, n_paper: int, ours: Estimate) -> bool | None:
    """Tell whether two shares differ by no more than chance, one time in twenty excepted.

    Too few games of ours agree with anything: they can refute, but not confirm.
    """
    if not ours.has_interval:
        return None
    theirs = paper_estimate(paper, n_paper)
    apart = ours.mean - paper
    if apart > 0:
        margin = math.hypot(theirs.high - paper, ours.mean - ours.low)
    else:
        margin = math.hypot(paper - theirs.low, ours.high - ours.mean)
    if abs(apart) > margin:
        return False
    return True if ours.margin <= TELLING else None


def paper_estimate(share: float, n: int) -> Estimate:
    """Give a share in a paper the interval that its number of games leaves it."""
    hits = np.arange(n) < round(share * n)
    found = share_of(hits, np.ones(n))
    return Estimate(share, min(found.low, share), max(found.high, share))


def _trial(table: Table, row: Trial, results: Results) -> Line:
    log = results.log(row.series)
    ours = share_of(2 * log.points, np.full(len(log), 2.0)) if len(log) else UNKNOWN
    return Line(
        row.labels,
        row.paper,
        ours,
        len(log),
        log.n_games,
        None if row.paper is None else agrees(row.paper, table.paper_games, ours),
        against_chosen=_lead(table, row, results),
        seconds=_seconds_per_game(log),
        paper_seconds=row.paper_seconds,
    )


def _lead(table: Table, row: Trial, results: Results) -> Estimate | None:
    """Estimate the lead over the chosen value of the same line, on the same deals."""
    if not table.chosen:
        return None
    chosen = next(
        one for one in table.trials if one.line == row.line and one.labels[-1] == table.chosen
    )
    mine, other = results.log(row.series).points, results.log(chosen.series).points
    n = min(len(mine), len(other))
    if chosen is row or not n:
        return None
    lead = mean_of(mine[:n] - other[:n])
    # Deals that never differ say nothing about how often they would.
    return lead if lead.margin > 0 else Estimate(lead.mean, math.nan, math.nan)


def _duel(table: Table, row: Duel, results: Results) -> Line:
    a, b = differing(results, row)
    found = differing_deals(a, b)
    ours = found.rate
    better = ""
    if ours.has_interval and not ours.low <= 0.5 <= ours.high:
        better = row.a.player.label if ours.mean > 0.5 else row.b.player.label
    return Line(
        row.labels,
        row.paper,
        ours,
        len(a),
        found.n,
        None if row.paper is None else agrees(row.paper, table.paper_games, ours),
        better=better,
        seconds=_seconds_per_game(results.log(row.a)),
        rival_seconds=_seconds_per_game(results.log(row.b)),
    )


def _seconds_per_game(log: Log) -> float | None:
    return log.player_seconds / log.n_games if len(log) else None


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else float(f"{seconds:.4g}")


def _number(value: float) -> float | None:
    return round(value, 5) if math.isfinite(value) else None


def _bounds(estimate: Estimate) -> list[float] | None:
    if not estimate.has_interval:
        return None
    return [round(estimate.low, 5), round(estimate.high, 5)]
