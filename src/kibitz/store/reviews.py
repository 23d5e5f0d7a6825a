"""Reviews and decks of mistakes in the database of live play."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from kibitz.store import schema
from kibitz.store.database import Database
from kibitz.store.play import Job


@dataclass(frozen=True)
class PracticeRow:
    """A mistake that somebody practises."""

    id: str
    guest_id: str
    table_id: str
    seat: int
    move: int
    size: str
    loss: float
    n_right: int
    due: datetime


class ReviewStore:
    """What was found when people looked back; threads may share one."""

    def __init__(self, database: Database) -> None:
        """Use a database that is up to date; see `open_play`."""
        self._database = database

    def review(self, table: str, seat: int) -> dict[str, Any] | None:
        """Look up what is known of a seat's decisions."""
        reviews = schema.play_reviews
        wanted = select(reviews.c.document).where(
            reviews.c.table_id == table, reviews.c.seat == seat
        )
        with self._database.read() as connection:
            found: dict[str, Any] | None = connection.execute(wanted).scalar()
            return found

    def deck(self, guest: str, due: datetime, most: int) -> list[PracticeRow]:
        """List what a guest has to practise at a time, the dearest first."""
        deck = schema.play_practice
        wanted = (
            select(deck)
            .where(deck.c.guest_id == guest, deck.c.due <= due)
            .order_by(deck.c.loss.desc(), deck.c.id)
            .limit(most)
        )
        with self._database.read() as connection:
            return [PracticeRow(**row) for row in connection.execute(wanted).mappings()]

    def exercise(self, guest: str, exercise: str) -> PracticeRow | None:
        """Look up an exercise in a guest's own deck."""
        deck = schema.play_practice
        wanted = select(deck).where(deck.c.guest_id == guest, deck.c.id == exercise)
        with self._database.read() as connection:
            found = connection.execute(wanted).mappings().first()
        return None if found is None else PracticeRow(**found)


def keep_review(table: str, seat: int, document: dict[str, Any], *, is_done: bool) -> Job:
    """Write down what is known of a seat's decisions, in place of what was known before."""
    reviews = schema.play_reviews
    row = {
        "table_id": table,
        "seat": seat,
        "is_done": int(is_done),
        "document": document,
        "updated": datetime.now(UTC),
    }

    def job(connection: Connection) -> None:
        here = (reviews.c.table_id == table, reviews.c.seat == seat)
        connection.execute(delete(reviews).where(*here))
        connection.execute(insert(reviews), [row])

    return job


def add_practice(rows: Iterable[PracticeRow]) -> Job:
    """Put mistakes into decks, unless they are there."""
    deck, wanted = schema.play_practice, list(rows)

    def job(connection: Connection) -> None:
        for row in wanted:
            same = select(deck.c.id).where(
                deck.c.guest_id == row.guest_id,
                deck.c.table_id == row.table_id,
                deck.c.move == row.move,
            )
            if connection.execute(same).first() is None:
                connection.execute(insert(deck), [asdict(row)])

    return job


def change_practice(exercise: str, n_right: int, due: datetime) -> Job:
    """Write down how often an exercise was solved, and when it comes again."""
    deck = schema.play_practice
    change = update(deck).where(deck.c.id == exercise).values(n_right=n_right, due=due)

    def job(connection: Connection) -> None:
        connection.execute(change)

    return job
