"""Reviews of games that people played, and decks of their mistakes.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "play_reviews",
        sa.Column("table_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("is_done", sa.Integer(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_play_reviews"),
        _belongs_to_table("play_reviews"),
    )
    op.create_table(
        "play_practice",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("guest_id", sa.String(), nullable=False),
        sa.Column("table_id", sa.String(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("seat", "move")),
        sa.Column("size", sa.String(), nullable=False),
        sa.Column("loss", sa.Float(53), nullable=False),
        sa.Column("n_right", sa.Integer(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_play_practice"),
        sa.UniqueConstraint(
            "guest_id", "table_id", "move", name="uq_play_practice_guest_id_table_id_move"
        ),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name="fk_play_practice_guest_id"),
        _belongs_to_table("play_practice"),
    )
    op.create_index("ix_play_practice_guest_id", "play_practice", ["guest_id"])


def downgrade() -> None:
    """Remove them, with all that is in them."""
    op.drop_table("play_practice")
    op.drop_table("play_reviews")


def _belongs_to_table(table: str) -> sa.ForeignKeyConstraint:
    """Refer to the table at which it happened."""
    return sa.ForeignKeyConstraint(
        ["table_id"], ["play_tables.id"], name=f"fk_{table}_table_id", ondelete="CASCADE"
    )
