"""The `eventsourcing` library's recorder over the table `events` in PostgreSQL, for the library's own followers.

It is built on the library's abstract recorder: its PostgreSQL one brings a connection pool, composite types and a table
lock that needs the right to delete, and nothing of it would be left here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn
from uuid import UUID

import psycopg
from eventsourcing.persistence import ApplicationRecorder, IntegrityError, StoredEvent

from eventlog.decoding import EVENT
from eventlog.notification import EventNotification, bare_row
from eventlog.postgres.batch import CHANNEL, PARTS, Row
from eventlog.postgres.sessions import Connection, Session, fetched, round_trip

SELECT = f"SELECT {EVENT} FROM events WHERE game = %b AND position > %b AND position <= %b ORDER BY position"
_LIBRARY = "game, position, name, body"
# By id alone: to go through the games in their order would be to go through all events there are.
_NEWS = """
    WITH fresh AS MATERIALIZED (SELECT game, position, id FROM events WHERE id > %b)
    SELECT game, max(position), max(id) FROM fresh GROUP BY game
"""
_ANNOUNCE = f"SELECT pg_notify('{CHANNEL}', %b::text)"


class EventRecorder(ApplicationRecorder):
    """Games are originators, positions their versions, stored names the topics, and bodies the states.

    As with the recorder for SQLite, an event inserted through the library gets an empty envelope and lies beyond its
    game's head. `saw` is told the highest id of every insertion.
    """

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

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """The bodies of one game at positions gt < p <= lte."""
        bounds = [("game = %b", str(originator_id)), ("position > %b", gt), ("position <= %b", lte)]
        order = "position DESC" if desc else "position"
        return [StoredEvent(*row) for row in self._select(bounds, order, limit)]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[EventNotification]:
        """Events of all games in the order of their commits, numbered upwards; the numbers may have gaps.

        An id once passed is never filled in later: the lock that every insertion takes is held until the commit.
        """
        first = "id >= %b" if inclusive_of_start else "id > %b"
        bounds = [(first, start), ("id <= %b", stop), ("name = ANY(%b)", list(topics) or None)]
        return [EventNotification.of(row) for row in self._select(bounds, "id", limit, f"id, {EVENT}")]

    def select_rows(self, game: str, after: int, upto: int) -> list[Row]:
        """The rows of one game at positions after < p <= upto: what the log decodes."""
        return self._fetch(SELECT, (game, after, upto))

    def select_news(self, after: int) -> list[Row]:
        """The games that were appended to since that id, with their last position and id, and no event of them."""
        return self._fetch(_NEWS, (after,))

    def max_notification_id(self) -> int | None:
        """The highest id, None where there are no events."""
        highest: int | None = self._fetch("SELECT max(id) FROM events", [])[0][0]
        return highest

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> NoReturn:
        """Not offered: follow with `select_notifications`, whenever the log's `version` has changed."""
        raise NotImplementedError(self.subscribe.__doc__)

    def _select(
        self, bounds: Sequence[tuple[str, Any]], order: str, limit: int | None, columns: str = _LIBRARY
    ) -> list[Row]:
        given = [(clause, bound) for clause, bound in bounds if bound is not None]
        where = f" WHERE {' AND '.join(clause for clause, _ in given)}" if given else ""
        statement = f"SELECT {columns} FROM events{where} ORDER BY {order} LIMIT %b"
        return self._fetch(statement, [*(bound for _, bound in given), limit])

    def _fetch(self, statement: str, values: Sequence[Any]) -> list[Row]:
        return self._asking.run(lambda connection: fetched(connection, statement, values))
