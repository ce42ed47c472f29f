"""Reading a log's file as it lies there: past indexes that disagree with their tables, and past what cannot be read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from sottovoce.eventlog.log import StoredReceipt, StoredRow

Found = TypeVar("Found", StoredRow, StoredReceipt)

_SMALLEST_ROW = 60
"""No event and no receipt takes fewer bytes than this of the file."""

# Whoever reads a game finds its rows by the index. The columns come from the table here, which the index may belie;
# and each row must be found by itself as well as in its place among the others.
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
    """The events of a game in storage order, each at the position by which it is found.

    One that cannot be read, or whose table and index disagree, has nothing but its position.
    `connection` gives text that is no UTF-8 too.
    """
    return _rows(connection, game, _EVENTS, ("i.position", "i.id"), "length", _event)


def receipt_rows(connection: sqlite3.Connection, game: str) -> list[StoredReceipt]:
    """The receipts of a game in order, in the same way."""
    return _rows(connection, game, _RECEIPTS, ("number", "number"), "receipts", _receipt)


def text(connection: sqlite3.Connection, digest: bytes) -> bytes | None:
    """The compressed text that is found by a digest; None if there is none, and if the digest leads to another."""
    found = connection.execute(_TEXT, (digest,)).fetchone()
    if found is None or found[0] != digest:
        return None
    compressed: bytes = found[1]
    return compressed


def flaws(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with the file beside its games: pages, indexes that disagree with their tables, rows of no game."""
    yield from _lines(connection, "PRAGMA integrity_check", "damaged: {}")
    for table in ("events", "receipts", "links"):
        yield from _lines(connection, _STRAYS.format(table=table), f"there are {table} of {{}}, but no such game")


def _lines(connection: sqlite3.Connection, statement: str, told: str) -> Iterator[str]:
    try:
        for (value,) in connection.execute(statement):
            if value != "ok":
                yield told.format(value)
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
    """The same where one of the rows cannot be read, so that the others are."""
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
    """How many rows the game's head speaks of, no more than the file has room for; that many if it cannot be read."""
    room: int = connection.execute("PRAGMA page_count").fetchone()[0]
    room *= connection.execute("PRAGMA page_size").fetchone()[0]
    try:
        told = connection.execute(f"SELECT {count} FROM heads WHERE game = ?", (game,)).fetchone()
    except sqlite3.DatabaseError:
        told = None
    most = room // _SMALLEST_ROW
    return min(told[0], most) if told is not None and isinstance(told[0], int) else most


def _event(position: int, row: Sequence[Any] | None) -> StoredRow:
    if row is None:
        return StoredRow("", position, "", "", 0, None, "", None, b"", b"", b"")
    return StoredRow._make(row)


def _receipt(number: int, row: Sequence[Any] | None) -> StoredReceipt:
    if row is None:
        return StoredReceipt("", number, "", 0, "", "", None, b"")
    return StoredReceipt._make(row)
