"""What a log has lost, found by the first process to open it after an unclean end: before SQLite recovers it, and
after."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.kept import Kept
from sottovoce.eventlog.sqlite.acknowledged import Acknowledged
from sottovoce.eventlog.sqlite.wal import Scan, scan

_HEADS = "SELECT game, length, receipts FROM heads WHERE game IN (SELECT value FROM json_each(?))"
_SHOWN = 5
"""How many games a message names."""
_MOST = 20
"""How many damaged write-ahead logs to keep."""


def scanned(acknowledged: Acknowledged) -> Scan:
    """Make the write-ahead log durable, then scan it.

    SQLite recovers a commit even if its process died before synchronising it. From now on it must not get lost.
    """
    with suppress(OSError):
        file = os.open(acknowledged.write_ahead, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
        return scan(acknowledged.write_ahead)
    return Scan()


def notice(path: Path, found: Scan, acknowledged: Acknowledged, reader: sqlite3.Connection) -> str | None:
    """Return what was lost, in one line, or None. Lost heads are recorded as lost."""
    games = _missing(acknowledged.latest(), reader)
    acknowledged.lose(games)
    lost = f"saved events{f' of {named(games)}' if games else ''} are lost"
    if found.damaged or (games and found.dropped):
        frames = f"{found.dropped} frame{'' if found.dropped == 1 else 's'} after frame {found.recovered}"
        what = f"The write-ahead log of {path} is damaged: {frames} could not be read back, and {lost}"
    elif games:
        what = f"{path} was not closed, and {lost}"
    else:
        return None
    return f"{what}; run: sottovoce audit verify"


def told_later(acknowledged: Acknowledged) -> Iterator[str]:
    """Return earlier losses, one line each, while there are traces of them."""
    if lost := acknowledged.lost():
        yield f"saved events of {named(lost)} were lost. Once you know why, remove {acknowledged.path}"
    for place in _places(acknowledged):
        if place.exists():
            yield f"a damaged write-ahead log was set aside. Once you know what it contained, remove {place}"


def require_none(path: Path, acknowledged: Acknowledged) -> None:
    """Raise DamagedLog for an empty file if the file next to it shows that something was lost."""
    if lost := acknowledged.lost():
        raise DamagedLog(
            f"{path} is empty, and saved events of {named(lost)} are lost. Restore it, or remove "
            f"{acknowledged.path} to start a new database"
        )


def named(games: Mapping[str, object]) -> str:
    """Return how many games these are, and the first of them."""
    shown = ", ".join(list(games)[:_SHOWN])
    return f"{len(games)} game{'' if len(games) == 1 else 's'} ({shown}{' …' if len(games) > _SHOWN else ''})"


def put_aside(acknowledged: Acknowledged, writer: sqlite3.Connection) -> None:
    """Move a damaged write-ahead log aside, next to the log, and start a new one.

    No other process has the log open. Raises OSError if there is no space.
    """
    damaged = acknowledged.write_ahead
    place = next((place for place in _places(acknowledged) if not place.exists()), None)
    if place is not None and acknowledged.waiting:
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
            with damaged.open("rb") as original:
                shutil.copyfileobj(original, copy)
            copy.flush()
            os.fsync(copy.fileno())
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _places(acknowledged: Acknowledged) -> Iterator[Path]:
    """Return the paths for damaged write-ahead logs."""
    damaged = acknowledged.write_ahead
    for number in range(_MOST):
        yield damaged.with_name(f"{damaged.name}.damaged{f'-{number}' if number else ''}")


def _missing(latest: Mapping[str, Kept], reader: sqlite3.Connection) -> dict[str, Kept]:
    """Return the heads that the log has not reached."""
    try:
        rows = reader.execute(_HEADS, (json.dumps(list(latest)),)).fetchall()
    except sqlite3.OperationalError:  # the table is missing: all of it was in the write-ahead log
        rows = []
    known = {game: (length, receipts) for game, length, receipts in rows}
    return {game: kept for game, kept in latest.items() if kept.missing(*known.get(game, (0, 0)))}
