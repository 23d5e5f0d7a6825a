"""What people are told, as data: a code and its facts.

Refusals, prompts, events and reasons are messages. `wording` puts them into words, by one
catalogue for each language and room; terminals, pages and programs each say them in their own way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Message:
    """Something that people are told.

    The code names a catalogue and an entry in it, `nimmt.not-held`. Facts are texts, numbers,
    messages, and lists of these: nothing that depends on a language. A fact that is called `seat`
    is whom the message speaks of: it has other words for that seat itself. A fact called `n` is how
    many of something there are: it has other words for one.
    """

    code: str
    facts: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        """Say it in English, to nobody in particular."""
        # By name: kernels must not depend on how people are spoken to.
        words: str = import_module("kibitz.core.wording").say(self)
        return words

    def as_json(self) -> dict[str, Any]:
        """Return it as a document."""
        return {"code": self.code, "facts": {key: _plain(fact) for key, fact in self.facts.items()}}


def as_message(told: "Message | str") -> Message:
    """Return what a game tells as a message; games that speak one language may use plain text."""
    return told if isinstance(told, Message) else Message("core.text", {"text": str(told)})


def _plain(fact: object) -> Any:
    if isinstance(fact, Message):
        return fact.as_json()
    if isinstance(fact, list | tuple):
        return [_plain(one) for one in fact]
    return fact.item() if hasattr(fact, "item") else fact  # numbers of a state are NumPy's
