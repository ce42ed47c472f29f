"""A log in one SQLite file. Several processes can use it at once; one writes at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sottovoce.eventlog.decision import Decision, ReadResult, asked, decide, refused
from sottovoce.eventlog.decoding import TURN, due_of
from sottovoce.eventlog.durations import Durations
from sottovoce.eventlog.envelope import to_micros
from sottovoce.eventlog.heads import made
from sottovoce.eventlog.kept import Kept
from sottovoce.eventlog.leases import FREE, free_at
from sottovoce.eventlog.log import Due, Execute, Mended, Outcome, StoredHead, StoredReceipt, StoredRow, Write
from sottovoce.eventlog.rebuild import mended
from sottovoce.eventlog.recorder import Of
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sql_log import SqlLog
from sottovoce.eventlog.sqlite import inspection
from sottovoce.eventlog.sqlite.batch import found, store
from sottovoce.eventlog.sqlite.datastore import LogDatastore
from sottovoce.eventlog.sqlite.losses import told_later
from sottovoce.eventlog.sqlite.optimistic import OptimisticDecider
from sottovoce.eventlog.sqlite.recorder import EventRecorder

_LEASE_TURN = (
    "UPDATE turns SET worker = ?, leased_until = ?, epoch = epoch + 1"
    " WHERE game = ? AND seat = ? AND turn = ?"
    f" AND {FREE} RETURNING {TURN}"
)
_RELEASE_TURN = (
    "UPDATE turns SET worker = NULL, leased_until = NULL"
    " WHERE game = ? AND seat = ? AND turn = ? AND epoch = ? AND worker IS NOT NULL"
)
_RENEW_TURNS = "UPDATE turns SET leased_until = ? WHERE worker = ?"


class SqliteLog(SqlLog):
    """An `EventLog` in a file whose schema is up to date.

    `datastore` gives access to the file for other data in it: `datastore.write()` is a durable transaction under the
    lock, `datastore.read()` reads what is committed.
    """

    blocking = True

    def __init__(self, datastore: LogDatastore, registry: Registry) -> None:
        self.datastore = datastore
        self._registry = registry
        self._foresight = OptimisticDecider(registry, datastore)
        self.recorder = EventRecorder(datastore)

    @property
    def waits(self) -> Durations:
        """See `EventLog.waits`."""
        return self.datastore.lock.waits

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.datastore.path

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """See `EventLog.commit`."""
        if not writes:
            return []
        foreseen = self._foresight.decide(writes)
        with self.datastore.locked():
            with self.datastore.write() as cursor:
                outcomes, heads = self._committed(cursor, writes, foreseen)
            self.datastore.acknowledged.note(heads)
        return outcomes

    def commit_at_once(self, writes: Sequence[Write]) -> list[Outcome] | None:
        """See `EventLog.commit_at_once`."""
        with self.datastore.unlocked() as unlocked:
            return self.commit(writes) if unlocked else None

    def _committed(
        self, cursor: sqlite3.Cursor, writes: Sequence[Write], foreseen: tuple[Decision, ReadResult] | None
    ) -> tuple[list[Outcome], list[StoredHead]]:
        """Return the outcomes of the writes, and the heads after them."""
        if foreseen is not None:
            try:
                return self._stored(cursor, *foreseen)
            except sqlite3.IntegrityError:
                _again(cursor)
        try:
            return self._store(cursor, writes)
        except sqlite3.IntegrityError:
            _again(cursor)
        alone = [self._store_alone(cursor, write) for write in writes]
        return [outcome for outcome, _ in alone], [head for _, heads in alone for head in heads]

    def _store(self, cursor: sqlite3.Cursor, writes: Sequence[Write]) -> tuple[list[Outcome], list[StoredHead]]:
        known = found(cursor, self._registry, asked(writes))
        return self._stored(cursor, decide(self._registry, writes, known), known)

    def _stored(
        self, cursor: sqlite3.Cursor, decision: Decision, known: ReadResult
    ) -> tuple[list[Outcome], list[StoredHead]]:
        store(cursor, decision, known)
        self._foresight.learn(decision, known)
        return decision.outcomes, decision.grown + decision.begun

    def _store_alone(self, cursor: sqlite3.Cursor, write: Write) -> tuple[Outcome, list[StoredHead]]:
        """Do the same for one write, when the file does not take all of them."""
        cursor.execute("SAVEPOINT one_write")
        heads: list[StoredHead] = []
        try:
            (outcome,), heads = self._store(cursor, [write])
        except sqlite3.IntegrityError as error:
            cursor.execute("ROLLBACK TO one_write")
            outcome = refused(write.game, error)
        cursor.execute("RELEASE one_write")
        return outcome, heads

    @property
    def notices(self) -> Sequence[str]:
        """See `EventLog.notices`."""
        return self.datastore.notices

    def acknowledged(self) -> Mapping[str, Sequence[Kept]]:
        """See `EventLog.acknowledged`."""
        return self.datastore.acknowledged.read()

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

    def rebuild(self, at: datetime) -> Mended:
        """See `EventLog.rebuild`."""
        with self.tables(commit=True) as run:
            return mended(run, self._registry, at)

    def rebuild_head(self, game: str) -> None:
        """See `EventLog.rebuild_head`."""
        with self.tables(commit=True) as run:
            guards = run("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'heads'")
            for name, _ in guards:
                run(f'DROP TRIGGER "{name}"')
            made(run, game)
            for _, guard in guards:
                run(guard)

    def flaws(self) -> list[str]:
        """See `EventLog.flaws`."""
        with self.datastore.raw() as connection:
            return [*inspection.flaws(connection), *told_later(self.datastore.acknowledged)]

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
                leased += cursor.execute(_LEASE_TURN, (worker, end, game, seat, turn, *free_at(now))).fetchall()
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
    """Restart the transaction, without anything it did."""
    cursor.execute("ROLLBACK")
    cursor.execute("BEGIN IMMEDIATE")
