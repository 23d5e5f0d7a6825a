"""Results, records and ratings in a database: SQLite by default, PostgreSQL by URL."""

from kibitz.store.rows import (
    MatchRow,
    Rating,
    Status,
    StoredBatch,
    StoredFault,
    TournamentRow,
)
from kibitz.store.store import Store, open_store

__all__ = [
    "MatchRow",
    "Rating",
    "Status",
    "Store",
    "StoredBatch",
    "StoredFault",
    "TournamentRow",
    "open_store",
]
