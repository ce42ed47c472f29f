"""Read what a batch of writes needs from a SQLite file, and store the decision with one statement per table."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from sottovoce.domain.events import Recorded
from sottovoce.eventlog.decision import Decision, ReadResult, ReadSet
from sottovoce.eventlog.decoding import HEAD, RECEIPT, TURN, decoded
from sottovoce.eventlog.links import LINK, NO_LINKS, FoundLinks, by_game
from sottovoce.eventlog.log import Row, StoredHead, StoredTurn, Write
from sottovoce.eventlog.recorder import SELECT
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sqlite.recorder import INSERT

_AMONG = "game IN (SELECT value FROM json_each(?))"
_HEADS = f"SELECT {HEAD} FROM heads WHERE {_AMONG}"
# Read all open turns of those games: faster than looking for each one.
_TURNS = f"SELECT {TURN} FROM turns WHERE {_AMONG}"
_THE_TURN = "game = ? AND seat = ? AND turn = ?"
_FIND_TEXT = "SELECT 1 FROM blocks WHERE digest = ?"
_LINKS = f"SELECT {LINK} FROM links WHERE {_AMONG}"
_FIND_LINK = "SELECT 1 FROM links WHERE digest = ?"
_ENDINGS = "SELECT coalesce(max(ending), 0) FROM links"


def _insert(table: str, columns: str) -> str:
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(columns.split(',')))})"


_INSERT_RECEIPT = _insert("receipts", RECEIPT)
_INSERT_TEXT = _insert("blocks", "digest, text")
_INSERT_TURN = _insert("turns", TURN)
_INSERT_HEAD = f"INSERT INTO heads ({HEAD}, taken_over) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)"
_DELETE_TURN = f"DELETE FROM turns WHERE {_THE_TURN} AND epoch = ?"
_UPDATE_TURN = (
    "UPDATE turns SET attempt = ?, opened_at = ?, expires = ?, worker = ?, epoch = ?, leased_until = ?"
    f" WHERE {_THE_TURN} AND epoch = ?"
)
_PUT_LINK = f"""
    {_insert("links", LINK)} ON CONFLICT (digest) DO UPDATE SET
        claimed = excluded.claimed, ended = excluded.ended, ending = excluded.ending
"""
_UPDATE_HEAD = (
    "UPDATE heads SET length = ?, hash = ?, receipts = ?, receipts_hash = ?"
    " WHERE game = ? AND length = ? AND hash = ? AND receipts = ? AND receipts_hash = ?"
)


def found(cursor: sqlite3.Cursor, registry: Registry, asked: ReadSet) -> ReadResult:
    """Return what the file holds of what was asked for. The caller's transaction keeps it from changing."""
    one = cursor.execute

    def earlier(write: Write) -> list[Recorded]:
        upto = write.expected + len(write.stored or write.drafts)
        return decoded(registry, one(SELECT, (write.game, write.expected, upto)).fetchall())

    games = (json.dumps(list(asked.games)),)
    return ReadResult(
        heads={row[0]: StoredHead._make(row) for row in one(_HEADS, games).fetchall()},
        turns={row[:3]: StoredTurn._make(row) for row in one(_TURNS, games).fetchall()} if asked.turns else {},
        texts={digest for digest in asked.texts if one(_FIND_TEXT, (digest,)).fetchone()},
        earlier=earlier,
        links=_links(cursor, asked) if asked.linked else NO_LINKS,
    )


def _links(cursor: sqlite3.Cursor, asked: ReadSet) -> FoundLinks:
    one = cursor.execute
    games = by_game(one(_LINKS, (json.dumps(list(asked.linked)),)).fetchall())
    digests = {digest for digest in asked.digests if one(_FIND_LINK, (digest,)).fetchone()}
    return FoundLinks(games, digests, one(_ENDINGS).fetchone()[0])


def store(cursor: sqlite3.Cursor, decision: Decision, known: ReadResult) -> None:
    """Store a decision and what it was based on, in the caller's transaction.

    Raises sqlite3.IntegrityError if the file has changed: another head, or a turn with another epoch.
    """
    heads, turns = known.heads, known.turns
    _each(cursor, _UPDATE_HEAD, [(*head[1:5], *heads[head.game][:5]) for head in decision.grown])
    _each(cursor, _DELETE_TURN, [(*key, turns[key].epoch) for key in decision.closed])
    _each(cursor, _UPDATE_TURN, [(*turn[3:], *turn[:3], turns[turn[:3]].epoch) for turn in decision.changed])
    _each(cursor, _INSERT_TURN, decision.opened)
    insert_rows(cursor, decision.events)
    _each(cursor, _INSERT_RECEIPT, decision.receipts)
    _each(cursor, _INSERT_TEXT, decision.compressed())
    _each(cursor, _PUT_LINK, decision.links)
    _each(cursor, _INSERT_HEAD, decision.begun)


def insert_rows(cursor: sqlite3.Cursor, rows: Sequence[Row]) -> None:
    """Add events in the caller's transaction. Raises sqlite3.IntegrityError if they do not follow the last position."""
    _each(cursor, INSERT, rows)


def _each(cursor: sqlite3.Cursor, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Run the statement for each row. Each must change exactly one row."""
    if rows and cursor.executemany(statement, rows).rowcount != len(rows):
        raise sqlite3.IntegrityError(f"not exactly one row for each: {statement.partition(' (')[0]}")
