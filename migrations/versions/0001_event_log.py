"""The event log: events, receipts and blocks that are only ever added to, heads, open turns, game summaries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SQLITE_TRIGGERS = (
    # INSERT OR REPLACE deletes without asking the DELETE triggers, so an insert must prove that it replaces nothing.
    """
    CREATE TRIGGER events_insert BEFORE INSERT ON events
    WHEN NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM events WHERE game = NEW.game)
        OR EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'events are appended at the next position'); END
    """,
    """
    CREATE TRIGGER events_update BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END
    """,
    """
    CREATE TRIGGER events_delete BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END
    """,
    """
    CREATE TRIGGER receipts_insert BEFORE INSERT ON receipts
    WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM receipts WHERE game = NEW.game)
    BEGIN SELECT RAISE(ABORT, 'receipts are appended with the next number'); END
    """,
    """
    CREATE TRIGGER receipts_update BEFORE UPDATE ON receipts
    BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END
    """,
    """
    CREATE TRIGGER receipts_delete BEFORE DELETE ON receipts
    BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END
    """,
    """
    CREATE TRIGGER blocks_insert BEFORE INSERT ON blocks
    WHEN EXISTS (SELECT 1 FROM blocks WHERE digest = NEW.digest OR rowid = NEW.rowid)
    BEGIN SELECT RAISE(ABORT, 'a block is stored once'); END
    """,
    """
    CREATE TRIGGER blocks_update BEFORE UPDATE ON blocks
    BEGIN SELECT RAISE(ABORT, 'blocks are never changed'); END
    """,
    """
    CREATE TRIGGER blocks_delete BEFORE DELETE ON blocks
    BEGIN SELECT RAISE(ABORT, 'blocks are never deleted'); END
    """,
    """
    CREATE TRIGGER heads_insert BEFORE INSERT ON heads
    WHEN EXISTS (SELECT 1 FROM heads WHERE game = NEW.game OR id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'a game has one head'); END
    """,
    """
    CREATE TRIGGER heads_update BEFORE UPDATE ON heads
    WHEN NEW.length < OLD.length OR NEW.receipts < OLD.receipts OR NEW.id IS NOT OLD.id
        OR NEW.game IS NOT OLD.game OR NEW.secret IS NOT OLD.secret OR NEW.created IS NOT OLD.created
    BEGIN SELECT RAISE(ABORT, 'a head only grows'); END
    """,
    """
    CREATE TRIGGER heads_delete BEFORE DELETE ON heads
    BEGIN SELECT RAISE(ABORT, 'heads are never deleted'); END
    """,
)

TRIGGERS = {"sqlite": SQLITE_TRIGGERS}


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "events",
        sa.Column("id", number, primary_key=True, autoincrement=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("position", number, nullable=False),
        sa.Column("append", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("at", number, nullable=False),
        sa.Column("actor", sa.Text),
        sa.Column("audience", sa.Text, nullable=False),
        sa.Column("cause", number),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("salt", sa.LargeBinary, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("game", "position", name="events_game_position"),
        sa.CheckConstraint("length(salt) = 16", name="events_salt_length"),
        sa.CheckConstraint("length(hash) = 32", name="events_hash_length"),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "receipts",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("number", number, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("at", number, nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("blocks", sa.LargeBinary),
        sa.PrimaryKeyConstraint("game", "number", name="receipts_game_number"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.create_table(
        "blocks",
        sa.Column("digest", sa.LargeBinary, primary_key=True, nullable=False),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "heads",
        sa.Column("id", number, primary_key=True, autoincrement=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("length", number, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("created", number, nullable=False),
        sa.Column("receipts", number, nullable=False),
        sa.UniqueConstraint("game", name="heads_game"),
        sqlite_strict=True,
    )
    op.create_table(
        "turns",
        sa.Column("id", number, primary_key=True, autoincrement=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("turn", number, nullable=False),
        sa.Column("attempt", number, nullable=False),
        sa.Column("opened_at", number, nullable=False),
        sa.Column("expires", number),
        sa.Column("worker", sa.Text),
        sa.Column("epoch", number, nullable=False),
        sa.Column("leased_until", number),
        sa.UniqueConstraint("game", "seat", "turn", name="turns_game_seat_turn"),
        sqlite_strict=True,
    )
    op.create_table(
        "game_summaries",
        sa.Column("game", sa.Text, primary_key=True, nullable=False),
        sa.Column("ruleset", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("ended", sa.Text),
        sa.Column("winner", sa.Text),
        sa.Column("position", number, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    for trigger in TRIGGERS[op.get_context().dialect.name]:
        op.execute(trigger)
