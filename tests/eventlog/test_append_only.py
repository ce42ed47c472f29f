"""No SQL can change what was appended."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sottovoce.eventlog.log import EventLog, Receipt, Write
from sottovoce.eventlog.verify import verify

AT = datetime(2026, 7, 1, tzinfo=UTC)
VALUES = "game, position, append, name, at, actor, audience, cause, body, salt, hash"
COPY = "append, name, at, actor, audience, cause, body, salt, hash FROM events WHERE position = 2"

ATTEMPTS = [
    "UPDATE events SET body = x'00'",
    "UPDATE events SET body = body WHERE position = 2",
    "UPDATE OR REPLACE events SET position = 1 WHERE position = 2",
    "UPDATE OR IGNORE events SET position = 9 WHERE position = 3",
    "DELETE FROM events",
    "DELETE FROM events WHERE position = 3",
    f"INSERT OR REPLACE INTO events ({VALUES}) SELECT game, 1, {COPY}",
    f"INSERT OR REPLACE INTO events ({VALUES}) SELECT game, 3, {COPY}",
    f"REPLACE INTO events ({VALUES}) SELECT game, position, {COPY}",
    f"INSERT OR REPLACE INTO events (id, {VALUES}) SELECT id, game, 4, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, position, {COPY} ON CONFLICT DO UPDATE SET body = x'00'",
    f"INSERT INTO events ({VALUES}) SELECT game, 5, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, 0, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, -1, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT 'new', 2, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, NULL, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT NULL, 1, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, 4, append, 7, 'soon', actor, audience, cause, body, salt, hash "
    "FROM events WHERE position = 2",
    "UPDATE receipts SET data = '{}'",
    "DELETE FROM receipts",
    "INSERT OR REPLACE INTO receipts (game, number, name, at, seat, data) VALUES ('g', 1, 'n', 0, 'Ada', '{}')",
    "INSERT INTO receipts (game, number, name, at, seat, data) VALUES ('g', 3, 'n', 0, 'Ada', '{}')",
    "UPDATE blocks SET text = x'00'",
    "DELETE FROM blocks",
    "INSERT OR REPLACE INTO blocks (digest, text) SELECT digest, x'00' FROM blocks",
    "INSERT OR REPLACE INTO blocks (rowid, digest, text) SELECT rowid, x'01', x'00' FROM blocks",
    "DELETE FROM heads",
    "UPDATE heads SET length = length - 1",
    "UPDATE heads SET secret = x'00'",
    "UPDATE heads SET game = 'other'",
    "INSERT OR REPLACE INTO heads (game, length, hash, secret, created, receipts) VALUES ('g', 9, x'', x'', 0, 0)",
    "INSERT OR REPLACE INTO heads (id, game, length, hash, secret, created, receipts) "
    "SELECT id, 'other', 9, x'', x'', 0, 0 FROM heads",
]


@pytest.fixture
def filled(path: Path, opened: Callable[..., EventLog], write: Callable[..., Write]) -> Any:
    log = opened(path)
    log.commit([write(count=3, receipts=(Receipt("core.handed-over.v1", AT, "Ada", {}, ("You are Ada.",)),))])
    return log


def everything(path: Path) -> Any:
    with closing(sqlite3.connect(path)) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table}").fetchall()
            for table in ("events", "receipts", "blocks", "heads")
        }


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_raw_sql_changes_nothing(filled: EventLog, path: Path, attempt: Any) -> None:
    before = everything(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(attempt)
    assert everything(path) == before
    assert verify(filled, "g").ok


def test_recursive_triggers_open_no_way_round(filled: EventLog, path: Path) -> None:
    before = everything(path)
    with closing(sqlite3.connect(path)) as connection:
        for setting in ("ON", "OFF"):
            connection.execute(f"PRAGMA recursive_triggers = {setting}")
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(f"REPLACE INTO events ({VALUES}) SELECT game, position, {COPY}")
    assert everything(path) == before
