"""`kibitz play`: a table in the terminal, one person against bots."""

import io
import os
import secrets
import shlex
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.columns import Columns
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import announce_compilation, err, out
from kibitz.cli.playing import Debug, debugging, show_traceback
from kibitz.core.errors import KibitzError, RecordError, SpecError
from kibitz.core.registry import game_facts, load_agent, load_game
from kibitz.core.spec import GameFacts, join_spec, split_spec

if TYPE_CHECKING:
    from kibitz.cli.person import Chronicle, Event
    from kibitz.core.record import Record
    from kibitz.core.table import Game, Table

PERSON = "person"
"""Who sits at the person's seat, in records."""

DRAWN_SEEDS = 1_000_000
"""Seeds are drawn below this: short enough to be typed again."""


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
            show_default="the last of the game's own bots",
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
    debug: Debug = False,
) -> None:
    """Play in the terminal against bots.

    The game is saved while you play: leave with q and go on with --resume.
    """
    facts = game_facts(split_spec(game)[0])
    file = SaveFile(save_path(facts.name) if save is None else save)
    if resume and (seat is not None or vs or seed is not None):
        raise SpecError("--resume goes on with the saved game: leave out --seat, --vs and --seed")
    announce_compilation()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    with suppress(ImportError):
        import readline  # noqa: F401  (gives `input` a line that can be edited)
    with debugging(debug):
        if resume:
            session = _resume(game, file)
        else:
            session = _open(load_game(game, defaults="people"), seat or 0, vs or [], seed, file)
        session.run(debug)


def save_path(name: str) -> Path:
    """Give the file that keeps the unfinished game of this name."""
    base = os.environ.get("XDG_STATE_HOME")
    folder = Path(base) if base else Path.home() / ".local" / "state"
    return folder / "kibitz" / f"{name}.jsonl"


class SaveFile:
    """The file of one unfinished game; what it held before is moved aside, never overwritten."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is read or written yet."""
        if path.name == "" or (path.exists() and not path.is_file()):
            raise RecordError(f"{path} is not a file that can keep a game")
        self.path = path
        self._ours: tuple[int, int] | None = None  # the file as we last wrote or read it

    @property
    def is_taken(self) -> bool:
        """Whether the file holds something else than the game that is being played."""
        return self.path.exists() and self._identity() != self._ours

    def _identity(self) -> tuple[int, int]:
        found = self.path.stat()
        return found.st_ino, found.st_mtime_ns

    @property
    def spare(self) -> Path:
        """The first free name of the form `nimmt.1.jsonl`."""
        number = 1
        while (path := self.path.with_suffix(f".{number}{self.path.suffix}")).exists():
            number += 1
        return path

    def load(self) -> "Record":
        """Read the one unfinished game; RecordError if that is not what the file holds."""
        from kibitz.core.record import read_records

        if not self.path.exists():
            raise RecordError(f"there is no unfinished game in {self.path}")
        records = list(islice(read_records(self.path), 2))
        if len(records) != 1:
            raise RecordError(f"{self.path}: expected one game, found {len(records) or 'none'}")
        if records[0].result is not None:
            raise RecordError(f"{self.path}: this game is finished")
        self._ours = self._identity()
        return records[0]

    def write(self, record: "Record") -> None:
        """Keep the game; readers find the old file or the new one, never half of it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    stream.write(record.to_line() + "\n")
                if self.is_taken:
                    self.path.rename(self.spare)
                os.replace(name, self.path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise RecordError(f"cannot save the game in {self.path}: {error.strerror}") from None
        self._ours = self._identity()

    def remove(self) -> None:
        """Forget the game: it is finished."""
        with suppress(OSError):
            if not self.is_taken:
                self.path.unlink()


def _open(game: "Game", seat: int, vs: list[str], seed: int | None, file: SaveFile) -> "Session":
    """Begin a new game."""
    n = game.n_seats
    if not 0 <= seat < n:
        raise SpecError(f"{game.spec} has seats 0 to {n - 1}, got {seat}")
    if len(vs) > n - 1:
        raise SpecError(f"{game.spec} has {n - 1} other seats, got {len(vs)} agents")
    specs = vs or [default_bot(game.facts)]
    specs += specs[-1:] * (n - 1 - len(specs))
    names = [load_agent(spec, game).spec for spec in specs]
    names.insert(seat, PERSON)
    table = game.deal(secrets.randbelow(DRAWN_SEEDS) if seed is None else seed)
    session = Session(table, names, file)
    session.greet()
    if file.is_taken:
        _print_unbroken(f"An unfinished game is saved. Go on: {session.command_to_resume()}")
        _print_unbroken(f"If you play this one instead, that one is kept in {file.spare}")
    return session


def default_bot(facts: GameFacts) -> str:
    """Choose an opponent: games list their own bots from weak to strong."""
    return list(facts.bots)[-1] if facts.bots else "random"


def _resume(spec: str, file: SaveFile) -> "Session":
    """Go on with the saved game; `spec` must not contradict it."""
    from kibitz.core.record import replay

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
    session = Session(table, list(record.seats), file)
    session.greet()
    return session


@dataclass
class Session:
    """A person, the bots and their table."""

    table: "Table"
    names: list[str]  # per seat: spec of the bot, or PERSON
    file: SaveFile
    has_warned: bool = False  # that the game cannot be saved

    @property
    def seat(self) -> int:
        """Where the person sits."""
        return self.names.index(PERSON)

    def greet(self) -> None:
        """Say what is played and who sits where."""
        game = self.table.game
        who = ", ".join(f"{self.name(seat)}" for seat in range(game.n_seats))
        out.print(
            Text.assemble((game.facts.title, "bold"), f"  {game.spec}, seed {self.seed}\n{who}")
        )

    @property
    def seed(self) -> int:
        """What the cards derive from."""
        return self.table.origin.seed

    def name(self, seat: int) -> str:
        """Name a seat with who sits there."""
        return f"seat {seat} is you" if seat == self.seat else f"seat {seat} {self.names[seat]}"

    def run(self, debug: bool = False) -> None:
        """Play until the end, or until the person leaves; `debug` lets bots' exceptions through."""
        from kibitz.cli.person import Chronicle, Person, Quit
        from kibitz.core.conduct import Conduct
        from kibitz.core.driver import play_out

        chronicle = Chronicle(self.table, self.seat)
        game = self.table.game
        agents = [
            Person(game, lambda: self._before_decision(chronicle))
            if name == PERSON
            else load_agent(name, game)
            for name in self.names
        ]
        try:
            play_out(self.table, agents, Conduct("raise" if debug else "stop"))
        except (Quit, KeyboardInterrupt):
            self._leave()
        except Exception as error:
            if debug:
                show_traceback(error)
            if not debug or isinstance(error, KibitzError):
                raise
            self._leave()
            raise typer.Exit(1) from None
        else:
            out.print()
            self._tell(chronicle.news())
            self._end()

    def _before_decision(self, chronicle: "Chronicle") -> None:
        """Keep the game, in case the terminal is closed, and tell what has been played."""
        if self._has_decided:
            try:
                self.file.write(self.table.record(self.names))
            except RecordError as error:
                if not self.has_warned:
                    err.print(Text(f"warning: {error}", "yellow"))
                self.has_warned = True
        out.print()
        self._tell(chronicle.news())

    @property
    def _has_decided(self) -> bool:
        return any(seat == self.seat for seat, _ in self.table.actions)

    def _tell(self, events: "list[Event]") -> None:
        """Print what was played, one line for every time around the table, and what came of it."""
        line: dict[int, Text] = {}
        for event in events:
            if event.text:
                if event.begins_turn or event.seat in line:
                    _print_line(line)
                line[event.seat] = Text.assemble((f"{self._who(event.seat)}: ", "dim"), event.text)
                line[event.seat].append(" (only choice)" if event.is_forced else "", "dim")
            if event.outcome:
                _print_line(line)
                out.print(Text(f"  {event.outcome}", "dim"))
            if event.ended is not None and event.scores is not None:
                _print_line(line)
                out.print()
                out.print(self.table.game.render(event.ended, self.seat))
                scores = enumerate(event.scores)
                now = ", ".join(f"{self._who(seat)} {score:g}" for seat, score in scores)
                unit = self.table.game.facts.unit
                out.print(Text(f"New round. So far, in {unit}: {now}", "bold"))
                out.print()
        _print_line(line)

    def _who(self, seat: int) -> str:
        return "you" if seat == self.seat else f"seat {seat}"

    def _leave(self) -> None:
        """Save the unfinished game and say how to go on."""
        if self.file.is_taken and not self._has_decided:
            out.print("Nothing was played; the game that was saved before is still there.")
        else:
            self.file.write(self.table.record(self.names))
            _print_unbroken(f"Saved in {self.file.path}")
        _print_unbroken(f"To go on: {self.command_to_resume()}")

    def _end(self) -> None:
        """Show the last position, the scores and how to get the same cards again."""
        self.file.remove()
        out.print(self.table.render(self.seat))
        scores = self.table.scores
        grid = Grid()
        for column in ("seat", "player"):
            grid.add_column(column)
        grid.add_column(self.table.game.facts.unit, justify="right")
        for seat in sorted(range(len(scores)), key=lambda seat: -scores[seat]):
            player = "you" if seat == self.seat else self.names[seat]
            style = "bold" if scores[seat] == scores.max() else ""
            grid.add_row(str(seat), player, f"{scores[seat]:g}", style=style)
        out.print(grid)
        out.print(Text(self._verdict(), "bold"))
        _print_unbroken(f"The same deal again: {self.command_to_repeat()}")

    def _verdict(self) -> str:
        """Name the winners."""
        scores = self.table.scores
        winners = [seat for seat in range(len(scores)) if scores[seat] == scores.max()]
        if len(winners) == len(scores):
            return "A draw."
        if winners == [self.seat]:
            return "You win."
        named = sorted((self._who(seat) for seat in winners), key=lambda name: name != "you")
        listed = ", ".join(named[:-1]) + " and " + named[-1] if len(named) > 1 else named[0]
        return f"{listed[0].upper()}{listed[1:]} {'wins' if len(winners) == 1 else 'win'}."

    def command_to_resume(self) -> str:
        """Write the command that goes on with the saved game."""
        name = self.table.game.facts.name
        words = ["kibitz", "play", name, "--resume"]
        if self.file.path != save_path(name):
            words += ["--save", str(self.file.path)]
        return shlex.join(words)

    def command_to_repeat(self) -> str:
        """Write the command that deals the same cards to the same players."""
        others = [name for name in self.names if name != PERSON]
        while len(others) > 1 and others[-1] == others[-2]:
            others.pop()
        words = ["kibitz", "play", people_spec(self.table.game), "--seat", str(self.seat)]
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


def _print_line(line: dict[int, Text]) -> None:
    """Print what some seats played, if any, and empty the line."""
    if line:
        out.print(Columns(line.values(), padding=(0, 3)))
    line.clear()


def _print_unbroken(text: str) -> None:
    """Print commands and paths without line breaks of our own, so that they can be copied."""
    out.print(Text(text), soft_wrap=True)
