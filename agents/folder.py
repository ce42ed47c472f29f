"""Files below one folder, reached without ever following a link.

A folder is held by its descriptor, and a path in it is walked part by part from there. So no path leads out of it,
whatever lies in it or is put there meanwhile: links, pipes and devices are not opened. Files are put in their place in
one step, so that nobody finds one half written.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def open_folder(path: str | Path, above: int | None = None) -> int:
    """The descriptor of a folder, which the caller closes. OSError where it is none, or a link in its place."""
    return os.open(path, _FOLDER, dir_fd=above)


def open_file(above: int, name: str) -> int:
    """The descriptor of what has that name in a folder, for reading. Never blocks; it may be no ordinary file."""
    return os.open(name, _FILE, dir_fd=above)


@contextmanager
def parent(top: int, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The descriptor of the folder that the path lies in, and the path's last name; `make` makes missing folders."""
    *folders, name = path.split("/")
    descriptor = os.dup(top)
    try:
        for folder in folders:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=descriptor)
            deeper = open_folder(folder, descriptor)
            os.close(descriptor)
            descriptor = deeper
        yield descriptor, name
    finally:
        os.close(descriptor)


def stat_file(top: int, path: str) -> os.stat_result:
    """What lies at the path itself, be it a link."""
    with parent(top, path) as (folder, name):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def read_file(top: int, path: str, limit: int, *, single: bool = False) -> bytes | None:
    """At most `limit` + 1 bytes of an ordinary file; None where something else is there. OSError where nothing is.

    With `single` a file that has another name elsewhere (a hard link) is something else.
    """
    with parent(top, path) as (folder, name), open(open_file(folder, name), "rb") as file:
        found = os.fstat(file.fileno())
        ordinary = stat.S_ISREG(found.st_mode) and not (single and found.st_nlink > 1)
        return file.read(limit + 1) if ordinary else None


def in_place_of_file(top: int, path: str) -> str | None:
    """What stands on the path that is neither a folder on the way nor an ordinary file at its end; None if nothing."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        place = "/".join(parts[:depth])
        mode = stat_file(top, place).st_mode
        if stat.S_ISLNK(mode):
            return f"{place} is a symbolic link"
        if depth == len(parts) and stat.S_ISDIR(mode):
            return f"{place} is a folder"
        if not (stat.S_ISREG(mode) if depth == len(parts) else stat.S_ISDIR(mode)):
            return f"{place} is no {'plain file' if depth == len(parts) else 'folder'}"
    return None


def write_file(top: int, path: str, content: bytes, *, at: int | None = None) -> None:
    """Put the file in its place, whole. `at` is the time it is to bear, in nanoseconds; otherwise it is now."""
    with parent(top, path, make=True) as (folder, name):
        draft = f".{name[:100]}.{os.getpid()}.new"
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)
        try:
            with open(os.open(draft, _NEW_FILE, 0o644, dir_fd=folder), "wb") as file:
                file.write(content)
            if at is not None:
                os.utime(draft, ns=(at, at), dir_fd=folder, follow_symlinks=False)
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft, dir_fd=folder)
            raise


def delete_file(top: int, path: str, *, prune: bool = False) -> bool:
    """Take away what is there; whether it was. A folder stays. `prune` takes the folders that are left empty too."""
    try:
        with parent(top, path) as (folder, name):
            os.unlink(name, dir_fd=folder)
    except OSError:
        return False
    *folders, _ = path.split("/")
    while folders and prune:
        try:
            with parent(top, "/".join(folders)) as (above, name):
                os.rmdir(name, dir_fd=above)
        except OSError:
            break
        folders.pop()
    return True


def clear_way(top: int, path: str) -> list[str]:
    """Take away links and files that stand where the path needs folders; their paths."""
    cleared = []
    folders = path.split("/")[:-1]
    for depth in range(1, len(folders) + 1):
        above = "/".join(folders[:depth])
        try:
            with parent(top, above) as (folder, name):
                if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    os.unlink(name, dir_fd=folder)
                    cleared.append(above)
        except FileNotFoundError:
            break
    return cleared


def what_is_wrong(error: OSError) -> str:
    """An error in a few words."""
    if error.errno == errno.ELOOP:
        return "a symbolic link is in its place"
    return (error.strerror or type(error).__name__).lower()
