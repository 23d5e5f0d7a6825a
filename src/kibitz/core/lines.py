"""Positions as one line of `key=value` words: what games that write them so read them with.

Seats are separated by `/`, and `-` is nothing. Keys that are left out have their usual value.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from kibitz.core.errors import PositionError, clip, suggestion
from kibitz.core.messages import Message

NONE, HIDDEN = "-", "?"

T = TypeVar("T")


class Words:
    """The `key=value` words of a line; PositionError names the key of what is wrong."""

    def __init__(self, text: str, keys: Sequence[str], n_seats: int) -> None:
        """Split a line; unknown keys, keys that come twice and a missing phase are refused."""
        self.n_seats = n_seats
        self._given: dict[str, str] = {}
        for item in text.split():
            key, equals, value = item.partition("=")
            if not equals or not value:
                raise PositionError(Message("core.at-not-key-value", {"text": clip(item)}))
            if key not in keys:
                raise PositionError(
                    Message(
                        "core.at-unknown-key", {"text": clip(key), "hint": suggestion(key, keys)}
                    )
                )
            if key in self._given:
                raise PositionError(Message("core.at-given-twice", {"key": key}))
            self._given[key] = value
        if "phase" not in self._given:
            raise PositionError(Message("core.at-position-needs-phase-got", {"text": clip(text)}))

    def __contains__(self, key: str) -> bool:
        """Whether a key is given."""
        return key in self._given

    def word(self, key: str) -> str:
        """Return a value as it stands there."""
        return self._given.get(key, NONE)

    def read(self, key: str, read: Callable[[str], T]) -> T:
        """Read a value."""
        with told(key):
            return read(self.word(key))

    def choice(self, key: str, words: Mapping[int, str]) -> int:
        """Read one of a few words."""
        return self.read(key, lambda word: read_choice(word, words))

    def number(self, key: str, low: int, high: int) -> int:
        """Read a number, 0 if it is left out."""
        with told(key):
            return read_number(self._given.get(key, "0"), low, high)

    def numbers(self, key: str, n: int, low: int, high: int, between: str = "/") -> list[int]:
        """Read numbers, zeros if they are left out."""
        with told(key):
            return read_numbers(self._given.get(key, between.join("0" * n)), n, low, high, between)

    def seats(self, key: str, read: Callable[[str], T]) -> list[T]:
        """Read what belongs to seats."""
        with told(key):
            n = self.n_seats
            words = self._given[key].split("/") if key in self._given else [NONE] * n
            if len(words) != n:
                raise PositionError(
                    Message("core.at-expected-those-seats-got", {"n": n, "got": len(words)})
                )
            return [read(word) for word in words]


@contextmanager
def told(key: str) -> Iterator[None]:
    """Name the key in whatever is wrong with its value."""
    try:
        yield
    except PositionError as error:
        raise PositionError(Message("core.at-key", {"key": key, "why": error.message})) from None


def read_choice(word: str, words: Mapping[int, str]) -> int:
    """Read one of a few words."""
    for code, known in words.items():
        if word == known:
            return code
    raise PositionError(
        Message(
            "core.at-unknown-word", {"text": clip(word), "hint": suggestion(word, words.values())}
        )
    )


def read_number(word: str, low: int, high: int) -> int:
    """Read a number of six digits at most."""
    if not re.fullmatch(r"-?[0-9]{1,6}", word) or not low <= int(word) <= high:
        raise PositionError(
            Message(
                "core.at-expected-number-from-got", {"low": low, "high": high, "text": clip(word)}
            )
        )
    return int(word)


def read_numbers(word: str, n: int, low: int, high: int, between: str) -> list[int]:
    """Read so many numbers."""
    words = word.split(between)
    if len(words) != n:
        raise PositionError(Message("core.at-expected-numbers-got", {"n": n, "got": len(words)}))
    return [read_number(word, low, high) for word in words]
