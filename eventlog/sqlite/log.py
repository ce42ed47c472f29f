"""The log in one SQLite file. Several processes may use it at once; one writes at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from domain.events import Recorded
from eventlog.decision import asked, decide, refused
from eventlog.decoding import NO_LIMIT, decoded, due_of, noted, receipt_of, text_of
from eventlog.envelope import to_micros
from eventlog.links import LINK, mended
from eventlog.log import Due, Execute, Head, News, Outcome, RecordedReceipt, StoredLink, StoredReceipt, StoredRow, Write
from eventlog.registry import Registry
from eventlog.sqlite import inspection
from eventlog.sqlite.batch import RECEIPT, TURN, found, store
from eventlog.sqlite.datastore import LogDatastore
from eventlog.sqlite.recorder import EventRecorder

_LEASE_TURN = (
    "UPDATE turns SET worker = ?, leased_until = ?, epoch = epoch + 1"
    " WHERE game = ? AND seat = ? AND turn = ? AND (worker IS NULL OR leased_until <= ?)"
    f" RETURNING {TURN}"
)
_RELEASE_TURN = (
    "UPDATE turns SET worker = NULL, leased_until = NULL"
    " WHERE game = ? AND seat = ? AND turn = ? AND epoch = ? AND worker IS NOT NULL"
)
_RENEW_TURNS = "UPDATE turns SET leased_until = ? WHERE worker = ?"
_SELECT_HEAD = "SELECT length, hash, receipts, receipts_hash, taken_over FROM heads WHERE game = ?"
_SELECT_LINK = f"SELECT {LINK} FROM links WHERE digest = ? AND ended IS NULL"
_SELECT_LINKS = f"SELECT {LINK} FROM links WHERE game = ? ORDER BY number"
_SELECT_ENDINGS = "SELECT coalesce(max(ending), 0) FROM links"
_SELECT_ENDED = "SELECT ending, digest FROM links WHERE ending > ? ORDER BY ending"
_SELECT_RECEIPTS = f"SELECT {RECEIPT} FROM receipts WHERE game = ?"


class SqliteLog:
    """An `EventLog` in a file whose schema is up to date.

    `datastore` is the way to the file for whatever else is kept in it: `datastore.write()` is a durable transaction
    under the lock, `datastore.read()` reads what is committed.
    """

    blocking = True

    def __init__(self, datastore: LogDatastore, registry: Registry) -> None:
        self.datastore = datastore
        self._registry = registry
        self.recorder = EventRecorder(datastore)

    @property
    def path(self) -> Path:
        """The file."""
        return self.datastore.path

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """See `EventLog.commit`."""
        if not writes:
            return []
        with self.datastore.write() as cursor:
            try:
                return self._store(cursor, writes)
            except sqlite3.IntegrityError:
                cursor.execute("ROLLBACK")
                cursor.execute("BEGIN IMMEDIATE")
                return [self._store_alone(cursor, write) for write in writes]

    def commit_at_once(self, writes: Sequence[Write]) -> list[Outcome] | None:
        """See `EventLog.commit_at_once`."""
        with self.datastore.unlocked() as unlocked:
            return self.commit(writes) if unlocked else None

    def _store(self, cursor: sqlite3.Cursor, writes: Sequence[Write]) -> list[Outcome]:
        decision = decide(self._registry, writes, found(cursor, self._registry, asked(writes)))
        store(cursor, decision)
        return decision.outcomes

    def _store_alone(self, cursor: sqlite3.Cursor, write: Write) -> Outcome:
        """The same for one write, where the file takes not all of them."""
        cursor.execute("SAVEPOINT one_write")
        try:
            (outcome,) = self._store(cursor, [write])
        except sqlite3.IntegrityError as error:
            cursor.execute("ROLLBACK TO one_write")
            outcome = refused(write.game, error)
        cursor.execute("RELEASE one_write")
        return outcome

    def read(self, game: str, after: int = 0, upto: int | None = None) -> list[Recorded]:
        """See `EventLog.read`."""
        return decoded(self._registry, self.recorder.select_rows(game, after, NO_LIMIT if upto is None else upto))

    def rows(self, game: str) -> Iterator[StoredRow]:
        """See `EventLog.rows`."""
        with self.datastore.raw() as connection:
            return iter(inspection.event_rows(connection, game))

    def games(self, beginning: str = "", limit: int | None = None) -> list[str]:
        """See `EventLog.games`."""
        bounds = (beginning, beginning + chr(0x10FFFF), -1 if limit is None else limit)
        found = self._fetch("SELECT game FROM heads WHERE game >= ? AND game < ? ORDER BY id LIMIT ?", bounds)
        return [game for (game,) in found]

    def notifications(
        self, after: int, names: Sequence[str], upto: int | None = None, limit: int = NO_LIMIT
    ) -> list[tuple[int, Recorded]]:
        """See `EventLog.notifications`."""
        found = self.recorder.select_notifications(after, limit, upto, names, inclusive_of_start=False)
        return noted(self._registry, found)

    def newest(self) -> int:
        """See `EventLog.newest`."""
        return self.recorder.max_notification_id() or 0

    def news(self, after: int) -> News:
        """See `EventLog.news`."""
        return News.of(after, self.recorder.select_news(after))

    @contextmanager
    def tables(self, *, commit: bool = False) -> Iterator[Execute]:
        """See `EventLog.tables`."""
        with self.datastore.write() if commit else self.datastore.read() as cursor:
            yield lambda statement, values=(): cursor.execute(statement, values).fetchall()

    def head(self, game: str) -> Head | None:
        """See `EventLog.head`."""
        found = self._fetch(_SELECT_HEAD, (game,))
        return Head(*found[0]) if found else None

    def receipts(self, game: str, seat: str | None = None) -> list[RecordedReceipt]:
        """See `EventLog.receipts`."""
        if seat is None:
            rows = self._fetch(f"{_SELECT_RECEIPTS} ORDER BY number", (game,))
        else:
            rows = self._fetch(f"{_SELECT_RECEIPTS} AND seat = ? ORDER BY number", (game, seat))
        return [receipt_of(row) for row in rows]

    def receipt_rows(self, game: str) -> Iterator[StoredReceipt]:
        """See `EventLog.receipt_rows`."""
        with self.datastore.raw() as connection:
            return iter(inspection.receipt_rows(connection, game))

    def link(self, digest: bytes) -> StoredLink | None:
        """See `EventLog.link`."""
        found = self._fetch(_SELECT_LINK, (digest,))
        return StoredLink._make(found[0]) if found else None

    def links(self, game: str) -> list[StoredLink]:
        """See `EventLog.links`."""
        return [StoredLink._make(row) for row in self._fetch(_SELECT_LINKS, (game,))]

    def links_ended(self, after: int | None) -> tuple[int, list[bytes]]:
        """See `EventLog.links_ended`."""
        if after is None:
            return self._fetch(_SELECT_ENDINGS, ())[0][0], []
        found = self._fetch(_SELECT_ENDED, (after,))
        return found[-1][0] if found else after, [digest for _, digest in found]

    def mend_links(self) -> int:
        """See `EventLog.mend_links`."""
        with self.tables(commit=True) as run:
            return mended(run)

    def flaws(self) -> list[str]:
        """See `EventLog.flaws`."""
        with self.datastore.raw() as connection:
            return list(inspection.flaws(connection))

    def block(self, digest: str) -> str:
        """See `EventLog.block`."""
        try:
            key = bytes.fromhex(digest)
        except ValueError:
            raise KeyError(digest) from None
        with self.datastore.read() as cursor:
            compressed = inspection.text(cursor.connection, key)
        if compressed is None:
            raise KeyError(digest)
        return text_of(digest, compressed)

    def due(self, game: str | None = None) -> list[Due]:
        """See `EventLog.due`."""
        where, values = ("", ()) if game is None else (" WHERE game = ?", (game,))
        return [due_of(row) for row in self._fetch(f"SELECT {TURN} FROM turns{where} ORDER BY opened_at, id", values)]

    def lease(
        self, game: str, turns: Sequence[tuple[str, int]], worker: str, at: datetime, until: datetime
    ) -> list[Due]:
        """See `EventLog.lease`."""
        if not turns:
            return []
        leased = []
        now, end = to_micros(at), to_micros(until)
        with self.datastore.write() as cursor:
            for seat, turn in turns:
                leased += cursor.execute(_LEASE_TURN, (worker, end, game, seat, turn, now)).fetchall()
        return [due_of(row) for row in leased]

    def release(self, game: str, seat: str, turn: int, epoch: int) -> bool:
        """See `EventLog.release`."""
        with self.datastore.write() as cursor:
            return cursor.execute(_RELEASE_TURN, (game, seat, turn, epoch)).rowcount == 1

    def renew(self, worker: str, until: datetime) -> int:
        """See `EventLog.renew`."""
        with self.datastore.write() as cursor:
            return cursor.execute(_RENEW_TURNS, (to_micros(until), worker)).rowcount

    def version(self) -> int:
        """See `EventLog.version`."""
        number: int = self._fetch("PRAGMA data_version")[0][0]
        return number

    def close(self) -> None:
        """See `EventLog.close`."""
        self.datastore.close()

    def _fetch(self, statement: str, values: tuple[object, ...] = ()) -> list[Any]:
        with self.datastore.read() as cursor:
            return cursor.execute(statement, values).fetchall()
