"""`kibitz match`: agents against each other on duplicate deals."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import playing, standings
from kibitz.cli.console import announce_compilation, out, print_json, progress_bar
from kibitz.cli.outputs import NewFile, Outputs
from kibitz.cli.playing import (
    Agents,
    Csv,
    Database,
    Deadline,
    Debug,
    GameSpec,
    Json,
    OnError,
    Pool,
    Report,
    Seed,
    Workers,
)
from kibitz.core.errors import SpecError, nearest

if TYPE_CHECKING:
    from kibitz.arena import Estimate, Match, Result
    from kibitz.store.journal import MatchJournal

MOST_PAIRS = 10
"""Comparisons of two agents that are printed; the document has all of them."""


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
    debug: Debug = False,
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
    from kibitz.core.registry import load_agent, load_game

    announce_compilation()
    others = playing.other_files(database, playing.is_kept(database))
    outputs = Outputs(csv_file, records, report, others)
    conduct = playing.conduct_of(on_error, deadline, debug)
    tried = playing.Attempt(debug)
    with playing.stdout_spared(), playing.debugging(debug), ExitStack() as stack:
        table = load_game(game, defaults="arena")
        plan = Match(
            table,
            [load_agent(spec, table) for spec in agents],
            deals,
            seed,
            workers=workers,
            pool=pool,
            records=records is not None,
            conduct=conduct,
        )
        judge = _find_defender(plan, defender)
        outputs.open(stack)
        journal = playing.open_journal(stack, plan, database)
        _play(plan, outputs.records, journal, tried)
        result = plan.result() if plan.has_played else None
        if result is None:
            tried.check_begun()
        else:
            standings.write_match(result, outputs, tried)
    document = _as_json(plan, result)
    if result is not None and judge is not None:
        document["differing"] = _differing(result, judge)
    if tried.failure is not None:
        document["stopped"] = str(tried)
    if as_json:
        print_json(document)
    elif result is not None:
        _print(result, document)
    tried.end(result.faults if result is not None else [])


def _play(
    plan: "Match",
    records: NewFile | None,
    journal: "MatchJournal | None",
    tried: playing.Attempt,
) -> None:
    """Play, keeping what is to be kept."""
    running = playing.Running(plan.specs[0])
    with (
        tried.play(),
        progress_bar(f"playing {plan.game.spec}", plan.n_games) as (progress, task),
    ):
        for played in plan.play():
            if records is not None:
                records.writelines(record.to_line() + "\n" for record in played.records)
            if journal is not None:
                journal.append(played)
            running.add(played)
            done = played.scores.shape[0] * played.scores.shape[1]
            progress.update(task, advance=done, description=str(running))
    playing.end_journal(journal, tried)


def _find_defender(plan: "Match", defender: str | None) -> int | None:
    """Find the agent that the others are compared against."""
    if defender is None:
        return None
    if defender not in plan.specs:
        raise SpecError(
            f"the defender {defender!r} is not among the agents: {nearest(defender, plan.specs)}"
        )
    if plan.game.n_sides != 2 or len(plan.specs) < 3:
        raise SpecError(
            "a defender needs two agents to compare and a game of two sides: "
            f"{plan.game.spec} has {plan.game.n_sides}, and there are {len(plan.specs)} agents"
        )
    return plan.specs.index(defender)


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


def _as_json(plan: "Match", result: "Result | None") -> dict[str, Any]:
    """Return the document of a match; without a result nobody has a standing."""
    if result is None:
        nothing = {"deals": 0, "games": 0, "seed": plan.seed, "seconds": 0.0}
        return {"game": plan.game.spec, **nothing, "agents": [], "paired": [], "forfeits": []}
    return {
        "game": result.game.spec,
        "deals": len(result.deals),
        "games": result.n_games,
        "seed": result.seed,
        "seconds": result.elapsed,
        "agents": [
            {
                "spec": row.spec,
                "label": row.label,
                "mean": row.score.mean,
                "ci95": standings.bounds(row.score),
                "win_share": row.wins.mean,
                "win_ci95": standings.bounds(row.wins),
                **_ranks(result.sample.ranks(row.agent)),
                "seconds_per_move": row.seconds_per_move,
                "faults": row.n_faults,
            }
            for row in result.standings()
        ],
        "paired": [
            {
                "a": result.labels[pair.a],
                "b": result.labels[pair.b],
                "difference": pair.difference.mean,
                "ci95": standings.bounds(pair.difference),
            }
            for pair in result.paired()
        ],
        "forfeits": playing.list_forfeits(result.faults),
    }


def _ranks(estimates: "list[Estimate]") -> dict[str, Any]:
    """Return how often an agent had each rank, with intervals."""
    return {
        "ranks": [one.mean for one in estimates],
        "ranks_ci95": [standings.bounds(one) for one in estimates],
    }


def _print(result: "Result", document: dict[str, Any]) -> None:
    """Print the standings, and comparisons of two."""
    rows = result.standings()
    standings.print_match(result)
    pairs = result.paired()
    is_zero_sum = len(pairs) == 1 and abs(rows[0].score.mean + rows[1].score.mean) < 1e-9
    # What one wins the other loses: their difference is the lead counted twice.
    for pair in pairs if len(pairs) <= MOST_PAIRS and not is_zero_sum else []:
        a, b = result.labels[pair.a], result.labels[pair.b]
        line = f"{a} − {b}: {pair.difference:+.2f} on the same deals"
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
