"""Messages put into words, by one catalogue for each language and room.

A catalogue is a file of `code = "words with {facts}"` beside what it speaks of: `messages_en.toml`
in the folder of a game, whose codes begin with the game's name, and in rooms of this package. An
entry with several wordings is a table: `you` speaks to the seat that the message is about, `one` is
for a single thing (the fact `n` is 1), `you-one` for both, `other` for all else.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from numbers import Real
from string import Formatter
from typing import Any

from kibitz.core.errors import SpecError, clip
from kibitz.core.messages import Message
from kibitz.core.spec import GameFacts

LANGUAGES = ("en", "de")
ENGLISH = "en"
NOBODY = -1
"""A reader who sits nowhere."""

ROOMS = ("core", "host", "review", "cli", "web")
"""Rooms of this package that have catalogues; all others are games."""

_TEN = re.compile(r"\bT(?=[A-Z]?\b)")

_spoken: ContextVar[tuple[str, int]] = ContextVar("spoken", default=(ENGLISH, NOBODY))


@contextmanager
def speaking(language: str, seat: int = NOBODY) -> Iterator[None]:
    """Let `words` speak a language while the block runs, to who sits at a seat."""
    token = _spoken.set((check_language(language), seat))
    try:
        yield
    finally:
        _spoken.reset(token)


def check_language(language: str) -> str:
    """Return a language that there are catalogues of."""
    if language not in LANGUAGES:
        raise SpecError(f"messages are in {' and '.join(LANGUAGES)}, got {clip(language)}")
    return language


def words(told: "Message | str", seat: int | None = None) -> str:
    """Say something in the language that is spoken here, to a seat if it is named."""
    language, reader = _spoken.get()
    return told if isinstance(told, str) else say(told, language, reader if seat is None else seat)


def word(code: str, **facts: Any) -> str:
    """Say what a code means in the language that is spoken here."""
    return words(Message(code, facts))


def figure(number: object, spec: str) -> str:
    """Write a number, or an estimate with its interval, in the language that is spoken here."""
    language, _ = _spoken.get()
    to = catalogue("core", language)["to"]
    return localised(format(number, spec)).replace(" to ", f" {to} ")


def localised(written: str) -> str:
    """Return what is written in figures as the language that is spoken here writes it."""
    return _pointed(written, _spoken.get()[0])


def unit(facts: GameFacts) -> str:
    """Say what the scores of a game are counted in; one without catalogues says it in English."""
    code = f"{facts.name}.unit"
    return word(code) if word(code) != code else facts.unit


def say(message: Message, language: str = ENGLISH, seat: int = NOBODY) -> str:
    """Put a message into words, as who sits at `seat` reads them."""
    room, _, name = message.code.partition(".")
    entry = catalogue(room, language).get(name)
    if entry is None:
        return f"{message.code} {dict(message.facts) or ''}".rstrip()
    template = entry if isinstance(entry, str) else _wording(entry, message.facts, seat)
    return _Writer(language, seat).vformat(template, (), message.facts)


def _wording(entry: Mapping[str, str], facts: Mapping[str, Any], seat: int) -> str:
    """Choose among the wordings of an entry."""
    is_own = seat >= 0 and facts.get("seat") == seat
    is_one = facts.get("n") == 1
    wanted = ["you-one"] * (is_own and is_one) + ["you"] * is_own + ["one"] * is_one + ["other"]
    return next(entry[key] for key in wanted if key in entry)


def _pointed(number: str, language: str) -> str:
    """Return an English number with the separators of a language: of thousands, then of tenths."""
    return number.translate(str.maketrans(",.", catalogue("core", language)["separators"]))


class _Writer(Formatter):
    """Writes facts into a template.

    Messages among them are said; several things are joined as the format asks: `{cards:and}`,
    `{cards:or}`, `{cards:plain}` with spaces, `{rows:lines}` below each other, or with commas.
    `{what:start}` begins a sentence. `{cards:ten}` writes the T of typed cards as 10.
    """

    def __init__(self, language: str, seat: int) -> None:
        self._language, self._seat = language, seat

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Message):
            said = say(value, self._language, self._seat)
            is_start = format_spec == "start"
            return said[:1].upper() + said[1:] if is_start else format(said, format_spec)
        if isinstance(value, list | tuple):
            return self._join([self.format_field(one, "") for one in value], format_spec)
        if format_spec == "ten":
            return _TEN.sub("10", str(value))
        written: str = super().format_field(value, format_spec)
        is_number = isinstance(value, Real) and format_spec
        return _pointed(written, self._language) if is_number else written

    def _join(self, parts: list[str], how: str) -> str:
        if how in ("and", "or") and len(parts) > 1:
            last = catalogue("core", self._language)[how]
            return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
        return {"plain": " ", "lines": "\n"}.get(how, ", ").join(parts)


@cache
def catalogue(room: str, language: str) -> Mapping[str, Any]:
    """Return the entries of a room in a language; where it has none, those in English."""
    package = _package(room)
    for spoken in (check_language(language), ENGLISH):
        file = files(package) / f"messages_{spoken}.toml" if package else None
        if file is not None and file.is_file():
            return tomllib.loads(file.read_text(encoding="utf-8"))
    return {}


def _package(room: str) -> str | None:
    """Find where the catalogues of a room are; None if there is no such room."""
    from kibitz.core.registry import game_facts

    if room in ROOMS:
        return f"kibitz.{room}"
    try:
        return game_facts(room).package
    except SpecError:
        return None
