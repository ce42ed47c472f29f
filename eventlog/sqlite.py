"""The log in one SQLite file. Several processes may use it at once; one writes at a time."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_json

from domain.errors import SottovoceError
from domain.events import Recorded
from eventlog.datastore import LogDatastore
from eventlog.decoding import decoded, due_of, receipt_of
from eventlog.envelope import (
    SECRET_BYTES,
    START,
    running_hash,
    to_micros,
)
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
    StoredRow,
    TurnChange,
    Write,
)
from eventlog.recorder import SELECT, SELECT_RAW, EventRecorder, insert_rows
from eventlog.registry import Registry
from eventlog.sealing import append_id, seal

_NO_LIMIT = 2**63 - 1

_DUE = "game, seat, turn, attempt, opened_at, expires, worker, epoch, leased_until"
_SELECT_HEAD = "SELECT length, hash, secret, receipts FROM heads WHERE game = ?"
_INSERT_HEAD = "INSERT INTO heads (length, hash, receipts, game, secret, created) VALUES (?,?,?,?,?,?)"
_UPDATE_HEAD = "UPDATE heads SET length = ?, hash = ?, receipts = ? WHERE game = ?"
_OPEN_TURN = (
    "INSERT INTO turns (game, seat, turn, attempt, opened_at, expires, worker, epoch, leased_until)"
    " VALUES (?,?,?,?,?,?,?,?,?)"
)
_RETRY_TURN = (
    "UPDATE turns SET attempt = ?, expires = ?, worker = ?, leased_until = ?, epoch = epoch + 1"
    " WHERE game = ? AND seat = ? AND turn = ? AND epoch = coalesce(?, epoch)"
)
_CLOSE_TURN = "DELETE FROM turns WHERE game = ? AND seat = ? AND turn = ? AND epoch = coalesce(?, epoch)"
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
_INSERT_RECEIPT = "INSERT INTO receipts (game, number, name, at, seat, data, blocks) VALUES (?,?,?,?,?,?,?)"
_SELECT_RECEIPTS = "SELECT game, number, name, at, seat, data, blocks FROM receipts WHERE game = ?"
_FIND_BLOCK = "SELECT 1 FROM blocks WHERE digest = ?"
_INSERT_BLOCK = "INSERT INTO blocks (digest, text) VALUES (?,?)"


class _Tally(NamedTuple):
    length: int
    hash: bytes
    secret: bytes
    receipts: int


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
            return [self._attempt(cursor, write) for write in writes]

    def _attempt(self, cursor: sqlite3.Cursor, write: Write) -> Outcome:
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
        found = cursor.execute(_SELECT_HEAD, (write.game,)).fetchone()
        tally = _Tally(*found) if found else _Tally(0, START, os.urandom(SECRET_BYTES), 0)
        if write.expected != tally.length and (write.drafts or write.stored):
            earlier = self._earlier(cursor, write)
            return Appended(earlier) if earlier else Conflict(tally.length)
        for change in write.turns:
            if not _change_turn(cursor, write, change):
                return LeaseLost(change.seat, change.turn)
        sealed = seal(self._registry, write, tally.secret)
        if sealed:
            insert_rows(cursor, [row for _, row in sealed])
        if write.receipts:
            _insert_receipts(cursor, write, tally.receipts + 1)
        values = (
            tally.length + len(sealed),
            running_hash(tally.hash, [row.hash for _, row in sealed]),
            tally.receipts + len(write.receipts),
            write.game,
        )
        if found:
            cursor.execute(_UPDATE_HEAD, values)
        else:
            cursor.execute(_INSERT_HEAD, (*values, tally.secret, to_micros(write.at)))
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
            found = connection.execute(SELECT_RAW, (game,)).fetchall()
        return map(StoredRow._make, found)

    def games(self) -> list[str]:
        """See `EventLog.games`."""
        return [game for (game,) in self._fetch("SELECT game FROM heads ORDER BY id")]

    def head(self, game: str) -> Head | None:
        """See `EventLog.head`."""
        found = self._fetch(_SELECT_HEAD, (game,))
        return Head(found[0][0], found[0][1]) if found else None

    def receipts(self, game: str, seat: str | None = None) -> list[RecordedReceipt]:
        """See `EventLog.receipts`."""
        if seat is None:
            rows = self._fetch(f"{_SELECT_RECEIPTS} ORDER BY number", (game,))
        else:
            rows = self._fetch(f"{_SELECT_RECEIPTS} AND seat = ? ORDER BY number", (game, seat))
        return [receipt_of(row) for row in rows]

    def block(self, digest: str) -> str:
        """See `EventLog.block`."""
        try:
            key = bytes.fromhex(digest)
        except ValueError:
            raise KeyError(digest) from None
        found = self._fetch("SELECT text FROM blocks WHERE digest = ?", (key,))
        if not found:
            raise KeyError(digest)
        return zlib.decompress(found[0][0]).decode()

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


def _change_turn(cursor: sqlite3.Cursor, write: Write, change: TurnChange) -> bool:
    expires = None if change.expires is None else to_micros(change.expires)
    until = None if change.leased_until is None else to_micros(change.leased_until)
    which = (write.game, change.seat, change.turn)
    if change.what == "open":
        epoch = int(change.worker is not None)
        opened_at = to_micros(write.at)
        cursor.execute(_OPEN_TURN, (*which, change.attempt, opened_at, expires, change.worker, epoch, until))
        return True
    if change.what == "retry":
        values = (change.attempt, expires, change.worker, until, *which, change.epoch)
        return cursor.execute(_RETRY_TURN, values).rowcount == 1
    return cursor.execute(_CLOSE_TURN, (*which, change.epoch)).rowcount == 1


def _insert_receipts(cursor: sqlite3.Cursor, write: Write, first: int) -> None:
    rows = []
    for number, receipt in enumerate(write.receipts, first):
        digests = b"".join([_keep(cursor, block) for block in receipt.blocks]) or None
        data = to_json(receipt.data).decode()
        rows.append((write.game, number, receipt.name, to_micros(receipt.at), receipt.seat, data, digests))
    cursor.executemany(_INSERT_RECEIPT, rows)


def _keep(cursor: sqlite3.Cursor, block: str) -> bytes:
    """Store a text unless it is there, and give its digest."""
    text = block.encode()
    digest = sha256(text).digest()
    if cursor.execute(_FIND_BLOCK, (digest,)).fetchone() is None:
        cursor.execute(_INSERT_BLOCK, (digest, zlib.compress(text)))
    return digest
