"""A person at the terminal as an agent, and what the table tells a person between decisions.

The compiler is loaded with this module, so commands import it only when a game begins.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from rich.columns import Columns
from rich.console import RenderableType
from rich.text import Text

from kibitz.cli.console import out
from kibitz.core.agent import Agent, Games, Seats
from kibitz.core.decisions import Decisions
from kibitz.core.errors import IllegalAction, KibitzError, PositionError, clip
from kibitz.core.game import (
    Action,
    Scores,
    Seat,
    State,
    States,
    apply,
    conceal,
    is_legal,
    movers,
)
from kibitz.core.hints import Hint
from kibitz.core.rng import Rngs
from kibitz.core.table import Game, Table

MAX_LINE = 200
"""Longest answer that is looked at, in characters."""


class Quit(BaseException):
    """The person leaves the table: `q`, or the input has ended. No error, and no agent's fault."""


class Menu:
    """The choices of one decision, and how an answer is read.

    Where an action is written as a plain number (a card, a column), numbers mean actions and
    nothing else, and where the game gives a hint, only its text is read. Otherwise the choices are
    counted from 1, and an answer is a number or the text.
    """

    def __init__(self, game: Game, view: State, seat: Seat) -> None:
        """List what `seat` may do in its view."""
        self.game = game
        self.view = view
        self.seat = seat
        self.actions = game.legal(view, seat)
        self.texts = [game.text.format_action(view, seat, action) for action in self.actions]
        suggest: Callable[..., Hint | None] = getattr(game.text, "suggest", _suggest_nothing)
        self.hint = suggest(view, seat, self.actions)
        self.is_numbered = self.hint is None and not any(map(_is_number, self.texts))

    def read(self, answer: str) -> Action:
        """Find the action that is meant; a KibitzError says what is wrong with the answer."""
        answer = " ".join(answer[:MAX_LINE].split())
        for action, text in zip(self.actions, self.texts, strict=True):
            if answer.lower() == text.lower():
                return action
        if self.is_numbered and _is_number(answer):
            if 1 <= int(answer) <= len(self.actions):
                return self.actions[int(answer) - 1]
            raise PositionError(
                f"the choices are numbered 1 to {len(self.actions)}, got {clip(answer)}"
            )
        code: Action = self.game.text.parse_action(self.view, self.seat, answer)
        if not -(2**63) <= code < 2**63:
            raise PositionError(f"{clip(answer)} is not one of the choices")
        if not is_legal(self.view, self.seat, code):
            raise IllegalAction(self.game.text.explain(self.view, self.seat, code))
        return code

    def quits(self, answer: str) -> bool:
        """Tell whether somebody wants to leave; a capital letter may be a card."""
        leaves = answer in ("q", "quit") or (answer == "Q" and self.hint is None)
        return leaves and answer.lower() not in self.texts

    def __rich__(self) -> RenderableType:
        """Draw the choices side by side, or what the game shows in their place."""
        if self.hint is not None:
            return self.hint.shown
        if not self.is_numbered:
            return Columns([Text(text, "bold") for text in self.texts], padding=(0, 2))
        items = [
            Text.assemble((f"{number}", "bold"), f" {text}")
            for number, text in enumerate(self.texts, 1)
        ]
        return Columns(items, padding=(0, 3))

    @property
    def question(self) -> str:
        """The one line that asks."""
        how = "choose by number or name" if self.is_numbered else "choose one of these"
        how = how if self.hint is None else self.hint.question
        return f"{how} (? help, q quit): "

    @property
    def help(self) -> str:
        """What may be typed, in a few lines."""
        how = (
            "Type the number in front of a choice, or the choice as it is written."
            if self.is_numbered
            else "Type one of the choices as it is written."
        )
        how = how if self.hint is None else self.hint.help
        return (
            f"{self.game.facts.title}: {self.game.facts.summary}.\n{how}\n"
            "q, Ctrl-C or Ctrl-D leaves the table; the game is saved and can be resumed."
        )


def _suggest_nothing(view: State, seat: Seat, actions: list[Action]) -> None:
    """Leave it at the list: for games that give no hints."""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


class Person(Agent):
    """Somebody who is shown the view and asked what to play."""

    name = "person"

    def __init__(self, game: Game, before: Callable[[], None]) -> None:
        """Sit down; `before` is called whenever a decision is due, before the view is drawn."""
        super().__init__(game)
        self._before = before

    def act(self, views: States, seats: Seats, rngs: Rngs, games: Games) -> Decisions:
        """Ask about one view after the other; Quit if there is no answer any more."""
        chosen = [self._choose(view, int(seat)) for view, seat in zip(views, seats, strict=True)]
        return Decisions(np.array(chosen, np.int64))

    def _choose(self, view: State, seat: Seat) -> Action:
        self._before()
        menu = Menu(self.game, view, seat)
        out.print(self.game.render(view, seat))
        out.print(menu)
        while True:
            answer = _ask(menu.question)
            if menu.quits(answer):
                raise Quit
            if answer == "?" and answer not in menu.texts:
                out.print(Text(menu.help))
                out.print(menu)
                continue
            try:
                return menu.read(answer)
            except KibitzError as error:
                out.print(Text(str(error), "red"))


def _ask(question: str) -> str:
    """Read a line that is not empty; a piped answer is echoed, so that the output reads on."""
    while True:
        if sys.stdin.isatty():
            try:
                line = input(question)
            except (EOFError, KeyboardInterrupt):
                out.print()
                raise Quit from None
        else:
            out.print(Text(question), end="")
            line = sys.stdin.readline()
            shown = "".join(letter for letter in line[:MAX_LINE] if letter.isprintable())
            out.print(Text(shown))
            if not line:
                raise Quit
        if line.strip():
            return line.strip()


@dataclass(frozen=True)
class Event:
    """An action that has been played, and what came of it."""

    seat: Seat
    action: Action
    text: str  # for the log; empty if it is not worth telling, or never shows
    before: State  # the true state in which it was played
    begins_turn: bool  # whether it is the first of simultaneous choices
    is_forced: bool = False  # whether the person whose log it is had no other choice
    outcome: str = ""  # what came of it, such as who takes the trick
    ended: State | None = None  # if another round began after it: the last view of this one
    scores: Scores | None = None  # likewise: how it stands


class Chronicle:
    """Tells one seat what has been played, as far as that seat can know.

    The log of a table also holds what lies face down: choices that wait for others, cards that were
    passed or buried. An action is told as soon as what is told of it shows: when the seat's view,
    at some moment since, would have been another one whatever that reads otherwise had been played
    in its place. An action without alternative is told at once: a table plays those when nobody has
    a choice left, so none is waiting to be revealed.
    """

    def __init__(self, table: Table, seat: Seat) -> None:
        """Begin with the table as it is: what lies behind is not told."""
        self._table = table
        self._seat = seat
        self._shadow = Table(table.game, table.origin, plays_forced=False)
        self._events: list[Event] = []
        self._untold: list[int] = []
        self._deciding = 0  # the seats that could decide when the last event was played
        self._follow()
        self._untold.clear()

    def news(self) -> list[Event]:
        """Give what has become known since the last call, in the order it was played."""
        self._follow()
        told, waiting = [], []
        for k in self._untold:
            event, is_known = self._events[k], self._is_known(k)
            if is_known is None:
                waiting.append(k)
            elif is_known:
                told.append(event)
            elif event.outcome or event.ended is not None:
                told.append(replace(event, text=""))
        self._untold = waiting
        return told

    def _follow(self) -> None:
        """Play what is new in the log again, keeping the state before every action."""
        game, shadow = self._table.game, self._shadow
        outcome: Callable[..., str] = getattr(game.text, "outcome", _tell_nothing)
        for seat, action in self._table.actions[len(self._events) :]:
            before = shadow.state.copy()
            deciding = int(movers(before))
            n_rounds = int(shadow.batch.books[0].n_rounds)
            shadow.batch.commit(seat, action)
            after = self._view(shadow.state)
            shadow.settle()
            has_ended = int(shadow.batch.books[0].n_rounds) > n_rounds
            event = Event(
                seat=seat,
                action=action,
                text=self._tell(before, seat, action),
                before=before,
                begins_turn=deciding.bit_count() > 1 and bool(deciding & ~self._deciding),
                is_forced=seat == self._seat and len(game.legal(before, seat)) == 1,
                outcome=outcome(self._view(before), after, self._seat),
                ended=after if has_ended else None,
                scores=shadow.scores if has_ended else None,
            )
            self._deciding = deciding
            self._untold.append(len(self._events))
            self._events.append(event)

    def _tell(self, state: State, seat: Seat, action: Action) -> str:
        """Write an action as the seat may be told it."""
        text = self._table.game.text
        if hasattr(text, "tell"):
            told: str = text.tell(state, seat, action, self._seat)
        else:
            told = text.format_action(state, seat, action)
        return told

    def _is_known(self, k: int) -> bool | None:
        """Tell whether event k has shown; None if it may still."""
        event = self._events[k]
        if event.seat == self._seat or not event.text:
            return True
        listed = self._table.game.legal(event.before, event.seat)
        known: bool | None = True
        for other in listed:
            if self._tell(event.before, event.seat, other) != event.text:
                shows = self._shows(k, other)
                if shows is False:
                    return False
                known = known and shows
        return known

    def _shows(self, k: int, other: Action) -> bool | None:
        """Tell whether the seat would have seen `other` in place of event k, in the same round.

        Returns:
            None if what has been played since does not tell yet.
        """
        truth, instead = self._events[k].before.copy(), self._events[k].before.copy()
        for i, event in enumerate(self._events[k:]):
            action = event.action if i else other
            is_mover = movers(instead) >> event.seat & 1
            if not is_mover or not is_legal(instead, event.seat, action):
                return False
            apply(truth, event.seat, event.action)
            apply(instead, event.seat, action)
            if self._view(truth).tobytes() != self._view(instead).tobytes():
                return True
            if not movers(truth):
                return False
        return None

    def _view(self, state: State) -> State:
        view = state.copy()
        conceal(view, self._seat)
        return view


def _tell_nothing(before: State, after: State, viewer: Seat) -> str:
    """Leave it at the actions: for games that tell no outcomes."""
    return ""
