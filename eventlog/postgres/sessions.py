"""Connections to one PostgreSQL database, with the settings that a log needs; lost ones are replaced."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from threading import Event, RLock
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from sottovoce.eventlog.errors import BadLogAddress, LogError, LogUnreachable, WeakDurability
from sottovoce.eventlog.postgres.arrays import register
from sottovoce.eventlog.postgres.failures import is_lost, is_passing, log_error

Connection = psycopg.Connection[tuple[Any, ...]]
Statement = tuple[str, Sequence[Any]]
T = TypeVar("T")

PATIENCE = 30.0
"""Seconds to keep trying a lost server before `LogUnreachable`."""

OLDEST = 14

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 1.0
_DEFAULTS = {
    "application_name": "sottovoce",
    "client_encoding": "UTF8",
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
# Every look-up of a log uses an index. A plan cached while its table was small must not read the whole table now.
_SETTINGS = """
    SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
        WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false);
    SET lock_timeout = '30s';
    SET idle_in_transaction_session_timeout = '10s';
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SET jit = off;
"""
_STRENGTH = (
    "SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),"
    " current_setting('server_encoding')"
)


class Address:
    """The address of a database. `str()` gives it without a password. Raises BadLogAddress if it is not an address."""

    def __init__(self, url: str) -> None:
        scheme, _, rest = url.partition("://")
        try:
            given = conninfo_to_dict(f"postgresql://{rest}")
        except psycopg.Error as error:
            raise BadLogAddress(f"This is not a PostgreSQL address ({_line(error)}). Use postgresql://…") from None
        if scheme not in ("postgresql", "postgres", "postgresql+psycopg"):
            raise BadLogAddress
        self.conninfo = make_conninfo("", **{**_DEFAULTS, **given})
        host, port = str(given.get("host") or ""), given.get("port")
        shown = host if not host.startswith("/") else ""
        address = f"{shown}{f':{port}' if port else ''}/{given.get('dbname') or ''}"
        # An unescaped password can end in what looks like the host or the name.
        self._shown = f"postgresql://{address.rpartition('@')[2]}"

    def __str__(self) -> str:
        return self._shown

    def connect(self) -> Connection:
        """Open a connection in autocommit mode that is fit for a log.

        Raises psycopg.OperationalError if nobody answers, WeakDurability if commits could be lost.
        """
        try:
            connection = psycopg.connect(self.conninfo, autocommit=True)
        except UnicodeError as error:
            raise psycopg.OperationalError(f"this is not a host name: {error}") from None
        try:
            register(connection)
            connection.execute(_SETTINGS)
            self._require_strength(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _require_strength(self, connection: Connection) -> None:
        if connection.info.server_version < OLDEST * 10000:
            raise LogError(f"{self} is older than PostgreSQL {OLDEST}. Upgrade the server")
        found = connection.execute(_STRENGTH).fetchone() or ()
        require_strong(str(self), *found)


def require_strong(place: str, fsync: str, full_pages: str, synchronous: str, encoding: str) -> None:
    """Raise WeakDurability unless a commit is on the disk when it returns, LogError unless the database can store
    any text."""
    weak = {"fsync": fsync, "full_page_writes": full_pages}
    found = [f"{name} {value}" for name, value in weak.items() if value != "on"]
    if synchronous not in ("on", "remote_apply"):
        found.append(f"synchronous_commit {synchronous}")
    if found:
        raise WeakDurability(f"{place} runs with {' and '.join(found)}, which can lose saved games. Turn it on")
    if encoding != "UTF8":
        raise LogError(
            f"{place} has the encoding {encoding}, which can't store every text. Create a database with UTF8"
        )


class Session:
    """One connection that threads use one after another.

    `run` does a piece of work on it. If the connection is lost, it repeats the work on a new one, until LogUnreachable
    after `patience` seconds. `made` counts the connections so far.
    """

    def __init__(self, address: Address, patience: float = PATIENCE) -> None:
        self.address = address
        self.pid = self.made = 0
        self._patience = patience
        self._lock = RLock()
        self._closed = Event()
        self._connection: Connection | None = None

    def open(self) -> None:
        """Connect now, with one try. Raises LogUnreachable if it fails."""
        with self._lock:
            try:
                self._connect()
            except psycopg.Error as error:
                raise unreachable(self.address, error) from error

    def run(self, work: Callable[[Connection], T]) -> T:
        """Return the result of the work, which may run twice. A transaction it leaves open is rolled back."""
        with self._lock:
            deadline, pause = 0.0, 0.0
            while True:
                if self._closed.is_set():
                    raise LogError(f"The database {self.address} was closed")
                try:
                    connection = self._connection or self._connect()
                    try:
                        return work(connection)
                    finally:
                        self._settle(connection)
                except psycopg.Error as error:
                    lost = self._connection is None or is_lost(error)
                    if not lost and not is_passing(error):
                        raise log_error(error, str(self.address)) from error
                    self._drop(lost)
                    now = time.monotonic()
                    deadline = deadline or now + self._patience
                    if now + pause > deadline:
                        raise unreachable(self.address, error) from error
                    self._closed.wait(pause)
                    pause = min(pause * 2 or _FIRST_PAUSE, _LONGEST_PAUSE)

    def close(self) -> None:
        """Close the connection once nobody uses it. Idempotent."""
        self._closed.set()
        with self._lock:
            self._drop(True)

    def _connect(self) -> Connection:
        self._connection = self.address.connect()
        self.pid = self._connection.info.backend_pid
        self.made += 1
        return self._connection

    def _settle(self, connection: Connection) -> None:
        """End any open transaction. Drop a connection on which that fails."""
        try:
            status = connection.info.transaction_status
            if status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
                connection.execute("ROLLBACK")
            elif status != TransactionStatus.IDLE:
                self._drop(True)
        except psycopg.Error:
            self._drop(True)

    def _drop(self, lost: bool) -> None:
        if lost and self._connection is not None:
            self._connection.close()
            self._connection = None


def unreachable(address: Address, error: psycopg.Error) -> LogError:
    """Return the error for a server that does not answer."""
    return LogUnreachable(f"{address} can't be reached ({_line(error)}). Check the address and the server")


def round_trip(connection: Connection, statements: Sequence[Statement]) -> list[psycopg.Cursor[tuple[Any, ...]]]:
    """Run the statements in one round trip, each only if those before it succeeded. Return their results, in binary."""
    failure: psycopg.Error | None = None
    cursors = [connection.cursor(binary=True) for _ in statements]
    with connection.pipeline() as pipeline:
        try:
            for cursor, (statement, values) in zip(cursors, statements, strict=True):
                cursor.execute(statement, values, prepare=True)
            pipeline.sync()
        except psycopg.Error as error:
            # Raise only after leaving the pipeline: leaving it with an error logs a second one.
            failure = error
    if failure is not None:
        raise failure
    return cursors


def fetched(connection: Connection, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the rows of one prepared statement, in binary. Its values can also be marked with `?`."""
    return connection.cursor(binary=True).execute(statement.replace("?", "%b"), values, prepare=True).fetchall()


def _line(error: psycopg.Error) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    # The text before an @ can be the end of an unescaped password.
    return re.sub(r"(?<![^\s'\"])[^\s'\"]*@", "", " ".join(lines[0].split()))
