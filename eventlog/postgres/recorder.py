"""The `eventsourcing` library's recorder over the table `events` in PostgreSQL.

It extends the library's abstract recorder. The library's PostgreSQL recorder brings a connection pool, composite types
and a table lock that needs the right to delete; none of that would be used here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from eventsourcing.persistence import IntegrityError, StoredEvent

from sottovoce.eventlog.notification import bare_row
from sottovoce.eventlog.postgres.batch import PARTS, Row
from sottovoce.eventlog.postgres.flush import BEGIN, COMMIT, PUBLISH
from sottovoce.eventlog.postgres.reads import DurableReads
from sottovoce.eventlog.postgres.sessions import Connection, Session, round_trip
from sottovoce.eventlog.recorder import Of, RowRecorder


class EventRecorder(RowRecorder):
    """See `RowRecorder`. It passes the highest ID of every insertion to `saw`."""

    durable = " AND id <= (SELECT last_value FROM flushed)"

    def __init__(self, writing: Session, reads: DurableReads, saw: Callable[[int], None]) -> None:
        self._writing = writing
        self._reads = reads
        self._saw = saw

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Add events in one transaction and return their IDs.

        Raises IntegrityError if they do not follow the last position.
        """
        if not stored_events:
            return []
        rows = [bare_row(stored) for stored in stored_events]

        def work(connection: Connection) -> list[int]:
            part = PARTS["events"]
            try:
                inserted = round_trip(connection, [BEGIN, (part.sql, part.values(rows)), COMMIT, *PUBLISH])[1]
            except psycopg.IntegrityError as error:
                raise IntegrityError(error) from error
            return [id for (id,) in inserted.fetchall()]

        ids = self._writing.run(work)
        self._saw(max(ids))
        return ids

    def _fetch(self, statement: str, values: Sequence[Any] = (), of: Of | None = None) -> list[Row]:
        return self._reads.fetch(statement, values, of)

    def _fetch_durable(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._reads.fetch_durable(statement, values)
