"""Tournaments, matches, their results, records, faults and ratings.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the first tables."""
    _make_tournaments()
    _make_matches()
    _make_results()
    _make_ratings()


def downgrade() -> None:
    """Remove them, with all that is in them."""
    for table in ("ratings", "faults", "records", "batches", "match_agents"):
        op.drop_table(table)
    for table in ("matches", "tournaments", "agents"):
        op.drop_table(table)


def _make_tournaments() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("spec", sa.String(), nullable=False),
        sa.Column("package_version", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_agents"),
        sa.UniqueConstraint(
            "game", "spec", "package_version", name="uq_agents_game_spec_package_version"
        ),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("form", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("package_version", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
    )


def _make_matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=True),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("game_version", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("package_version", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        _belongs_to("matches", "tournament_id", "tournaments"),
        sa.UniqueConstraint("tournament_id", "number", name="uq_matches_tournament_id_number"),
    )
    op.create_table(
        "match_agents",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "position", name="pk_match_agents"),
        _belongs_to("match_agents", "match_id", "matches"),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name="fk_match_agents_agent_id"),
    )


def _make_results() -> None:
    shape = ("n_deals", "n_games", "n_seats", "n_agents", "n_steps")
    arrays = ("lineup", "scores", "seconds", "n_decisions")
    op.create_table(
        "batches",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("first_deal", sa.BigInteger(), autoincrement=False, nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in shape),
        *(sa.Column(name, sa.LargeBinary(), nullable=False) for name in arrays),
        sa.PrimaryKeyConstraint("match_id", "first_deal", name="pk_batches"),
        _belongs_to("batches", "match_id", "matches"),
    )
    op.create_table(
        "records",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("deal", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("rotation", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "deal", "rotation", name="pk_records"),
        _belongs_to("records", "match_id", "matches"),
    )
    op.create_table(
        "faults",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("deal", sa.BigInteger(), nullable=False),
        sa.Column("rotation", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_faults"),
        _belongs_to("faults", "match_id", "matches"),
    )
    op.create_index("ix_faults_match_id", "faults", ["match_id"])


def _make_ratings() -> None:
    op.create_table(
        "ratings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("system", sa.String(), nullable=False),
        sa.Column("value", sa.Float(53), nullable=False),
        sa.Column("low", sa.Float(53), nullable=True),
        sa.Column("high", sa.Float(53), nullable=True),
        sa.Column("n_games", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ratings"),
        _belongs_to("ratings", "tournament_id", "tournaments"),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name="fk_ratings_agent_id"),
        sa.UniqueConstraint(
            "tournament_id", "agent_id", "system", name="uq_ratings_tournament_id_agent_id_system"
        ),
    )


def _belongs_to(table: str, column: str, owner: str) -> sa.ForeignKeyConstraint:
    """Refer to a row that takes this one along when it is deleted."""
    return sa.ForeignKeyConstraint(
        [column], [f"{owner}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )
