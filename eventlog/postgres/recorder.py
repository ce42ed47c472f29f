"""The `eventsourcing` library's recorder over the table `events` in PostgreSQL.

It is built on the library's abstract recorder: its PostgreSQL one brings a connection pool, composite types and a table
lock that needs the right to delete, and nothing of it would be left here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from eventsourcing.persistence import IntegrityError, StoredEvent

from eventlog.notification import bare_row
from eventlog.postgres.batch import CHANNEL, PARTS, Row
from eventlog.postgres.sessions import Connection, Session, fetched, round_trip
from eventlog.recorder import RowRecorder

_ANNOUNCE = f"SELECT pg_notify('{CHANNEL}', %b::text)"


class EventRecorder(RowRecorder):
    """See `RowRecorder`. `saw` is told the highest id of every insertion."""

    def __init__(self, writing: Session, asking: Session, saw: Callable[[int], None]) -> None:
        self._writing = writing
        self._asking = asking
        self._saw = saw

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Add events in one transaction; their ids. IntegrityError where they do not follow the last position."""
        if not stored_events:
            return []
        rows = [bare_row(stored) for stored in stored_events]

        def work(connection: Connection) -> list[int]:
            part = PARTS["events"]
            begin, commit = ("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", ()), ("COMMIT", ())
            try:
                inserted = round_trip(connection, [begin, (part.sql, part.values(rows))])[1]
            except psycopg.IntegrityError as error:
                raise IntegrityError(error) from error
            ids = [id for (id,) in inserted.fetchall()]
            round_trip(connection, [(_ANNOUNCE, [str(max(ids))]), commit])
            return ids

        ids = self._writing.run(work)
        self._saw(max(ids))
        return ids

    def _fetch(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._asking.run(lambda connection: fetched(connection, statement, values))
