"""What the outcomes say: one line for every row of a table."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kibitz.arena.statistics import Estimate, around, differing_deals, mean_of, share_of
from kibitz.core.registry import load_game
from kibitz.papers.logs import Floats, Log, ScoreLog
from kibitz.papers.plan import SHARES, Duel, Reading, Standing, Table, Trial
from kibitz.papers.results import Results, differing

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
    theirs: Estimate | None = None  # the paper's number with the interval its games leave
    wins: Estimate | None = None  # share of games won, beside a score
    paper_wins: float | None = None
    wins_agree: bool | None = None

    @property
    def speed(self) -> float | None:
        """How many times as fast as the paper's program ours is."""
        if not self.seconds or self.paper_seconds is None:
            return None
        return self.paper_seconds / self.seconds

    def as_json(self) -> dict[str, Any]:
        """Return what a program reads."""
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
        } | ({} if self.wins is None else self._wins_as_json(self.wins))

    def _wins_as_json(self, wins: Estimate) -> dict[str, Any]:
        return {
            "paper_wins": self.paper_wins,
            "wins": _number(wins.mean),
            "wins_ci95": _bounds(wins),
            "wins_agree": self.wins_agree,
        }


def lines_of(table: Table, results: Results) -> list[Line]:
    """Sum up a table, as far as it has been played."""
    return [
        *(_trial(table, row, results) for row in table.trials),
        *(_duel(table, row, results) for row in table.duels),
        *(_standing(table, row, results) for row in table.standings),
        *(_reading(table, row, results) for row in table.readings),
    ]


def as_json(table: Table, results: Results) -> dict[str, Any]:
    """Return what a program reads of a table."""
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
        **({"unit": table.unit.label} if table.unit is not SHARES else {}),
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
        theirs = paper_estimate(float(np.mean(shares)), len(rows) * table.paper_games)
        ours = mean_of(points)
        found.append(Pooled(line, theirs, ours, agrees(theirs, ours, SHARES.telling)))
    return found


def agrees(theirs: Estimate, ours: Estimate, telling: float) -> bool | None:
    """Whether two numbers differ by no more than chance, one time in twenty excepted.

    Too few games of ours agree with anything: with a margin above `telling` they can refute, but
    not confirm. A number of the paper without an interval is not compared.
    """
    if not ours.has_interval or not theirs.has_interval:
        return None
    apart = ours.mean - theirs.mean
    if apart > 0:
        margin = math.hypot(theirs.high - theirs.mean, ours.mean - ours.low)
    else:
        margin = math.hypot(theirs.mean - theirs.low, ours.high - ours.mean)
    if abs(apart) > margin:
        return False
    return True if ours.margin <= telling else None


def paper_estimate(share: float, n: int) -> Estimate:
    """Return a share in a paper with the interval that its number of games leaves it."""
    hits = np.arange(n) < round(share * n)
    found = share_of(hits, np.ones(n))
    return Estimate(share, min(found.low, share), max(found.high, share))


def _verdict(theirs: Estimate | None, ours: Estimate, telling: float) -> bool | None:
    return None if theirs is None else agrees(theirs, ours, telling)


def _theirs(table: Table, share: float | None) -> Estimate | None:
    return None if share is None else paper_estimate(share, table.paper_games)


def _trial(table: Table, row: Trial, results: Results) -> Line:
    log = results.log(row.series)
    ours = share_of(2 * log.points, np.full(len(log), 2.0)) if len(log) else UNKNOWN
    theirs = _theirs(table, row.paper)
    return Line(
        row.labels,
        row.paper,
        ours,
        len(log),
        log.n_games,
        _verdict(theirs, ours, table.unit.telling),
        against_chosen=_lead(table, row, results),
        seconds=_seconds_per_game(log),
        paper_seconds=row.paper_seconds,
        theirs=theirs,
    )


def _standing(table: Table, row: Standing, results: Results) -> Line:
    logs = [(results.score_log(series), who) for series, who in row.tables]
    partners = _partners(row.series.game)
    ours, wins, theirs = UNKNOWN, UNKNOWN, None
    if all(len(log) for log, _ in logs):
        ours = mean_of_tables([mean_of(log.mean_scores(who)) for log, who in logs])
        wins = mean_of_tables([_share_won(log, who, partners) for log, who in logs])
    if row.paper is not None and table.same_players:
        said = [paper_mean(row.paper, log, who, table.paper_games) for log, who in logs]
        theirs = mean_of_tables(said)
    their_wins = _theirs(table, row.paper_wins)
    return Line(
        row.labels,
        row.paper,
        ours,
        sum(len(log) for log, _ in logs),
        sum(log.n_games for log, _ in logs),
        _verdict(theirs, ours, table.unit.telling),
        against_chosen=_lead(table, row, results),
        seconds=_seconds_per_game(logs[0][0]),
        theirs=theirs,
        wins=wins,
        paper_wins=row.paper_wins,
        wins_agree=_verdict(their_wins, wins, SHARES.telling),
    )


@cache
def _partners(game: str) -> int:
    """Return how many seats win a game together."""
    found = load_game(game)
    return found.n_seats // found.n_sides


def _share_won(log: ScoreLog, who: int, partners: int) -> Estimate:
    return share_of(log.won(who), np.full(len(log), log.seats[who] / partners))


def mean_of_tables(found: Sequence[Estimate]) -> Estimate:
    """Return the mean of numbers from several tables, whose deals have nothing to do with each."""
    if len(found) == 1:
        return found[0]
    n, mean = len(found), float(np.mean([one.mean for one in found]))
    low, high = (
        math.sqrt(sum((one.mean - bound) ** 2 for one, bound in zip(found, bounds, strict=True)))
        for bounds in ([one.low for one in found], [one.high for one in found])
    )
    return Estimate(mean, mean - low / n, mean + high / n)


def paper_mean(mean: float, log: ScoreLog, who: int, n: int) -> Estimate:
    """Return a mean score in a paper with the interval that `n` games leave it.

    Its games were played once each, and scatter as ours do.
    """
    if not len(log):
        return Estimate(mean, math.nan, math.nan)
    return around(mean, log.deviation(who) / math.sqrt(n), n)


def _reading(table: Table, row: Reading, results: Results) -> Line:
    found = results.findings(row.study)
    ours = found.at(row.line, row.x) or UNKNOWN
    theirs = None
    if row.paper is not None:
        low, high = row.paper - row.paper_margin, row.paper + row.paper_margin
        theirs = Estimate(row.paper, low, high)
    wins = (found.at(row.wins_line, row.x) or UNKNOWN) if row.wins_line else None
    their_wins = _theirs(table, row.paper_wins)
    return Line(
        row.labels,
        row.paper,
        ours,
        0,
        found.behind(row.behind),
        _verdict(theirs, ours, table.unit.telling),
        theirs=theirs,
        wins=wins,
        paper_wins=row.paper_wins,
        wins_agree=None if wins is None else _verdict(their_wins, wins, SHARES.telling),
    )


def _samples(row: Trial | Standing, results: Results) -> Floats:
    """Return what a row has from each deal: [deals]."""
    if isinstance(row, Trial):
        return results.log(row.series).points
    return results.score_log(row.series).mean_scores(row.who)


def _lead(table: Table, row: Trial | Standing, results: Results) -> Estimate | None:
    """Estimate the lead over the chosen value of the same line, on the same deals."""
    if not table.chosen:
        return None
    rows: list[Trial | Standing] = [*table.trials, *table.standings]
    chosen = next(one for one in rows if one.line == row.line and one.labels[-1] == table.chosen)
    mine, other = _samples(row, results), _samples(chosen, results)
    n = min(len(mine), len(other))
    if chosen is row or not n:
        return None
    lead = mean_of(mine[:n] - other[:n])
    # Deals that never differ say nothing about how often they would.
    return lead if lead.margin > 0 else Estimate(lead.mean, math.nan, math.nan)


def _duel(table: Table, row: Duel, results: Results) -> Line:
    a, b = differing(results, row)
    found = differing_deals(a, b)
    ours, theirs = found.rate, _theirs(table, row.paper)
    better = ""
    if ours.has_interval and not ours.low <= 0.5 <= ours.high:
        better = row.a.player.label if ours.mean > 0.5 else row.b.player.label
    return Line(
        row.labels,
        row.paper,
        ours,
        len(a),
        found.n,
        _verdict(theirs, ours, table.unit.telling),
        better=better,
        seconds=_seconds_per_game(results.log(row.a)),
        rival_seconds=_seconds_per_game(results.log(row.b)),
        theirs=theirs,
    )


def _seconds_per_game(log: Log | ScoreLog) -> float | None:
    return log.player_seconds / log.n_games if len(log) else None


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else float(f"{seconds:.4g}")


def _number(value: float) -> float | None:
    return round(value, 5) if math.isfinite(value) else None


def _bounds(estimate: Estimate) -> list[float] | None:
    if not estimate.has_interval:
        return None
    return [round(estimate.low, 5), round(estimate.high, 5)]
