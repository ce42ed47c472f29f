"""The log in one SQLite file. Several processes may use it at once; one writes at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from eventlog.decision import Decision, Found, asked, decide, refused
from eventlog.decoding import TURN, due_of
from eventlog.envelope import to_micros
from eventlog.links import mended
from eventlog.log import Due, Execute, Outcome, StoredReceipt, StoredRow, Write
from eventlog.recorder import Of
from eventlog.registry import Registry
from eventlog.sqlite import inspection
from eventlog.sqlite.batch import found, store
from eventlog.sqlite.datastore import LogDatastore
from eventlog.sqlite.foresight import Foresight
from eventlog.sqlite.recorder import EventRecorder
from eventlog.stored import StoredLog

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


class SqliteLog(StoredLog):
    """An `EventLog` in a file whose schema is up to date.

    `datastore` is the way to the file for whatever else is kept in it: `datastore.write()` is a durable transaction
    under the lock, `datastore.read()` reads what is committed.
    """

    blocking = True

    def __init__(self, datastore: LogDatastore, registry: Registry) -> None:
        self.datastore = datastore
        self._registry = registry
        self._foresight = Foresight(registry, datastore)
        self.recorder = EventRecorder(datastore)

    @property
    def path(self) -> Path:
        """The file."""
        return self.datastore.path

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """See `EventLog.commit`."""
        if not writes:
            return []
        foreseen = self._foresight.decide(writes)
        with self.datastore.write() as cursor:
            if foreseen is not None:
                try:
                    return self._stored(cursor, *foreseen)
                except sqlite3.IntegrityError:
                    _again(cursor)
            try:
                return self._store(cursor, writes)
            except sqlite3.IntegrityError:
                _again(cursor)
                return [self._store_alone(cursor, write) for write in writes]

    def commit_at_once(self, writes: Sequence[Write]) -> list[Outcome] | None:
        """See `EventLog.commit_at_once`."""
        with self.datastore.unlocked() as unlocked:
            return self.commit(writes) if unlocked else None

    def _store(self, cursor: sqlite3.Cursor, writes: Sequence[Write]) -> list[Outcome]:
        known = found(cursor, self._registry, asked(writes))
        return self._stored(cursor, decide(self._registry, writes, known), known)

    def _stored(self, cursor: sqlite3.Cursor, decision: Decision, known: Found) -> list[Outcome]:
        store(cursor, decision, known)
        self._foresight.learn(decision, known)
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

    def rows(self, game: str) -> Iterator[StoredRow]:
        """See `EventLog.rows`."""
        with self.datastore.raw() as connection:
            return iter(inspection.event_rows(connection, game))

    def games(self, beginning: str = "", limit: int | None = None) -> list[str]:
        """See `EventLog.games`."""
        bounds = (beginning, beginning + chr(0x10FFFF), -1 if limit is None else limit)
        found = self._fetch("SELECT game FROM heads WHERE game >= ? AND game < ? ORDER BY id LIMIT ?", bounds)
        return [game for (game,) in found]

    @contextmanager
    def tables(self, *, commit: bool = False) -> Iterator[Execute]:
        """See `EventLog.tables`."""
        with self.datastore.write() if commit else self.datastore.read() as cursor:
            yield lambda statement, values=(): cursor.execute(statement, values).fetchall()

    def receipt_rows(self, game: str) -> Iterator[StoredReceipt]:
        """See `EventLog.receipt_rows`."""
        with self.datastore.raw() as connection:
            return iter(inspection.receipt_rows(connection, game))

    def mend_links(self) -> int:
        """See `EventLog.mend_links`."""
        with self.tables(commit=True) as run:
            return mended(run)

    def flaws(self) -> list[str]:
        """See `EventLog.flaws`."""
        with self.datastore.raw() as connection:
            return list(inspection.flaws(connection))

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

    def _fetch(self, statement: str, values: Sequence[Any] = (), of: Of | None = None) -> list[Any]:
        with self.datastore.read() as cursor:
            return cursor.execute(statement, values).fetchall()

    def _text(self, digest: bytes) -> bytes | None:
        with self.datastore.read() as cursor:
            return inspection.text(cursor.connection, digest)


def _again(cursor: sqlite3.Cursor) -> None:
    """Begin the transaction anew, with nothing of what it did."""
    cursor.execute("ROLLBACK")
    cursor.execute("BEGIN IMMEDIATE")
