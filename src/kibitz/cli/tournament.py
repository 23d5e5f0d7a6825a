"""`kibitz tournament`: many agents, ratings, and an end that a crash does not lose."""

import shlex
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape

from kibitz.cli import standings
from kibitz.cli.console import announce_compilation, err, out, print_json, progress_bar
from kibitz.cli.match import Csv, Deadline, Json, OnError, Pool, Report, Seed, Workers
from kibitz.core.errors import KibitzError, SpecError

if TYPE_CHECKING:
    from kibitz.arena import PlayedDeals
    from kibitz.arena.tournament import Row, Settings, Stage, Tournament
    from kibitz.store.journal import TournamentJournal


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(
        epilog="Example: kibitz tournament nimmt:players=4 random highest lowest closest --seed 1"
    )(tournament)


def tournament(
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
    played; --resume goes on, and ends with the table that it would have had.
    """
    announce_compilation()
    from kibitz.arena.tournament import Tournament
    from kibitz.core.table import check_seed

    with ExitStack() as stack:
        if resume is not None and (game is not None or database == "none"):
            raise SpecError("a resumed tournament has its settings in the database: leave them out")
        journal = _open(stack, database)
        if resume is None:
            values = {
                "game": game,
                "agents": agents or [],
                "form": "evolve" if evolve else form,
                "deals": deals,
                "seed": check_seed(seed),
                "sizes": _parse_sizes(seats),
                "anchors": anchor or [],
                "generation": generation,
                "records": records,
                "on_error": on_error,
                "deadline": deadline,
            }
            settings = _settings(values)
        else:
            settings = journal.find(resume)
        play = Tournament(settings, workers=workers, pool=pool)
        csv_stream = stack.enter_context(standings.new_file(csv_file))
        standings.new_folder(report)
        if resume is None:
            journal.begin(settings)
        failure = _run(play, journal)
        if failure is not None and not play.results:
            journal.end([], failure)
            standings.end(failure, [], _advice(journal))
        rows = play.rows()
        if csv_file:
            standings.write_csv(csv_stream, _by_stage(play))
        journal.end(rows, failure)
    if report is not None:
        from kibitz.arena.report import report_tournament

        err.print(f"report: {report_tournament(report, play)}", style="dim", highlight=False)
    if as_json:
        print_json(_as_json(play, rows, failure, journal.number))
    else:
        _print(play, rows)
    faults = [fault for _, result in play.results for fault in result.faults]
    standings.end(failure, faults, _advice(journal))


class _Journal:
    """The database of a tournament, if it has one."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.journal: TournamentJournal | None = None

    @property
    def number(self) -> int | None:
        return None if self.journal is None else self.journal.tournament

    def find(self, number: int) -> "Settings":
        from kibitz.store.journal import TournamentJournal

        self.store.resume_tournament(number)
        self.journal = TournamentJournal(self.store, number)
        return self.journal.settings()

    def begin(self, settings: "Settings") -> None:
        from kibitz.store.journal import TournamentJournal

        if self.store is not None:
            self.journal = TournamentJournal.begin_new(self.store, settings)

    def end(self, rows: "list[Row]", failure: BaseException | None) -> None:
        if self.journal is None:
            return
        if failure is None:
            self.journal.end(rows)
        else:
            self.journal.stop()


def _open(stack: ExitStack, database: str | None) -> _Journal:
    if database == "none":
        return _Journal(None)
    from kibitz.store import open_store

    return _Journal(stack.enter_context(open_store(database)))


def _settings(values: dict[str, Any]) -> "Settings":
    from kibitz.arena.tournament import Settings

    if values["game"] is None or not values["agents"]:
        raise SpecError("a tournament needs a game and agents: kibitz tournament GAME AGENT ...")
    return Settings.read(values)


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


def _run(play: "Tournament", journal: _Journal) -> BaseException | None:
    """Play; give what ended it early, if anything did."""
    leaders: dict[str, standings.Running] = {}
    with progress_bar(f"playing {play.settings.game}", play.n_games) as (progress, task):

        def follow(stage: "Stage", played: "PlayedDeals") -> None:
            name = play.names[stage.entrants[0]]
            running = leaders.setdefault(stage.title, standings.Running(f"{stage.title}: {name}"))
            running.add(played)
            done = played.scores.shape[0] * played.scores.shape[1]
            progress.update(task, advance=done, description=str(running))

        try:
            play.run(journal.journal, follow)
        except (KeyboardInterrupt, KibitzError) as error:
            return error
    return None


def _by_stage(play: "Tournament") -> Any:
    names = play.names
    return [
        (result, [names[entrant] for entrant in stage.entrants]) for stage, result in play.results
    ]


def _as_json(
    play: "Tournament", rows: "list[Row]", failure: BaseException | None, number: int | None
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "tournament": number,
        **play.settings.model_dump(mode="json"),
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
        "events": play.events,
    }
    if failure is not None:
        document["stopped"] = str(failure) or "interrupted"
    return document


def _print(play: "Tournament", rows: "list[Row]") -> None:
    """Print the table of the tournament."""
    heads = ["", "agent", "rating", "points", "games won"]
    heads += ["Elo"] if play.at_random else []
    heads += ["skill"] if play.ladder is not None else []
    heads += ["games", "per move"]
    cells = [
        [
            str(place),
            f"{row.name} ({row.role})" if row.role else row.name,
            standings.rating(row.rating),
            standings.points(row.score),
            standings.share(row.wins),
            *([f"{row.elo:.0f}"] if row.elo is not None else []),
            *([f"{row.skill[0]:.1f} ±{1.96 * row.skill[1]:.1f}"] if row.skill else []),
            f"{row.n_games:,}",
            standings.duration(row.seconds_per_move),
        ]
        for place, row in enumerate(rows, 1)
    ]
    settings = play.settings
    name = play.games[0].spec if len(play.games) == 1 else escape(settings.game)
    n_games = sum(result.n_games for _, result in play.results)
    n_deals = sum(len(result.deals) for _, result in play.results)
    seconds = sum(result.elapsed for _, result in play.results)
    standings.print_table(
        f"{play.games[0].facts.title}  [dim]{name}, {settings.form}[/dim]",
        f"{n_deals:,} deals, seed {settings.seed}: {n_games:,} games in {seconds:.1f} s; "
        "± is a 95 % interval",
        heads,
        cells,
        [row.rating for row in rows],
    )
    for event in play.events:
        out.print(event, style="dim", highlight=False, markup=False)


def _advice(journal: _Journal) -> str:
    """Say how to go on."""
    if journal.number is None:
        return ""
    place = shlex.quote(journal.store.name)
    return f"go on with: kibitz tournament --resume {journal.number} --database {place}"
