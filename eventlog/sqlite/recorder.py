"""The `eventsourcing` library's recorder for SQLite over the table `events`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor

from sottovoce.eventlog.decoding import EVENT
from sottovoce.eventlog.log import StoredRow
from sottovoce.eventlog.notification import bare_row
from sottovoce.eventlog.recorder import Of, RowRecorder
from sottovoce.eventlog.sqlite.datastore import LogDatastore

INSERT = f"INSERT INTO events ({EVENT}) VALUES ({', '.join('?' * len(StoredRow._fields))})"


class EventRecorder(RowRecorder, SQLiteApplicationRecorder):
    """See `RowRecorder`. The log itself appends with `sottovoce.eventlog.sqlite.batch`."""

    datastore: LogDatastore

    def construct_create_table_statements(self) -> list[str]:
        """Return nothing: the migrations own the schema."""
        return []

    def _insert_events(self, c: SQLiteCursor, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        ids = []
        for stored in stored_events:
            c.execute(INSERT, bare_row(stored))
            ids.append(c.lastrowid)
        return ids

    def _fetch(self, statement: str, values: Sequence[Any] = (), of: Of | None = None) -> list[Any]:
        with self.datastore.read() as cursor:
            return cursor.execute(statement, values).fetchall()
