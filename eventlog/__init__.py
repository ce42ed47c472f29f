"""The append-only log: one stream per game.

`open_log` opens one by its URL; `eventlog.log` says what a log is. Log files are private to their owner, since whoever
can read one sees everything.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eventlog.errors import BackendMissing, BadLogAddress, LogMissing, NotALog
from eventlog.log import EventLog
from eventlog.registry import Registry, default_registry

if TYPE_CHECKING:
    from eventlog.datastore import LogDatastore

__all__ = ["EventLog", "check", "open_log", "upgrade"]

_SQLITE = "sqlite:///"


def open_log(url: str, *, create: bool = True, registry: Registry | None = None) -> EventLog:
    """The log at `sqlite:///PATH` or `memory:`, with the registry of every ruleset that ships unless one is given.

    With `create`, a file that does not exist or is empty becomes a new log. Raises one of `eventlog.errors`:
    `LogMissing`, `OlderSchema`, `NewerSchema` and `NotALog` among them.
    """
    names = registry or default_registry()
    if url == "memory:":
        from eventlog.memory import MemoryLog

        return MemoryLog(names)
    from eventlog.migrating import require_current, stored_revision, upgrade_file
    from eventlog.sqlite import SqliteLog

    datastore = _datastore(url, create=create)
    try:
        with datastore.raw() as connection:
            revision = stored_revision(connection, datastore.path)
        if revision is None:
            if not create:
                raise NotALog(f"{datastore.path} is empty; play a game first, or give another with --db")
            upgrade_file(datastore)
        else:
            require_current(revision, datastore.path)
        return SqliteLog(datastore, names)
    except BaseException:
        datastore.close()
        raise


def upgrade(url: str) -> None:
    """Bring the log's schema up to date, making the log if there is none."""
    if url == "memory:":
        return
    from eventlog.migrating import upgrade_file

    datastore = _datastore(url, create=True)
    try:
        upgrade_file(datastore)
    finally:
        datastore.close()


def check(url: str) -> list[str]:
    """What is wrong with the log's storage, each finding in one line; none is the good answer."""
    if url == "memory:":
        return []
    from eventlog.migrating import findings

    datastore = _datastore(url, create=False)
    try:
        return findings(datastore)
    finally:
        datastore.close()


def _datastore(url: str, *, create: bool) -> LogDatastore:
    if url.startswith(("postgresql:", "postgresql+", "postgres:")):
        raise BackendMissing
    path = url.removeprefix(_SQLITE)
    if path == url or not path:
        raise BadLogAddress(f"{url!r} names no log; give sqlite:///PATH")
    from eventlog.datastore import LogDatastore, create_file

    file = Path(path).expanduser().absolute()
    if not file.name:
        raise LogMissing(f"{file} is a folder, not a log; name a file in it")
    if not file.parent.is_dir():
        raise LogMissing(f"There is no folder {file.parent}; make it, or give another log with --db")
    if create and not file.exists():
        create_file(file)
    return LogDatastore(file)
