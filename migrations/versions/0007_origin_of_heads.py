"""The fixed part of a head gets a hash: the game, the secret of its salts, its creation time, what was taken over.

Existing heads get theirs from their current content.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sottovoce.eventlog.envelope import origin_hash

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# The table is created again, and so are its triggers; the first and the last are unchanged.
SQLITE_TRIGGERS = (
    """
    CREATE TRIGGER heads_insert BEFORE INSERT ON heads
    WHEN EXISTS (SELECT 1 FROM heads WHERE game = NEW.game OR id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'a game has one head'); END
    """,
    """
    CREATE TRIGGER heads_update BEFORE UPDATE ON heads
    WHEN NEW.length < OLD.length OR NEW.receipts < OLD.receipts OR NEW.id IS NOT OLD.id
        OR NEW.game IS NOT OLD.game OR NEW.secret IS NOT OLD.secret OR NEW.created IS NOT OLD.created
        OR NEW.taken_over IS NOT OLD.taken_over OR NEW.origin IS NOT OLD.origin
    BEGIN SELECT RAISE(ABORT, 'a head only grows'); END
    """,
    """
    CREATE TRIGGER heads_delete BEFORE DELETE ON heads
    BEGIN SELECT RAISE(ABORT, 'heads are never deleted'); END
    """,
)

_MADE = """
    sha256('\\x04'::bytea || int4send(octet_length(convert_to({0}game, 'UTF8'))) || convert_to({0}game, 'UTF8')
        || int8send({0}created) || int8send({0}taken_over) || {0}secret)
"""

POSTGRESQL_TRIGGERS = (
    "SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)",
    "DROP TRIGGER heads_update ON heads",
    """
    CREATE TRIGGER heads_update BEFORE UPDATE ON heads FOR EACH ROW
    WHEN (NEW.length < OLD.length OR NEW.receipts < OLD.receipts OR NEW.id <> OLD.id
        OR NEW.game <> OLD.game OR NEW.secret <> OLD.secret OR NEW.created <> OLD.created
        OR NEW.taken_over <> OLD.taken_over OR NEW.origin <> OLD.origin)
    EXECUTE FUNCTION sottovoce_refuse('a head only grows')
    """,
    f"""
    CREATE FUNCTION sottovoce_head_origin() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
        IF NEW.origin IS DISTINCT FROM {_MADE.format("NEW.")} THEN
            RAISE EXCEPTION 'a head follows from what was appended' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$
    """,
    """
    CREATE TRIGGER heads_origin BEFORE INSERT ON heads
    FOR EACH ROW EXECUTE FUNCTION sottovoce_head_origin()
    """,
    "ALTER TABLE heads ENABLE ALWAYS TRIGGER heads_update",
    "ALTER TABLE heads ENABLE ALWAYS TRIGGER heads_origin",
)

TRIGGERS = {"sqlite": SQLITE_TRIGGERS, "postgresql": POSTGRESQL_TRIGGERS}

_HEAD = "id, game, length, hash, secret, created, receipts, receipts_hash, taken_over"


def upgrade() -> None:
    dialect = op.get_context().dialect.name
    if dialect == "sqlite":
        _make_table_again()
    else:
        _add_column()
    for trigger in TRIGGERS[dialect]:
        op.execute(trigger)


def _make_table_again() -> None:
    op.execute("ALTER TABLE heads RENAME TO heads_before")
    op.create_table(
        "heads",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Integer, nullable=False),
        sa.Column("receipts", sa.Integer, nullable=False),
        sa.Column("receipts_hash", sa.LargeBinary, nullable=False),
        sa.Column("taken_over", sa.Integer, nullable=False),
        sa.Column("origin", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("game", name="heads_game"),
        sa.CheckConstraint("length(origin) = 32", name="heads_origin_length"),
        sqlite_strict=True,
    )
    statement = (
        f"INSERT INTO heads ({_HEAD}, origin) VALUES "
        "(:id, :game, :length, :hash, :secret, :created, :receipts, :receipts_hash, :taken_over, :origin)"
    )
    heads = op.get_bind().execute(sa.text(f"SELECT {_HEAD} FROM heads_before ORDER BY id")).mappings().all()
    if heads:
        rows = [
            {**head, "origin": origin_hash(head["game"], head["secret"], head["created"], head["taken_over"])}
            for head in heads
        ]
        op.get_bind().execute(sa.text(statement), rows)
    op.execute("DROP TABLE heads_before")


def _add_column() -> None:
    op.add_column("heads", sa.Column("origin", sa.LargeBinary))
    op.get_bind().exec_driver_sql(f"UPDATE heads SET origin = {_MADE.format('')}")
    op.alter_column("heads", "origin", nullable=False)
    op.create_check_constraint("heads_origin_length", "heads", "length(origin) = 32")
