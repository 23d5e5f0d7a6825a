"""A person at the terminal: what may be typed, and how it is read.

The compiler is loaded with this module, so commands import it only when a game begins.
"""

import sys
from collections.abc import Callable
from contextlib import suppress

from rich.columns import Columns
from rich.console import RenderableType
from rich.text import Text

from kibitz.cli.console import out
from kibitz.core.errors import IllegalAction, KibitzError, PositionError, clip
from kibitz.core.game import Action, Seat, State, is_legal
from kibitz.core.hints import Hint
from kibitz.core.kernels import seconds_compiling
from kibitz.core.messages import Message, as_message
from kibitz.core.table import Game
from kibitz.core.wording import word, words

MAX_LINE = 200
"""Longest answer that is looked at, in characters."""


class Quit(Exception):
    """The person leaves the table: `q`, or the input has ended."""


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
        suggest: Callable[..., Hint | None] | None = getattr(game.text, "suggest", None)
        self.hint = None if suggest is None else suggest(view, seat, self.actions)
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
            facts = {"most": len(self.actions), "text": clip(answer)}
            raise PositionError(Message("cli.not-a-number", facts))
        code: Action = self.game.text.parse_action(self.view, self.seat, answer)
        if not -(2**63) <= code < 2**63:
            raise PositionError(Message("cli.not-a-choice", {"text": clip(answer)}))
        if not is_legal(self.view, self.seat, code):
            raise IllegalAction(as_message(self.game.text.explain(self.view, self.seat, code)))
        return code

    def wants(self, answer: str, *commands: str) -> bool:
        """Whether an answer is one of these commands; what is also an action is the action."""
        return answer in commands and answer.lower() not in self.texts

    def quits(self, answer: str) -> bool:
        """Whether somebody wants to leave; a capital letter may be a card."""
        leaves = ("q", "quit") if self.hint is not None else ("q", "quit", "Q")
        return self.wants(answer, *leaves)

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
        how = Message("cli.by-number" if self.is_numbered else "cli.one-of-these")
        asked = how if self.hint is None else as_message(self.hint.question)
        return words(Message("cli.prompt", {"question": asked}))

    @property
    def help(self) -> str:
        """The game at hand and what may be typed, in a few lines."""
        guide: Callable[..., Message | str] | None = getattr(self.game.text, "guide", None)
        how = Message("cli.type-number" if self.is_numbered else "cli.type-choice")
        told = how if self.hint is None else as_message(self.hint.help)
        game: Message | str = f"{self.game.facts.title}: {self.game.facts.summary}."
        if guide is not None:
            game = guide(self.view, self.seat)
        return f"{words(game)}\n{words(told)}\n{word('cli.commands')}"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


class Person:
    """Somebody who is shown a view and asked what to play."""

    def __init__(self, game: Game, seat: Seat, coach: Callable[[State], RenderableType]) -> None:
        """Sit down; `coach` is what draws the opinion of somebody who knows better."""
        self._game, self._seat, self._coach = game, seat, coach
        self._compiled = seconds_compiling()

    def choose(self, view: State) -> Action:
        """Ask until there is an action that can be played; Quit if there is no answer any more."""
        menu = Menu(self._game, view, self._seat)
        self._draw(menu)
        while True:
            answer = self._ask(menu.question)
            if menu.quits(answer):
                raise Quit
            if menu.wants(answer, "?", "help"):
                out.print(Text(menu.help))
            elif menu.wants(answer, "h", "hint"):
                out.print(self._coach(view))
            else:
                try:
                    return menu.read(answer)
                except KibitzError as error:
                    out.print(Text(words(error.message), "red"))
            self._draw(menu)

    def _draw(self, menu: Menu) -> None:
        out.print(self._game.render(menu.view, self._seat))
        out.print(menu)

    def _ask(self, question: str) -> str:
        """Read a line; what was typed while something was compiled is none of it."""
        if seconds_compiling() > self._compiled:
            forget_typed()
        answer = ask(question)
        self._compiled = seconds_compiling()
        return answer


def forget_typed() -> None:
    """Drop keys that were typed before there was anything to answer, if this is a terminal."""
    if not sys.stdin.isatty():
        return
    with suppress(ImportError, OSError):
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def ask(question: str) -> str:
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
