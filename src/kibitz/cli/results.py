"""`kibitz results`: what a database has."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table as Grid

from kibitz.cli.console import out, print_json, remark
from kibitz.cli.playing import Json, open_existing
from kibitz.core.errors import plain

if TYPE_CHECKING:
    from kibitz.store import MatchRow, TournamentRow


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: kibitz results --database results.db")(results)


def results(
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Where to look: a file or a URL.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the tournaments and matches that a database has, with the numbers to resume by."""
    with open_existing(database) as store:
        name = store.name
        tournaments = [_tournament(row) for row in store.tournaments()]
        matches = [_match(row) for row in store.matches(None)]
    if as_json:
        print_json({"database": name, "tournaments": tournaments, "matches": matches})
        return
    if not tournaments and not matches:
        remark(f"{name} has no results yet")
        return
    _print("tournament", tournaments)
    _print("match", matches)
    if any(row["status"] != "done" for row in tournaments):
        remark("a tournament that is not done goes on with kibitz tournament --resume NUMBER")


def _tournament(row: "TournamentRow") -> dict[str, Any]:
    lists = [row.settings.get(name) for name in ("agents", "anchors")]
    # Settings are whatever a database holds: only those that are lists of words are shown.
    agents = [one for part in lists if isinstance(part, list) for one in part]
    return {**_common(row), "form": row.form, "agents": [plain(str(one)) for one in agents]}


def _match(row: "MatchRow") -> dict[str, Any]:
    return {**_common(row), "agents": list(row.agents)}


def _common(row: "TournamentRow | MatchRow") -> dict[str, Any]:
    return {
        "id": row.id,
        "game": row.game,
        "deals": row.settings.get("deals"),
        "seed": row.seed,
        "status": row.status,
        "started": row.started.isoformat(timespec="seconds"),
        "ended": None if row.ended is None else row.ended.isoformat(timespec="seconds"),
        "kibitz": row.package_version,
    }


def _print(kind: str, rows: list[dict[str, Any]]) -> None:
    """Print a line for each, the latest last; times are in UTC as in the database."""
    if not rows:
        return
    grid = Grid(box=box.ROUNDED)
    for head in (kind, "status", "started", "game", "agents"):
        grid.add_column(head, justify="right" if head == kind else "left")
    for row in rows:
        game = " ".join(filter(None, [row["game"], row.get("form")]))
        agents = " ".join(map(str, row["agents"]))
        started = row["started"][:16].replace("T", " ")
        grid.add_row(str(row["id"]), row["status"], started, escape(game), escape(agents))
    out.print(grid)
