"""What an agent thinks of decisions, in a position or in the record of a game.

The compiler is loaded with this module, so commands import it only when they need it.
"""

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from kibitz.core.agent import Agent
from kibitz.core.conduct import asking
from kibitz.core.decisions import Decisions, ValueKind
from kibitz.core.errors import AgentError, PositionError, RecordError, SpecError, clip
from kibitz.core.game import (
    SPECTATOR,
    Action,
    Seat,
    State,
    apply,
    conceal,
    is_legal,
    is_over,
    movers,
)
from kibitz.core.record import Record, read_records, replay
from kibitz.core.registry import game_names, load_game
from kibitz.core.rng import Purpose, derive
from kibitz.core.table import Game, Table

CLEAR = 2.0
"""Standard errors by which an action has to be behind to be called clearly worse."""

ROUNDING = 1e-9
"""Values that differ by less are equal: means are added up in different orders."""

FEWEST_VISITS = 5
"""With fewer, all with the same outcome by chance, the standard error is zero and says nothing."""


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


@dataclass(frozen=True)
class Opinion:
    """What an agent thinks of one action; None where it does not say."""

    action: Action
    value: float | None = None
    error: float | None = None  # standard error of the value
    visits: int | None = None
    share: float | None = None  # how probably it would be chosen, or its share of the visits


@dataclass(frozen=True)
class Loss:
    """How much better the agent's choice is than what was played."""

    value: float
    error: float | None
    is_clear: bool
    is_rare: bool = False  # what was played was tried so seldom that its error would say nothing


@dataclass(frozen=True)
class Answer:
    """What an agent thinks of a decision."""

    question: Question
    choice: Action
    opinions: list[Opinion]  # the choice first, then from the best value to the worst
    line: list[tuple[Seat, str]] = field(default_factory=list)  # what it expects everybody to play
    sims: int | None = None
    value: str = "score"  # what values are: score, rank or win

    @property
    def has_values(self) -> bool:
        """Whether the agent puts a value on anything."""
        return any(opinion.value is not None for opinion in self.opinions)

    @property
    def loss(self) -> Loss | None:
        """What was lost by playing something else; None if the agent has no opinion of it."""
        best = self.opinions[0]
        played = next((one for one in self.opinions if one.action == self.question.played), None)
        if played is None or best.value is None or played.value is None:
            return None
        if best is played:
            return Loss(0.0, 0.0, False)
        value = best.value - played.value
        if abs(value) < ROUNDING:
            return Loss(0.0, 0.0, False)
        is_known = played.visits is None or played.visits >= FEWEST_VISITS
        if best.error is None or played.error is None or not is_known:
            return Loss(value, None, False, not is_known)
        error = math.hypot(best.error, played.error)
        return Loss(value, error, value > CLEAR * error)


def is_position(text: str) -> bool:
    """Tell a position from the name of a file: it begins with a game."""
    first, _, rest = text.strip().partition(" ")
    if first.partition(":")[0] in game_names():
        return True
    return bool(rest) and not text.endswith(".jsonl") and not os.path.exists(text)


def ask_position(text: str, seat: Seat | None) -> list[Question]:
    """Give the decisions in a position or a view: of one seat, or of all that have a choice."""
    spec, _, rest = text.strip().partition(" ")
    if not rest.strip():
        raise PositionError(f"expected a game spec, a space and a position, got {clip(text)}")
    game = load_game(spec)
    state = game.parse(rest)
    if is_over(state):
        raise PositionError(f"the game is over in {clip(text)}")
    deciding = [s for s in range(game.n_seats) if int(movers(state)) >> s & 1]
    if not deciding:
        raise PositionError(f"nobody is to move in {clip(text)}: the cards are not dealt")
    wanted = deciding if seat is None else [check_seat(game, seat)]
    if seat is not None and seat not in deciding:
        raise PositionError(f"seat {seat} is not to move in {clip(text)}: {_listed(deciding)}")
    if "?" in rest:
        wanted = [s for s in wanted if _is_view_of(state, s)]
        if not wanted:
            raise PositionError(
                f"{clip(text)} is not what a seat that is to move sees: {_listed(deciding)}"
            )
    questions = [Question(game, _concealed(state, s), s) for s in wanted]
    with_choice = [question for question in questions if len(question.legal) > 1]
    return with_choice or questions


def check_seat(game: Game, seat: int) -> Seat:
    """Return a seat that is at the table."""
    if not 0 <= seat < game.n_seats:
        raise SpecError(f"{game.spec} has seats 0 to {game.n_seats - 1}, got {seat}")
    return seat


def _listed(seats: Sequence[Seat]) -> str:
    numbers = ", ".join(map(str, seats))
    return f"seat {numbers} is" if len(seats) == 1 else f"seats {numbers} are"


def _concealed(state: State, seat: Seat) -> State:
    view = state.copy()
    conceal(view, seat)
    return view


def _is_view_of(state: State, seat: Seat) -> bool:
    """Tell whether a state shows just what a seat sees, and more than everybody does."""
    seen = state.tobytes()
    return _concealed(state, seat).tobytes() == seen != _concealed(state, SPECTATOR).tobytes()


def find_record(path: Path, number: int) -> Record:
    """Give one game of a file, counted from 1."""
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


def ask(agent: Agent, question: Question, seed: int) -> Answer:
    """Ask an agent about a decision; what is forced is answered for it.

    The same view gets the same random stream, wherever it comes from.
    """
    legal, seat = question.legal, question.seat
    if len(legal) == 1:
        return Answer(question, legal[0], [Opinion(legal[0])])
    rng = derive(seed, Purpose.AGENT, 0, 0, seat, 0)
    with asking(agent.spec):
        found = agent.decide(question.view.copy(), seat, rng)
        agent.end(np.zeros(1, np.int64))  # the next question is another game to it
        choice = int(found.actions[0])
    if not is_legal(question.view, seat, choice):
        why = question.game.text.explain(question.view, seat, choice)
        raise AgentError(
            f"agent {clip(agent.spec)} chose {choice}, which is illegal ({why}), "
            f"in {question.position}"
        )
    with asking(agent.spec):  # what it tells beside may have any shape
        sims = found.info.get("sims")
        n_sims = None if sims is None else int(sims[0])
        kind = found.kind(0)
        opinions, line = _opinions(found, legal, choice), _line(question, choice, found)
    value = "score" if kind == ValueKind.NONE else kind.name.lower()
    return Answer(question, choice, opinions, line, n_sims, value)


def _opinions(found: Decisions, legal: list[Action], choice: Action) -> list[Opinion]:
    """Read what was found about every legal action."""
    n = None if found.n_choices is None else int(found.n_choices[0])
    listed = [] if found.choices is None else found.choices[0, :n].tolist()
    total = 0.0 if found.weights is None else float(np.nansum(found.weights[0]))

    def opinion(action: Action) -> Opinion:
        if action not in listed:
            return Opinion(action)
        k = listed.index(action)
        value, error, weight, visits = (
            None if column is None or not math.isfinite(column[0, k]) else float(column[0, k])
            for column in (found.values, found.errors, found.weights, found.visits)
        )
        share = weight / total if total and weight is not None else None
        return Opinion(action, value, error, None if visits is None else round(visits), share)

    def rank(one: Opinion) -> tuple[bool, float]:
        return one.action != choice, math.inf if one.value is None else -one.value

    actions = legal if choice in legal else [choice, *legal]
    return sorted(map(opinion, actions), key=rank)


def _line(question: Question, choice: Action, found: Decisions) -> list[tuple[Seat, str]]:
    """Write the line an agent expects, where the view shows what it leads to."""
    if question.game.has_secrets:
        return []
    lines = found.info.get("lines")
    line = lines[0] if lines else []
    if next((action for seat, action in line if seat == question.seat), None) != choice:
        return []
    state, written = question.view.copy(), []
    for seat, action in line:
        if not int(movers(state)) >> seat & 1 or not is_legal(state, seat, action):
            break
        written.append((seat, question.game.text.format_action(state, seat, action)))
        apply(state, seat, action)
    return written if len(written) > 1 else []
