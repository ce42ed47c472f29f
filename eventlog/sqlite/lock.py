"""One writer at a time across processes: an advisory lock on a file next to the database.

SQLite has its own locks. This one also keeps checkpoints and writers apart, because together they can corrupt the file
in SQLite before 3.51.3. The kernel releases it when its holder dies.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType

from sottovoce.eventlog.durations import Durations
from sottovoce.eventlog.errors import LogBusy

_FIRST_PAUSE = 0.00005
_LONGEST_PAUSE = 0.005


class WriteLock:
    """A lock that at most one writer among all processes holds. A context manager; leave it as often as you enter it.

    Raises LogBusy after `timeout` seconds, OSError if it can't create the lock file. In one process, the caller must
    use it from one thread at a time.
    """

    def __init__(self, database: Path, timeout: float) -> None:
        self.path = database.with_name(database.name + ".lock")
        self._database = database
        self._timeout = timeout
        self._file: int | None = None
        self._depth = 0
        self.waits = Durations()
        """How long this process waited for the lock, each time it took it."""

    def taken(self) -> bool:
        """Take the lock without waiting. Return whether it was taken."""
        if not self._depth:
            if self._file is None:
                self._file = self._open()
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        self._depth += 1
        return True

    def __enter__(self) -> None:
        pause, deadline = _FIRST_PAUSE, 0.0
        started, is_outermost = time.perf_counter(), not self._depth
        while not self.taken():
            now = time.monotonic()
            deadline = deadline or now + self._timeout
            if now >= deadline:
                raise LogBusy(
                    f"Another process has kept {self._database} locked for {self._timeout:g} s. Wait for it "
                    "to finish and try again"
                )
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        if is_outermost:
            self.waits.add(time.perf_counter() - started)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth and self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock file. It stays in place, because others may be waiting for it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        rights = os.stat(self._database).st_mode & 0o666
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, rights)
        if os.fstat(file).st_uid == os.geteuid():
            os.fchmod(file, rights)
        return file
