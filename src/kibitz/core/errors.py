"""The errors kibitz raises for what came from outside.

KibitzError
├── SpecError         a game or agent spec string, or one of its options, makes no sense
├── PositionError     a line of text is not a position, a card or an action of the game
├── IllegalAction     an action that the rules refuse in this position
├── RecordError       a record cannot be read, or does not replay
├── AgentError        an agent misbehaved, or does not know how to play this game
├── StoreError        a database of results cannot be opened, read or written
└── TrainingError     a training run cannot begin, go on or be kept

Messages are one lower-case sentence: what was wrong, where, and what would be right.
"""

import difflib
from collections.abc import Iterable

from kibitz.core.messages import Message, as_message


class KibitzError(Exception):
    """Any error a user or an agent caused; the command line prints it without a traceback."""

    def __init__(self, told: Message | str = "") -> None:
        """Keep what went wrong; a message can be said in other languages too."""
        super().__init__(str(told))
        self.message = as_message(told)


class SpecError(KibitzError, ValueError):
    """A spec string or an option that makes no sense."""


class PositionError(KibitzError, ValueError):
    """Text that is not a position, a card or an action of the game."""


class IllegalAction(KibitzError, ValueError):
    """An action that the rules refuse in this position.

    Its `message` says why, in a few words, to whoever wanted to play it.
    """

    def __init__(
        self,
        told: Message | str = "",
        *,
        reason: Message | None = None,
        action: object = None,
        seat: object = None,
        position: str = "",
    ) -> None:
        """Keep what was refused.

        Args:
            told: the whole story in one sentence.
            reason: why, if that sentence is longer.
            action: what was to be played, as it came.
            seat: who wanted to play it.
            position: what that seat knew.
        """
        super().__init__(told)
        self.message = reason or self.message
        self.action, self.seat, self.position = action, seat, position


class RecordError(KibitzError, ValueError):
    """A record that cannot be read or does not replay."""


class AgentError(KibitzError):
    """An agent that misbehaved or cannot play this game."""


class StoreError(KibitzError):
    """A database of results that cannot be opened, read or written."""


class TrainingError(KibitzError):
    """A training run that cannot begin, go on or be kept."""


def clip(text: object, limit: int = 80) -> str:
    """Quote `text` for a message, shortened so that hostile input cannot flood a terminal."""
    try:
        quoted = repr(str(text))
    except ValueError:  # Python refuses to write numbers of thousands of digits
        quoted = "'a huge number'"
    return quoted if len(quoted) <= limit else quoted[: limit - 2] + "…'"


def plain(text: str, limit: int = 200) -> str:
    """Put text of a stranger on one line, shortened, without what a terminal would obey."""
    words = " ".join(text[: 4 * limit].split())
    shown = "".join(letter if letter.isprintable() else "�" for letter in words)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known name was probably meant, or list them all."""
    return str(suggestion(name, known))


def suggestion(name: str, known: Iterable[str]) -> Message:
    """Say the same as a message."""
    names = sorted(known)
    close = difflib.get_close_matches(name[:80].lower(), names, n=1, cutoff=0.5)
    if close:
        return Message("core.did-you-mean", {"name": repr(close[0])})
    return Message("core.known", {"names": names}) if names else Message("core.none-known")
