"""How people do against each level, with intervals; deals are the unit."""

import csv
import hashlib
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.arena.statistics import Estimate, ratio_of, share_of
from kibitz.core.registry import game_facts, game_names, load_game
from kibitz.store.play import ResultRow
from kibitz.web.documents import Json, unit
from kibitz.web.levels import NAMES, title

COLUMNS = ("ended", "game", "level", "score", "margin", "win", "share", "daily", "deal", "guest")


def summary(rows: Sequence[ResultRow], guest: str) -> list[Json]:
    """Return a row for each game and level that people have met."""
    kept = [row for row in rows if row.counts and row.level is not None]
    found = []
    for name in game_names():
        for level in NAMES:
            here = [row for row in kept if (row.name, row.level) == (name, level)]
            if here:
                found.append(_level(name, level, here, guest))
    return found


def _level(name: str, level: str, rows: Sequence[ResultRow], guest: str) -> Json:
    facts = game_facts(name)
    margin, wins = _margin(rows), _wins(rows)
    widest = max(_widest(game) for game in {row.game for row in rows})
    own = [row for row in rows if row.guest_id == guest]
    mine = _margin(own)
    return {
        "game": name,
        "title": facts.title,
        "unit": unit(facts),
        "level": level,
        "level_title": title(level),
        "n": len(rows),
        "mean": margin.mean,
        "low": _known(margin.low, -widest),
        "high": _known(margin.high, widest),
        "wins": wins.mean,
        "wins_low": _known(wins.low, 0.0),
        "wins_high": _known(wins.high, 1.0),
        "mine": None
        if math.isnan(mine.low)
        else {"n": len(own), "mean": mine.mean, "low": mine.low, "high": mine.high},
    }


def _known(bound: float, otherwise: float) -> float:
    """Return a bound; if there is none yet, the farthest that is possible."""
    return otherwise if math.isnan(bound) else bound


def _widest(game: str) -> float:
    low, high = load_game(game).score_range
    return high - low


def _by_deal(rows: Sequence[ResultRow]) -> list[list[ResultRow]]:
    """Put together the games that were played with the same cards."""
    deals: dict[str, list[ResultRow]] = {}
    for row in rows:
        deals.setdefault(row.deal, []).append(row)
    return list(deals.values())


def _margin(rows: Sequence[ResultRow]) -> Estimate:
    deals = _by_deal(rows)
    if not deals:
        return Estimate(math.nan, math.nan, math.nan)
    found = ratio_of([sum(row.margin for row in deal) for deal in deals], [len(d) for d in deals])
    if not math.isnan(found.low) or len(deals) < 2:
        return found
    means = np.array([np.mean([row.margin for row in deal]) for deal in deals])
    return ratio_of(means, np.ones(len(means)))


def _wins(rows: Sequence[ResultRow]) -> Estimate:
    deals = _by_deal(rows)
    return share_of([sum(row.win for row in deal) for deal in deals], [len(d) for d in deals])


def as_csv(rows: Sequence[ResultRow]) -> str:
    """Return all games as a table; guests and deals are told apart, and not named."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        if row.counts:
            writer.writerow(_cells(row))
    return file.getvalue()


def _cells(row: ResultRow) -> list[Any]:
    who = hashlib.sha256(row.guest_id.encode()).hexdigest()[:12]
    plain = (row.ended.isoformat(), row.game, row.level or "", row.score, row.margin, row.win)
    return [*plain, row.share, row.daily or "", row.deal, who]
