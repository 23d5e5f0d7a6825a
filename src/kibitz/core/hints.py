"""What people are shown and told beside the table itself.

A game's text module may have functions that only tables with people use:

- `suggest(view, seat, actions)` returns a Hint, or None where a numbered list is fine;
- `guide(view, seat)` explains the game under the options of the table;
- `tell(state, seat, action, viewer)` says an action for the log that a viewer reads; None if it is
  not worth telling. It gets the true state before the action, and must not tell what the viewer
  cannot know (`a card face down`). Where it is left out, `format_action` writes the log;
- `outcome(before, after, viewer)` says what came of an action by what the viewer saw before and
  after it, such as who takes the trick: a list, empty if nothing did;
- `merits(view, seat, action)` says what speaks for and against an action, by facts that the seat
  can count, the weightiest first.

A game may have a module `picture` beside its text, for pages that draw the table themselves:

- `picture(view, viewer)` returns what a seat or a spectator sees, as a document;
- `choices(view, seat, actions)` returns a document for each legal action: `text` is what is typed,
  `kind` and `words` say what it does;
- `prompt(view, seat, actions)` says the next thing to do in one short line;
- `extra(view, seat)`, which may be left out, lists what may be done out of turn;
- `pause(view)`, which may be left out, returns the seconds for which a table with several people
  shows what was last done before it goes on, from what a spectator sees; 0 for no pause. Where some
  seats may have a choice that others must not learn of, such as a bomb, it lasts for the same time
  whether they have or not. Who has a choice and has not made it by then is answered for by the
  first of their legal actions, and nobody may act out of turn in it.

All of them, and `explain`, return messages: see `messages`. Their words are in `messages_en.toml`
and `messages_de.toml` in the game's folder. A game that speaks one language only may use plain text
in their place.
"""

from dataclasses import dataclass

from rich.console import RenderableType

from kibitz.core.messages import Message


@dataclass(frozen=True)
class Hint:
    """How a decision is put to a person who types actions as text."""

    shown: RenderableType  # what can be done, in short
    question: Message | str  # such as "play cards"
    help: Message | str  # what may be typed, in a few lines
