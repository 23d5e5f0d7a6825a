"""What clients send: documents that are bounded and checked before anybody looks at them."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from kibitz.core.errors import SpecError
from kibitz.core.outside import Document, Word, complaint
from kibitz.core.table import MAX_ACTION

MOST_SEATS = 16
MOST_NAME = 24

Id = Annotated[int, Field(ge=0, le=2**53)]
Action = Annotated[str, Field(max_length=MAX_ACTION)]


class WantedSeat(Document):
    """Who is to sit at a seat of a new table."""

    kind: Literal["me", "open", "bot"]
    level: Word | None = None


class NewTable(Document):
    """A table that somebody wants."""

    game: Word
    seats: Annotated[list[WantedSeat], Field(max_length=MOST_SEATS)] | None = None
    level: Word | None = None
    same_deal_as: Word | None = None
    watch: bool = False
    private: bool = False


class Again(Document):
    """The wish for one more game."""

    same_deal: bool = False


class ChangedGuest(Document):
    """What a guest wants to be called, and the language they read."""

    name: Annotated[str, Field(max_length=MOST_NAME)] | None = None
    language: Literal["en", "de"] | None = None


class Nothing(Document):
    """An empty wish."""


class _Wish(Document):
    id: Id


class Play(_Wish):
    """Play an action."""

    do: Literal["play"]
    decision: Id | None
    action: Action


class Try(_Wish):
    """Ask whether an action may be played."""

    do: Literal["try"]
    action: Action


class Sit(_Wish):
    """Sit down at a free seat."""

    do: Literal["sit"]
    seat: Annotated[int, Field(ge=0, lt=MOST_SEATS)]


class Hide(_Wish):
    """Take a table out of the lobby, or put it back."""

    do: Literal["hide"]
    hidden: bool


class Plain(_Wish):
    """A wish that needs no more words."""

    do: Literal["hint", "stop-hint", "start", "leave", "back", "claim", "wait"]


Wish = Play | Try | Sit | Hide | Plain
_WISH: TypeAdapter[Wish] = TypeAdapter(Annotated[Wish, Field(discriminator="do")])


def read_wish(text: str) -> Wish:
    """Read a message of a client; SpecError says what is wrong with it."""
    try:
        return _WISH.validate_json(text)
    except ValidationError as mistakes:
        raise SpecError(f"message: {complaint(mistakes)}") from None
