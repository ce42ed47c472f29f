"""One writer at a time across processes: an advisory lock on a file beside the database.

SQLite has locks of its own; this one also keeps checkpoints from meeting other writers, which SQLite before 3.51.3 can
turn into a corrupt file. The kernel drops it when its holder dies.
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
    """Held by at most one writer among all processes. A context manager, to be left as often as it was entered.

    `timeout` is in seconds; LogBusy after it. OSError where the lock file cannot be made. Within a process the caller
    sees to it that one thread at a time has to do with it.
    """

    def __init__(self, database: Path, timeout: float) -> None:
        self.path = database.with_name(database.name + ".lock")
        self._database = database
        self._timeout = timeout
        self._file: int | None = None
        self._depth = 0
        self.waits = Durations()
        """How long this process waited for the lock, each time that it took it."""

    def taken(self) -> bool:
        """Take the lock if nobody else holds it, without waiting; whether it was taken."""
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
        """Let go of the lock file; it is left in place, since others may be waiting on it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        rights = os.stat(self._database).st_mode & 0o666
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, rights)
        if os.fstat(file).st_uid == os.geteuid():
            os.fchmod(file, rights)
        return file
