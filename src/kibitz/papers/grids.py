"""Tables as texts: the paper's numbers, ours, and what to make of them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kibitz.arena.words import duration
from kibitz.core.errors import KibitzError
from kibitz.papers.lines import Line, lines_of, paper_estimate, pooled_of
from kibitz.papers.plan import Paper, Table
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
    heads, rows = _duels(table, lines) if table.duels else _trials(table, lines)
    if any(line.paper is not None for line in lines):
        heads = ("paper", *heads, "agrees")
        compared = zip(lines, rows, strict=True)
        rows = [(_share(line.paper), *row, _verdict(line)) for line, row in compared]
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


def _time(seconds: float | None) -> str:
    return "—" if seconds is None else duration(float(f"{seconds:.2g}"))


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _verdict(line: Line) -> str:
    if line.paper is None:
        return ""
    return {True: "yes", False: "no", None: "?"}[line.agrees]


def _comparison(table: Table, lines: Sequence[Line]) -> list[str]:
    """Say how many numbers agree, and which do not."""
    compared = [line for line in lines if line.paper is not None]
    if not compared:
        return []
    margin = max(paper_estimate(line.paper or 0, table.paper_games).margin for line in compared)
    n_agree, n_few = (sum(line.agrees is kind for line in compared) for kind in (True, None))
    said = f"{n_agree} of {len(compared)} agree within chance"
    said += f", {n_few} rest on too few games to tell" if n_few else ""
    said += f"; {table.paper_games} games leave the paper's numbers up to ±{margin:.1%}."
    apart = [
        f"{' '.join(line.labels)} ({line.ours.mean:.1%} for {line.paper:.1%})"
        for line in compared
        if line.agrees is False
    ]
    return [said, *([f"Apart: {', '.join(apart)}."] if apart else [])]


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
    logs = results.logs.values()
    return {
        "commit": ", ".join(results.commits) or "nothing played",
        "seed": str(results.seed),
        "budget": results.budget or "none",
        "games": f"{sum(log.n_games for log in logs):,}",
        "processor time": hours(sum(log.cpu_seconds for log in logs)),
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
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join([f"**{grid.title}**", "", table, "", *(f"- {note}" for note in grid.notes)])


def parts(paper: Paper, results: Results) -> dict[str, str]:
    """Give the parts of a page that follow from the results."""
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
