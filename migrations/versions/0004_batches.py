"""Batches have names and store what they are to play, so a killed one can continue."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "batches",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("game", sa.Text),
        sa.Column("plan", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", "number", name="batches_name_number"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
