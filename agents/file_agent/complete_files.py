"""When a file that another program writes is whole, and what it holds then."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import sys
from dataclasses import dataclass

from sottovoce.agents.folder import open_file, parent
from sottovoce.domain.game import LONGEST_REPLY

LONGEST = 4 * (LONGEST_REPLY + 1)
"""Bytes that are read of a file: one that has more is too long for a reply, whatever it holds."""

SETTLE = 0.25
"""Seconds for which a file has to stay as it is before it counts as whole."""
SLOW_SETTLE = 2.0
"""The same where the system cannot say whether some program still has the file open for writing."""

Mark = tuple[int, int, int, int]
"""What changes with a file: its inode, size, and times of change."""


@dataclass(frozen=True, slots=True)
class CompleteFile:
    """A whole file's first LONGEST bytes, its size, and when it was written, in nanoseconds."""

    content: bytes
    size: int
    at: int


@dataclass(frozen=True, slots=True)
class Strange:
    """What lies there is no ordinary file of this folder; it was not opened."""

    what: str


class Watched:
    """One path that is looked at again and again."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._mark: Mark | None = None
        self._since = 0.0

    def look(self, top: int, now: float) -> CompleteFile | Strange | None:
        """The file once it is whole; None while it is missing, empty or being written. `now` is monotonic, in seconds.

        Whole is what has not changed for a moment and what no program has open for writing.
        """
        try:
            with parent(top, self.path) as (folder, name):
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                strange = _strange(found)
                if strange is not None:
                    return strange
                if (mark := _mark(found)) != self._mark:
                    self._mark, self._since = mark, now
                if found.st_size == 0 or now - self._since < SETTLE:
                    return None
                return self._read(folder, name, mark, now)
        except FileNotFoundError:
            self._mark = None
            return None

    @property
    def arriving(self) -> bool:
        """Whether something lies there that is not whole yet."""
        return self._mark is not None

    def _read(self, folder: int, name: str, mark: Mark, now: float) -> CompleteFile | None:
        with open(open_file(folder, name), "rb") as file:
            descriptor = file.fileno()
            if _mark(os.fstat(descriptor)) != mark:
                return None
            written = is_being_written(descriptor)
            if written or (written is None and now - self._since < SLOW_SETTLE):
                return None
            content = file.read(LONGEST)
            found = os.fstat(descriptor)
            return CompleteFile(content, found.st_size, found.st_mtime_ns) if _mark(found) == mark else None


def _mark(found: os.stat_result) -> Mark:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _strange(found: os.stat_result) -> Strange | None:
    if stat.S_ISREG(found.st_mode):
        return Strange("a file that has a second name elsewhere (a hard link)") if found.st_nlink > 1 else None
    kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe"}
    return Strange(kinds.get(stat.S_IFMT(found.st_mode), "a device or a socket"))


def is_being_written(descriptor: int) -> bool | None:
    """Whether some program has the file open for writing; None where the system cannot say.

    A read lease is granted only on a file that nobody has open for writing. It is given back at once; should a writer
    come in between, the signal that breaks a lease is one that is ignored unless asked for.
    """
    if sys.platform != "linux":
        return None
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    return False
