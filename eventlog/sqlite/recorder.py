"""The `eventsourcing` library's recorder over the table `events`.

Its followers read by `select_notifications`: events of all games in the order of their commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from eventsourcing.persistence import Notification, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor

from domain.audience import NOBODY
from eventlog.envelope import SALT_BYTES, audience_text, envelope, leaf_hash
from eventlog.log import StoredRow
from eventlog.sqlite.batch import INSERT

_LIBRARY = "id, game, position, name, body"


class EventRecorder(SQLiteApplicationRecorder):
    """Games are originators, positions their versions, stored names the topics, and bodies the states.

    An event inserted through the library has no decision behind it: it gets an empty envelope, seen by nobody, and does
    not move the game's head, so that `audit verify` reports it. The log itself appends by `eventlog.sqlite.batch`.
    """

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
            StoredEvent(row[1], row[2], row[3], row[4])
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
    ) -> Sequence[Notification]:
        """Events of all games in the order of their commits, numbered upwards; the numbers may have gaps."""
        where: list[str] = []
        values: list[str] = []
        if topics:
            where.append(f"name IN ({','.join('?' * len(topics))})")
            values += topics
        bounds = (("id >= ?" if inclusive_of_start else "id > ?", start), ("id <= ?", stop))
        return [
            Notification(row[1], row[2], row[3], row[4], id=row[0])
            for row in self._select(where, values, bounds, "id", False, limit)
        ]

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
    ) -> list[Any]:
        given = [(clause, bound) for clause, bound in bounds if bound is not None]
        clauses = where + [clause for clause, _ in given]
        statement = f"SELECT {_LIBRARY} FROM events"
        if clauses:
            statement += f" WHERE {' AND '.join(clauses)}"
        statement += f" ORDER BY {order} {'DESC' if desc else 'ASC'} LIMIT ?"
        with self.datastore.transaction(commit=False) as c:
            c.execute(statement, (*values, *(bound for _, bound in given), -1 if limit is None else limit))
            rows: list[Any] = c.fetchall()
            return rows


def bare_row(stored: StoredEvent) -> StoredRow:
    """The row of an event that has no decision behind it: an empty envelope, seen by nobody."""
    row = StoredRow(
        game=str(stored.originator_id),
        position=stored.originator_version,
        append="",
        name=stored.topic,
        at=0,
        actor=None,
        audience=audience_text(NOBODY),
        cause=None,
        body=stored.state,
        salt=bytes(SALT_BYTES),
        hash=b"",
    )
    return row._replace(hash=leaf_hash(row.salt, envelope(*row[:9])))
