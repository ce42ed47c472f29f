"""Links: let a person or a program in over the network. Only the hash of a link's token is stored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "links",
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("number", number, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("issued", number, nullable=False),
        sa.Column("claimed", number),
        sa.Column("ended", number),
        sa.Column("ending", number),
        sa.PrimaryKeyConstraint("digest", name="links_digest"),
        sa.UniqueConstraint("game", "number", name="links_game_number"),
        sa.UniqueConstraint("ending", name="links_ending"),
        sa.CheckConstraint("length(digest) = 32", name="links_digest_length"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_index(
        "links_live",
        "links",
        ["game", "kind", "seat"],
        unique=True,
        sqlite_where=sa.text("ended IS NULL"),
        postgresql_where=sa.text("ended IS NULL"),
    )
