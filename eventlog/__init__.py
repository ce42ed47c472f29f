"""The append-only log: one stream per game.

`open_log` opens a log by its URL: `sqlite:///PATH`, a libpq URL `postgresql://…`, or `memory:`. `eventlog.log` defines
what a log is. Only the owner can read a log file, because it contains every secret.
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
"""A text with such a beginning is not a path."""


def log_url(place: str) -> str:
    """Return the URL of a log from its URL or the path of a file.

    Raises BadLogAddress for an address that nobody could find again.
    """
    if place == _MEMORY:
        raise BadLogAddress("A database in memory is lost after this command. Use --db PATH")
    return place if _URL.match(place) else f"{_SQLITE}{Path(place).expanduser().absolute()}"


def open_log(url: str, *, create: bool = True, registry: Registry | None = None) -> EventLog:
    """Open the log at this URL. Without a registry, use that of every included ruleset.

    With `create`, a missing or empty file, or an empty database, becomes a new log. Raises one of `eventlog.errors`,
    such as `LogMissing`, `LogUnreachable`, `OlderSchema`, `NewerSchema` or `NotALog`.
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
    """Upgrade the log's schema, creating the log if there is none. Return its `notices`.

    On PostgreSQL, `app_role` gets the rights that an application needs, and none that change events. Other databases
    have no roles.
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
    """Return what is wrong with the log's storage at that time or now, one line each. Empty if all is well."""
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
