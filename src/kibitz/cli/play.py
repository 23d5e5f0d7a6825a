"""`kibitz play`: a table in the terminal, one person against bots."""

import io
import os
import secrets
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.columns import Columns
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, err, out
from kibitz.cli.playing import Debug, debugging, show_traceback
from kibitz.cli.saves import SaveFile, keep_finished, save_path
from kibitz.core.errors import KibitzError, RecordError, SpecError
from kibitz.core.messages import Message
from kibitz.core.registry import game_facts, load_agent, load_game
from kibitz.core.spec import GameFacts, join_spec, split_spec
from kibitz.core.wording import ENGLISH, LANGUAGES, check_language, speaking, unit, word, words

if TYPE_CHECKING:
    from kibitz.core.game import State
    from kibitz.core.table import Game, Table
    from kibitz.review.telling import Event

DRAWN_SEEDS = 1_000_000
"""Seeds are drawn below this: short enough to be typed again."""

Language = Annotated[
    str | None,
    typer.Option(help="What people are told in: en or de.", show_default="that of the system"),
]


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: kibitz play nimmt:players=4 --vs closest --vs random")(play)


def play(
    game: Annotated[str, typer.Argument(help="A game spec, such as nimmt or nimmt:players=4.")],
    seat: Annotated[int | None, typer.Option(help="Where you sit.", show_default="0")] = None,
    vs: Annotated[
        list[str] | None,
        typer.Option(
            help="Who sits at the other seats, in order; the last one fills the table.",
            show_default="best",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="What all cards derive from.", show_default="random")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the saved game.")] = False,
    save: Annotated[
        Path | None,
        typer.Option(help="Where an unfinished game is kept.", show_default="one file per game"),
    ] = None,
    coach: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", help="Who gives hints when you type h.", show_default="a search"
        ),
    ] = None,
    language: Language = None,
    debug: Debug = False,
) -> None:
    """Play in the terminal against bots.

    The game is saved while you play: leave with q and go on with --resume. Finished games are kept:
    look back at the last one with kibitz review --last.
    """
    spoken = find_language(language)
    facts = game_facts(split_spec(game)[0])
    file = SaveFile(save_path(facts.name) if save is None else save)
    if resume and (seat is not None or vs or seed is not None):
        raise SpecError("--resume goes on with the saved game: leave out --seat, --vs and --seed")
    announce_compilation()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    with suppress(ImportError):
        import readline  # noqa: F401  (gives `input` a line that can be edited)
    with debugging(debug), speaking(spoken):
        if resume:
            table, specs = _resume(game, file)
        else:
            table, specs = _open(load_game(game, defaults="people"), seat or 0, vs or [], seed)
        session = Session(table, specs, file, coach, debug)
        with speaking(spoken, session.seat):
            session.greet()
            session.run()


def find_language(wanted: str | None) -> str:
    """Return the language that was asked for, or that of the system if there are words in it."""
    if wanted is not None:
        return check_language(wanted)
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    system = next((name for name in names if name), "")[:2]
    return system if system in LANGUAGES else ENGLISH


def _open(game: "Game", seat: int, vs: list[str], seed: int | None) -> "tuple[Table, list[str]]":
    """Begin a new game; return the table and who sits there."""
    from kibitz.host import PERSON

    n = game.n_seats
    if not 0 <= seat < n:
        raise SpecError(f"{game.spec} has seats 0 to {n - 1}, got {seat}")
    if len(vs) > n - 1:
        raise SpecError(f"{game.spec} has {n - 1} other seats, got {len(vs)} agents")
    specs = vs or [default_bot(game.facts)]
    specs += specs[-1:] * (n - 1 - len(specs))
    specs = [*specs[:seat], PERSON, *specs[seat:]]
    return game.deal(secrets.randbelow(DRAWN_SEEDS) if seed is None else seed), specs


def default_bot(facts: GameFacts) -> str:
    """Choose an opponent: games list their own bots from weak to strong."""
    return list(facts.bots)[-1] if facts.bots else "random"


def _resume(spec: str, file: SaveFile) -> "tuple[Table, list[str]]":
    """Go on with the saved game; `spec` must not contradict it."""
    from kibitz.core.record import replay
    from kibitz.host import PERSON

    name, options = split_spec(spec)
    record = file.load()
    try:
        table = replay(record)
    except RecordError as error:
        raise RecordError(f"{file.path}: {error}") from None
    game = table.game
    wanted = load_game(spec, defaults="people") if options else game
    if game.facts.name != name or wanted != game:
        raise RecordError(f"{file.path} holds a game of {game.spec}, not {spec}")
    if record.seats.count(PERSON) != 1 or len(record.seats) != game.n_seats:
        raise RecordError(f"{file.path}: expected one {PERSON!r} among {game.n_seats} seats")
    return table, list(record.seats)


class Session:
    """A person, the bots and the host of their table."""

    def __init__(
        self, table: "Table", specs: list[str], file: SaveFile, coach: str | None, debug: bool
    ) -> None:
        """Seat a person among bots.

        Args:
            table: what is played.
            specs: by seat, the spec of the bot, or PERSON.
            file: where the game is kept.
            coach: spec of who gives hints; the game's own choice if left out.
            debug: whether bots' exceptions end the play with their traceback.
        """
        from kibitz.core.conduct import Conduct
        from kibitz.host import PERSON, Host

        game = table.game
        agents = [None if spec == PERSON else load_agent(spec, game) for spec in specs]
        self.host = Host(table, agents, conduct=Conduct("raise" if debug else "stop"))
        self.game, self.names, self.file = game, self.host.names, file
        self.seat, self.seed = specs.index(PERSON), table.origin.seed
        self._coach, self._debug = coach, debug
        self._told = len(self.host.events(self.seat))  # what lies behind is not told again
        self._has_warned = False  # that the game cannot be saved

    def greet(self) -> None:
        """Say what is played and who sits where."""
        who = ", ".join(self._name(seat) for seat in range(self.game.n_seats))
        told = word("cli.game", game=self.game.spec, seed=self.seed)
        out.print(Text.assemble((self.game.facts.title, "bold"), f"  {told}\n{who}"))
        if self.file.is_taken:
            _print_unbroken(word("cli.unfinished", command=self.command_to_resume()))
            _print_unbroken(word("cli.kept-aside", path=str(self.file.spare)))

    def _name(self, seat: int) -> str:
        """Name a seat with who sits there."""
        return words(Message("cli.sits", {"seat": seat, "who": self.names[seat]}))

    def run(self) -> None:
        """Play until the end, or until the person leaves."""
        from kibitz.cli.person import Quit

        try:
            self._play()
        except (Quit, KeyboardInterrupt):
            self._leave()
        except Exception as error:
            if self._debug:
                show_traceback(error)
            if not self._debug or isinstance(error, KibitzError):
                raise
            self._leave()
            raise typer.Exit(1) from None
        else:
            self._end()

    def _play(self) -> None:
        """Let the person and the bots play to the end."""
        from kibitz.cli.person import Person

        person = Person(self.game, self.seat, self._advise)
        self.host.advance()
        while not self.host.is_over:
            self._tell_news()
            action = person.choose(self.host.view(self.seat))
            self.host.play(self.seat, action)
            self._save()
            self.host.advance()
        self._tell_news()

    def _save(self) -> None:
        """Keep the game, in case the terminal is closed."""
        try:
            if not self.host.is_over:
                self.file.write(self.host.record())
        except RecordError as error:
            if not self._has_warned:
                err.print(Text(f"warning: {error}", "yellow"))
            self._has_warned = True

    @property
    def _has_decided(self) -> bool:
        return any(seat == self.seat for seat, _ in self.host.record().actions)

    def _tell_news(self) -> None:
        """Print what has happened since the last time."""
        news = self.host.events(self.seat, self._told)
        self._told += len(news)
        out.print()
        self._tell(news)

    def _advise(self, view: "State") -> RenderableType:
        """Draw what the coach thinks of every action, and what speaks for the one he would play."""
        from kibitz.cli.coaching import advise

        return advise(self.game, view, self.seat, self._coach)

    def _tell(self, events: "list[Event]") -> None:
        """Print what was played, one line for every time around the table, and what came of it."""
        line: dict[int, Text] = {}
        for event in events:
            if event.message is not None and event.seat is not None:
                if event.begins_turn or event.seat in line:
                    _print_line(line)
                told = Text.assemble((f"{_who(event.seat)}: ", "dim"), words(event.message))
                line[event.seat] = told.append(
                    word("cli.only-choice") if event.is_forced else "", "dim"
                )
            if event.outcome:
                _print_line(line)
                told = Text("; ".join(map(words, event.outcome)), "dim")
                out.print(Text("  ").append_text(told))
            if event.ended is not None and event.scores is not None:
                _print_line(line)
                self._tell_round(event.ended, event.scores)
        _print_line(line)

    def _tell_round(self, ended: "State", scores: tuple[float, ...]) -> None:
        """Draw the end of a round, and say how it stands."""
        out.print()
        out.print(self.game.render(ended, self.seat))
        now = ", ".join(f"{_who(seat)} {score:g}" for seat, score in enumerate(scores))
        out.print(Text(word("cli.new-round", unit=unit(self.game.facts), scores=now), "bold"))
        out.print()

    def _leave(self) -> None:
        """Save the unfinished game and say how to go on."""
        if self.file.is_taken and not self._has_decided:
            out.print(word("cli.nothing-played"))
        else:
            self.file.write(self.host.record())
            _print_unbroken(word("cli.saved", path=str(self.file.path)))
        _print_unbroken(word("cli.go-on", command=self.command_to_resume()))

    def _end(self) -> None:
        """Show the last position, the scores and how to get the same cards again."""
        self.file.remove()
        out.print(self.game.render(self.host.view(self.seat), self.seat))
        scores = self.host.scores
        grid = Grid()
        for column in ("cli.seat", "cli.player"):
            grid.add_column(word(column))
        grid.add_column(unit(self.game.facts), justify="right")
        for seat in sorted(range(len(scores)), key=lambda seat: -scores[seat]):
            player = _who(seat) if seat == self.seat else self.names[seat]
            style = "bold" if scores[seat] == scores.max() else ""
            grid.add_row(str(seat), player, f"{scores[seat]:g}", style=style)
        out.print(grid)
        out.print(Text(words(self._verdict()), "bold"))
        try:
            keep_finished(self.host.record())
            _print_unbroken(word("cli.look-back", command="kibitz review --last"))
        except RecordError as error:
            err.print(Text(f"warning: {error}", "yellow"))
        _print_unbroken(word("cli.same-deal", command=self.command_to_repeat()))

    def _verdict(self) -> Message:
        """Name the winners."""
        scores = self.host.scores
        winners = [seat for seat in range(len(scores)) if scores[seat] == scores.max()]
        if len(winners) == len(scores):
            return Message("cli.draw")
        if len(winners) == 1:
            return Message("cli.wins", {"seat": winners[0]})
        named = sorted(winners, key=lambda seat: seat != self.seat)
        return Message("cli.win", {"who": [Message("core.seat", {"seat": one}) for one in named]})

    def command_to_resume(self) -> str:
        """Write the command that goes on with the saved game."""
        name = self.game.facts.name
        words = ["kibitz", "play", name, "--resume"]
        if self.file.path != save_path(name):
            words += ["--save", str(self.file.path)]
        return shlex.join(words)

    def command_to_repeat(self) -> str:
        """Write the command that deals the same cards to the same players."""
        others = [name for seat, name in enumerate(self.names) if seat != self.seat]
        while len(others) > 1 and others[-1] == others[-2]:
            others.pop()
        words = ["kibitz", "play", people_spec(self.game), "--seat", str(self.seat)]
        for other in others:
            words += ["--vs", other]
        return shlex.join([*words, "--seed", str(self.seed)])


def people_spec(game: "Game") -> str:
    """Write the shortest spec that people, who have defaults of their own, get this game from."""
    name, shown = game.facts.name, game.options
    for option in game.options:
        fewer = {key: value for key, value in shown.items() if key != option}
        if load_game(join_spec(name, fewer), defaults="people") == game:
            shown = fewer
    return join_spec(name, shown)


def _who(seat: int) -> str:
    return word("core.seat", seat=seat)


def _print_line(line: dict[int, Text]) -> None:
    """Print what some seats played, if any, and empty the line."""
    if line:
        out.print(Columns(line.values(), padding=(0, 3)))
    line.clear()


def _print_unbroken(text: str) -> None:
    """Print commands and paths without line breaks of our own, so that they can be copied."""
    out.print(Text(text), soft_wrap=True)
