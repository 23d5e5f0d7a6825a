"""`kibitz match`: agents against each other on duplicate deals."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kibitz.cli import standings
from kibitz.cli.console import announce_compilation, err, out, print_json, progress_bar
from kibitz.core.errors import KibitzError, SpecError, nearest

if TYPE_CHECKING:
    from kibitz.arena import Match, PlayedDeals, Result
    from kibitz.store import Store

GameSpec = Annotated[str, typer.Argument(help="A game spec, such as nimmt:players=5.")]
Agents = Annotated[list[str], typer.Argument(help="Agent specs, such as random.")]
Seed = Annotated[int, typer.Option(min=0, help="What all cards derive from.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Batches played at once.")]
Pool = Annotated[
    Literal["threads", "processes"],
    typer.Option(help="What workers are; processes help agents written in Python."),
]
OnError = Annotated[
    Literal["stop", "forfeit"],
    typer.Option(help="What an illegal action, an exception or a missed deadline leads to."),
]
Deadline = Annotated[
    float | None,
    typer.Option(min=1e-6, help="Seconds per decision; agents are then asked one at a time."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write all scores to this file.")]
Report = Annotated[Path | None, typer.Option(help="Write a page with plots to this folder.")]
Database = Annotated[
    str | None, typer.Option(metavar="URL", help="Keep the results there: a file or a URL.")
]


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(
        epilog="Example: kibitz match nimmt:players=5 highest random --deals 6000 --seed 1"
    )(match)


def match(
    game: GameSpec,
    agents: Agents,
    deals: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many deals.")] = 1000,
    seed: Seed = 0,
    workers: Workers = 1,
    pool: Pool = "threads",
    on_error: OnError = "stop",
    deadline: Deadline = None,
    defender: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="Also compare the others by the deals on which just one of them beats this agent.",
        ),
    ] = None,
    as_json: Json = False,
    csv_file: Csv = None,
    records: Annotated[
        Path | None, typer.Option(help="Write all games to this file, one JSON line each.")
    ] = None,
    report: Report = None,
    database: Database = None,
) -> None:
    """Let agents play each other: same deals for all, every seat, intervals over deals.

    With fewer agents than seats the last one fills the table; with more, every choice of them
    plays every deal.
    """
    from kibitz.arena import Match
    from kibitz.core.driver import Conduct
    from kibitz.core.registry import load_agent, load_game

    announce_compilation()
    table = load_game(game, defaults="arena")
    players = [load_agent(spec, table) for spec in agents]
    judge = _find_defender(defender, [player.spec for player in players])
    plan = Match(
        table,
        players,
        deals,
        seed,
        workers=workers,
        pool=pool,
        records=records is not None,
        conduct=Conduct(on_error, deadline),
    )
    standings.new_folder(report)
    with ExitStack() as stack:
        csv_stream = stack.enter_context(standings.new_file(csv_file))
        record_stream = stack.enter_context(standings.new_file(records))
        store = _open(stack, database)
        failure = _run(plan, record_stream, store, deals)
        if failure is not None and not plan.has_played:
            standings.end(failure, [])
        result = plan.result()
        standings.write_csv(csv_stream, [(result, result.labels)] if csv_file else [])
    document = standings.as_json(result)
    if failure is not None:
        document["stopped"] = str(failure) or "interrupted"
    if judge is not None:
        document["differing"] = _differing(result, judge)
    if report is not None:
        from kibitz.arena.report import report_match

        page = report_match(report, result)
        err.print(f"report: {page}", style="dim", highlight=False)
    if as_json:
        print_json(document)
    else:
        _print(result, document)
    standings.end(failure, result.faults)


def _open(stack: ExitStack, database: str | None) -> "Store | None":
    if database is None:
        return None
    from kibitz.store import open_store

    return stack.enter_context(open_store(database))


def _run(
    plan: "Match", record_stream: Any, store: "Store | None", deals: int
) -> BaseException | None:
    """Play; give what ended it early, if anything did."""
    journal = None
    if store is not None:
        from kibitz.store.journal import MatchJournal

        number = store.match(None, 0, plan.game.spec, plan.seed, plan.specs, {"deals": deals})
        journal = MatchJournal(store, number)
    running = standings.Running(plan.specs[0])
    with progress_bar(f"playing {plan.game.spec}", plan.n_games) as (progress, task):

        def follow(played: "PlayedDeals") -> None:
            record_stream.writelines(record.to_line() + "\n" for record in played.records)
            if journal is not None:
                journal.append(played)
            running.add(played)
            done = played.scores.shape[0] * played.scores.shape[1]
            progress.update(task, advance=done, description=str(running))

        failure: BaseException | None = None
        try:
            plan.run(follow)
        except (KeyboardInterrupt, KibitzError) as error:
            failure = error
    if store is not None and journal is not None:
        store.end_match(journal.match, "done" if failure is None else "stopped")
    return failure


def _find_defender(defender: str | None, specs: list[str]) -> int | None:
    """Find the agent that the others are compared against."""
    if defender is None:
        return None
    if defender not in specs:
        raise SpecError(
            f"the defender {defender!r} is not among the agents: {nearest(defender, specs)}"
        )
    return specs.index(defender)


def _differing(result: "Result", defender: int) -> list[dict[str, Any]]:
    """Compare every two of the others by deals on which just one of them beats the defender."""
    others = [a for a in range(len(result.agents)) if a != defender]
    rows = []
    for i, a in enumerate(others):
        for b in others[i + 1 :]:
            found = result.sample.differing(a, b, defender)
            rows.append(
                {
                    "a": result.labels[a],
                    "b": result.labels[b],
                    "defender": result.labels[defender],
                    "pairs": found.n,
                    "rate": found.rate.mean if found.n else None,
                    "ci95": standings.bounds(found.rate),
                }
            )
    return rows


def _print(result: "Result", document: dict[str, Any]) -> None:
    """Print the standings, and comparisons of two."""
    rows = result.standings()
    standings.print_table(
        f"{result.game.facts.title}  [dim]{result.game.spec}[/dim]",
        _caption(result),
        ["", "agent", "points", "games won", "per move", *_fault_head(result)],
        [
            [
                str(place),
                row.label,
                standings.points(row.score),
                standings.share(row.wins),
                standings.duration(row.seconds_per_move),
                *([str(row.n_faults)] if result.faults else []),
            ]
            for place, row in enumerate(rows, 1)
        ],
        [row.score for row in rows],
    )
    pairs = result.paired()
    if 1 <= len(pairs) <= 10:
        for pair in pairs:
            a, b = result.labels[pair.a], result.labels[pair.b]
            line = f"{a} − {b}: {standings.points(pair.difference)} on the same deals"
            out.print(line, highlight=False, markup=False)
    for row in document.get("differing", []):
        out.print(_differing_line(row), highlight=False, markup=False)


def _differing_line(row: dict[str, Any]) -> str:
    if row["rate"] is None:
        return f"{row['a']} and {row['b']} never fare differently against {row['defender']}"
    interval = f" ({row['ci95'][0]:.1%} to {row['ci95'][1]:.1%})" if row["ci95"] else ""
    return (
        f"{row['a']} wins {row['rate']:.1%}{interval} of {row['pairs']:,} games in which it or "
        f"{row['b']}, but not both, beats {row['defender']}"
    )


def _fault_head(result: "Result") -> list[str]:
    return ["forfeits"] if result.faults else []


def _caption(result: "Result") -> str:
    n = len(result.deals)
    played = f"{result.n_games:,} games in {result.elapsed:.1f} s"
    if n == 1:
        return f"one deal from every seat, seed {result.seed}: {played}"
    return f"{n:,} deals from every seat, seed {result.seed}: {played}; ± is a 95 % interval"
