"""The `eventsourcing` library's recorder over the table `events`.

Its followers read by `select_notifications`: events of all games in the order of their commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor

from eventlog.decoding import EVENT
from eventlog.log import StoredRow
from eventlog.notification import EventNotification, bare_row
from eventlog.sqlite.datastore import LogDatastore

INSERT = f"INSERT INTO events ({EVENT}) VALUES ({', '.join('?' * len(StoredRow._fields))})"
SELECT = f"SELECT {EVENT} FROM events WHERE game = ? AND position > ? AND position <= ? ORDER BY position"
_LIBRARY = "game, position, name, body"
# By id alone: to go through the games in their order would be to go through all events there are.
_NEWS = "SELECT game, max(position), max(id) FROM events NOT INDEXED WHERE id > ? GROUP BY game"


class EventRecorder(SQLiteApplicationRecorder):
    """Games are originators, positions their versions, stored names the topics, and bodies the states.

    An event inserted through the library has no decision behind it: it gets an empty envelope, seen by nobody, and does
    not move the game's head, so that `audit verify` reports it. The log itself appends by `eventlog.sqlite.batch`.
    """

    datastore: LogDatastore

    def construct_create_table_statements(self) -> list[str]:
        """None: the migrations own the schema."""
        return []

    def _insert_events(self, c: SQLiteCursor, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        ids = []
        for stored in stored_events:
            c.execute(INSERT, bare_row(stored))
            ids.append(c.lastrowid)
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
        where, values = ["game = ?"], [str(originator_id)]
        return [
            StoredEvent(*row)
            for row in self._select(
                where, values, (("position > ?", gt), ("position <= ?", lte)), "position", desc, limit
            )
        ]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[EventNotification]:
        """Events of all games in the order of their commits, numbered upwards; the numbers may have gaps."""
        where: list[str] = []
        values: list[str] = []
        if topics:
            where.append(f"name IN ({','.join('?' * len(topics))})")
            values += topics
        bounds = (("id >= ?" if inclusive_of_start else "id > ?", start), ("id <= ?", stop))
        rows = self._select(where, values, bounds, "id", False, limit, f"id, {EVENT}")
        return [EventNotification.of(row) for row in rows]

    def select_rows(self, game: str, after: int, upto: int) -> list[Any]:
        """The rows of one game at positions after < p <= upto: what the log decodes."""
        with self.datastore.read() as cursor:
            return cursor.execute(SELECT, (game, after, upto)).fetchall()

    def select_news(self, after: int) -> list[tuple[str, int, int]]:
        """The games that were appended to since that id, with their last position and id, and no event of them."""
        with self.datastore.read() as cursor:
            return cursor.execute(_NEWS, (after,)).fetchall()

    def _max_notification_id(self, c: SQLiteCursor) -> int:
        c.execute("SELECT max(id) FROM events")
        highest: int = c.fetchone()[0]
        return highest

    def _select(
        self,
        where: list[str],
        values: list[str],
        bounds: Sequence[tuple[str, int | None]],
        order: str,
        desc: bool,
        limit: int | None,
        columns: str = _LIBRARY,
    ) -> list[Any]:
        given = [(clause, bound) for clause, bound in bounds if bound is not None]
        clauses = where + [clause for clause, _ in given]
        statement = f"SELECT {columns} FROM events"
        if clauses:
            statement += f" WHERE {' AND '.join(clauses)}"
        statement += f" ORDER BY {order} {'DESC' if desc else 'ASC'} LIMIT ?"
        with self.datastore.transaction(commit=False) as c:
            c.execute(statement, (*values, *(bound for _, bound in given), -1 if limit is None else limit))
            rows: list[Any] = c.fetchall()
            return rows
