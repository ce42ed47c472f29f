"""The list of games is built from the events, with an index for everything it is queried by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    # Its content follows from the events, and is built again.
    op.drop_table("game_summaries")
    op.create_table(
        "game_summaries",
        sa.Column("game", sa.Text, primary_key=True, nullable=False),
        sa.Column("opened", number, nullable=False),
        sa.Column("ruleset", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("ended", sa.Text),
        sa.Column("winner", sa.Text),
        sa.Column("fallbacks", number, nullable=False),
        sa.Column("finished", number, nullable=False),
        sa.Column("person", number, nullable=False),
        sa.Column("batch", sa.Text),
        sqlite_strict=True,
    )
    op.create_index("game_summaries_opened", "game_summaries", ["opened"])
    for column in ("finished", "ruleset", "winner", "person", "batch"):
        op.create_index(f"game_summaries_{column}", "game_summaries", [column, "opened"])
    op.create_index("game_summaries_status", "game_summaries", ["batch", "status"])
    op.create_table(
        "game_seats",
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("opened", number, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seat", "opened", name="game_seats_seat_opened"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_table(
        "tracking",
        sa.Column("application_name", sa.Text, primary_key=True, nullable=False),
        sa.Column("notification_id", number, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_index("batches_game", "batches", ["game"])
