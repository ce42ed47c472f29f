"""Connections and transactions on one SQLite file, as the `eventsourcing` library's recorders expect them.

One connection writes, under the lock next to the file and with `BEGIN IMMEDIATE`. Another only reads, so you can read
while any process writes, on a full disk, and from a read-only file.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import cast
from urllib.parse import quote

from eventsourcing.persistence import IntegrityError
from eventsourcing.sqlite import SQLiteCursor, SQLiteDatastore

from sottovoce.eventlog.errors import (
    AccessDenied,
    BackendMissing,
    DamagedLog,
    DiskFailed,
    DiskFull,
    LogBusy,
    LogError,
    LogMissing,
    NotALog,
    OutOfFiles,
    ReadOnlyLog,
    WeakDurability,
)
from sottovoce.eventlog.sqlite import losses
from sottovoce.eventlog.sqlite.acknowledged import PATIENCE, Acknowledged
from sottovoce.eventlog.sqlite.lock import WriteLock

CHECKPOINT_PAGES = 4000
"""A commit that leaves more pages than this in the write-ahead log copies them to the database, under the lock."""

_FULL = 2
_OLDEST_SQLITE = (3, 37)
_SMALLEST = 512
_FILES = 6
_NO_JOURNAL = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_FULL", "SQLITE_IOERR_SHM", "SQLITE_IOERR_WRITE")


class LogErrors:
    """Translates errors inside the block into the log's errors, or the library's IntegrityError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            return
        match error:
            case sqlite3.IntegrityError():
                raise IntegrityError(error) from error
            case sqlite3.Error():
                raise log_error(error, self._path) from error
            case UnicodeDecodeError():  # sqlite3 failed while it built an error with a name from the schema
                raise _damaged("its schema is not UTF-8", self._path) from error
            case OSError():
                raise _told_by_system(error, self._path) from error


class LogDatastore(SQLiteDatastore):
    """The connections of one process to one log file.

    `lock_timeout` is in seconds. Raises one of `eventlog.errors` if the file can't be read as a database.
    `acknowledged` has the last acknowledged heads. If this process is the first to open the log after an unclean end,
    `notices` say what was lost, one line each.
    """

    def __init__(self, path: Path, lock_timeout: float = 30.0) -> None:
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise BackendMissing(
                f"Sottovoce needs SQLite 3.37 or later, but this Python has {sqlite3.sqlite_version}. Use a "
                "newer Python"
            )
        super().__init__(str(path), originator_id_type="text")
        self.path = path
        self.lock = WriteLock(path, lock_timeout)
        self._lock_timeout = lock_timeout
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._standing_still = False
        self._writing, self._reading = RLock(), RLock()
        self._errors = LogErrors(path)
        self.acknowledged = Acknowledged(path)
        self.notices: tuple[str, ...] = ()
        try:
            with self._errors:
                self._open()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def transaction(self, *, commit: bool) -> Iterator[SQLiteCursor]:
        """Yield a cursor in a durable transaction, or for reading: sqlite3's cursor, typed as the library's."""
        with self.write() if commit else self.read() as cursor:
            yield cast(SQLiteCursor, cursor)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Cursor]:
        """Yield a cursor whose statements become durable together at the end, or are undone by any exception."""
        with self._writing, self._errors:
            if self._reader is None:
                raise LogError(f"The database {self.path} was closed")
            writer = self._writer or self._open_writer()
            with self.lock:
                cursor = writer.execute("BEGIN IMMEDIATE")
                try:
                    yield cursor
                    writer.execute("COMMIT")
                finally:
                    if writer.in_transaction:
                        with suppress(sqlite3.Error):
                            writer.execute("ROLLBACK")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out."""
        with self._writing, self._errors, self.lock:
            yield

    @contextmanager
    def unlocked(self) -> Iterator[bool]:
        """Return whether nobody writes, in this process or another.

        If so, the caller's next transaction waits for nobody.
        """
        if not self._writing.acquire(blocking=False):
            yield False
            return
        try:
            with self._errors:
                taken = self._reader is not None and self.lock.taken()
                if taken:
                    self.lock.waits.add(0.0)
            try:
                yield taken
            finally:
                if taken:
                    self.lock.__exit__(None, None, None)
        finally:
            self._writing.release()

    @contextmanager
    def read(self) -> Iterator[sqlite3.Cursor]:
        """Yield a cursor that reads what is committed. Fetch everything before you leave."""
        with self._reading, self._errors:
            if self._reader is None:
                raise LogError(f"The database {self.path} was closed")
            if self._standing_still:
                self._reader.close()
                self._reader, self._standing_still = open_reader(self.path)
            cursor = self._reader.cursor()
            try:
                yield cursor
            finally:
                cursor.close()

    @contextmanager
    def raw(self) -> Iterator[sqlite3.Connection]:
        """Yield a separate reading connection that also returns text that is not UTF-8, with surrogates for the bad
        bytes."""
        with self._errors:
            connection, _ = open_reader(self.path)
            connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
            try:
                yield connection
            finally:
                connection.close()

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """Yield a separate writing connection in autocommit mode, under the lock, for migrations."""
        with self._writing, self._errors, self.lock:
            connection = self._connect_writer()
            try:
                yield connection
            finally:
                connection.close()

    def close(self) -> None:
        """Close both connections, the writing one under the lock, because the last one to close checkpoints."""
        writing = getattr(self, "_writing", None)
        if writing is None:
            return
        with writing, self._reading:
            if self._reader is not None:
                self._reader.close()
                self._reader = None
            if self._writer is not None:
                writer, self._writer = self._writer, None
                with suppress(LogError, OSError), self.lock:
                    writer.close()
                writer.close()
            self._settle()
            self.acknowledged.close()
            self.lock.close()

    def _open(self) -> None:
        """Open the log for reading. The first process to do so after an unclean end searches for losses."""
        alone = self.acknowledged.alone()
        entered = alone and self.acknowledged.unsettled and self._entered()
        try:
            found = losses.scanned(self.acknowledged) if entered else None
            self._reader, self._standing_still = open_reader(self.path)
            if found is not None and (notice := losses.notice(self.path, found, self.acknowledged, self._reader)):
                self.notices = (notice,)
                with suppress(LogError, sqlite3.Error, OSError), closing(self._connect_writer()) as writer:
                    losses.put_aside(self.acknowledged, writer)
        finally:
            if alone:
                self.acknowledged.share()
            if entered:
                self.lock.__exit__(None, None, None)

    def _settle(self) -> None:
        """If this is the last process to close the log, and the database contains everything, forget the heads."""
        known = self.acknowledged
        if known.unsettled and not known.waiting and known.alone() and not known.waiting:
            known.forget()

    def _entered(self) -> bool:
        """Take the write lock, unless a process without a lock on the acknowledged heads holds it for long."""
        give_up = time.monotonic() + PATIENCE
        with suppress(OSError):
            while not self.lock.taken():
                if time.monotonic() > give_up:
                    return False
                time.sleep(0.001)
            return True
        return False

    def _open_writer(self) -> sqlite3.Connection:
        with self.lock:
            self._writer = self._connect_writer()
            self.acknowledged.make()
        return self._writer

    def _connect_writer(self) -> sqlite3.Connection:
        writer = sqlite3.connect(
            _address(self.path, "rw"),
            uri=True,
            timeout=self._lock_timeout,
            isolation_level=None,
            cached_statements=128,
            check_same_thread=False,
        )
        try:
            make_durable(writer, self.path)
        except BaseException:
            writer.close()
            raise
        return writer


def create_file(path: Path) -> None:
    """Create an empty file for a new log. Only its owner can read it, because it contains every secret.

    Does nothing if there is a file already. Raises AccessDenied, ReadOnlyLog or DiskFull if it can't create one.
    """
    try:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except OSError as error:
        raise _told_by_system(error, path) from error


def open_reader(path: Path) -> tuple[sqlite3.Connection, bool]:
    """Open a read-only connection. Also return whether it assumes that the file does not change.

    Raises sqlite3.Error if the file can't be opened or is not a database, LogMissing or NotALog if there is no log.
    """
    if not path.exists():
        raise LogMissing(f"There is no database at {path}. Play a game first, or choose another database with --db")
    if path.is_dir():
        raise NotALog(f"{path} is a folder. Give a file in it")
    # SQLite takes a shorter file for an empty database and would overwrite it. Only the size can tell: if we opened and
    # closed the file ourselves, this process would lose every lock that its connections hold on it.
    if 0 < path.stat().st_size < _SMALLEST:
        raise NotALog(f"{path} is not a database. Choose another with --db")
    try:
        return _connected(_address(path, "ro")), False
    except sqlite3.OperationalError as error:
        journal = path.with_name(path.name + "-wal")
        cannot_make_one = error.sqlite_errorname.startswith(_NO_JOURNAL) and os.access(path, os.R_OK)
        if not cannot_make_one or (journal.exists() and journal.stat().st_size) or _out_of_files():
            raise
        # Without a write-ahead log, and without the right or the space to create one, nobody can be writing now.
        return _connected(_address(path, "ro") + "&immutable=1"), True


def _connected(address: str) -> sqlite3.Connection:
    reader = sqlite3.connect(
        address, uri=True, timeout=5.0, isolation_level=None, cached_statements=128, check_same_thread=False
    )
    try:
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        reader.close()
        raise
    return reader


def make_durable(writer: sqlite3.Connection, path: Path) -> None:
    """Make commits durable when they return, and verify it. Raises WeakDurability if that is not possible."""
    mode = writer.execute("PRAGMA journal_mode").fetchone()[0]
    if mode != "wal":
        mode = writer.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    writer.execute("PRAGMA synchronous = FULL")
    writer.execute("PRAGMA fullfsync = ON")  # on macOS, fsync leaves the data in the drive's cache
    writer.execute("PRAGMA checkpoint_fullfsync = ON")
    writer.execute("PRAGMA temp_store = MEMORY")  # else savepoints copy pages to a file: a fifth of an append's time
    writer.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    require_durable(writer, mode, path)


def require_durable(writer: sqlite3.Connection, mode: str, path: Path) -> None:
    """Raise WeakDurability unless the journal mode is WAL and every commit is synchronised."""
    synchronous = writer.execute("PRAGMA synchronous").fetchone()[0]
    if mode != "wal" or synchronous < _FULL:
        raise WeakDurability(
            f"{path} runs with journal mode {mode} and synchronous {synchronous}, which can lose saved "
            "games. Move the database to a local disk"
        )


def log_error(error: sqlite3.Error, path: Path) -> LogError:
    """Translate an SQLite error for users of the log."""
    code = getattr(error, "sqlite_errorname", None) or ""
    if code.startswith(("SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_ERROR")) and _out_of_files():
        return OutOfFiles()
    if code in ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"):
        return _full(path)
    if code.startswith("SQLITE_IOERR"):
        return DiskFailed(
            f"The storage of {path} failed ({code}) and nothing was saved. Check the disk and its quota, then try again"
        )
    if code.startswith("SQLITE_READONLY"):
        return _read_only(path)
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return LogBusy(f"Another program keeps {path} locked. Close it and try again")
    if code == "SQLITE_NOTADB":
        return NotALog(f"{path} is not a database. Choose another with --db")
    if code.startswith(("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return _denied(path)
    if code.startswith("SQLITE_CORRUPT") or "decode to UTF-8" in str(error) or str(error).startswith("no such"):
        return _damaged(error, path)
    return LogError(f"{path} cannot be used: {error}")


def _told_by_system(error: OSError, path: Path) -> LogError:
    if isinstance(error, PermissionError):
        return _read_only(path) if os.access(path, os.R_OK) else _denied(path)
    if isinstance(error, FileNotFoundError):
        return LogMissing(f"There is no folder {path.parent}. Create it, or choose another database with --db")
    if error.errno == errno.EROFS:
        return _read_only(path)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return OutOfFiles()
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(path)
    return DiskFailed(f"{path} cannot be used: {error.strerror or error}")


def _out_of_files() -> bool:
    """Return whether there are too few file descriptors left for one connection and its lock."""
    taken: list[int] = []
    try:
        while len(taken) < _FILES:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return True
    finally:
        for file in taken:
            os.close(file)
    return False


def _damaged(why: object, path: Path) -> DamagedLog:
    return DamagedLog(f"{path} is damaged ({why}); run: sottovoce db check")


def _full(path: Path) -> DiskFull:
    return DiskFull(f"The disk of {path} is full and nothing was written. Free some space and try again")


def _read_only(path: Path) -> ReadOnlyLog:
    return ReadOnlyLog(f"{path} is read-only. Make it writable, or choose another database with --db")


def _denied(path: Path) -> AccessDenied:
    return AccessDenied(f"{path} can't be opened. You need the right to read and write it and its folder")


def _address(path: Path, mode: str) -> str:
    return f"file:{quote(str(path))}?mode={mode}"
