"""The read model behind `games`, brought up to date from the log when it is read (ADR 0005)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from sqlalchemy import Connection, create_engine, delete, select
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from domain.events import GameOpened
from domain.rulesets import RULESETS
from eventlog import EventLog
from eventlog.datastore import told as told_by_sqlite
from eventlog.errors import DamagedLog, LogError
from eventlog.locking import WriteLock
from eventlog.postgres.sessions import Address
from eventlog.postgres.telling import told as told_by_postgresql
from eventlog.schema import game_summaries
from projections.summary import Summary, summary

LOCK_SECONDS = 5.0

_SQLITE = "sqlite:///"


def summaries(log: EventLog, url: str) -> list[Summary]:
    """Every game in one line, oldest first.

    What the read model lacks is folded from the log and kept for the next time, where the database can be written.
    """
    kept = _kept(url)
    found, fresh = [], {}
    for game in log.games():
        head = log.head(game)
        length = head.length if head else 0
        row = kept.get(game)
        if row is not None and row[1] == length:
            found.append(row[0])
            continue
        recorded = log.read(game)
        if recorded or length:
            opening = recorded[0].event if recorded else None
            if not isinstance(opening, GameOpened):
                raise DamagedLog(f"Events of game {game} are missing; to see which, run: sottovoce audit verify {game}")
            found.append(summary(RULESETS[opening.ruleset], recorded))
            fresh[game] = (found[-1], recorded[-1].position)
    if fresh and url != "memory:":
        with suppress(LogError, OSError):
            _keep(url, fresh)
    return found


def rebuild(log: EventLog, url: str) -> int:
    """Forget the read model and make it anew; the number of games."""
    if url != "memory:":
        with _writing(url) as connection:
            connection.execute(delete(game_summaries))
    return len(summaries(log, url))


@contextmanager
def _connected(url: str, mode: str) -> Iterator[Connection]:
    """A connection of its own, closed at the end; its errors are told as those of the log."""
    if url.startswith(_SQLITE):
        address = f"file:{quote(str(_path(url)))}?mode={mode}"
        engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True), poolclass=NullPool)
    else:
        conninfo = Address(url).conninfo
        engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            yield connection
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise told_by_sqlite(error.orig, _path(url)) from error
        if isinstance(error.orig, psycopg.Error):
            raise told_by_postgresql(error.orig, str(Address(url))) from error
        raise


@contextmanager
def _writing(url: str) -> Iterator[Connection]:
    """A transaction. On a file all of it is under the log's lock, with the checkpoint that closing may bring."""
    lock = WriteLock(_path(url), LOCK_SECONDS) if url.startswith(_SQLITE) else nullcontext()
    with lock, _connected(url, "rw") as connection, connection.begin():
        yield connection


def _path(url: str) -> Path:
    return Path(url.removeprefix(_SQLITE)).expanduser().absolute()


def _kept(url: str) -> Mapping[str, tuple[Summary, int]]:
    if url == "memory:":
        return {}
    try:
        with _connected(url, "ro") as connection:
            rows = connection.execute(select(game_summaries)).mappings().all()
    except LogError:
        return {}
    return {row["game"]: (_summary(row), row["position"]) for row in rows}


def _summary(row: Mapping[Any, Any]) -> Summary:
    return Summary(
        game=row["game"],
        ruleset=row["ruleset"],
        status=row["status"],
        started=datetime.fromisoformat(row["started"]),
        ended=datetime.fromisoformat(row["ended"]) if row["ended"] else None,
        winner=row["winner"],
    )


def _keep(url: str, fresh: Mapping[str, tuple[Summary, int]]) -> None:
    rows: Sequence[dict[str, Any]] = [
        {**item.to_json(), "position": position, "data": json.dumps({})} for item, position in fresh.values()
    ]
    insert = insert_sqlite if url.startswith(_SQLITE) else insert_postgresql
    statement = insert(game_summaries)
    statement = statement.on_conflict_do_update(
        index_elements=["game"],
        set_={column.name: statement.excluded[column.name] for column in game_summaries.columns},
    )
    with _writing(url) as connection:
        connection.execute(statement, rows)
