"""Read a log's file as stored, in spite of indexes that contradict their tables and of unreadable rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from sottovoce.eventlog.log import StoredReceipt, StoredRow

Found = TypeVar("Found", StoredRow, StoredReceipt)

_SMALLEST_ROW = 60
"""No event and no receipt takes fewer bytes in the file."""

# Reading a game finds its rows by the index. Here the columns come from the table, which can differ from the index, and
# each row must be found by itself as well as among the others.
_EVENTS = """
    SELECT i.position, e.position = i.position AND p.id = e.id,
        e.game, e.position, e.append, e.name, e.at, e.actor, e.audience, e.cause, e.body, e.salt, e.hash
    FROM events AS i LEFT JOIN events AS e NOT INDEXED ON e.id = i.id
        LEFT JOIN events AS p ON p.game = i.game AND p.position = i.position
    WHERE i.game = ?
"""
_RECEIPTS = "SELECT number, true, game, number, name, at, seat, data, blocks, hash FROM receipts WHERE game = ?"
_TEXT = """
    SELECT b.digest, b.text FROM blocks AS i LEFT JOIN blocks AS b NOT INDEXED ON b.rowid = i.rowid WHERE i.digest = ?
"""
_STRAYS = """
    SELECT DISTINCT game FROM {table} NOT INDEXED WHERE game NOT IN (SELECT game FROM heads NOT INDEXED) ORDER BY game
"""


def event_rows(connection: sqlite3.Connection, game: str) -> list[StoredRow]:
    """Return a game's events in storage order, each at the position by which it is found.

    A row that is unreadable, or whose table and index disagree, has only its position. `connection` also returns text
    that is not UTF-8.
    """
    return _rows(connection, game, _EVENTS, ("i.position", "i.id"), "length", _event)


def receipt_rows(connection: sqlite3.Connection, game: str) -> list[StoredReceipt]:
    """Return a game's receipts in order, in the same way."""
    return _rows(connection, game, _RECEIPTS, ("number", "number"), "receipts", _receipt)


def text(connection: sqlite3.Connection, digest: bytes) -> bytes | None:
    """Return the compressed text for a digest, or None if there is none or the digest leads to another."""
    found = connection.execute(_TEXT, (digest,)).fetchone()
    if found is None or found[0] != digest:
        return None
    compressed: bytes = found[1]
    return compressed


def flaws(connection: sqlite3.Connection) -> Iterator[str]:
    """Return what is wrong with the file around its games: pages, indexes that contradict tables, rows without a
    game."""
    yield from _lines(connection, "PRAGMA integrity_check", "damaged: {}")
    for table in ("events", "receipts", "links"):
        yield from _lines(connection, _STRAYS.format(table=table), f"there are {table} of {{}}, but no such game")


def _lines(connection: sqlite3.Connection, statement: str, log_error: str) -> Iterator[str]:
    try:
        for (value,) in connection.execute(statement):
            if value != "ok":
                yield log_error.format(value)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        yield f"damaged: {error}"


def _rows(
    connection: sqlite3.Connection,
    game: str,
    statement: str,
    columns: tuple[str, str],
    count: str,
    made: Callable[[int, Sequence[Any] | None], Found],
) -> list[Found]:
    place, order = columns
    try:
        found = connection.execute(f"{statement} ORDER BY {order}", (game,)).fetchall()
        return [made(row[0], row[2:] if row[1] else None) for row in found]
    except sqlite3.DatabaseError:
        return _one_by_one(connection, game, f"{statement} AND {place} = ?", count, made)


def _one_by_one(
    connection: sqlite3.Connection,
    game: str,
    statement: str,
    count: str,
    made: Callable[[int, Sequence[Any] | None], Found],
) -> list[Found]:
    """Do the same if one of the rows is unreadable, so that the others are read."""
    rows = []
    for place in range(1, _upper(connection, game, count) + 1):
        try:
            rows += [
                made(row[0], row[2:] if row[1] else None)
                for row in connection.execute(statement, (game, place)).fetchall()
            ]
        except sqlite3.DatabaseError:
            rows.append(made(place, None))
    return rows


def _upper(connection: sqlite3.Connection, game: str, count: str) -> int:
    """Return the number of rows in the game's head, limited by the file's size.

    If the head is unreadable, return that limit.
    """
    room: int = connection.execute("PRAGMA page_count").fetchone()[0]
    room *= connection.execute("PRAGMA page_size").fetchone()[0]
    try:
        log_error = connection.execute(f"SELECT {count} FROM heads WHERE game = ?", (game,)).fetchone()
    except sqlite3.DatabaseError:
        log_error = None
    most = room // _SMALLEST_ROW
    return min(log_error[0], most) if log_error is not None and isinstance(log_error[0], int) else most


def _event(position: int, row: Sequence[Any] | None) -> StoredRow:
    if row is None:
        return StoredRow("", position, "", "", 0, None, "", None, b"", b"", b"")
    return StoredRow._make(row)


def _receipt(number: int, row: Sequence[Any] | None) -> StoredReceipt:
    if row is None:
        return StoredReceipt("", number, "", 0, "", "", None, b"")
    return StoredReceipt._make(row)
