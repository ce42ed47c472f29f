"""Plain tables beside the events: what is made from the log, and what is to be played. A connection for each use."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from eventlog.sqlite.datastore import told as told_by_sqlite
from eventlog.sqlite.lock import WriteLock

LOCK_SECONDS = 5.0

_SQLITE = "sqlite:///"

Row = Sequence[Any]


def fetch(url: str, statement: str, values: Row = ()) -> Sequence[Row]:
    """The rows of a query."""
    if not url.startswith(_SQLITE):
        with _postgres(url) as connection:
            found: Sequence[Row] = connection.execute(statement.replace("?", "%s"), values).fetchall()
            return found
    with _sqlite(url, "ro") as file:
        return file.execute(statement, values).fetchall()


def run(url: str, statement: str, rows: Sequence[Row]) -> None:
    """Run the statement for each row in one transaction. On a file all of it is under the log's lock, with the
    checkpoint that closing may bring."""
    if not url.startswith(_SQLITE):
        with _postgres(url) as connection, connection.cursor() as cursor:
            cursor.executemany(statement.replace("?", "%s"), rows)
        return
    with WriteLock(_path(url), LOCK_SECONDS), _sqlite(url, "rw") as file, file:
        file.executemany(statement, rows)


@contextmanager
def _sqlite(url: str, mode: str) -> Iterator[sqlite3.Connection]:
    """A connection of its own, closed at the end; its errors are told as those of the log."""
    path = _path(url)
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode={mode}", uri=True)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise told_by_sqlite(error, path) from error


@contextmanager
def _postgres(url: str) -> Iterator[Any]:
    """The same on a server, in a transaction."""
    import psycopg

    from eventlog.postgres.failures import told
    from eventlog.postgres.sessions import Address

    address = Address(url)
    try:
        with psycopg.connect(address.conninfo) as connection:
            yield connection
    except psycopg.Error as error:
        raise told(error, str(address)) from error


def _path(url: str) -> Path:
    return Path(url.removeprefix(_SQLITE)).expanduser().absolute()
