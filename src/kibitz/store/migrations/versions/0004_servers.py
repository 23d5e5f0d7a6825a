"""Which server serves the tables, and tables that are joined by their link alone.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, and add the column."""
    op.create_table(
        "play_servers",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("beats", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_play_servers"),
    )
    private = sa.Column("is_private", sa.Integer(), nullable=False, server_default="0")
    op.add_column("play_tables", private)


def downgrade() -> None:
    """Remove both."""
    with op.batch_alter_table("play_tables") as tables:
        tables.drop_column("is_private")
    op.drop_table("play_servers")
