"""Decks of one's own mistakes: right answers wait longer each time, wrong ones come back soon."""

import asyncio
import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from kibitz.core.game import Seat
from kibitz.core.messages import Message
from kibitz.store.play import GuestRow, TableRow
from kibitz.store.reviews import PracticeRow, ReviewStore, add_practice, change_practice
from kibitz.web.documents import Json
from kibitz.web.refusals import Refused
from kibitz.web.writer import Writer

MOST_DUE = 10
"""Exercises that are shown at once."""

SOON = timedelta(minutes=10)
"""After this time a mistake that was made again comes back."""

LONGEST = 6
"""Right answers after which an exercise waits no longer than before: 64 days."""


class Practice:
    """The decks of all guests."""

    def __init__(self, store: ReviewStore, writer: Writer) -> None:
        """Use what the database has."""
        self._store, self._writer = store, writer

    async def add(self, row: TableRow, seat: Seat, decisions: Iterable[Json]) -> None:
        """Put the mistakes of a review into the deck of whom they belong to."""
        guest = row.seats[seat].guest_id
        if guest is None and row.source == "import":
            guest = row.owner
        wrong = [one for one in decisions if one["size"]]
        if guest is None or not wrong:
            return
        now = datetime.now(UTC)
        exercises = [
            PracticeRow(
                id=_id(guest, row.id, one["move"]),
                guest_id=guest,
                table_id=row.id,
                seat=seat,
                move=one["move"],
                size=one["size"],
                loss=one["loss"],
                n_right=0,
                due=now,
            )
            for one in wrong
        ]
        await self._writer.write(add_practice(exercises))

    async def due(self, guest: GuestRow) -> list[PracticeRow]:
        """List what a guest has to practise now, the dearest first."""
        now = datetime.now(UTC)
        return await asyncio.to_thread(self._store.deck, guest.id, now, MOST_DUE)

    async def find(self, guest: GuestRow, exercise: str) -> PracticeRow:
        """Return an exercise of a guest's own deck."""
        found = await asyncio.to_thread(self._store.exercise, guest.id, exercise)
        if found is None:
            raise Refused(Message("web.practice-gone"), 404)
        return found

    async def answered(self, exercise: PracticeRow, *, is_right: bool) -> None:
        """Let an exercise wait until it is due again."""
        n_right, due = wait(exercise.n_right, is_right=is_right, now=datetime.now(UTC))
        await self._writer.write(change_practice(exercise.id, n_right, due))


def wait(n_right: int, *, is_right: bool, now: datetime) -> tuple[int, datetime]:
    """Return how often an exercise was solved in a row, and when it comes again."""
    if not is_right:
        return 0, now + SOON
    return n_right + 1, now + timedelta(days=2 ** min(n_right, LONGEST))


def _id(guest: str, table: str, move: int) -> str:
    """Return the id of an exercise: the same mistake is in a deck only once."""
    return hashlib.blake2b(f"{guest} {table} {move}".encode(), digest_size=9).hexdigest()
