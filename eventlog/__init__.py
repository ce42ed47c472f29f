"""The append-only log: one stream per game.

`open_log` opens one by its URL: `sqlite:///PATH`, `postgresql://…` as libpq takes it, or `memory:`. `eventlog.log` says
what a log is. Log files are private to their owner, since whoever can read one sees everything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sottovoce.eventlog.errors import BackendMissing, BadLogAddress, LogMissing, NotALog
from sottovoce.eventlog.log import EventLog
from sottovoce.eventlog.registry import Registry, default_registry

if TYPE_CHECKING:
    from sottovoce.eventlog.postgres.sessions import Address
    from sottovoce.eventlog.sqlite.datastore import LogDatastore

__all__ = ["EventLog", "check", "log_url", "open_log", "upgrade"]

_MEMORY = "memory:"
_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql:", "postgresql+", "postgres:")
_URL = re.compile(r"[a-z][a-z0-9+]*:", re.IGNORECASE)
"""What begins like this is no path."""


def log_url(place: str) -> str:
    """The URL of a log that a user names by its URL or by the path of a file.

    Raises BadLogAddress for one that nobody would find again.
    """
    if place == _MEMORY:
        raise BadLogAddress("A database in memory is lost after this command. Use --db PATH")
    return place if _URL.match(place) else f"{_SQLITE}{Path(place).expanduser().absolute()}"


def open_log(url: str, *, create: bool = True, registry: Registry | None = None) -> EventLog:
    """The log at this URL, with the registry of every ruleset that ships unless one is given.

    With `create`, a file that does not exist or is empty becomes a new log, and so does an empty database. Raises one
    of `eventlog.errors`: `LogMissing`, `LogUnreachable`, `OlderSchema`, `NewerSchema` and `NotALog` among them.
    """
    names = registry or default_registry()
    if url == _MEMORY:
        from sottovoce.eventlog.memory import MemoryLog

        return MemoryLog(names)
    if url.startswith(_POSTGRES):
        return _open_postgres(url, create, names)
    from sottovoce.eventlog.revisions import require_current
    from sottovoce.eventlog.sqlite.log import SqliteLog
    from sottovoce.eventlog.sqlite.losses import require_none
    from sottovoce.eventlog.sqlite.schema import stored_revision, upgrade_file

    datastore = _datastore(url, create=create)
    try:
        with datastore.raw() as connection:
            revision = stored_revision(connection, datastore.path)
        if revision is None:
            require_none(datastore.path, datastore.acknowledged)
            if not create:
                raise NotALog(f"{datastore.path} is empty. Play a game first, or choose another database with --db")
            upgrade_file(datastore)
        else:
            require_current(revision, datastore.path)
        return SqliteLog(datastore, names)
    except BaseException:
        datastore.close()
        raise


def upgrade(url: str, app_role: str | None = None) -> Sequence[str]:
    """Bring the log's schema up to date, making the log if there is none. Gives its `notices`.

    On PostgreSQL, `app_role` is granted what an application needs and nothing that changes events; elsewhere there are
    no roles.
    """
    if url == _MEMORY:
        return ()
    if url.startswith(_POSTGRES):
        address = _address(url)
        from sottovoce.eventlog.postgres.schema import upgrade_database

        upgrade_database(address, app_role)
        return ()
    if app_role is not None:
        raise BadLogAddress("--app-role is for PostgreSQL. An SQLite file has no roles")
    from sottovoce.eventlog.sqlite.schema import upgrade_file

    datastore = _datastore(url, create=True)
    try:
        upgrade_file(datastore)
        return datastore.notices
    finally:
        datastore.close()


def check(url: str, at: datetime | None = None) -> list[str]:
    """What is wrong with the log's storage at that time, or now, each in one line. None is the good answer."""
    at = at or datetime.now(UTC)
    if url == _MEMORY:
        return []
    if url.startswith(_POSTGRES):
        address = _address(url)
        from sottovoce.eventlog.postgres import schema

        return schema.findings(address, at)
    from sottovoce.eventlog.sqlite.schema import findings

    datastore = _datastore(url, create=False)
    try:
        return findings(datastore, at)
    finally:
        datastore.close()


def _open_postgres(url: str, create: bool, names: Registry) -> EventLog:
    address = _address(url)
    from sottovoce.eventlog.postgres.log import PostgresLog
    from sottovoce.eventlog.postgres.schema import opened, stored_revision, upgrade_database
    from sottovoce.eventlog.revisions import require_current

    with opened(address) as connection:
        revision = stored_revision(connection, address)
    if revision is not None:
        require_current(revision, address, str(address))
    elif create:
        upgrade_database(address)
    else:
        raise NotALog(f"{address} is empty. Play a game first, or choose another database with --db")
    return PostgresLog(address, names)


def _address(url: str) -> Address:
    try:
        from sottovoce.eventlog.postgres.sessions import Address
    except ImportError as error:
        raise BackendMissing(f"PostgreSQL can't be used here ({error}). Install psycopg[binary]") from error
    return Address(url)


def _datastore(url: str, *, create: bool) -> LogDatastore:
    path = url.removeprefix(_SQLITE)
    if path == url or not path:
        raise BadLogAddress(f"{url!r} names no database. Use sqlite:///PATH or postgresql://…")
    from sottovoce.eventlog.sqlite.datastore import LogDatastore, create_file

    file = Path(path).expanduser().absolute()
    if not file.name:
        raise LogMissing(f"{file} is a folder. Give a file in it")
    if not file.parent.is_dir():
        raise LogMissing(f"There is no folder {file.parent}. Create it, or choose another database with --db")
    if create and not file.exists():
        create_file(file)
    return LogDatastore(file)
