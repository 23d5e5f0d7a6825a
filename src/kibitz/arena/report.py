"""Reports: one self-contained page about a match or a tournament."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kibitz._version import __version__
from kibitz.arena import plots
from kibitz.arena.page import Section, Table, write_page
from kibitz.arena.result import Result
from kibitz.arena.sample import Sample
from kibitz.arena.statistics import Estimate
from kibitz.arena.tournament import Tournament
from kibitz.arena.words import duration, listing, short_labels

PAGE = "index.html"

MOST_IN_CROSS_TABLE = 24
"""Agents beyond which a table of everybody against everybody says nothing to the eye."""

MOST_IN_SUBTITLE = 8
"""Agents beyond which the top of a page names only the best."""

_INTERVAL = (
    "± is half the width of a 95 % interval; the deal is the unit of all statistics, because games "
    "on the same cards are not independent of each other."
)


def report_match(folder: Path, result: Result, remark: str = "") -> Path:
    """Write the page of a match; return its place. A remark stands beside what ± is."""
    standings, sample, unit = result.standings(), result.sample, result.game.facts.unit
    order = [row.agent for row in standings]
    labels = [row.label for row in standings]
    rows = [
        [
            str(place),
            row.label,
            f"{row.score:+.2f}",
            f"{row.wins:.1%}",
            duration(row.seconds_per_move),
        ]
        for place, row in enumerate(standings, 1)
    ]
    table = Table(["place", "agent", f"{unit} per game", "games won", "time per move"], rows)
    about = f"{_INTERVAL} {remark}".strip()
    facts = {
        "game": result.game.spec,
        "deals": f"{len(result.deals):,}",
        "games": f"{result.n_games:,}",
        "seed": str(result.seed),
        "time": duration(result.elapsed),
        "kibitz": __version__,
    }
    sections = [
        Section("Standings", f"Every deal is played from every seat. {about}", table=table),
        *_cross_table(labels, sample, order, unit),
        *([_ratings(labels, _fitted(sample, order))] if len(order) > 1 else []),
        *_distributions(labels, sample, order, unit),
        _times(labels, result.seconds[order], result.n_decisions[order]),
    ]
    return _write(folder, f"{result.game.facts.title}: match", labels, facts, sections)


def report_tournament(folder: Path, tournament: Tournament) -> Path:
    """Write the page of a tournament; return its place."""
    standings, settings, sample = tournament.rows(), tournament.settings, tournament.sample
    unit = tournament.games[0].facts.unit
    order = [row.entrant for row in standings]
    labels = [row.name for row in standings]
    rows = [
        [
            str(place),
            f"{row.name} ({row.role})" if row.role else row.name,
            f"{row.rating:+.0f}",
            f"{row.score:+.2f}",
            f"{row.wins:.1%}",
            f"{row.n_games:,}",
        ]
        for place, row in enumerate(standings, 1)
    ]
    table = Table(["place", "agent", "rating", f"{unit} per game", "games won", "games"], rows)
    facts = {
        "game": settings.game,
        "form": settings.form,
        "deals": f"{sum(len(result.deals) for _, result in tournament.results):,}",
        "games": f"{sum(result.n_games for _, result in tournament.results):,}",
        "seed": str(settings.seed),
        "kibitz": __version__,
    }
    seconds, n_decisions = tournament.times()
    sections = [
        Section("Table", "Ratings are fitted to all games at once. " + _INTERVAL, table=table),
        *_cross_table(labels, sample, order, unit),
        _ratings(labels, [row.rating for row in standings]),
        *_distributions(labels, sample, order, unit),
        *_history(tournament, labels, order),
        _times(labels, seconds[order], n_decisions[order]),
    ]
    title = f"{tournament.games[0].facts.title}: tournament"
    return _write(folder, title, labels, facts, sections)


def _cross_table(
    labels: Sequence[str], sample: Sample, order: Sequence[int], unit: str
) -> list[Section]:
    """Draw who is ahead of whom, where that can be taken in; agents in the order of labels."""
    n = len(order)
    if not 2 <= n <= MOST_IN_CROSS_TABLE:
        return []
    means, margins = np.full((n, n), np.nan), np.full((n, n), np.nan)
    for i in range(n):
        for j in range(i):
            lead = sample.lead(order[i], order[j])
            means[i, j], means[j, i] = lead.mean, -lead.mean
            margins[i, j] = margins[j, i] = lead.margin
    text = f"How many {unit} the row is ahead of the column in games where both sit."
    plot = plots.cross_table(labels, means, margins, f"{unit} per game")
    return [Section("Cross table", text, plot)]


def _fitted(sample: Sample, order: Sequence[int]) -> list[Estimate]:
    """Fit ratings to the games of a match."""
    ratings = sample.ratings()
    return [ratings.estimate(agent) for agent in order]


def _ratings(labels: Sequence[str], ratings: Sequence[Estimate]) -> Section:
    text = (
        "Elo by maximum likelihood from who came before whom, ties modelled; errors are clustered "
        "by deal."
    )
    return Section("Ratings", text, plots.ratings(labels, ratings))


def _distributions(
    labels: Sequence[str], sample: Sample, order: Sequence[int], unit: str
) -> list[Section]:
    """Draw scores, ranks and running means; agents in the order of their labels."""
    scores = [sample.game_scores(agent) for agent in order]
    ranks = [sample.ranks(agent) for agent in order]
    shares = np.array([[one.mean for one in row] for row in ranks])
    means = [sample.played(agent) for agent in order]
    games = [sample.games_so_far(agent) for agent in order]
    return [
        Section(
            "Scores",
            "How the scores of single games are distributed. The mean counts every game alike, the "
            "table every deal; they differ where deals have different numbers of games.",
            plots.distributions(labels, scores, f"{unit} per game"),
        ),
        Section(
            "Ranks",
            "How often each agent came first, second and so on; ties share their ranks. Point at a "
            "share to see it with its ±.",
            plots.rank_chart(labels, shares, ranks),
        ),
        Section(
            "Convergence",
            "The mean after so many games, with its 95 % interval: how far it can still be trusted "
            "to move.",
            plots.convergence(labels, means, games, f"{unit} per game"),
        ),
        Section(
            "Sums",
            f"What each agent has won or lost in all its games so far, every {plots.TOTAL_EVERY} "
            "games or more: the sum, and what it would be at the ends of the mean's 95 % interval.",
            plots.totals(labels, means, games, unit),
        ),
    ]


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
        "Time per move",
        "The time of a decision at each step of a game; decisions that are none are not asked.",
        plots.move_times(labels, seconds, n_decisions),
    )


def _write(
    folder: Path,
    title: str,
    labels: Sequence[str],
    facts: dict[str, str],
    sections: Sequence[Section],
) -> Path:
    path = folder / PAGE
    write_page(path, title, listing(short_labels(labels, 60), MOST_IN_SUBTITLE), facts, sections)
    return path
