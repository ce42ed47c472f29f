"""Measure what the same bytes cost without Sottovoce: plain SQLite and plain psycopg on tables without rules."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import psycopg
from workload import Cost, Stopwatch

from sottovoce.eventlog import open_log

_EVENT = ("game", "position", "append", "name", "at", "actor", "audience", "cause", "body", "salt", "hash")
_RECEIPT = ("game", "number", "name", "at", "seat", "data")
_EVENT_TYPES = "TEXT, BIGINT, TEXT, TEXT, BIGINT, TEXT, TEXT, BIGINT, {blob}, {blob}, {blob}"
_RECEIPT_TYPES = "TEXT, BIGINT, TEXT, BIGINT, TEXT, TEXT"

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of some games, cut into decisions: the events of each append, and the receipts written with it."""

    decided: Sequence[tuple[list[Row], list[Row]]]

    @classmethod
    def of(cls, url: str, upto: int | None = None) -> Rows:
        """Return the rows of the log's games, or of its first `upto`, in the order in which the games took turns."""
        log = open_log(url)
        try:
            played = [_appends(log, game) for game in log.games()[:upto]]
        finally:
            log.close()
        longest = max(map(len, played))
        return cls([appends[turn] for turn in range(longest) for appends in played if turn < len(appends)])

    @property
    def decisions(self) -> int:
        return len(self.decided)

    @property
    def events(self) -> int:
        return sum(len(events) for events, _ in self.decided)

    @property
    def bytes(self) -> int:
        """Return the bytes of the texts and blobs of all rows; a number counts as eight."""
        rows = [row for part in self.decided for kind in part for row in kind]
        return sum(len(field) if isinstance(field, str | bytes) else 8 for row in rows for field in row)

    def into_sqlite(self, at_once: int, rounds: int) -> Cost:
        """Return the cost of inserting a decision with FULL synchronisation, `at_once` decisions per commit."""
        return reduce(Cost.best, (self._into_sqlite(at_once) for _ in range(rounds)))

    def _into_sqlite(self, at_once: int) -> Cost:
        with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
            connection = sqlite3.connect(f"{folder}/floor.db", isolation_level=None)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute(f"CREATE TABLE e ({_columns(_EVENT, _EVENT_TYPES.format(blob='BLOB'))})")
            connection.execute(f"CREATE TABLE r ({_columns(_RECEIPT, _RECEIPT_TYPES)})")
            into_e, into_r = _insert("e", _EVENT, "?"), _insert("r", _RECEIPT, "?")
            batches, watch = self._batches(at_once), Stopwatch()
            for events, receipts in batches:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(into_e, events)
                connection.executemany(into_r, receipts)
                connection.execute("COMMIT")
            cost = watch.over(self.decisions)
            connection.close()
        return cost

    def into_postgres(self, url: str, at_once: int, rounds: int) -> Cost:
        """Do the same with psycopg, in tables that are dropped afterwards."""
        with psycopg.connect(url, autocommit=True) as connection:
            return reduce(Cost.best, (self._into_postgres(connection, at_once) for _ in range(rounds)))

    def _into_postgres(self, connection: psycopg.Connection[Any], at_once: int) -> Cost:
        into_e, into_r = _insert("floor_e", _EVENT, "%s"), _insert("floor_r", _RECEIPT, "%s")
        connection.execute(f"CREATE TABLE floor_e ({_columns(_EVENT, _EVENT_TYPES.format(blob='BYTEA'))})")
        connection.execute(f"CREATE TABLE floor_r ({_columns(_RECEIPT, _RECEIPT_TYPES)})")
        try:
            batches, watch = self._batches(at_once), Stopwatch()
            with connection.cursor() as cursor:
                for events, receipts in batches:
                    with connection.transaction():
                        cursor.executemany(into_e, events)
                        cursor.executemany(into_r, receipts)
            return watch.over(self.decisions)
        finally:
            connection.execute("DROP TABLE floor_e, floor_r")

    def _batches(self, at_once: int) -> list[tuple[list[Row], list[Row]]]:
        found = []
        for start in range(0, self.decisions, at_once):
            part = self.decided[start : start + at_once]
            found.append(([row for events, _ in part for row in events], [row for _, rows in part for row in rows]))
        return found


def _appends(log: Any, game: str) -> list[tuple[list[Row], list[Row]]]:
    """Return a game's appends, each with the receipt of the call that caused it."""
    appends: dict[str, list[Row]] = {}
    for row in log.rows(game):
        appends.setdefault(row.append, []).append(tuple(row))
    receipts = [(game, r.number, r.name, 0, r.seat, str(r.data)) for r in log.receipts(game)]
    return [(rows, receipts[number : number + 1]) for number, rows in enumerate(appends.values())]


def _columns(names: Sequence[str], types: str) -> str:
    return ", ".join(f'"{name}" {kind}' for name, kind in zip(names, types.split(", "), strict=True))


def _insert(table: str, names: Sequence[str], mark: str) -> str:
    columns = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join([mark] * len(names))})"


def select(url: str, games: Sequence[str]) -> list[bytes]:
    """Return the bodies of all events of these games; the plain driver selects whole rows."""
    columns = ", ".join(f'"{name}"' for name in _EVENT)
    statement = f"SELECT {columns} FROM events WHERE game = {{}} AND position > 0 ORDER BY position"
    bodies: list[bytes] = []
    if url.startswith("sqlite:///"):
        lite = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        for game in games:
            bodies += [row[8] for row in lite.execute(statement.format("?"), (game,)).fetchall()]
        lite.close()
        return bodies
    with psycopg.connect(url, autocommit=True) as connection, connection.cursor(binary=True) as cursor:
        for game in games:
            bodies += [row[8] for row in cursor.execute(statement.format("%s"), (game,)).fetchall()]
    return bodies


def size(url: str) -> int:
    """Return the bytes of a log's file, after its write-ahead log was merged into it."""
    path = Path(url.removeprefix("sqlite:///"))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


def postgres_version(url: str) -> str:
    """Return the server's version."""
    with psycopg.connect(url) as connection:
        return str(connection.info.parameter_status("server_version"))
