"""`kibitz tournament`: many agents, ratings, and an end that a crash does not lose."""

import shlex
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape

from kibitz.cli import playing, standings
from kibitz.cli.console import announce_compilation, out, print_json, progress_bar, remark
from kibitz.cli.outputs import Outputs
from kibitz.cli.playing import Csv, Deadline, Debug, Json, OnError, Pool, Report, Seed, Workers
from kibitz.core.errors import SpecError, StoreError

if TYPE_CHECKING:
    from kibitz.arena import Fault
    from kibitz.arena.tournament import Row, Settings, Tournament
    from kibitz.store.journal import TournamentJournal


SETTINGS = (
    *("game", "agents", "form", "evolve", "deals", "seats", "anchor", "generation", "seed"),
    "records",
)
"""Parameters that make a tournament what it is."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(
        epilog="Example: kibitz tournament nimmt:players=4 random highest lowest closest --seed 1"
    )(tournament)


def tournament(
    context: typer.Context,
    game: Annotated[
        str | None, typer.Argument(help="A game spec, such as nimmt:players=4.")
    ] = None,
    agents: Annotated[list[str] | None, typer.Argument(help="Agent specs, such as random.")] = None,
    form: Annotated[
        Literal["round-robin", "random", "ladder"],
        typer.Option(help="Everybody meets, random tables, or a climb past anchors."),
    ] = "round-robin",
    evolve: Annotated[
        bool, typer.Option("--evolve", help="Random tables; the best is cloned, the worst dropped.")
    ] = False,
    deals: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many deals.")] = 2000,
    seats: Annotated[
        str | None, typer.Option(help="Sizes of random tables, such as 2-4 or 3,5.")
    ] = None,
    anchor: Annotated[
        list[str] | None, typer.Option(help="An anchor of the ladder; may be repeated.")
    ] = None,
    generation: Annotated[
        int, typer.Option(min=1, help="Games between two steps of evolution.")
    ] = 1000,
    seed: Seed = 0,
    workers: Workers = 1,
    pool: Pool = "threads",
    on_error: OnError = "stop",
    deadline: Deadline = None,
    debug: Debug = False,
    records: Annotated[
        bool, typer.Option("--records", help="Keep all games in the database.")
    ] = False,
    resume: Annotated[
        int | None, typer.Option(metavar="ID", help="Go on with a tournament of the database.")
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Where it is kept: a file, a URL, or none to keep nothing."
        ),
    ] = None,
    as_json: Json = False,
    csv_file: Csv = None,
    report: Report = None,
) -> None:
    """Let agents play for ratings: same deals for all, every seat, intervals over deals.

    A tournament is kept in a database while it is played. Ctrl-C stops it with what has been
    played; --resume goes on, and ends with the table that it would have had. It takes its settings
    from the database; only --on-error and --deadline may be others.
    """
    announce_compilation()
    is_kept = database != playing.NOWHERE
    outputs = Outputs(csv_file, None, report, playing.other_files(database, is_kept))
    tried = playing.Attempt(debug)
    with playing.stdout_spared(), playing.debugging(debug), ExitStack() as stack:
        settings = _settings(context) if resume is None else _stored(context, database, resume)
        play = _plan(settings, workers, pool)
        play.conduct = playing.conduct_of(settings.on_error, settings.deadline, debug)
        outputs.open(stack)
        journal = _journal(stack, settings, resume, database) if is_kept else None
        _play(play, journal, tried)
        rows = play.rows() if play.results else []
        if rows:
            _write(play, rows, journal, outputs, tried)
        else:
            tried.check_begun()
    if as_json:
        print_json(_as_json(play, rows, tried, journal))
    elif rows:
        _print(play, rows)
    if journal is not None and journal.is_done:
        remark(f"kept as tournament {journal.tournament} in {journal.place}")
    tried.end(_faults(play), _advice(journal, tried))


def _faults(play: "Tournament") -> "list[Fault]":
    """Return the forfeits of all stages."""
    return [fault for _, result in play.results for fault in result.faults]


def _plan(
    settings: "Settings", workers: int, pool: Literal["threads", "processes"]
) -> "Tournament":
    """Load games and agents, and see whether they make a tournament."""
    from kibitz.arena.tournament import Tournament
    from kibitz.core.registry import load_agent, load_game

    game = load_game(settings.game, defaults="arena")
    for spec in dict.fromkeys((*settings.agents, *settings.anchors)):
        load_agent(spec, game)
    play = Tournament(settings, workers=workers, pool=pool)
    _ = play.n_games  # refuses too many games
    return play


def _stored(context: typer.Context, database: str | None, number: int) -> "Settings":
    """Read the settings of a tournament that was begun before, with the conduct that is typed."""
    _refuse_settings(context)
    from kibitz.arena.tournament import CONDUCT, Settings
    from kibitz.store.journal import TournamentJournal

    with playing.open_existing(database) as store:
        settings = TournamentJournal(store, number).settings()
        is_done = store.tournament(number).status == "done"
    typed = {name: context.params[name] for name in CONDUCT if _is_typed(context, name)}
    return settings if is_done else Settings.read({**settings.model_dump(mode="json"), **typed})


def _journal(
    stack: ExitStack, settings: "Settings", number: int | None, database: str | None
) -> "TournamentJournal":
    """Begin to keep a tournament in a database, or go on."""
    from kibitz.store import open_store
    from kibitz.store.journal import TournamentJournal

    store = stack.enter_context(open_store(database))
    if number is None:
        return TournamentJournal.begin_new(store, settings)
    return TournamentJournal.resume(store, number, settings)


def _refuse_settings(context: typer.Context) -> None:
    """Refuse what is settled already when a tournament is resumed."""
    for name in SETTINGS:
        if _is_typed(context, name):
            spelt = name.upper() if name in ("game", "agents") else f"--{name}"
            raise SpecError(
                f"a resumed tournament has its settings in the database: leave out {spelt}"
            )


def _is_typed(context: typer.Context, name: str) -> bool:
    """Whether a parameter was typed, rather than left as it is."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _settings(context: typer.Context) -> "Settings":
    """Read the settings of a new tournament."""
    from kibitz.arena.tournament import CONDUCT, Settings
    from kibitz.core.registry import check_spec
    from kibitz.core.table import check_seed

    given = {name: context.params[name] for name in (*SETTINGS, *CONDUCT)}
    if given["game"] is None or not given["agents"]:
        raise SpecError("a tournament needs a game and agents: kibitz tournament GAME AGENT ...")
    if given.pop("evolve"):
        if _is_typed(context, "form") and given["form"] != "random":
            raise SpecError(f"--evolve plays at random tables: leave out --form {given['form']}")
        given["form"] = "evolve"
    given["sizes"] = _parse_sizes(given.pop("seats"))
    given["anchors"] = given.pop("anchor") or []
    for spec in (*given["agents"], *given["anchors"]):
        check_spec(spec)
    check_seed(given["seed"])
    return Settings.read(given)


def _parse_sizes(text: str | None) -> list[int]:
    """Read sizes of tables: 3, 2-4 or 2,5."""
    sizes: list[int] = []
    for part in text.split(",") if text else []:
        low, dash, high = part.strip().partition("-")
        ends = (low, high) if dash else (low, low)
        if not all(end.isdecimal() and len(end) < 4 for end in ends) or int(ends[0]) > int(ends[1]):
            raise SpecError(f"--seats {text!r}: expected sizes of tables, such as 3 or 2-4 or 2,5")
        sizes += range(int(ends[0]), int(ends[1]) + 1)
    if len(sizes) > 16:
        raise SpecError(f"--seats {text!r}: at most 16 sizes of tables")
    return sizes


def _play(play: "Tournament", journal: "TournamentJournal | None", tried: playing.Attempt) -> None:
    """Play, with a bar and the mean of the first agent of every stage."""
    leaders: dict[str, playing.Running] = {}
    with (
        tried.play(),
        progress_bar(f"playing {play.settings.game}", play.n_games) as (progress, task),
        closing(play.play(journal)) as batches,
    ):
        for stage, played in batches:
            name = play.names[stage.entrants[0]]
            running = leaders.setdefault(stage.title, playing.Running(f"{stage.title}: {name}"))
            running.add(played)
            done = played.scores.shape[0] * played.scores.shape[1]
            progress.update(task, advance=done, description=str(running))
    if journal is not None and tried.failure is not None:
        with tried.write():
            journal.stop()


def _write(
    play: "Tournament",
    rows: "list[Row]",
    journal: "TournamentJournal | None",
    outputs: Outputs,
    tried: playing.Attempt,
) -> None:
    """Write ratings, scores and the page, each as far as it can be."""
    if journal is not None and tried.failure is None:
        with tried.write():
            journal.end(rows)
    if outputs.scores is not None:
        with tried.write():
            standings.write_csv(outputs.scores, _by_stage(play))
            outputs.scores.keep()
    if outputs.report is not None:
        from kibitz.arena.report import report_tournament

        with tried.write():
            remark(f"report: {report_tournament(outputs.report, play)}")


def _by_stage(play: "Tournament") -> Any:
    names = play.names
    return [
        (result, [names[entrant] for entrant in stage.entrants]) for stage, result in play.results
    ]


def _as_json(
    play: "Tournament",
    rows: "list[Row]",
    tried: playing.Attempt,
    journal: "TournamentJournal | None",
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "tournament": journal.tournament if journal is not None and journal.is_entered else None,
        **play.settings.model_dump(mode="json"),
        "game": play.settings.game if play.settings.sizes else play.games[0].spec,
        "games": sum(result.n_games for _, result in play.results),
        "table": [
            {
                "name": row.name,
                "spec": row.spec,
                "role": row.role or None,
                "games": row.n_games,
                "mean": row.score.mean,
                "ci95": standings.bounds(row.score),
                "win_share": row.wins.mean,
                "win_ci95": standings.bounds(row.wins),
                "rating": row.rating.mean,
                "rating_ci95": standings.bounds(row.rating),
                "elo": row.elo,
                "skill": None if row.skill is None else list(row.skill),
                "seconds_per_move": row.seconds_per_move,
                "faults": row.n_faults,
            }
            for row in rows
        ],
        "differences": _differences(play, rows),
        "events": play.events,
        "forfeits": playing.list_forfeits(_faults(play)),
    }
    if tried.failure is not None:
        document["stopped"] = str(tried)
    return document


def _differences(play: "Tournament", rows: "list[Row]") -> list[dict[str, Any]]:
    """Compare the best with everybody else by their ratings, whose errors are not independent."""
    if len(rows) < 2:
        return []
    ratings, best = play.ratings(), rows[0]
    found = [(row.name, ratings.difference(best.entrant, row.entrant)) for row in rows[1:]]
    return [
        {"a": best.name, "b": name, "difference": lead.mean, "ci95": standings.bounds(lead)}
        for name, lead in found
    ]


def _print(play: "Tournament", rows: "list[Row]") -> None:
    """Print the table of the tournament."""
    from kibitz.arena.words import duration

    has_faults = any(row.n_faults for row in rows)
    heads = ["", "agent", "rating", play.games[0].facts.unit, "games won"]
    heads += ["forfeits"] if has_faults else []
    heads += ["Elo"] if play.at_random else []
    heads += ["skill"] if play.ladder is not None else []
    heads += ["games", "per move"]
    cells = [
        [
            str(place),
            f"{row.name} ({row.role})" if row.role else row.name,
            f"{row.rating:+.0f}",
            f"{row.score:+.2f}",
            f"{row.wins:.1%}",
            *([str(row.n_faults)] if has_faults else []),
            *([f"{row.elo:.0f}"] if row.elo is not None else []),
            *([f"{row.skill[0]:.1f}"] if row.skill is not None else []),
            f"{row.n_games:,}",
            duration(row.seconds_per_move),
        ]
        for place, row in enumerate(rows, 1)
    ]
    name = escape(_game_name(play))
    standings.print_table(
        f"{play.games[0].facts.title}  [dim]{name}, {play.settings.form}[/dim]",
        _caption(play),
        heads,
        cells,
        [row.rating for row in rows],
    )
    for event in play.events:
        out.print(event, style="dim", highlight=False, markup=False)


def _game_name(play: "Tournament") -> str:
    """Name what is played, with the sizes of its tables if there are several."""
    sizes = play.settings.sizes
    if not sizes:
        return play.games[0].spec
    return f"{play.settings.game} at tables of {', '.join(map(str, sizes))}"


def _caption(play: "Tournament") -> str:
    results = [result for _, result in play.results]
    n_games = sum(result.n_games for result in results)
    n_deals = sum(len(result.deals) for result in results)
    caption = f"{n_deals:,} deals, seed {play.settings.seed}: {n_games:,} games"
    if not play.is_resumed:
        caption += f" in {sum(result.elapsed for result in results):.1f} s"
    return f"{caption}; ± is a 95 % interval"


def _advice(journal: "TournamentJournal | None", tried: playing.Attempt) -> str:
    """Say how to go on, if that is possible."""
    if journal is None or not journal.can_resume:
        return ""
    from kibitz.arena import Misbehaviour
    from kibitz.store.rows import StoreUnavailable

    if any(isinstance(e, StoreError) and not isinstance(e, StoreUnavailable) for e in tried.errors):
        return ""
    place = shlex.quote(journal.place)
    advice = f"go on with: kibitz tournament --resume {journal.tournament} --database {place}"
    if isinstance(tried.failure, Misbehaviour):
        advice += " once the agent is mended, or with --on-error forfeit"
    return advice
