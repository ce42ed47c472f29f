"""The revisions of a log's schema, and what all backends do about them. The migrations own the schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sottovoce.eventlog.errors import NewerSchema, OlderSchema

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy.engine import Engine

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
"""Every schema revision that this version knows, oldest first.

It is listed here so that opening a log needs no alembic.
"""


def require_current(revision: str | None, place: object, url: str | None = None) -> None:
    """Raise OlderSchema or NewerSchema unless this is the revision that this version works with."""
    if revision == REVISIONS[-1]:
        return
    if revision is None or revision in REVISIONS:
        url = url or f"sqlite:///{place}"
        raise OlderSchema(f"{place} was written by an earlier version; run: sottovoce --db {url} db upgrade")
    raise NewerSchema(f"{place} was written by a later version (schema {revision}). Install that version")


def run_migrations(engine: Engine) -> None:
    """Run the missing migrations. The engine decides whether in one transaction."""
    from alembic import command

    config = configuration()
    with engine.connect() as opened:
        config.attributes["connection"] = opened
        command.upgrade(config, "head")


def configuration() -> Config:
    """Return where alembic finds the migrations."""
    from alembic.config import Config

    from sottovoce import migrations

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    return config


CONTRADICTIONS = {
    table: f"""
        SELECT game, CAST(sum(counted) AS bigint), CAST(sum(told) AS bigint) FROM (
            SELECT game, 0 AS counted, {column} AS told FROM heads
            UNION ALL SELECT game, count(*), 0 FROM {table} GROUP BY game
        ) AS counts GROUP BY game HAVING coalesce(sum(counted) <> sum(told), true) ORDER BY game
    """
    for table, column in (("events", "length"), ("receipts", "receipts"))
}
"""Return games whose number of events or receipts differs from their head, with both numbers."""


def contradiction(table: str, game: str, count: int, told: int) -> str:
    """Return the finding for one row of `CONTRADICTIONS`."""
    return f"Game {game} has {count} {table} and a head of {told}; run: sottovoce audit verify {game}"
