"""The log in one SQLite file. Several processes may use it at once; one writes at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from domain.errors import SottovoceError
from domain.events import Recorded
from eventlog import inspection
from eventlog.datastore import LogDatastore
from eventlog.decoding import SELECT_BATCHES, batches_in, decoded, due_of, receipt_of, text_of
from eventlog.envelope import to_micros
from eventlog.errors import DamagedLog
from eventlog.log import (
    Appended,
    Conflict,
    Due,
    Failed,
    Head,
    LeaseLost,
    Outcome,
    RecordedReceipt,
    StoredReceipt,
    StoredRow,
    Write,
)
from eventlog.recorder import SELECT, EventRecorder, insert_rows
from eventlog.registry import Registry
from eventlog.sealing import append_id, seal, seal_receipts
from eventlog.together import CHANGE_TURN, Tally, insert_receipts, store_heads, store_together, turn_row

_NO_LIMIT = 2**63 - 1

_DUE = "game, seat, turn, attempt, opened_at, expires, worker, epoch, leased_until"
_LEASE_TURN = (
    "UPDATE turns SET worker = ?, leased_until = ?, epoch = epoch + 1"
    " WHERE game = ? AND seat = ? AND turn = ? AND (worker IS NULL OR leased_until <= ?)"
    f" RETURNING {_DUE}"
)
_RELEASE_TURN = (
    "UPDATE turns SET worker = NULL, leased_until = NULL"
    " WHERE game = ? AND seat = ? AND turn = ? AND epoch = ? AND worker IS NOT NULL"
)
_RENEW_TURNS = "UPDATE turns SET leased_until = ? WHERE worker = ?"
_SELECT_HEAD = "SELECT length, hash, receipts, receipts_hash, taken_over FROM heads WHERE game = ?"
_SELECT_RECEIPTS = "SELECT game, number, name, at, seat, data, blocks, hash FROM receipts WHERE game = ?"


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
                outcomes = store_together(cursor, self._registry, writes)
            except (sqlite3.IntegrityError, SottovoceError):
                outcomes = None
            if outcomes is None:
                cursor.execute("ROLLBACK")
                cursor.execute("BEGIN IMMEDIATE")
                outcomes = [self._attempt(cursor, write) for write in writes]
            return outcomes

    def _attempt(self, cursor: sqlite3.Cursor, write: Write) -> Outcome:
        """The same for one write among others that may fail."""
        cursor.execute("SAVEPOINT one_write")
        outcome: Outcome
        try:
            outcome = self._write(cursor, write)
        except sqlite3.IntegrityError as error:
            outcome = Failed(DamagedLog(f"Game {write.game} took no write ({error}); run: sottovoce audit verify"))
        except SottovoceError as error:
            outcome = Failed(error)
        if not isinstance(outcome, Appended):
            cursor.execute("ROLLBACK TO one_write")
        cursor.execute("RELEASE one_write")
        return outcome

    def _write(self, cursor: sqlite3.Cursor, write: Write) -> Outcome:
        tally = Tally(cursor, write)
        if write.expected != tally.length and (write.drafts or write.stored):
            earlier = self._earlier(cursor, write)
            return Appended(earlier) if earlier else Conflict(tally.length)
        for change in write.turns:
            if cursor.execute(CHANGE_TURN[change.what], turn_row(write, change)).rowcount != 1:
                return LeaseLost(change.seat, change.turn)
        sealed = seal(self._registry, write, tally.secret)
        rows = [row for _, row in sealed]
        receipts, texts = seal_receipts(write, tally.receipts + 1)
        insert_rows(cursor, rows)
        insert_receipts(cursor, receipts, texts)
        tally.add(rows, receipts)
        store_heads(cursor, [tally])
        return Appended(tuple(event for event, _ in sealed))

    def _earlier(self, cursor: sqlite3.Cursor, write: Write) -> tuple[Recorded, ...]:
        """The events that this very write appended before, if it did."""
        upto = write.expected + len(write.stored or write.drafts)
        rows = cursor.execute(SELECT, (write.game, write.expected, upto)).fetchall()
        if not rows or rows[0][2] != append_id(write):
            return ()
        return tuple(decoded(self._registry, rows))

    def read(self, game: str, after: int = 0, upto: int | None = None) -> list[Recorded]:
        """See `EventLog.read`."""
        rows = self._fetch(SELECT, (game, after, _NO_LIMIT if upto is None else upto))
        return decoded(self._registry, rows)

    def rows(self, game: str) -> Iterator[StoredRow]:
        """See `EventLog.rows`."""
        with self.datastore.raw() as connection:
            return iter(inspection.event_rows(connection, game))

    def games(self) -> list[str]:
        """See `EventLog.games`."""
        return [game for (game,) in self._fetch("SELECT game FROM heads ORDER BY id")]

    def batches(self) -> dict[str, list[str]]:
        """See `EventLog.batches`."""
        return batches_in(self._fetch(SELECT_BATCHES))

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
        return [due_of(row) for row in self._fetch(f"SELECT {_DUE} FROM turns{where} ORDER BY opened_at, id", values)]

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
