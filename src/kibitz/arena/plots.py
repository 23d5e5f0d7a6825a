"""Plots of matches and tournaments, drawn from plain arrays.

Every plot is the text of one `<svg>` element, which scales to any size; the same arrays give the
same bytes. Colours are told apart by colour-blind people too, and never stand alone: markers,
places or written values say the same. An agent keeps its colour and marker over all plots that get
the labels in the same order. Long labels are shortened, and whole in a tooltip.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kibitz.arena.sheet import AXIS, FAINT, INK, WIDTH, Sheet, logarithmic, spread, styled, widest
from kibitz.arena.statistics import Estimate, quantile
from kibitz.arena.words import duration, number, percent, printable, short_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
"""The colours of Okabe and Ito, without the yellow that is too pale for a line on white."""

MARKERS = "osD^vP<>ph*8"

MAX_POINTS = 400
"""Most points of a line: more would only be seen in the size of the file."""

TOTAL_EVERY, MAX_TOTALS = 100, 1000
"""Games between two points of a line of sums, and most points of one."""

DROPPED = 0.01
"""Whose history ends more than this share of all games before the last game was dropped."""


@styled
def cross_table(labels: Sequence[str], means: Floats, margins: Floats | None, what: str) -> str:
    """Draw how every row did against every column.

    Args:
        labels: The agents.
        means: Mean score difference of row and column, NaN where they never met: [agents, agents].
        margins: Half widths of the 95 % intervals: [agents, agents].
        what: What is compared, such as "points per game".
    """
    n = len(labels)
    means = np.where(np.eye(n, dtype=bool), np.nan, means)
    margins = np.full((n, n), np.nan) if margins is None else margins
    digits = _digits(margins, means)
    scale = float(np.max(np.abs(means[np.isfinite(means)]), initial=0)) or 1.0
    most = number(scale, digits, "+")
    names, narrow = short_labels(labels, 28), widest([str(n)])
    left = widest(names) + narrow + 20
    wide = min((WIDTH - left - 8) / max(n, 1), 110)
    tall = min(max(0.7 * wide, 15), 44)
    size = min(12.5, 12 * (wide - 7) / widest([most]))
    sheet = Sheet(n * tall + 92)
    _heading(sheet, f"{what}, row against column")
    parts = []
    for i, name in enumerate(names):
        y = sheet.height - 50 - (i + 1) * tall
        sheet.write(left - narrow - 14, y + tall / 2, name, labels[i], ha="right")
        sheet.write(left - 6, y + tall / 2, str(i + 1), ha="right", color=FAINT)
        if wide > 1.2 * narrow:
            x = left + (i + 0.5) * wide
            sheet.write(x, sheet.height - 40, str(i + 1), labels[i], ha="center", color=FAINT)
        for j in range(n):
            words = [number(means[i, j], digits, "+"), f"±{number(margins[i, j], digits)}"]
            words = words[: 1 + math.isfinite(margins[i, j])] if math.isfinite(means[i, j]) else []
            tip = f"{labels[i]} against {labels[j]}: {' '.join(words) or 'never met'}"
            place = (left + j * wide, y, wide, tall)
            _cell(sheet, place, means[i, j] / scale, words, size, tip if i != j else "")
            parts += [tip] if words else []
    _legend(sheet, left, most, has_gaps=int(np.isnan(means).sum()) > n)
    return sheet.svg(f"Cross table of {what}", parts)


@styled
def ratings(labels: Sequence[str], estimates: Sequence[Estimate], unit: str = "Elo") -> str:
    """Draw ratings with their intervals, the best on top."""
    ends = np.array([[e.mean, e.low, e.high] for e in estimates], float).reshape(-1, 3)
    order: list[int] = np.argsort(-ends[:, 0], kind="stable").tolist()
    digits = _digits((ends[:, 2] - ends[:, 1]) / 2, ends)
    said = [number(mean, digits) for mean in ends[:, 0]]
    for i in np.flatnonzero(~np.isnan(ends).any(axis=1)).tolist():
        said[i] += f" ({number(ends[i, 1], digits)} to {number(ends[i, 2], digits)})"
    sheet, ax = _rows(labels, order, said, "95 % interval", 26)
    ax.set_xlabel(printable(unit))
    ax.grid(axis="x")
    known = ends[np.isfinite(ends)]
    if len(known):
        pad = 0.06 * (known.max() - known.min()) or 1.0
        ax.set_xlim(known.min() - pad, known.max() + pad)
    for row, i in enumerate(order):
        if not math.isfinite(ends[i, 0]):
            continue
        bar = np.clip(np.where(np.isnan(ends[i]), ends[i, 0], ends[i]), *ax.get_xlim())
        ax.plot(bar[1:], [row, row], color=_look(i)["color"], linewidth=5, alpha=0.35)
        (point,) = ax.plot(ends[i, :1], [row], **_look(i) | {"markersize": 9})
        sheet.explain(point, f"{labels[i]}: {said[i]}")
    return sheet.svg(f"Ratings in {unit}", [f"{labels[i]} {said[i]}" for i in order])


@styled
def distributions(labels: Sequence[str], samples: Sequence[Floats], what: str) -> str:
    """Draw how the scores of single games are distributed, and mark their means.

    Args:
        labels: The agents.
        samples: The scores of each agent: [games].
        what: What the scores are, such as "points per game".
    """
    scores = [sample[np.isfinite(sample)] for sample in samples]
    edges = _bins(np.concatenate([*map(np.unique, scores), np.zeros(0)]))
    shares = [np.histogram(s, edges)[0] / max(len(s), 1) for s in scores]
    peak = max((float(share.max()) for share in shares), default=0) or 1.0
    means = np.array([s.mean() if len(s) else np.nan for s in scores])
    said = [number(mean, _digits(np.zeros(0), means)) for mean in means]
    n = len(labels)
    sheet, ax = _rows(labels, range(n), said, "mean", 56 if n <= 4 else 44 if n <= 8 else 36)
    ax.set_xlabel(printable(f"{what} (height: share of games, up to {percent(peak)})"))
    ax.set_xlim(edges[0], edges[-1])
    few = len(edges) <= 16  # then bars stand apart, else they merge into one outline
    gap = 0.12 * (edges[1] - edges[0]) if few else 0.0
    if few:
        ax.set_xticks((edges[1:] + edges[:-1]) / 2)
    for i, share in enumerate(shares):
        base, colour = i + 0.45, _look(i)["color"]
        tops = base - 0.86 * share / peak
        x = np.stack([edges[:-1] + gap] * 2 + [edges[1:] - gap] * 2, axis=1)
        y = np.stack([np.full_like(tops, base), tops, tops, np.full_like(tops, base)], axis=1)
        x, y = (x.ravel(), y.ravel()) if few else (x[:, 1:3].ravel(), y[:, 1:3].ravel())
        ax.fill_between(x, y, base, facecolor=colour, alpha=0.4, linewidth=0)
        ax.plot(x, y, color=colour, linewidth=1.2)
        ax.plot([means[i]] * 2, [base, base - 0.9], color=INK, linewidth=1.8)
    return sheet.svg(f"Distributions of {what}, means", _pairs(labels, said))


@styled
def convergence(
    labels: Sequence[str],
    samples: Sequence[Floats],
    games: Sequence[npt.NDArray[np.int64]],
    what: str,
) -> str:
    """Draw the mean over the games so far with its 95 % interval.

    Args:
        labels: The agents.
        samples: The mean score of each agent on each deal, in the order they were played: [deals].
        games: How many games each agent has played up to and including each deal: [deals].
        what: What the scores are, such as "points per game".
    """
    runs = {
        i: _running(s, g, _geometric(len(s)))
        for i, (s, g) in enumerate(zip(samples, games, strict=True))
        if len(s)
    }
    digits = _digits(np.array([run.half[-1] for run in runs.values()]), np.zeros(0))
    said = ["no deals"] * len(labels)
    for i, run in runs.items():
        said[i] = f"{run.last:.{digits}f}".replace("-", "−")
    lines = _Lines(labels, said, what, "mean ± 95 %")
    first = min((float(run.games[0]) for run in runs.values()), default=1.0)
    last = max((float(run.games[-1]) for run in runs.values()), default=1.0)
    lines.thousands()
    if last >= 100:
        logarithmic(lines.ax, "x", last / first, "{:,.0f}".format)
    alpha = min(0.15, 1.5 / max(len(labels), 1))
    late = [np.zeros(0)]  # where the interval is worth the room
    for i, run in runs.items():
        low, high = run.mean - run.half, run.mean + run.half
        colour = _look(i)["color"]
        lines.ax.fill_between(run.games, low, high, color=colour, alpha=alpha, linewidth=0)
        lines.add(i, run.games, run.mean)
        after = run.deals >= min(30, run.deals[-1] / 3)
        late += [low[after], run.mean[after], high[after]]
    lines.show(np.concatenate(late))
    return lines.svg(f"Mean {what} after so many games, last", "games so far")


@styled
def totals(
    labels: Sequence[str],
    samples: Sequence[Floats],
    games: Sequence[npt.NDArray[np.int64]],
    what: str,
) -> str:
    """Draw what each agent has won or lost in all games so far, with its 95 % interval.

    Args:
        labels: The agents.
        samples: The mean score of each agent on each deal, in the order they were played: [deals].
        games: How many games each agent has played up to and including each deal: [deals].
        what: What is summed, such as "points".
    """
    runs = {
        i: _running(s, g, _every_games(g))
        for i, (s, g) in enumerate(zip(samples, games, strict=True))
        if len(s)
    }
    said = ["no deals"] * len(labels)
    for i, run in runs.items():
        n = float(run.games[-1])
        total = Estimate(n * run.last.mean, n * run.last.low, n * run.last.high)
        said[i] = f"{total:+,.0f}".replace("-", "−")
    lines = _Lines(labels, said, f"{what} in all games so far", "sum ± 95 %")
    lines.thousands()
    lines.ax.yaxis.set_major_formatter(lambda y, _: f"{y:z,.0f}".replace("-", "−"))
    alpha = min(0.15, 1.5 / max(len(labels), 1))
    shown = [np.zeros(0)]
    for i, run in runs.items():
        sums, half = run.mean * run.games, np.nan_to_num(run.half * run.games)
        low, high, colour = sums - half, sums + half, _look(i)["color"]
        lines.ax.fill_between(run.games, low, high, color=colour, alpha=alpha, linewidth=0)
        lines.add(i, run.games, sums)
        shown += [low, high]
    lines.show(np.concatenate(shown))
    return lines.svg(f"Sum of {what} after so many games, last", "games so far")


@styled
def move_times(labels: Sequence[str], seconds: Floats, n_decisions: npt.NDArray[np.int64]) -> str:
    """Draw how long a move takes at each step of the round.

    Args:
        labels: The agents.
        seconds: Spent by each agent at each step, in all games together: [agents, steps].
        n_decisions: How many moves it made there: [agents, steps].
    """
    asked = n_decisions > 0
    each = np.where(asked, seconds / np.maximum(n_decisions, 1), np.nan)
    moves = n_decisions.sum(axis=1)
    mean = np.where(asked, seconds, 0).sum(axis=1) / np.maximum(moves, 1)
    said = [duration(s) if k else "no moves" for s, k in zip(mean, moves, strict=True)]
    lines = _Lines(labels, said, "time per move", "mean")
    known = each[asked & (each > 0)]
    span = known.max() / known.min() if len(known) else 1.0
    if span > 10:
        each = np.fmax(each, known.min()) * np.where(asked, 1, np.nan)
        logarithmic(lines.ax, "y", span, duration)
    else:
        lines.ax.yaxis.set_major_formatter(lambda value, _: duration(value))
        lines.show(np.append(known, 0))
        lines.ax.set_ylim(bottom=0)
    n_steps = each.shape[1]
    pad = 0.02 * max(n_steps - 1, 0) or 0.5
    lines.ax.set_xlim(1 - pad, max(n_steps, 1) + pad)
    lines.ax.locator_params(axis="x", integer=True, nbins=12, min_n_ticks=1)
    for i, row in enumerate(each):
        lines.add(i, np.arange(1.0, n_steps + 1), row, every=1 if n_steps <= 40 else 0.12)
    return lines.svg("Time per move at each step of the round, means", "step of the round")


@styled
def elo_history(labels: Sequence[str], history: Sequence[tuple[Floats, Floats]]) -> str:
    """Draw ratings over the games of a tournament; a cross ends the line of who was dropped.

    Args:
        labels: The entrants.
        history: For each entrant, after how many games of the tournament [points] it had which
            rating [points]. It may begin late or end early.
    """
    said = [number(elo[-1], 0) if len(elo) else "no games" for _, elo in history]
    lines = _Lines(labels, said, "Elo", "last")
    lines.thousands()
    first = min((float(games[0]) for games, _ in history if len(games)), default=0.0)
    last = max((float(games[-1]) for games, _ in history if len(games)), default=1.0)
    n_dropped = 0
    for i, (games, elo) in enumerate(history):
        if not len(games):
            continue
        dropped = last - games[-1] > DROPPED * (last - first)
        n_dropped += dropped
        lines.add(i, games, elo, ends=bool(dropped))
    note = " (× dropped)" if n_dropped else ""
    return lines.svg("Elo over the games of the tournament, last", f"games{note}")


@styled
def rank_chart(
    labels: Sequence[str], shares: Floats, estimates: Sequence[Sequence[Estimate]] = ()
) -> str:
    """Draw how often each agent came first, second, ...

    Args:
        labels: The agents.
        shares: Share of games, or number of games, that ended with each rank: [agents, ranks].
        estimates: The shares with their intervals, for the tooltips, if they are known.
    """
    n, n_ranks = shares.shape
    totals = shares.sum(axis=1)
    shares = shares / np.where(totals > 0, totals, 1)[:, None]
    mean = np.where(totals > 0, shares @ np.arange(1, n_ranks + 1), np.nan)
    said = [number(rank, 2) for rank in mean]
    sheet, ax = _rows(labels, range(n), said, "mean rank", 30)
    ax.set(xlim=(0, 1), xlabel="share of games")
    ax.xaxis.set_major_formatter(lambda value, _: percent(value))
    tints = np.linspace(1, 0.08, n_ranks)
    box, tall = ax.bbox, ax.bbox.height / max(n, 1)
    sheet.write(box.x0, sheet.height - 14, "rank")
    for rank in range(n_ranks):
        place = (box.x0 + 36 + 28 * rank, sheet.height - 24, 27, 18)
        _cell(sheet, place, tints[rank], [str(rank + 1)], 11, "")
        for i in np.flatnonzero(shares[:, rank] > 0).tolist():
            x = box.x0 + box.width * shares[i, :rank].sum()
            place = (x, box.y1 - (i + 0.87) * tall, box.width * shares[i, rank], 0.74 * tall)
            words = percent(shares[i, rank])
            exact = f"{estimates[i][rank]:.1%}".replace("%", " %") if estimates else words
            _cell(sheet, place, tints[rank], [words], 11, f"{labels[i]}: rank {rank + 1}, {exact}")
    return sheet.svg("Distribution of ranks, mean rank", _pairs(labels, said))


def _cell(
    sheet: Sheet,
    place: tuple[float, float, float, float],
    share: float,
    words: Sequence[str],
    size: float,
    tip: str,
) -> None:
    """Fill a box by a share between -1 and 1, and write into it what is legible and fits."""
    x, y, wide, tall = place
    if not words:
        sheet.box(*place, tip, facecolor="#fbfbfb", edgecolor="#d0d0d0", hatch="////", linewidth=0)
        return
    sheet.box(*place, tip, facecolor=_tint(share), edgecolor="white", linewidth=1.2)
    if size < 8 or tall < 1.2 * size or wide < widest(words[:1]) * size / 12 + 4:
        return
    both = len(words) == 2 and tall >= 2.4 * size
    style = {"ha": "center", "color": "white" if share > 0.85 else "black", "tip": tip}
    sheet.write(x + wide / 2, y + tall * (0.66 if both else 0.5), words[0], size=size, **style)
    if both:
        sheet.write(x + wide / 2, y + tall * 0.28, words[1], size=0.86 * size, **style)


def _legend(sheet: Sheet, left: float, most: str, has_gaps: bool) -> None:
    """Say below a cross table what its colours mean."""
    sheet.write(left, 18, most.replace("+", "−"), size=11)
    x = left + widest([most]) + 4
    for step in range(-5, 6):
        sheet.box(x + 14 * (step + 5), 12, 14, 12, facecolor=_tint(step / 5))
    sheet.box(x, 12, 154, 12, facecolor="none", edgecolor=AXIS, linewidth=0.7)
    sheet.write(x + 160, 18, most, size=11)
    if has_gaps:
        x += 160 + widest([most]) + 24
        sheet.box(x, 12, 28, 12, facecolor="#fbfbfb", edgecolor="#d0d0d0", hatch="////")
        sheet.write(x + 34, 18, "never met", size=11)


class _Lines:
    """A plot of lines, with their names and a column of values at the right."""

    def __init__(self, labels: Sequence[str], said: Sequence[str], what: str, column: str) -> None:
        self.labels, self.names, self.said = labels, short_labels(labels, 24), said
        self.sheet = Sheet(max(340, 17 * len(labels) + 92))
        texts = (f"{name}  {value}" for name, value in zip(self.names, said, strict=True))
        right = 11 / 12 * widest([column, *texts]) + 56
        self.ax = self.sheet.axes(left=62, right=right, bottom=42, top=34)
        self.ax.grid(axis="y")
        self.ends: dict[int, tuple[float, float]] = {}
        _heading(self.sheet, what, column)

    def thousands(self) -> None:
        """Write the numbers of games so that one can read them."""
        self.ax.locator_params(axis="x", nbins=6)
        self.ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")

    def show(self, values: Floats) -> None:
        """Make room for these values, and little more."""
        known = values[np.isfinite(values)]
        if len(known):
            pad = 0.05 * (known.max() - known.min()) or 0.5
            self.ax.set_ylim(known.min() - pad, known.max() + pad)

    def add(self, i: int, x: Floats, y: Floats, every: float = 0.12, ends: bool = False) -> None:
        """Draw the line of one agent, with a cross where it ends for good."""
        known = np.flatnonzero(np.isfinite(y))
        if not len(known):
            return
        picked, look = np.unique(np.linspace(0, len(y) - 1, MAX_POINTS).astype(int)), _look(i)
        self.ax.plot(x[picked], y[picked], markevery=every, **look)
        self.ends[i] = (float(x[known[-1]]), float(y[known[-1]]))
        if ends:
            self.ax.plot(*self.ends[i], "x", color=look["color"], markersize=10, mew=2.5)

    def svg(self, title: str, x_label: str) -> str:
        """Name the lines at the height where they end, and finish the plot."""
        self.ax.set_xlabel(x_label)
        self.ax.margins(x=0.02)
        self.ax.autoscale_view()
        box, to_pixels = self.ax.bbox, self.ax.transData.transform
        places = {i: to_pixels(end).clip(box.p0, box.p1) for i, end in self.ends.items()}
        bottom = (box.x0, box.y0)  # for those that have no line
        heights = [float(places.get(i, bottom)[1]) for i in range(len(self.names))]
        for i, y in enumerate(spread(heights, 17, box.y0, box.y1)):
            x = box.x1 + 14
            if i in places and places[i][0] > box.x1 - 0.03 * box.width:
                begin = (places[i][0] + 5, box.x1)
                self.sheet.line([*begin, x], [heights[i]] * 2 + [y], color=AXIS, linewidth=0.8)
            self.sheet.line([x + 2, x + 11, x + 20], [y] * 3, markevery=[1], **_look(i))
            self.sheet.write(x + 26, y, self.names[i], self.labels[i], size=11)
            self.sheet.write(WIDTH - 6, y, self.said[i], ha="right", size=11)
        return self.sheet.svg(title, _pairs(self.labels, self.said))


def _rows(
    labels: Sequence[str], order: Sequence[int], said: Sequence[str], column: str, pitch: float
) -> tuple[Sheet, "Axes"]:
    """Axes with one row per agent: its name at the left, a column of values at the right."""
    names = short_labels(labels, 28)
    left, right = widest(names) + 16, widest([column, *said]) + 20
    sheet = Sheet(pitch * len(labels) + 76)
    ax = sheet.axes(left, right, bottom=42, top=34)
    ax.set(ylim=(max(len(labels), 1) - 0.5, -0.5), yticks=[])
    ax.spines["left"].set_visible(False)
    _heading(sheet, "", column)
    for row, i in enumerate(order):
        y = ax.bbox.y1 - (row + 0.5) * pitch
        sheet.write(left - 10, y, names[i], labels[i], ha="right")
        sheet.write(WIDTH - 6, y, said[i], ha="right")
    return sheet, ax


def _look(i: int) -> dict[str, Any]:
    """The colour, marker and dashes of one agent: alike for no two of the first 84."""
    return {
        "color": PALETTE[i % len(PALETTE)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": ("-", "--", ":")[i // len(PALETTE) % 3],
        "linewidth": 1.8,
        "markersize": 6,
        "markeredgecolor": "white",
        "markeredgewidth": 0.6,
    }


def _heading(sheet: Sheet, left: str, right: str = "") -> None:
    sheet.write(6, sheet.height - 14, printable(left))
    sheet.write(WIDTH - 6, sheet.height - 14, right, ha="right", size=11, color=FAINT)


def _bins(values: Floats) -> Floats:
    """Edges of at most 80 bins; every bin holds equally many of the values that are possible."""
    if not len(values):
        return np.array([0.0, 1.0])
    distinct = np.unique(values)
    low, span = distinct[0], distinct[-1] - distinct[0]
    if (distinct != np.round(distinct)).any():
        return np.linspace(low, low + (span or 1), 61)
    unit = max(int(np.gcd.reduce((distinct - low).astype(np.int64))), 1)
    n_values = span / unit + 1
    merged = math.ceil(n_values / 80)
    return low - unit / 2 + unit * merged * np.arange(math.ceil(n_values / merged) + 1)


class _Run(NamedTuple):
    """The mean of ever more deals: [points]."""

    deals: Floats
    games: Floats
    mean: Floats
    half: Floats  # of its 95 % interval, NaN after one deal

    @property
    def last(self) -> Estimate:
        """The mean of all deals."""
        mean, half = float(self.mean[-1]), float(self.half[-1])
        return Estimate(mean, mean - half, mean + half)


def _geometric(n: int) -> Floats:
    """Choose numbers of deals, ever further apart."""
    return np.unique(np.geomspace(min(n, 5), n, MAX_POINTS).round())


def _every_games(games: npt.NDArray[np.int64]) -> Floats:
    """Choose numbers of deals so that so many games lie between them, or more."""
    step = max(TOTAL_EVERY, int(games[-1]) / MAX_TOTALS)
    marks = np.searchsorted(games, np.arange(step, games[-1], step)) + 1
    return np.unique([*marks, len(games)]).astype(np.float64)


def _running(sample: Floats, games: npt.NDArray[np.int64], k: Floats) -> _Run:
    """Follow the mean over the first k deals, for every k that is listed."""
    centred, at = sample - sample.mean(), k.astype(int) - 1
    sums, squares = np.cumsum(centred)[at], np.cumsum(centred**2)[at]
    variance = np.maximum(squares - sums**2 / k, 0) / np.maximum(k - 1, 1)
    half = quantile(k) * np.sqrt(variance / k)
    return _Run(k, games[at].astype(float), sample.mean() + sums / k, half)


def _digits(margins: Floats, values: Floats) -> int:
    """Decimals worth writing: one digit of the margins, or three of the values."""
    known = margins[np.isfinite(margins) & (margins > 0)]
    if len(known):
        return min(max(-math.floor(math.log10(np.median(known))), 0), 3)
    most = np.nanmax(np.abs(values[np.isfinite(values)]), initial=0)
    return min(max(2 - math.floor(math.log10(most or 1)), 0), 3)


def _tint(share: float) -> str:
    """The colour of a share between -1 (orange) and 1 (blue); 0 is white."""
    end = PALETTE[0] if share > 0 else PALETTE[4]
    channels = [255 + (int(end[c : c + 2], 16) - 255) * min(abs(share), 1) for c in (1, 3, 5)]
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)


def _pairs(labels: Sequence[str], said: Sequence[str]) -> list[str]:
    return [f"{label} {value}" for label, value in zip(labels, said, strict=True)]
