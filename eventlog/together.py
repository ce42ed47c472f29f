"""The usual commit to SQLite: writes that can all be appended as they are, stored by one statement for each table.

A savepoint and a round of statements for every write took as long again as all else that a commit does.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Collection, Sequence
from typing import Any

from eventlog.envelope import SECRET_BYTES, START, running_hash, to_micros
from eventlog.log import Appended, Outcome, StoredReceipt, StoredRow, TurnChange, Write
from eventlog.recorder import insert_rows
from eventlog.registry import Registry
from eventlog.sealing import seal, seal_receipts

_SELECT_HEAD = "SELECT length, hash, secret, receipts, receipts_hash FROM heads WHERE game = ?"
_INSERT_HEAD = (
    "INSERT INTO heads (length, hash, receipts, receipts_hash, game, secret, created, taken_over)"
    " VALUES (?,?,?,?,?,?,?,0)"
)
_UPDATE_HEAD = "UPDATE heads SET length = ?, hash = ?, receipts = ?, receipts_hash = ? WHERE game = ?"
CHANGE_TURN = {
    "open": (
        "INSERT INTO turns (game, seat, turn, attempt, opened_at, expires, worker, epoch, leased_until)"
        " VALUES (?,?,?,?,?,?,?,?,?)"
    ),
    "retry": (
        "UPDATE turns SET attempt = ?, expires = ?, worker = ?, leased_until = ?, epoch = epoch + 1"
        " WHERE game = ? AND seat = ? AND turn = ? AND epoch = coalesce(?, epoch)"
    ),
    "close": "DELETE FROM turns WHERE game = ? AND seat = ? AND turn = ? AND epoch = coalesce(?, epoch)",
}
_INSERT_RECEIPT = "INSERT INTO receipts (game, number, name, at, seat, data, blocks, hash) VALUES (?,?,?,?,?,?,?,?)"
_FIND_BLOCK = "SELECT 1 FROM blocks WHERE digest = ?"
_INSERT_BLOCK = "INSERT INTO blocks (digest, text) VALUES (?,?)"

Row = tuple[Any, ...]


class Tally:
    """A game's head as the writes so far leave it; `new` where it has none stored yet."""

    __slots__ = ("created", "game", "hash", "length", "new", "receipts", "receipts_hash", "secret")

    def __init__(self, cursor: sqlite3.Cursor, write: Write) -> None:
        self.game = write.game
        found: Row | None = cursor.execute(_SELECT_HEAD, (self.game,)).fetchone()
        self.new = found is None
        self.created = write.at
        length, running, secret, receipts, receipts_hash = found or (0, START, os.urandom(SECRET_BYTES), 0, START)
        self.length: int = length
        self.hash: bytes = running
        self.secret: bytes = secret
        self.receipts: int = receipts
        self.receipts_hash: bytes = receipts_hash

    def add(self, rows: Sequence[StoredRow], receipts: Sequence[StoredReceipt]) -> None:
        """Count the rows of one more write in."""
        self.length += len(rows)
        self.hash = running_hash(self.hash, [row.hash for row in rows])
        self.receipts += len(receipts)
        self.receipts_hash = running_hash(self.receipts_hash, [row.hash for row in receipts])

    @property
    def head(self) -> Row:
        """The values of the head, in the order of the statements that store it."""
        return self.length, self.hash, self.receipts, self.receipts_hash, self.game


def store_together(cursor: sqlite3.Cursor, registry: Registry, writes: Sequence[Write]) -> list[Outcome] | None:
    """Store writes that all succeed; None where one of them may not, and then the transaction must be undone.

    Raises what `seal` raises, and sqlite3.IntegrityError: the same holds for the transaction then.
    """
    tallies: dict[str, Tally] = {}
    touched: set[tuple[str, str, int]] = set()
    turns: dict[str, list[Row]] = {"close": [], "retry": [], "open": []}
    events: list[StoredRow] = []
    receipts: list[StoredReceipt] = []
    texts: dict[bytes, bytes] = {}
    outcomes: list[Outcome] = []
    changes = 0
    for write in writes:
        tally = tallies.get(write.game)
        if tally is None:
            tally = tallies[write.game] = Tally(cursor, write)
        if write.expected != tally.length and (write.drafts or write.stored):
            return None
        for change in write.turns:
            touched.add((write.game, change.seat, change.turn))
            turns[change.what].append(turn_row(write, change))
        changes += len(write.turns)
        sealed = seal(registry, write, tally.secret)
        rows = [row for _, row in sealed]
        events += rows
        handed, named = seal_receipts(write, tally.receipts + 1)
        receipts += handed
        texts |= named
        tally.add(rows, handed)
        outcomes.append(Appended(tuple([event for event, _ in sealed])))
    # A turn that is changed twice must see its changes in order.
    if len(touched) < changes:
        return None
    for what, rows_of_turns in turns.items():
        if rows_of_turns and cursor.executemany(CHANGE_TURN[what], rows_of_turns).rowcount != len(rows_of_turns):
            return None
    insert_rows(cursor, events)
    insert_receipts(cursor, receipts, texts)
    store_heads(cursor, tallies.values())
    return outcomes


def store_heads(cursor: sqlite3.Cursor, tallies: Collection[Tally]) -> None:
    """Write the heads as they are now, within the caller's transaction."""
    cursor.executemany(_UPDATE_HEAD, [tally.head for tally in tallies if not tally.new])
    cursor.executemany(
        _INSERT_HEAD, [(*tally.head, tally.secret, to_micros(tally.created)) for tally in tallies if tally.new]
    )


def turn_row(write: Write, change: TurnChange) -> Row:
    """The values of a turn's change, for its statement in `CHANGE_TURN`."""
    which = (write.game, change.seat, change.turn)
    if change.what == "close":
        return (*which, change.epoch)
    expires = None if change.expires is None else to_micros(change.expires)
    until = None if change.leased_until is None else to_micros(change.leased_until)
    if change.what == "open":
        epoch = int(change.worker is not None)
        return (*which, change.attempt, to_micros(write.at), expires, change.worker, epoch, until)
    return (change.attempt, expires, change.worker, until, *which, change.epoch)


def insert_receipts(cursor: sqlite3.Cursor, rows: Sequence[StoredReceipt], texts: dict[bytes, bytes]) -> None:
    """Add receipts and those of the texts they name that are not there yet, within the caller's transaction."""
    cursor.executemany(_INSERT_RECEIPT, rows)
    for digest, text in texts.items():
        if cursor.execute(_FIND_BLOCK, (digest,)).fetchone() is None:
            cursor.execute(_INSERT_BLOCK, (digest, zlib.compress(text)))
