"""What a person at a terminal is shown beside the table itself.

A game's text module may have three functions that only tables with people use:

- `suggest(view, seat, actions)` gives a Hint, or None where a numbered list is fine;
- `tell(state, seat, action, viewer)` writes an action for the log that a viewer reads, in the way
  the table is drawn; empty if it is not worth telling. It gets the true state before the action,
  and must not write what the viewer cannot know (`a card face down`). Where it is left out,
  `format_action` writes the log;
- `outcome(before, after, viewer)` says what came of an action by what the viewer saw before and
  after it, such as who takes the trick; empty if nothing did.
"""

from dataclasses import dataclass

from rich.console import RenderableType


@dataclass(frozen=True)
class Hint:
    """How a decision is put to a person who types actions as text."""

    shown: RenderableType  # what can be done, in short
    question: str  # such as "play cards"
    help: str  # what may be typed, in a few lines
