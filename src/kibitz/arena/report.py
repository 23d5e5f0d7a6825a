"""Reports: one self-contained page about a match or a tournament."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kibitz._version import __version__
from kibitz.arena import plots
from kibitz.arena.page import Section, Table, write_page
from kibitz.arena.ratings import Ratings
from kibitz.arena.result import Result
from kibitz.arena.sample import Sample
from kibitz.arena.statistics import Estimate
from kibitz.arena.tournament import Tournament

PAGE = "index.html"

MOST_IN_CROSS_TABLE = 24
"""Agents beyond which a table of everybody against everybody says nothing to the eye."""

POINTS = "points per game"


def report_match(folder: Path, result: Result) -> Path:
    """Write the page of a match; give its place."""
    standings = result.standings()
    order = [row.agent for row in standings]
    table = Table(
        ["place", "agent", POINTS, "games won", "seconds per move"],
        [
            [
                str(place),
                row.label,
                _points(row.score),
                _share(row.wins),
                f"{row.seconds_per_move:.2g}",
            ]
            for place, row in enumerate(standings, 1)
        ],
    )
    facts = {
        "game": result.game.spec,
        "deals": f"{len(result.deals):,}",
        "games": f"{result.n_games:,}",
        "seed": str(result.seed),
        "seconds": f"{result.elapsed:.1f}",
        "kibitz": __version__,
    }
    labels = [result.labels[agent] for agent in order]
    sections = [
        Section("Standings", "Every deal is played from every seat. " + _INTERVAL, table=table),
        *_statistics(result.sample, labels, order, result.lineup.shape[1]),
        _times(labels, result.seconds[order], result.n_decisions[order]),
    ]
    return _write(folder, f"{result.game.facts.title}: match", " · ".join(labels), facts, sections)


def report_tournament(folder: Path, tournament: Tournament) -> Path:
    """Write the page of a tournament; give its place."""
    rows, settings = tournament.rows(), tournament.settings
    order = [row.entrant for row in rows]
    labels = [row.name for row in rows]
    table = Table(
        ["place", "agent", "rating", POINTS, "games won", "games"],
        [
            [
                str(place),
                f"{row.name} ({row.role})" if row.role else row.name,
                _rating(row.rating),
                _points(row.score),
                _share(row.wins),
                f"{row.n_games:,}",
            ]
            for place, row in enumerate(rows, 1)
        ],
    )
    facts = {
        "game": settings.game,
        "form": settings.form,
        "deals": f"{sum(len(result.deals) for _, result in tournament.results):,}",
        "games": f"{sum(result.n_games for _, result in tournament.results):,}",
        "seed": str(settings.seed),
        "kibitz": __version__,
    }
    games_per_deal = max(result.lineup.shape[1] for _, result in tournament.results)
    seconds, n_decisions = tournament.times()
    sections = [
        Section("Table", "Ratings are fitted to all games at once. " + _INTERVAL, table=table),
        *_statistics(
            tournament.sample, labels, order, games_per_deal, [row.rating for row in rows]
        ),
        *_history(tournament, labels, order),
        _times(labels, seconds[order], n_decisions[order]),
    ]
    title = f"{tournament.games[0].facts.title}: tournament"
    return _write(folder, title, " · ".join(labels), facts, sections)


_INTERVAL = (
    "± is half the width of a 95 % interval; the deal is the unit of all statistics, because games "
    "on the same cards are not independent of each other."
)


def _statistics(
    sample: Sample,
    labels: Sequence[str],
    order: Sequence[int],
    games_per_deal: int,
    ratings: Sequence[Estimate] | None = None,
) -> list[Section]:
    """Draw what matches and tournaments have in common; agents in the order of their labels."""
    parts = []
    if 2 <= len(order) <= MOST_IN_CROSS_TABLE:
        means, margins = _leads(sample, order)
        parts.append(
            Section(
                "Cross table",
                "How many points the row is ahead of the column in games where both sit.",
                plots.cross_table(labels, means, margins, POINTS),
            )
        )
    if ratings is None and len(order) > 1:
        fitted: Ratings = sample.ratings()
        ratings = [fitted.estimate(agent) for agent in order]
    if ratings is not None:
        parts.append(
            Section(
                "Ratings",
                "Elo by maximum likelihood from who came before whom, ties modelled; errors are "
                "clustered by deal.",
                plots.ratings(labels, ratings),
            )
        )
    scores = [sample.game_scores(agent) for agent in order]
    ranks = np.array([[one.mean for one in sample.ranks(agent)] for agent in order])
    per_deal = [sample.per_deal[:, agent] for agent in order]
    per_deal = [column[~np.isnan(column)] for column in per_deal]
    parts += [
        Section(
            "Scores",
            "How the scores of single games are distributed.",
            plots.distributions(labels, scores, POINTS),
        ),
        Section(
            "Ranks",
            "How often each agent came first, second and so on; ties share their ranks.",
            plots.rank_chart(labels, ranks),
        ),
        Section(
            "Convergence",
            "The mean after so many games, with its 95 % interval: how far it can still be trusted "
            "to move.",
            plots.convergence(labels, per_deal, games_per_deal, POINTS),
        ),
    ]
    return parts


def _leads(
    sample: Sample, order: Sequence[int]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Work out who is ahead of whom, and how certainly: [agents, agents]."""
    n = len(order)
    means, margins = np.full((n, n), np.nan), np.full((n, n), np.nan)
    for i in range(n):
        for j in range(i):
            lead = sample.lead(order[i], order[j])
            means[i, j], means[j, i] = lead.mean, -lead.mean
            margins[i, j] = margins[j, i] = lead.margin
    return means, margins


def _history(tournament: Tournament, labels: Sequence[str], order: Sequence[int]) -> list[Section]:
    """Draw the running Elo, where there is one."""
    if not tournament.at_random:
        return []
    lines = tournament.elo_history()
    text = "Every pair at a table counts as a game between the two."
    if tournament.events:
        text += "\n\n" + "\n\n".join(tournament.events)
    svg = plots.elo_history(labels, [lines[entrant] for entrant in order])
    return [Section("Running Elo", text, svg)]


def _times(
    labels: Sequence[str],
    seconds: npt.NDArray[np.float64],
    n_decisions: npt.NDArray[np.int64],
) -> Section:
    return Section(
        "Seconds per move",
        "The time of a decision at each step of a game; decisions that are none are not asked.",
        plots.move_times(labels, seconds, n_decisions),
    )


def _write(
    folder: Path, title: str, subtitle: str, facts: dict[str, str], sections: Sequence[Section]
) -> Path:
    path = folder / PAGE
    write_page(path, title, subtitle, facts, sections)
    return path


def _points(estimate: Estimate) -> str:
    return _with_margin(f"{estimate.mean:+.2f}", f"{estimate.margin:.2f}", estimate)


def _rating(estimate: Estimate) -> str:
    return _with_margin(f"{estimate.mean:+.0f}", f"{estimate.margin:.0f}", estimate)


def _share(estimate: Estimate) -> str:
    return _with_margin(f"{estimate.mean:.1%}", f"{estimate.margin:.1%}", estimate)


def _with_margin(mean: str, margin: str, estimate: Estimate) -> str:
    return f"{mean} ±{margin}" if estimate.has_interval else mean
