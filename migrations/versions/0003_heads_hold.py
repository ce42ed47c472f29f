"""In PostgreSQL a new head must follow from the old one by the leaves in between.

So a role that can only append can't set a false head. SQLite has no roles and no SHA-256, and does not change.
"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_FOLLOWS = "a head follows from what was appended"
_START = f"'\\x{'00' * 32}'::bytea"


def _held(event: str, before: str, joined: str, also: str = "false") -> str:
    """A function that checks the leaves of all heads that one statement changed, each from its previous length."""
    parts = " UNION ALL ".join(
        f"""
        SELECT now.id, '{table}' AS kind, now.{count} - {before.format(count, 0)} AS many, now.{running} AS told,
            {before.format(running, _START)} AS running, leaf.hash AS leaf, leaf.{place} AS place
        FROM now {joined} LEFT JOIN {table} AS leaf
            ON leaf.game = now.game AND leaf.{place} > {before.format(count, 0)} AND leaf.{place} <= now.{count}
        """
        for table, place, count, running in (
            ("events", "position", "length", "hash"),
            ("receipts", "number", "receipts", "receipts_hash"),
        )
    )
    return f"""
    CREATE FUNCTION sottovoce_head_{event}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    DECLARE
        step record;
        reached bytea;
    BEGIN
        IF EXISTS (SELECT FROM now WHERE {also}) THEN
            RAISE EXCEPTION '{_FOLLOWS}' USING ERRCODE = 'restrict_violation';
        END IF;
        FOR step IN
            SELECT parts.*, row_number() OVER (PARTITION BY id, kind ORDER BY place) AS nth,
                count(place) OVER (PARTITION BY id, kind) AS counted
            FROM ({parts}) AS parts ORDER BY id, kind, place
        LOOP
            IF step.nth = 1 THEN
                reached := step.running;
            END IF;
            IF step.leaf IS NOT NULL THEN
                reached := sha256('\\x01'::bytea || reached || step.leaf);
            END IF;
            IF step.counted <> step.many OR step.nth >= step.counted AND reached <> step.told THEN
                RAISE EXCEPTION '{_FOLLOWS}' USING ERRCODE = 'restrict_violation';
            END IF;
        END LOOP;
        RETURN NULL;
    END $$
    """


POSTGRESQL_TRIGGERS = (
    "SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)",
    _held("begins", "{1}", "", "now.taken_over <> 0"),
    _held("grows", "was.{0}", "JOIN was ON was.id = now.id"),
    """
    CREATE TRIGGER heads_begin AFTER INSERT ON heads REFERENCING NEW TABLE AS now
    FOR EACH STATEMENT EXECUTE FUNCTION sottovoce_head_begins()
    """,
    """
    CREATE TRIGGER heads_grow AFTER UPDATE ON heads REFERENCING OLD TABLE AS was NEW TABLE AS now
    FOR EACH STATEMENT EXECUTE FUNCTION sottovoce_head_grows()
    """,
    "ALTER TABLE heads ENABLE ALWAYS TRIGGER heads_begin",
    "ALTER TABLE heads ENABLE ALWAYS TRIGGER heads_grow",
)

TRIGGERS: dict[str, tuple[str, ...]] = {"sqlite": (), "postgresql": POSTGRESQL_TRIGGERS}


def upgrade() -> None:
    for trigger in TRIGGERS[op.get_context().dialect.name]:
        op.execute(trigger)
