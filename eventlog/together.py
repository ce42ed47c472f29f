"""The usual commit to SQLite: writes that can all be appended as they are, stored by one statement for each table.

A savepoint and a round of statements for every write took as long again as all else that a commit does.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from pydantic_core import to_json

from eventlog.envelope import SECRET_BYTES, START, running_hash, to_micros
from eventlog.log import Appended, Outcome, StoredRow, TurnChange, Write
from eventlog.recorder import insert_rows
from eventlog.registry import Registry
from eventlog.sealing import seal

SELECT_HEAD = "SELECT length, hash, secret, receipts FROM heads WHERE game = ?"
INSERT_HEAD = "INSERT INTO heads (length, hash, receipts, game, secret, created) VALUES (?,?,?,?,?,?)"
UPDATE_HEAD = "UPDATE heads SET length = ?, hash = ?, receipts = ? WHERE game = ?"
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
INSERT_RECEIPT = "INSERT INTO receipts (game, number, name, at, seat, data, blocks) VALUES (?,?,?,?,?,?,?)"
_FIND_BLOCK = "SELECT 1 FROM blocks WHERE digest = ?"
_INSERT_BLOCK = "INSERT INTO blocks (digest, text) VALUES (?,?)"

Row = tuple[Any, ...]


class Tally:
    """A game's head as the writes so far leave it; `new` where it has none stored yet."""

    __slots__ = ("hash", "length", "new", "receipts", "secret")

    def __init__(self, cursor: sqlite3.Cursor, game: str) -> None:
        found: Row | None = cursor.execute(SELECT_HEAD, (game,)).fetchone()
        self.new = found is None
        length, running, secret, receipts = found or (0, START, os.urandom(SECRET_BYTES), 0)
        self.length: int = length
        self.hash: bytes = running
        self.secret: bytes = secret
        self.receipts: int = receipts

    def add(self, rows: Sequence[StoredRow], receipts: int) -> None:
        """Count the rows of one more write in."""
        self.length += len(rows)
        self.hash = running_hash(self.hash, [row.hash for row in rows])
        self.receipts += receipts


def store_together(cursor: sqlite3.Cursor, registry: Registry, writes: Sequence[Write]) -> list[Outcome] | None:
    """Store writes that all succeed; None where one of them may not, and then the transaction must be undone.

    Raises what `seal` raises, and sqlite3.IntegrityError: the same holds for the transaction then.
    """
    tallies: dict[str, Tally] = {}
    begun: dict[str, int] = {}
    touched: set[tuple[str, str, int]] = set()
    turns: dict[str, list[Row]] = {"close": [], "retry": [], "open": []}
    events: list[StoredRow] = []
    receipts: list[Row] = []
    outcomes: list[Outcome] = []
    changes = 0
    for write in writes:
        tally = tallies.get(write.game)
        if tally is None:
            tally = tallies[write.game] = Tally(cursor, write.game)
        if write.expected != tally.length and (write.drafts or write.stored):
            return None
        for change in write.turns:
            touched.add((write.game, change.seat, change.turn))
            turns[change.what].append(turn_row(write, change))
        changes += len(write.turns)
        sealed = seal(registry, write, tally.secret)
        rows = [row for _, row in sealed]
        events += rows
        receipts += receipt_rows(cursor, write, tally.receipts + 1)
        tally.add(rows, len(write.receipts))
        if tally.new:
            begun.setdefault(write.game, to_micros(write.at))
        outcomes.append(Appended(tuple([event for event, _ in sealed])))
    # A turn that is changed twice must see its changes in order.
    if len(touched) < changes:
        return None
    for what, rows_of_turns in turns.items():
        if rows_of_turns and cursor.executemany(CHANGE_TURN[what], rows_of_turns).rowcount != len(rows_of_turns):
            return None
    insert_rows(cursor, events)
    cursor.executemany(INSERT_RECEIPT, receipts)
    heads = [(tally.length, tally.hash, tally.receipts, game) for game, tally in tallies.items() if not tally.new]
    cursor.executemany(UPDATE_HEAD, heads)
    for game, created in begun.items():
        tally = tallies[game]
        cursor.execute(INSERT_HEAD, (tally.length, tally.hash, tally.receipts, game, tally.secret, created))
    return outcomes


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


def receipt_rows(cursor: sqlite3.Cursor, write: Write, first: int) -> list[Row]:
    """The rows of a write's receipts, numbered from `first`. Stores the texts they name."""
    rows: list[Row] = []
    for number, receipt in enumerate(write.receipts, first):
        digests = b"".join([_keep(cursor, block) for block in receipt.blocks]) or None
        data = to_json(receipt.data).decode()
        rows.append((write.game, number, receipt.name, to_micros(receipt.at), receipt.seat, data, digests))
    return rows


def _keep(cursor: sqlite3.Cursor, block: str) -> bytes:
    """Store a text unless it is there, and give its digest."""
    text = block.encode()
    digest = sha256(text).digest()
    if cursor.execute(_FIND_BLOCK, (digest,)).fetchone() is None:
        cursor.execute(_INSERT_BLOCK, (digest, zlib.compress(text)))
    return digest
