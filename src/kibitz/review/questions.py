"""Decisions as those saw them who made them: in a position, or in the record of a game.

The compiler is loaded with this module, so commands import it only when they need it.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kibitz.core.errors import PositionError, RecordError, SpecError, clip
from kibitz.core.game import SPECTATOR, Action, Seat, State, conceal, is_over, movers
from kibitz.core.messages import Message
from kibitz.core.record import Record, read_records, replay
from kibitz.core.registry import game_names, load_game
from kibitz.core.table import Game, Table


@dataclass(frozen=True)
class Question:
    """One decision of one seat, as that seat sees it."""

    game: Game
    view: State
    seat: Seat
    move: int | None = None  # number of the action in its record, from 1
    played: Action | None = None

    @cached_property
    def legal(self) -> list[Action]:
        """The actions to choose from."""
        return self.game.legal(self.view, self.seat)

    @property
    def position(self) -> str:
        """What the seat knows, as one line."""
        return self.game.format(self.view)

    def text(self, action: Action) -> str:
        """Write an action the way people do."""
        written: str = self.game.text.format_action(self.view, self.seat, action)
        return written

    def merits(self, action: Action) -> list[Message]:
        """Return what speaks for and against an action, as far as the game says."""
        merits: Callable[..., list[Message]] | None = getattr(self.game.text, "merits", None)
        return [] if merits is None else merits(self.view, self.seat, action)


def is_position(text: str) -> bool:
    """Whether a text is a position, not the name of a file: it begins with a game."""
    first, _, rest = text.strip().partition(" ")
    if first.partition(":")[0] in game_names():
        return True
    return bool(rest) and not text.endswith(".jsonl") and not os.path.exists(text)


def ask_position(text: str, seat: Seat | None) -> list[Question]:
    """Return the decisions in a position or a view: of one seat, or of all that have a choice."""
    spec, _, rest = text.strip().partition(" ")
    if not rest.strip():
        raise PositionError(Message("core.at-expected-game-spec-space", {"text": clip(text)}))
    game = load_game(spec)
    state = game.parse(rest)
    if is_over(state):
        raise PositionError(Message("review.at-game-over", {"text": clip(text)}))
    deciding = [s for s in range(game.n_seats) if int(movers(state)) >> s & 1]
    if not deciding:
        raise PositionError(Message("review.at-nobody-move-cards-not", {"text": clip(text)}))
    wanted = deciding if seat is None else [check_seat(game, seat)]
    if seat is not None and seat not in deciding:
        facts = {"seat": seat, "text": clip(text), "seats": deciding, "n": len(deciding)}
        raise PositionError(Message("review.at-not-to-move", facts))
    if "?" in rest:
        wanted = [s for s in wanted if _is_view_of(state, s)]
        if not wanted:
            facts = {"text": clip(text), "seats": deciding, "n": len(deciding)}
            raise PositionError(Message("review.at-not-a-view", facts))
    questions = [Question(game, _concealed(state, s), s) for s in wanted]
    with_choice = [question for question in questions if len(question.legal) > 1]
    return with_choice or questions


def check_seat(game: Game, seat: int) -> Seat:
    """Return a seat that is at the table."""
    if not 0 <= seat < game.n_seats:
        raise SpecError(f"{game.spec} has seats 0 to {game.n_seats - 1}, got {seat}")
    return seat


def _concealed(state: State, seat: Seat) -> State:
    view = state.copy()
    conceal(view, seat)
    return view


def _is_view_of(state: State, seat: Seat) -> bool:
    """Whether a state shows just what a seat sees, and more than everybody does."""
    seen = state.tobytes()
    return _concealed(state, seat).tobytes() == seen != _concealed(state, SPECTATOR).tobytes()


def find_record(path: Path, number: int) -> Record:
    """Return one game of a file, counted from 1."""
    n = 0
    for n, record in enumerate(read_records(path), 1):  # noqa: B007  (counts the games as well)
        if n == number:
            return record
    raise RecordError(f"{clip(path)} has {n} game{'s' * (n != 1)}, got --game {number}")


def all_moves(record: Record) -> Iterator[Question]:
    """Yield everything played, forced or not, with what the seat saw when it had to decide.

    Who decides at the same time as others sees nothing of what they have chosen.
    """
    end = replay(record)
    table = Table(end.game, end.origin, plays_forced=False)
    views: dict[Seat, State] = {}
    for number, (seat, action) in enumerate(end.actions[: len(record.actions)], 1):
        views = {s: views[s] if s in views else table.view(s) for s in table.movers}
        yield Question(end.game, views.pop(seat), seat, number, action)
        table.play(seat, action)
