"""What a person at a terminal is shown where a numbered list of all choices would not help.

A game's text module may have two functions that only tables with people use:

- `suggest(view, seat, actions)` gives a Hint, or None where a numbered list is fine;
- `is_news(state, seat, action)` tells whether an action is worth telling the others.
"""

from dataclasses import dataclass

from rich.console import RenderableType


@dataclass(frozen=True)
class Hint:
    """How a decision is put to a person who types actions as text."""

    shown: RenderableType  # what can be done, in short
    question: str  # such as "play cards"
    help: str  # what may be typed, in a few lines
