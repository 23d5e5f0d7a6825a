"""The tables, as they are after the last migration; a test compares the two.

A change here needs a new file in `migrations/versions` and its name in `REVISION`.
"""

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

REVISION = "0004"
"""The last migration: what a database must have to be used. Later ones sort after it."""


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store the time as it is in UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Say again that the time is in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _belongs_to(table: str) -> ForeignKey:
    """Refer to a row that takes this one along when it is deleted."""
    return ForeignKey(f"{table}.id", ondelete="CASCADE")


agents = Table(
    "agents",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", String, nullable=False),  # spec
    Column("spec", String, nullable=False),
    Column("package_version", String, nullable=False),  # the same spec may play better one day
    UniqueConstraint("game", "spec", "package_version"),
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", String, nullable=False),
    Column("form", String, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("package_version", String, nullable=False),
    Column("status", String, nullable=False),
    Column("started", Moment, nullable=False),
    Column("ended", Moment),
)

matches = Table(
    "matches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament_id", _belongs_to("tournaments")),  # NULL: stands alone
    Column("number", BigInteger, nullable=False),  # within its tournament
    Column("game", String, nullable=False),
    Column("game_version", Integer, nullable=False),  # of its rules
    Column("seed", BigInteger, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("package_version", String, nullable=False),
    Column("status", String, nullable=False),
    Column("started", Moment, nullable=False),
    Column("ended", Moment),
    UniqueConstraint("tournament_id", "number"),
)

match_agents = Table(
    "match_agents",
    metadata,
    Column("match_id", _belongs_to("matches"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),  # what a lineup says
    Column("agent_id", ForeignKey("agents.id"), nullable=False),
)

# Arrays are little-endian bytes in C order; the five counts are their shapes.
batches = Table(
    "batches",
    metadata,
    Column("match_id", _belongs_to("matches"), primary_key=True),
    Column("first_deal", BigInteger, primary_key=True, autoincrement=False),
    Column("n_deals", Integer, nullable=False),
    Column("n_games", Integer, nullable=False),  # per deal
    Column("n_seats", Integer, nullable=False),
    Column("n_agents", Integer, nullable=False),
    Column("n_steps", Integer, nullable=False),
    Column("lineup", LargeBinary, nullable=False),  # int16 [deals, games, seats]
    Column("scores", LargeBinary, nullable=False),  # float64 [deals, games, seats]
    Column("seconds", LargeBinary, nullable=False),  # float64 [agents, steps]
    Column("n_decisions", LargeBinary, nullable=False),  # int64 [agents, steps]
)

records = Table(
    "records",
    metadata,
    Column("match_id", _belongs_to("matches"), primary_key=True),
    Column("deal", BigInteger, primary_key=True, autoincrement=False),
    Column("rotation", BigInteger, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
)

faults = Table(
    "faults",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", _belongs_to("matches"), nullable=False, index=True),
    Column("deal", BigInteger, nullable=False),
    Column("rotation", BigInteger, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("agent", String, nullable=False),  # spec
    Column("message", Text, nullable=False),
    Column("position", Text, nullable=False),
    Column("line", Text),  # the game up to there, as a record
)

ratings = Table(
    "ratings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament_id", _belongs_to("tournaments"), nullable=False),
    Column("agent_id", ForeignKey("agents.id"), nullable=False),
    Column("system", String, nullable=False),
    Column("value", Float(53), nullable=False),
    Column("low", Float(53)),  # NULL: not known
    Column("high", Float(53)),
    Column("n_games", BigInteger, nullable=False),
    UniqueConstraint("tournament_id", "agent_id", "system"),
)

# Tables that people play at. `notes` holds scores of a game that is over, and explicit deals.
guests = Table(
    "guests",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("language", String, nullable=False),
    Column("made", Moment, nullable=False),
)

play_tables = Table(
    "play_tables",
    metadata,
    Column("id", String, primary_key=True),
    Column("game", String, nullable=False),  # spec
    Column("game_version", Integer, nullable=False),
    Column("level", String, nullable=False),  # of bots that fill seats
    Column("owner", ForeignKey("guests.id"), nullable=False, index=True),
    Column("status", String, nullable=False, index=True),  # open, playing, over
    Column("seed", BigInteger, nullable=False),
    Column("salt", String, nullable=False),
    Column("daily", String),  # the date of a daily deal
    Column("source", String),  # the table whose deal is played again, or `import`
    Column("notes", JSON, nullable=False),
    Column("made", Moment, nullable=False),
    Column("started", Moment),
    Column("ended", Moment),
    Column("is_private", Integer, nullable=False, server_default="0"),  # not in the lobby
)

# One row: the server that has these tables in its hands; see lease.py.
play_servers = Table(
    "play_servers",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("token", String, nullable=False),
    Column("place", String, nullable=False),  # name of the computer
    Column("process", Integer, nullable=False),
    Column("beats", BigInteger, nullable=False),  # counts up as long as it lives
)

play_seats = Table(
    "play_seats",
    metadata,
    Column("table_id", _belongs_to("play_tables"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("kind", String, nullable=False),  # person, bot, open
    Column("guest_id", ForeignKey("guests.id"), index=True),
    Column("name", String, nullable=False),
    Column("level", String),  # of a bot, or of the bot that covers a person
    Column("spec", String),  # likewise: the agent
    Column("state", String, nullable=False),  # here, covered, left
)

play_actions = Table(
    "play_actions",
    metadata,
    Column("table_id", _belongs_to("play_tables"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 0
    Column("seat", Integer, nullable=False),
    Column("text", String, nullable=False),
)

play_changes = Table(
    "play_changes",
    metadata,
    Column("table_id", _belongs_to("play_tables"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 0
    Column("n_actions", Integer, nullable=False),  # played before it
    Column("seat", Integer, nullable=False),
    Column("who", String, nullable=False),
    Column("is_person", Integer, nullable=False),
)

play_results = Table(
    "play_results",
    metadata,
    Column("table_id", _belongs_to("play_tables"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("guest_id", ForeignKey("guests.id"), nullable=False, index=True),
    Column("game", String, nullable=False),  # spec
    Column("name", String, nullable=False, index=True),  # of the game
    Column("level", String),  # of all bots against the seat; NULL: people or several levels
    Column("deal", String, nullable=False),  # what has the same cards has the same deal
    Column("counts", Integer, nullable=False),  # 0: the cards were known before
    Column("score", Float(53), nullable=False),
    Column("margin", Float(53), nullable=False),  # to the mean of the opponents
    Column("win", Float(53), nullable=False),  # share of the first place
    Column("share", Float(53), nullable=False),  # of the decisions that the person made
    Column("daily", String),
    Column("ended", Moment, nullable=False),
)

# What was found when people looked back, so that it is there at once the next time.
play_reviews = Table(
    "play_reviews",
    metadata,
    Column("table_id", _belongs_to("play_tables"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("is_done", Integer, nullable=False),
    Column("document", JSON, nullable=False),
    Column("updated", Moment, nullable=False),
)

# Decks of people's own mistakes.
play_practice = Table(
    "play_practice",
    metadata,
    Column("id", String, primary_key=True),
    Column("guest_id", ForeignKey("guests.id"), nullable=False, index=True),
    Column("table_id", _belongs_to("play_tables"), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("move", Integer, nullable=False),  # number of the action in the record, from 1
    Column("size", String, nullable=False),  # slip, mistake, blunder
    Column("loss", Float(53), nullable=False),
    Column("n_right", Integer, nullable=False),  # times in a row that it was solved
    Column("due", Moment, nullable=False),
    UniqueConstraint("guest_id", "table_id", "move"),
)
