"""Records: one line of JSON per game, which replays exactly.

A record holds the game spec, the seed and deal number (or the cards of every round written out as
positions), who sat where, all actions and the result. Lines come from outside: they are bounded,
validated, and replayed through the rules before anything is believed.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from kibitz._version import __version__
from kibitz.core.batch import MAX_SEATS
from kibitz.core.errors import KibitzError, RecordError, clip
from kibitz.core.game import Action, Scores, Seat, apply, movers
from kibitz.core.outside import Document, First, Whole, Word, complaint, read_json
from kibitz.core.registry import load_game
from kibitz.core.table import MAX_POSITION, Game, Origin, Table

MAX_LINE = 16_000_000
"""Longest line that is read, in characters."""

_Seat = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
_Position = Annotated[str, Field(max_length=MAX_POSITION)]


class Record(Document):
    """One game, finished or not."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    kibitz: Word = __version__  # version of the package that wrote it
    game: Word  # spec string
    version: Whole  # of the game's rules
    seed: Whole
    deal: Whole = 0
    rotation: Whole = 0
    deals: Annotated[
        tuple[_Position, ...], Field(max_length=1000), First
    ] = ()  # explicit cards, round by round; () = from the seed
    # Agent spec or name of a person, per seat.
    seats: Annotated[tuple[Word, ...], Field(max_length=MAX_SEATS), First] = ()
    # As text, forced ones included.
    actions: Annotated[tuple[Annotated[tuple[_Seat, Word], First], ...], First]
    # Scores per seat; None if the game was not finished.
    result: Annotated[tuple[float, ...], Field(max_length=MAX_SEATS), First] | None

    def to_line(self) -> str:
        """Write the record as one line of JSON, without the newline."""
        return self.model_dump_json(by_alias=True)


def write_record(
    game: Game,
    origin: Origin,
    actions: Iterable[tuple[Seat, Action]],
    result: Scores | None,
    seats: Sequence[str] = (),
) -> Record:
    """Write down a game; `seats` names who sat where, or nobody."""
    return record_of(game, origin, _in_words(game, origin, actions), result, seats)


def record_of(
    game: Game,
    origin: Origin,
    written: Iterable[tuple[Seat, str]],
    result: Scores | None,
    seats: Sequence[str] = (),
) -> Record:
    """Write down a game whose actions are written already, each as it was typed in its position."""
    is_list = isinstance(seats, Sequence) and not isinstance(seats, str)
    if not is_list or len(seats) not in (0, game.n_seats):
        raise RecordError(
            f"{game.spec} has {game.n_seats} seats: name all of them or none, got {clip(seats)}"
        )
    try:
        return Record(
            game=game.spec,
            version=game.facts.version,
            seed=origin.seed,
            deal=origin.deal,
            rotation=origin.rotation,
            deals=origin.deals,
            seats=tuple(seats),
            actions=tuple(written),
            result=None if result is None else tuple(result.tolist()),
        )
    except ValidationError as error:
        raise RecordError(f"a record of {game.spec}: {complaint(error)}") from None


def _in_words(
    game: Game, origin: Origin, actions: Iterable[tuple[Seat, Action]]
) -> Iterator[tuple[Seat, str]]:
    """Yield actions as text, each written in the position where it was played."""
    table = Table(game, origin, plays_forced=False)
    state = table.state
    for seat, action in actions:
        yield seat, game.text.format_action(state, seat, action)
        apply(state, seat, action)
        if not movers(state):
            table.settle()


def parse_record(line: str, where: str = "record") -> Record:
    """Read one line of JSON; RecordError says what is wrong with it."""
    if not isinstance(line, str):
        raise RecordError(f"{where}: expected a line of text, got {clip(line)}")
    return read_json(line, Record, where, MAX_LINE, RecordError)


def read_records(path: Path | str) -> Iterator[Record]:
    """Yield the records of a file, line by line; RecordError names file and line."""
    try:
        with Path(path).open(encoding="utf-8") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE + 1), ""), 1):
                if line.strip():
                    yield parse_record(line, f"{path}:{number}")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"cannot read {clip(path)}: {error}") from None
    except KibitzError:
        raise
    except (TypeError, ValueError):  # a NUL in the name, or no name at all
        raise RecordError(f"expected the name of a file, got {clip(path)}") from None


def replay(record: Record) -> Table:
    """Play a record again, checking every action and the result.

    Returns:
        The table at the end of the record.
    """
    if not isinstance(record, Record):
        raise RecordError(f"expected a record, which parse_record reads, got {clip(record)}")
    try:
        game = load_game(record.game)
        if record.version != game.facts.version:
            raise RecordError(
                f"written under version {record.version} of {game.facts.name}, "
                f"this is version {game.facts.version}"
            )
        if len(record.seats) not in (0, game.n_seats):
            raise RecordError(f"{len(record.seats)} seats are named, there are {game.n_seats}")
        if len(record.actions) > game.max_actions:
            raise RecordError(f"{len(record.actions)} actions, at most {game.max_actions} possible")
        origin = Origin(record.seed, record.deal, record.rotation, record.deals)
        table = Table(game, origin, plays_forced=False)
        for seat, text in record.actions:
            table.play(seat, text)
    except KibitzError as error:
        raise RecordError(f"record of {clip(record.game)} does not replay: {error}") from None
    result = tuple(table.scores.tolist()) if table.is_over else None
    if record.result != result:
        raise RecordError(
            f"record of {clip(record.game)} says {record.result}, replaying gives {result}"
        )
    table.plays_forced = True
    table.settle()
    return table
