"""Tables as texts: the paper's numbers, ours, and what to make of them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kibitz.arena.statistics import Estimate
from kibitz.arena.words import duration
from kibitz.core.errors import KibitzError
from kibitz.papers.lines import Line, lines_of, pooled_of
from kibitz.papers.plan import Paper, Table, Unit
from kibitz.papers.results import Results


@dataclass(frozen=True)
class Grid:
    """A table of texts and the remarks below it."""

    name: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def make_grid(table: Table, results: Results) -> Grid:
    """Write a table, as far as it has been played."""
    lines = lines_of(table, results)
    write = _duels if table.duels else _trials if table.trials else _numbers
    heads, rows = write(table, lines)
    if any(line.paper is not None for line in lines):
        compared = list(zip(lines, rows, strict=True))
        heads, rows = ("paper", *heads), [(_said(table, one.paper), *row) for one, row in compared]
        if table.same_players:
            heads = (*heads, "as fast" if table.unit.is_time else "agrees")
            judge = _factor if table.unit.is_time else _verdict
            rows = [(*row, judge(line)) for line, row in zip(lines, rows, strict=True)]
    return Grid(
        table.name,
        table.title,
        (*table.heads, *heads),
        tuple((*line.labels, *row) for line, row in zip(lines, rows, strict=True)),
        (*_comparison(table, lines), *_pooled(table, results), *table.remarks),
    )


def _trials(table: Table, lines: Sequence[Line]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    has_times = any(line.paper_seconds is not None for line in lines)
    heads = ["ours", "games"]
    heads += [f"lead over {table.chosen}"] if table.chosen else []
    heads += ["per game", "as fast"] if has_times else ["per game"]
    rows = []
    for line in lines:
        row = [f"{line.ours:.1%}", f"{line.n_games:,}"]
        if table.chosen:
            row.append("" if line.against_chosen is None else f"{line.against_chosen:+.1%}")
        row.append(_time(line.seconds))
        if has_times:
            row.append("" if line.speed is None else f"{line.speed:.0f} ×")
        rows.append(tuple(row))
    return tuple(heads), rows


def _duels(table: Table, lines: Sequence[Line]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    heads = ("ours", "differ", "of games", "per game", "better")
    return heads, [
        (
            f"{line.ours:.1%}",
            f"{line.n_games:,}",
            f"{2 * line.n_deals:,}",
            f"{_time(line.seconds)} : {_time(line.rival_seconds)}",
            table.heads[line.ours.mean < 0.5] if line.better else "open",
        )
        for line in lines
    ]


def _numbers(table: Table, lines: Sequence[Line]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Write scores at tables of many, or what studies have found."""
    heads = ["ours"]
    heads += [f"lead over {table.chosen}"] if table.chosen else []
    has_wins = any(line.wins is not None for line in lines)
    has_their_wins = any(line.paper_wins is not None for line in lines)
    heads += ["paper wins"] if has_their_wins else []
    heads += ["wins"] if has_wins else []
    rows = []
    for line in lines:
        row = [ours(table.unit, line.ours)]
        if table.chosen:
            lead = line.against_chosen
            row.append("" if lead is None else ours(table.unit, lead, "+"))
        if has_their_wins:
            row.append("" if line.paper_wins is None else f"{line.paper_wins:.1%}")
        if has_wins:
            row.append("" if line.wins is None else f"{line.wins:.1%}")
        rows.append((*row, f"{line.n_games:,}"))
    return (*heads, table.counted), rows


def ours(unit: Unit, estimate: Estimate, sign: str = "") -> str:
    """Write a number with its interval in a unit."""
    scale = unit.scale
    scaled = Estimate(estimate.mean * scale, estimate.low * scale, estimate.high * scale)
    return f"{scaled:{sign}{unit.form}}"


def _time(seconds: float | None) -> str:
    return "—" if seconds is None else duration(float(f"{seconds:.2g}"))


def _said(table: Table, number: float | None) -> str:
    """Write a number of the paper."""
    unit = table.unit
    return "" if number is None else f"{number * unit.scale:{unit.paper_form or unit.form}}"


def _verdict(line: Line) -> str:
    if line.paper is None:
        return ""
    return {True: "yes", False: "no", None: "?"}[line.agrees]


def _factor(line: Line) -> str:
    if line.paper is None or not line.ours.mean > 0:
        return ""
    return f"{line.paper / line.ours.mean:,.0f} ×"


def _comparison(table: Table, lines: Sequence[Line]) -> list[str]:
    """Say how many numbers agree, and which do not."""
    margins = [line.theirs.margin for line in lines if line.theirs and line.theirs.has_interval]
    if not margins:
        return []
    compared = [line for line in lines if line.theirs and line.theirs.has_interval]
    n_agree, n_few = (sum(line.agrees is kind for line in compared) for kind in (True, None))
    said = f"{n_agree} of {len(compared)} agree within chance"
    said += f", {n_few} rest on too few {table.counted} to tell" if n_few else ""
    margin, theirs = _said(table, max(margins)), f"{table.paper_games} {table.counted}"
    said += f"; {theirs} leave the paper's numbers up to ±{margin}."
    apart = [
        f"{' '.join(line.labels)} ({_said(table, line.ours.mean)} for {_said(table, line.paper)})"
        for line in compared
        if line.agrees is False
    ]
    return [said, *([f"Apart: {', '.join(apart)}."] if apart else []), *_wins_comparison(lines)]


def _wins_comparison(lines: Sequence[Line]) -> list[str]:
    """Say the same of shares of games won, where they stand beside scores."""
    compared = [line for line in lines if line.paper_wins is not None and line.wins is not None]
    apart = [
        f"{' '.join(line.labels)} ({line.wins.mean:.1%} for {line.paper_wins:.1%})"
        for line in compared
        if line.wins_agree is False and line.wins is not None
    ]
    if not compared:
        return []
    n_agree = sum(line.wins_agree is True for line in compared)
    said = f"Of the shares of games won {n_agree} of {len(compared)} agree"
    return [f"{said}; apart: {', '.join(apart)}." if apart else f"{said}."]


def _pooled(table: Table, results: Results) -> list[str]:
    """Say how all rows together compare."""
    verdicts = {True: "within chance", False: "beyond chance", None: "too few games to tell"}
    return [
        f"{one.line or 'Mean'} over all rows of the paper: {one.ours:.1%} for its "
        f"{one.paper:.1%}, {verdicts[one.agrees]}."
        for one in pooled_of(table, results)
    ]


def facts(results: Results) -> dict[str, str]:
    """Say by what, on what and how much was played."""
    return {
        "commit": ", ".join(results.commits) or "nothing played",
        "seed": str(results.seed),
        "budget": results.budget or "none",
        **({"games": f"{results.n_games:,}"} if results.series else {}),
        "processor time": hours(results.cpu_seconds),
        "hardware": results.hardware or "unknown",
        "measured budgets": ", ".join(f"{who} {n}" for who, n in results.measured.items())
        or "none",
    }


def hours(seconds: float) -> str:
    """Write a time that somebody waits for."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{math.ceil(seconds)} s"


def markdown(grid: Grid) -> str:
    """Write a grid for a page of documentation."""
    rows = [grid.heads, tuple("---" for _ in grid.heads), *grid.rows]
    table = ["\n".join("| " + " | ".join(row) + " |" for row in rows), ""] if grid.rows else []
    return "\n".join([f"**{grid.title}**", "", *table, *(f"- {note}" for note in grid.notes)])


def parts(paper: Paper, results: Results) -> dict[str, str]:
    """Return the parts of a page that follow from the results."""
    tables = paper.make_tables(results.measured)
    found = {table.name: markdown(make_grid(table, results)).strip() for table in tables}
    found["facts"] = "\n".join(f"- {name}: {value}" for name, value in facts(results).items())
    return found


_PART = re.compile(r"(<!-- part (?P<name>\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str, found: Mapping[str, str]) -> str:
    """Write the parts between their markers, `<!-- part NAME -->` and `<!-- end -->`."""

    def part(match: re.Match[str]) -> str:
        if match["name"] not in found:
            raise KibitzError(f"the page has a part {match['name']!r} that there is not")
        return f"{match[1]}\n{found[match['name']]}\n\n{match[3]}"

    return _PART.sub(part, page)
