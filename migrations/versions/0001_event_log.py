"""The event log: append-only events, receipts and blocks; heads, open turns, game summaries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SQLITE_TRIGGERS = (
    # INSERT OR REPLACE deletes without running the DELETE triggers, so an insert must prove that it replaces nothing.
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


ORDER_LOCK = 8317995080211656547
"""The advisory lock that puts all appends in one order: `sottovoc` in ASCII."""

# Trigger functions look up names in the log's schema, not first among temporary tables that anyone can create.
_PLPGSQL = "RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT"


def _follows(table: str, column: str, order: str, why: str) -> str:
    """Events that one statement adds to a game have consecutive numbers that follow the last one."""
    return f"""
    CREATE FUNCTION sottovoce_{table}_follow() {_PLPGSQL} AS $$
    BEGIN
        PERFORM FROM (
            SELECT game, min({column} - nth) AS before, max({column} - nth) AS another FROM (
                SELECT game, {column}, row_number() OVER (PARTITION BY game ORDER BY {order}) AS nth FROM added
            ) AS numbered GROUP BY game
        ) AS run
        WHERE run.before <> run.another OR run.before <> coalesce(
            (SELECT {column} FROM {table} WHERE {table}.game = run.game AND {table}.{column} = run.before), 0
        );
        IF FOUND THEN
            RAISE EXCEPTION '{why}' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NULL;
    END $$
    """


def _refusal(trigger: str, when: str, table: str, why: str, condition: str = "") -> str:
    row = "STATEMENT" if when == "TRUNCATE" else "ROW"
    return f"""
    CREATE TRIGGER {trigger} BEFORE {when} ON {table} FOR EACH {row} {condition}
    EXECUTE FUNCTION sottovoce_refuse('{why}')
    """


POSTGRESQL_TRIGGERS = (
    "SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)",
    f"""
    CREATE FUNCTION sottovoce_refuse() {_PLPGSQL} AS $$
    BEGIN
        RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'restrict_violation';
    END $$
    """,
    # IDs are drawn after this, and the lock is held until the commit, so a reader by ID never skips a late one.
    f"""
    CREATE FUNCTION sottovoce_in_order() {_PLPGSQL} AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock({ORDER_LOCK});
        RETURN NULL;
    END $$
    """,
    _follows("events", "position", "id", "events are appended at the next position"),
    _follows("receipts", "number", "number", "receipts are appended with the next number"),
    """
    CREATE TRIGGER events_order BEFORE INSERT ON events
    FOR EACH STATEMENT EXECUTE FUNCTION sottovoce_in_order()
    """,
    """
    CREATE TRIGGER events_insert AFTER INSERT ON events REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION sottovoce_events_follow()
    """,
    """
    CREATE TRIGGER receipts_insert AFTER INSERT ON receipts REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION sottovoce_receipts_follow()
    """,
    *(
        _refusal(f"{table}_{when.lower()}", when, table, f"{table} are never {done}")
        for table in ("events", "receipts", "blocks")
        for when, done in (("UPDATE", "changed"), ("DELETE", "deleted"), ("TRUNCATE", "deleted"))
    ),
    _refusal(
        "heads_update",
        "UPDATE",
        "heads",
        "a head only grows",
        """WHEN (NEW.length < OLD.length OR NEW.receipts < OLD.receipts OR NEW.id <> OLD.id
            OR NEW.game <> OLD.game OR NEW.secret <> OLD.secret OR NEW.created <> OLD.created)""",
    ),
    _refusal("heads_delete", "DELETE", "heads", "heads are never deleted"),
    _refusal("heads_truncate", "TRUNCATE", "heads", "heads are never deleted"),
    # Otherwise a session with session_replication_role = replica bypasses them.
    """
    DO $$
    DECLARE guard record;
    BEGIN
        FOR guard IN SELECT tgname, tgrelid::regclass AS guarded FROM pg_trigger
            WHERE NOT tgisinternal AND tgrelid IN (
                'events'::regclass, 'receipts'::regclass, 'blocks'::regclass, 'heads'::regclass
            )
        LOOP
            EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.guarded, guard.tgname);
        END LOOP;
    END $$
    """,
)

TRIGGERS = {"sqlite": SQLITE_TRIGGERS, "postgresql": POSTGRESQL_TRIGGERS}


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
