"""Spec strings, options, and the facts of a game, none of which need the compiler.

A spec string names a game or an agent with its parameters: `nimmt:players=5,rows=free`,
`mcs:sims=1200`. Every option is an integer field of the game's state; this module turns text into
that integer and back. An agent that is made around another one takes its spec as the last
parameter, which has commas of its own: `rig:kind=close,of=mcs:sims=100,value=win`.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from kibitz.core.errors import SpecError, clip, nearest

MAX_SPEC = 500
"""Longest spec string that is looked at, in characters."""

OptionValue = int | str | bool
Options = Mapping[str, OptionValue]

_NAME = re.compile(r"[a-z][a-z0-9_-]*\Z")


@dataclass(frozen=True)
class Range:
    """An option that is a whole number, or one of a few words that stand for others."""

    name: str
    default: int | str
    low: int
    high: int
    help: str
    words: Mapping[str, int] = field(default_factory=dict)  # the state holds their numbers

    def parse(self, text: str) -> int | str:
        """Read a value; SpecError says what is allowed."""
        if text in self.words:
            return text
        if not re.fullmatch(r"-?[0-9]{1,9}", text) or not self.low <= int(text) <= self.high:
            raise SpecError(f"option {self.name}={clip(text)[1:-1]}: expected {self.allowed}")
        return int(text)

    def encode(self, value: OptionValue) -> int:
        """Return the integer that stands in the state."""
        parsed = self.parse(str(value))
        return self.words[parsed] if isinstance(parsed, str) else parsed

    def decode(self, code: int) -> int | str:
        """Return the value that the integer in the state stands for."""
        return next((word for word, number in self.words.items() if number == code), code)

    @property
    def allowed(self) -> str:
        """What may be written after the equals sign."""
        return "|".join([*self.words, f"{self.low}..{self.high}"])


@dataclass(frozen=True)
class Choice:
    """An option that is one of a few words; the state holds its position in `values`."""

    name: str
    default: str
    values: tuple[str, ...]
    help: str

    def parse(self, text: str) -> str:
        """Read a value; SpecError suggests the nearest word."""
        if text not in self.values:
            hint = nearest(text, self.values)
            expected = self.allowed + (f"; {hint}" if hint.startswith("did you mean") else "")
            raise SpecError(f"option {self.name}={clip(text)[1:-1]}: expected {expected}")
        return text

    def encode(self, value: OptionValue) -> int:
        """Return the integer that stands in the state."""
        return self.values.index(self.parse(str(value).lower()))

    def decode(self, code: int) -> str:
        """Return the value that the integer in the state stands for."""
        return self.values[code]

    @property
    def allowed(self) -> str:
        """What may be written after the equals sign."""
        return "|".join(self.values)


Option = Range | Choice


def flag(name: str, default: bool, help: str) -> Choice:
    """Make a yes-or-no option, written `name=true` or `name=false`."""
    return Choice(name, "true" if default else "false", ("false", "true"), help)


def split_spec(text: str, rest: str = "") -> tuple[str, dict[str, str]]:
    """Split `name:key=value,key=value` into the name and its parameters.

    Args:
        text: the spec.
        rest: the key whose value is all that follows it, commas included: another spec.
    """
    name, inside = _split_name(text)
    parameters: dict[str, str] = {}
    if inside is None:
        return name, parameters
    items = inside.split(",")
    keys = [item.partition("=")[0].strip() for item in items]
    if rest and rest in keys:
        first = keys.index(rest)
        items[first:] = [",".join(items[first:])]
        if "," in items[first].partition(":")[0]:
            raise SpecError(f"malformed spec {clip(text)}: {rest}= takes all that follows it")
    for item in items:
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key or not value:
            raise SpecError(f"malformed spec {clip(text)}: {clip(item)} is not key=value")
        if key in parameters:
            raise SpecError(f"malformed spec {clip(text)}: {clip(key)} is given twice")
        parameters[key] = value
    return name, parameters


def spec_name(text: str) -> str:
    """Return the name that a spec begins with, whatever its parameters are."""
    return _split_name(text)[0]


def _split_name(text: str) -> tuple[str, str | None]:
    """Split a spec at its colon; without one there are no parameters."""
    if not isinstance(text, str) or len(text) > MAX_SPEC:
        raise SpecError(f"a spec is a string of at most {MAX_SPEC} characters, got {clip(text)}")
    name, colon, inside = text.strip().partition(":")
    if not _NAME.match(name) and _NAME.match(name.lower()):
        raise SpecError(f"names are in lower case: did you mean {clip(text.lower())}?")
    if not _NAME.match(name):
        raise SpecError(f"malformed spec {clip(text)}: expected name or name:key=value,key=value")
    return name, inside if colon else None


def join_spec(name: str, parameters: Mapping[str, object]) -> str:
    """Write a spec string; the opposite of `split_spec`."""
    inside = ",".join(f"{key}={_word(value)}" for key, value in parameters.items())
    return f"{name}:{inside}" if inside else name


def _word(value: object) -> str:
    if value is None:
        return "auto"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nothing_implied(options: Options) -> Options:
    return {}


@dataclass(frozen=True)
class GameFacts:
    """What is true of a game whatever the position: its name, options, seats and bounds."""

    name: str  # as in spec strings
    title: str  # for people
    summary: str  # one line for `kibitz games`
    version: int  # raised whenever rules or features change
    package: str  # holds rules.py, text.py and features.py
    options: tuple[Option, ...]
    seats: Callable[[Options], int]
    score_range: Callable[[Options], tuple[float, float]]
    max_actions: Callable[[Options], int]  # every game ends within so many actions of all seats
    max_legal: int  # most actions one seat may ever choose from
    simultaneous: bool  # may several seats decide at once?
    hidden: bool  # is there anything that a seat does not know?
    unit: str = "points"  # what scores are counted in
    wins_by_gain: bool = False  # is a round won by whoever gains in it, not by the best score?
    out_of_turn: bool = False  # does `is_legal` judge seats that are not to move, too?
    teams: Callable[[Options], tuple[int, ...]] | None = None  # team of each seat
    implied: Callable[[Options], Options] = _nothing_implied  # options that follow from others
    bots: Mapping[str, str] = field(default_factory=dict)  # the game's own: name -> module:class
    logs: Mapping[str, str] = field(default_factory=dict)  # of other programs: format -> module
    arena: Options = field(default_factory=dict)  # what matches use unless the spec says otherwise
    people: Options = field(default_factory=dict)  # what tables with people use, likewise
    coach: str = ""  # who is asked for hints and reviews, a spec; the usual search if empty
    open_coach: str = ""  # uct with the parameters for looking back at true cards; usual if empty
    # Who plays deals again to see what cards are worth, and the share of random actions among its
    # own, such as `rule:epsilon=0.1`; empty where deals are all alike.
    luck: str = ""
    # Points lost by which a decision is a slip, a mistake, a blunder.
    mistakes: tuple[float, float, float] = (1, 2, 5)

    def resolve(self, given: Options) -> dict[str, OptionValue]:
        """Complete and check options; SpecError for unknown, bad or contradictory ones."""
        known = {option.name: option for option in self.options}
        for key in given:
            if key not in known:
                raise SpecError(f"{self.name} has no option {clip(key)}: {nearest(key, known)}")
        try:
            chosen = {
                name: option.decode(option.encode(given.get(name, option.default)))
                for name, option in known.items()
            }
        except SpecError as error:
            raise SpecError(f"{self.name}: {error}") from None
        for key, value in self.implied(chosen).items():
            if key in given and chosen[key] != value:
                raise SpecError(
                    f"{join_spec(self.name, given)} contradicts itself: "
                    f"the other options imply {key}={value}"
                )
            chosen[key] = value
        return chosen

    def spec(self, options: Options) -> str:
        """Write the shortest spec string that resolves to `options`."""
        shown = dict(options)
        for name in options:
            without = {key: value for key, value in shown.items() if key != name}
            with suppress(SpecError):  # another option may need this one
                if self.resolve(without) == options:
                    shown = without
        return join_spec(self.name, shown)
