"""Results, records and ratings in a database: SQLite by default, PostgreSQL by URL."""

from kibitz.store.rows import Batch, Fault, MatchRow, Rating, Status, TournamentRow
from kibitz.store.store import Store, open_store

__all__ = [
    "Batch",
    "Fault",
    "MatchRow",
    "Rating",
    "Status",
    "Store",
    "TournamentRow",
    "open_store",
]
