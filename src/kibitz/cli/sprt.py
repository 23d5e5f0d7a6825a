"""`kibitz sprt`: play until it is clear which of two agents is better."""

import dataclasses
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kibitz.cli import playing, standings
from kibitz.cli.console import announce_compilation, err, out, print_json
from kibitz.cli.outputs import Outputs
from kibitz.cli.playing import (
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
from kibitz.core.errors import SpecError

if TYPE_CHECKING:
    from kibitz.arena import Match
    from kibitz.arena.sequential import Hypotheses, Sprt
    from kibitz.store.journal import MatchJournal


LEANING = "± is the 95 % interval of a match of so many deals; a test stops where it is ahead"
"""What the intervals of a test that stopped are worth."""

LEANING_PAGE = (
    "These are the intervals of a match of so many deals. This one ended where a sequential test "
    "was decided, so they lean to its verdict."
)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(
        epilog="Example: kibitz sprt nimmt:players=5 highest random --elo1 20 --report page"
    )(sprt)


def sprt(
    game: GameSpec,
    a: Annotated[str, typer.Argument(metavar="A", help="The agent in question.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The agent it is compared with.")],
    elo0: Annotated[float | None, typer.Option(help="H0: A is at most this much better.")] = None,
    elo1: Annotated[float | None, typer.Option(help="H1: A is at least this much better.")] = None,
    points0: Annotated[float | None, typer.Option(help="H0 in points per game.")] = None,
    points1: Annotated[float | None, typer.Option(help="H1 in points per game.")] = None,
    alpha: Annotated[float, typer.Option(help="How often H1 is chosen if H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often H0 is chosen if H1 is true.")] = 0.05,
    max_deals: Annotated[
        int, typer.Option(min=1, max=4_000_000, help="Give up after so many deals.")
    ] = 200_000,
    seed: Seed = 0,
    workers: Workers = 1,
    pool: Pool = "threads",
    on_error: OnError = "stop",
    deadline: Deadline = None,
    debug: Debug = False,
    as_json: Json = False,
    csv_file: Csv = None,
    report: Report = None,
    database: Database = None,
) -> None:
    """Test whether A is better than B, with stated error rates and as few deals as it takes.

    Strength is normalised Elo (--elo0, --elo1: 0 and 5 if nothing is said) or points per game
    (--points0, --points1). At larger tables A takes one seat and B the rest, and a deal counts A's
    mean minus B's. Deals after the verdict count nowhere.
    """
    from kibitz.arena import Match
    from kibitz.arena.sequential import Hypotheses
    from kibitz.arena.verdict import make_test
    from kibitz.core.registry import load_agent, load_game

    announce_compilation()
    hypotheses = Hypotheses(*_strengths(elo0, elo1, points0, points1), alpha, beta)
    others = playing.other_files(database, playing.is_kept(database))
    outputs = Outputs(csv_file, None, report, others)
    conduct = playing.conduct_of(on_error, deadline, debug)
    tried = playing.Attempt(debug)
    with playing.stdout_spared(), playing.debugging(debug), ExitStack() as stack:
        table = load_game(game, defaults="arena")
        players = [load_agent(spec, table) for spec in (a, b)]
        test = make_test(table, hypotheses)
        match = Match(table, players, max_deals, seed, workers=workers, pool=pool, conduct=conduct)
        outputs.open(stack)
        journal = playing.open_journal(stack, match, database)
        _play(match, test, journal, tried)
        result = match.result() if match.has_played else None
        if result is None:
            tried.check_begun()
        else:
            standings.write_match(result, outputs, tried, LEANING_PAGE)
    faults = result.faults if result is not None else []
    document: dict[str, Any] = {
        "game": table.spec,
        "a": players[0].spec,
        "b": players[1].spec,
        "seed": seed,
        "hypotheses": dataclasses.asdict(hypotheses),
        **dataclasses.asdict(test.status()),
        "faults": len(faults),
        "forfeits": playing.list_forfeits(faults),
    }
    if tried.failure is not None:
        document["stopped"] = str(tried)
    if as_json:
        print_json(document)
    elif result is not None:
        standings.print_match(result, LEANING)
        _print(test, document, table.facts.unit)
    tried.end(faults)


def _play(
    match: "Match", test: "Sprt", journal: "MatchJournal | None", tried: playing.Attempt
) -> None:
    """Play until there is a verdict, with a line that tells how it stands."""
    from kibitz.arena.verdict import play_until_verdict

    with tried.play(), err.status("playing", spinner="dots") as status:
        for played in play_until_verdict(match, test):
            if journal is not None:
                journal.append(played)
            status.update(_live(test))
    playing.end_journal(journal, tried)


def _strengths(
    elo0: float | None, elo1: float | None, points0: float | None, points1: float | None
) -> tuple[float, float, Literal["elo", "points"]]:
    """Find out what is tested, and in which unit."""
    in_elo, in_points = (elo0, elo1) != (None, None), (points0, points1) != (None, None)
    if in_elo and in_points:
        raise SpecError(
            "hypotheses are in Elo or in points: give --elo0 and --elo1, or --points0 and --points1"
        )
    if in_points:
        if points1 is None:
            raise SpecError("a test in points needs --points1, such as --points0 0 --points1 1")
        return points0 or 0.0, points1, "points"
    return elo0 or 0.0, 5.0 if elo1 is None else elo1, "elo"


def _live(test: "Sprt") -> str:
    """Say in one line how the test stands."""
    status = test.status()
    lower, upper = status.bounds
    line = f"{status.deals:,} deals: ratio {status.llr:+.2f} ({lower:.2f} to {upper:.2f})"
    if status.elo is not None and status.elo_ci95 is not None:
        line += f", normalised Elo {status.elo:+.1f} ±{_half(status.elo_ci95):.1f}"
    return line


def _half(interval: tuple[float, float]) -> float:
    return (interval[1] - interval[0]) / 2


def _print(test: "Sprt", document: dict[str, Any], unit: str) -> None:
    """Print the verdict and, beside it, the plain estimate."""
    status, hypotheses = test.status(), test.hypotheses
    a, b = document["a"], document["b"]
    sought = "normalised Elo" if hypotheses.unit == "elo" else f"{unit} per game"
    verdict = _verdict(status.verdict, hypotheses, a, b, sought)
    out.print(verdict, style="bold", highlight=False, markup=False)
    if status.mean is not None and status.mean_ci95 is not None:
        mean, half = status.mean, _half(status.mean_ci95)
        if test.pairs:
            told = f"{a} takes {mean:.1%} ±{half:.1%} of what there is to win"
        else:
            told = f"{a} − {b}: {mean:+.3f} ±{half:.3f} {unit} per game"
        out.print(f"plain estimate: {told}", highlight=False, markup=False)
    if status.elo is not None and status.elo_ci95 is not None:
        half = _half(status.elo_ci95)
        out.print(f"normalised Elo: {status.elo:+.1f} ±{half:.1f}", highlight=False)
    lower, upper = status.bounds
    remark = "; ± is a 95 % interval"
    if status.verdict is not None:
        remark += ", a little too favourable to the verdict because the test stopped there"
    out.print(
        f"{status.deals:,} deals; log-likelihood ratio {status.llr:+.3f}, bounds {lower:.3f} and "
        f"{upper:.3f}; error rates {hypotheses.alpha:g} and {hypotheses.beta:g}{remark}",
        style="dim",
        highlight=False,
    )


def _verdict(verdict: str | None, hypotheses: "Hypotheses", a: str, b: str, unit: str) -> str:
    h0, h1 = f"{hypotheses.h0:g}", f"{hypotheses.h1:g}"
    if verdict == "H1":
        return f"H1: {a} is better than {b}, by {h1} {unit} rather than {h0}"
    if verdict == "H0":
        return f"H0: {a} is not {h1} {unit} better than {b}, rather {h0} or less"
    return f"no verdict yet between {h0} and {h1} {unit}"
