"""The head covers receipts and the texts they name: a leaf for each receipt, a running hash in each head.

Existing receipts are included as they are now, and the head says how many they are.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sottovoce.eventlog.envelope import START, receipt_envelope, receipt_leaf, running_hash

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# The tables are created again, and so are their triggers; all except the last are unchanged.
SQLITE_TRIGGERS = (
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
    CREATE TRIGGER heads_insert BEFORE INSERT ON heads
    WHEN EXISTS (SELECT 1 FROM heads WHERE game = NEW.game OR id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'a game has one head'); END
    """,
    """
    CREATE TRIGGER heads_delete BEFORE DELETE ON heads
    BEGIN SELECT RAISE(ABORT, 'heads are never deleted'); END
    """,
    """
    CREATE TRIGGER heads_update BEFORE UPDATE ON heads
    WHEN NEW.length < OLD.length OR NEW.receipts < OLD.receipts OR NEW.id IS NOT OLD.id
        OR NEW.game IS NOT OLD.game OR NEW.secret IS NOT OLD.secret OR NEW.created IS NOT OLD.created
        OR NEW.taken_over IS NOT OLD.taken_over
    BEGIN SELECT RAISE(ABORT, 'a head only grows'); END
    """,
)

POSTGRESQL_TRIGGERS = (
    "DROP TRIGGER heads_update ON heads",
    """
    CREATE TRIGGER heads_update BEFORE UPDATE ON heads FOR EACH ROW
    WHEN (NEW.length < OLD.length OR NEW.receipts < OLD.receipts OR NEW.id <> OLD.id
        OR NEW.game <> OLD.game OR NEW.secret <> OLD.secret OR NEW.created <> OLD.created
        OR NEW.taken_over <> OLD.taken_over)
    EXECUTE FUNCTION sottovoce_refuse('a head only grows')
    """,
    "ALTER TABLE heads ENABLE ALWAYS TRIGGER heads_update",
    "ALTER TABLE receipts ENABLE ALWAYS TRIGGER receipts_update",
)

TRIGGERS = {"sqlite": SQLITE_TRIGGERS, "postgresql": POSTGRESQL_TRIGGERS}


def upgrade() -> None:
    dialect = op.get_context().dialect.name
    if dialect == "sqlite":
        _make_tables_anew()
    else:
        _add_columns()
    for trigger in TRIGGERS[dialect]:
        op.execute(trigger)


_RECEIPT = "game, number, name, at, seat, data, blocks"
_HEAD = "id, game, length, hash, secret, created, receipts"


def _make_tables_anew() -> None:
    op.execute("ALTER TABLE receipts RENAME TO receipts_before")
    op.execute("ALTER TABLE heads RENAME TO heads_before")
    op.create_table(
        "receipts",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("blocks", sa.LargeBinary),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("game", "number", name="receipts_game_number"),
        sa.CheckConstraint("length(hash) = 32", name="receipts_hash_length"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
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
        sa.UniqueConstraint("game", name="heads_game"),
        sqlite_strict=True,
    )
    running = _take_over(
        "receipts_before",
        f"INSERT INTO receipts ({_RECEIPT}, hash) VALUES (:game, :number, :name, :at, :seat, :data, :blocks, :hash)",
    )
    heads = op.get_bind().execute(sa.text(f"SELECT {_HEAD} FROM heads_before ORDER BY id")).mappings().all()
    _each(
        f"INSERT INTO heads ({_HEAD}, receipts_hash, taken_over) VALUES "
        "(:id, :game, :length, :hash, :secret, :created, :receipts, :receipts_hash, :receipts)",
        [{**head, "receipts_hash": running.get(head["game"], START)} for head in heads],
    )
    op.execute("DROP TABLE receipts_before")
    op.execute("DROP TABLE heads_before")


def _add_columns() -> None:
    op.add_column("receipts", sa.Column("hash", sa.LargeBinary))
    op.add_column("heads", sa.Column("receipts_hash", sa.LargeBinary))
    op.add_column("heads", sa.Column("taken_over", sa.BigInteger))
    op.execute("ALTER TABLE receipts DISABLE TRIGGER receipts_update")
    running = _take_over("receipts", "UPDATE receipts SET hash = :hash WHERE game = :game AND number = :number")
    _each(
        "UPDATE heads SET receipts_hash = :running, taken_over = receipts WHERE game = :game",
        [
            {"game": game, "running": running.get(game, START)}
            for (game,) in op.get_bind().execute(sa.text("SELECT game FROM heads"))
        ],
    )
    op.alter_column("receipts", "hash", nullable=False)
    op.alter_column("heads", "receipts_hash", nullable=False)
    op.alter_column("heads", "taken_over", nullable=False)
    op.create_check_constraint("receipts_hash_length", "receipts", "length(hash) = 32")


def _take_over(table: str, statement: str) -> dict[str, bytes]:
    """Give every receipt in `table` its leaf with the statement. Return the running hash of each game."""
    running = {}
    games = op.get_bind().execute(sa.text(f"SELECT DISTINCT game FROM {table}")).scalars().all()
    for game in games:
        chosen = sa.text(f"SELECT {_RECEIPT} FROM {table} WHERE game = :game ORDER BY number")
        rows = [dict(row) for row in op.get_bind().execute(chosen, {"game": game}).mappings()]
        for row in rows:
            row["hash"] = receipt_leaf(receipt_envelope(*row.values()))
        _each(statement, rows)
        running[game] = running_hash(START, [row["hash"] for row in rows])
    return running


def _each(statement: str, rows: list[dict[str, object]]) -> None:
    if rows:
        op.get_bind().execute(sa.text(statement), rows)
