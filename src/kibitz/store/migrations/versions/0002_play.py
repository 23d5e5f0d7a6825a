"""Guests, and the tables that they play at.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of live play."""
    _make_guests_and_tables()
    _make_seats()
    _make_moves()
    _make_results()


def downgrade() -> None:
    """Remove them, with all that is in them."""
    for table in ("play_results", "play_changes", "play_actions", "play_seats"):
        op.drop_table(table)
    for table in ("play_tables", "guests"):
        op.drop_table(table)


def _make_guests_and_tables() -> None:
    op.create_table(
        "guests",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_guests"),
    )
    op.create_table(
        "play_tables",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("game_version", sa.Integer(), nullable=False),
        sa.Column("level", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.String(), nullable=False),
        sa.Column("daily", sa.String(), nullable=True),
        sa.Column("source", sa.String(), nullable=True),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("made", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_play_tables"),
        sa.ForeignKeyConstraint(["owner"], ["guests.id"], name="fk_play_tables_owner"),
    )
    op.create_index("ix_play_tables_owner", "play_tables", ["owner"])
    op.create_index("ix_play_tables_status", "play_tables", ["status"])


def _make_seats() -> None:
    op.create_table(
        "play_seats",
        sa.Column("table_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("guest_id", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("level", sa.String(), nullable=True),
        sa.Column("spec", sa.String(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_play_seats"),
        _belongs_to_table("play_seats"),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name="fk_play_seats_guest_id"),
    )
    op.create_index("ix_play_seats_guest_id", "play_seats", ["guest_id"])


def _make_moves() -> None:
    op.create_table(
        "play_actions",
        sa.Column("table_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "number", name="pk_play_actions"),
        _belongs_to_table("play_actions"),
    )
    op.create_table(
        "play_changes",
        sa.Column("table_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n_actions", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("is_person", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "number", name="pk_play_changes"),
        _belongs_to_table("play_changes"),
    )


def _make_results() -> None:
    op.create_table(
        "play_results",
        sa.Column("table_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("guest_id", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("level", sa.String(), nullable=True),
        sa.Column("deal", sa.String(), nullable=False),
        sa.Column("counts", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Float(53), nullable=False) for name in ("score", "margin")),
        *(sa.Column(name, sa.Float(53), nullable=False) for name in ("win", "share")),
        sa.Column("daily", sa.String(), nullable=True),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_play_results"),
        _belongs_to_table("play_results"),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name="fk_play_results_guest_id"),
    )
    op.create_index("ix_play_results_guest_id", "play_results", ["guest_id"])
    op.create_index("ix_play_results_name", "play_results", ["name"])


def _belongs_to_table(table: str) -> sa.ForeignKeyConstraint:
    """Refer to the table at which it happened."""
    return sa.ForeignKeyConstraint(
        ["table_id"], ["play_tables.id"], name=f"fk_{table}_table_id", ondelete="CASCADE"
    )
