"""Who sits where at a live table, and who plays for them."""

from dataclasses import replace

from kibitz.core.messages import Message
from kibitz.core.wording import ENGLISH, say
from kibitz.store.play import GuestRow, SeatRow
from kibitz.web.levels import Level

BOTS = ("Ada", "Bruno", "Clara", "Dario", "Emma", "Felix", "Greta", "Hugo", "Ida", "Jonas")
"""Names of bots by seat: people must be able to tell who picked, called or passed."""


def person(seat: int, guest: GuestRow) -> SeatRow:
    """Seat a person."""
    return SeatRow(seat, "person", guest.id, guest.name)


def bot(seat: int, level: Level) -> SeatRow:
    """Seat a bot."""
    return SeatRow(seat, "bot", None, "", level.name, level.spec)


def covered(row: SeatRow, level: Level, state: str = "covered") -> SeatRow:
    """Let a bot play for a person who is away, or has left."""
    return replace(row, level=level.name, spec=level.spec, state=state)


def uncovered(row: SeatRow) -> SeatRow:
    """Give a person their seat back."""
    return replace(row, level=None, spec=None, state="here")


def is_person(row: SeatRow) -> bool:
    """Whether a person plays at a seat now."""
    return row.kind == "person" and row.state == "here"


def name_of(row: SeatRow, language: str = ENGLISH) -> str:
    """Return what people call who sits there."""
    if row.kind == "person":
        return row.name
    if row.kind == "open":
        return ""
    return say(Message("web.bot", {"name": BOTS[row.seat % len(BOTS)]}), language)
