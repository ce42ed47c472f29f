"""In PostgreSQL an append releases its lock before it is flushed, and nothing is shown until it is.

`flushed` says up to which number everything is on the disk, and `mark` is the number of the last append to a game.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("heads", sa.Column("mark", sa.BigInteger().with_variant(sa.Integer, "sqlite")))
    if op.get_context().dialect.name == "postgresql":
        op.execute("CREATE SEQUENCE flushed MINVALUE 0 START 0")
        # The change to `heads` waits for a running append, which itself waited for the disk.
        op.execute("SELECT setval('flushed', last_value - CASE WHEN is_called THEN 0 ELSE 1 END) FROM events_id_seq")
