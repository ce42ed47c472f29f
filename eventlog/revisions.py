"""The revisions of a log's schema, and what every backend does about them. The schema belongs to the migrations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sottovoce.eventlog.errors import NewerSchema, OlderSchema

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy.engine import Engine

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
"""Every revision of the schema that this version knows, oldest first; kept here so that opening needs no alembic."""


def require_current(revision: str | None, place: object, url: str | None = None) -> None:
    """OlderSchema or NewerSchema unless this is the revision that this version works with."""
    if revision == REVISIONS[-1]:
        return
    if revision is None or revision in REVISIONS:
        url = url or f"sqlite:///{place}"
        raise OlderSchema(f"{place} was written by an earlier version; run: sottovoce --db {url} db upgrade")
    raise NewerSchema(f"{place} was written by a later version (schema {revision}). Install that version")


def run_migrations(engine: Engine) -> None:
    """Run what the database of this engine lacks; whether in one transaction is the engine's matter."""
    from alembic import command

    config = configuration()
    with engine.connect() as opened:
        config.attributes["connection"] = opened
        command.upgrade(config, "head")


def configuration() -> Config:
    """Where alembic finds the migrations."""
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
"""For events and for receipts, the games that have another number of them than their heads say, with both numbers."""


def contradiction(table: str, game: str, count: int, told: int) -> str:
    """The finding for one row of `CONTRADICTIONS`."""
    return f"Game {game} has {count} {table} and a head of {told}; run: sottovoce audit verify {game}"
