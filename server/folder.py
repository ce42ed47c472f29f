"""The folder below which a game's files lie: reading and writing there, and never anywhere else.

A path is relative and is walked part by part without following a link, so that nothing that lies in the folder, or is
put there meanwhile, leads out of it. A file is written whole or not at all: to a new name first, then renamed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from domain.errors import SottovoceError
from server.ids import fresh_id

MOST_READ = 1_048_576
"""Bytes that are read of one file at most; whether it may have as many is the ruleset's to say."""

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class FolderUnusable(SottovoceError):
    """The game's folder cannot be used."""


def read_file(folder: str | Path, path: str) -> bytes | None:
    """What the file holds, or None where there is no ordinary file of that name below the folder."""
    parts = safe_parts(path)
    if parts is None:
        return None
    try:
        with _opened(folder, parts[:-1]) as home:
            file = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=home)
            with os.fdopen(file, "rb") as stream:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    return None
                return stream.read(MOST_READ)
    except OSError:
        return None


def write_file(folder: str | Path, path: str, data: bytes, *, replace: bool = True) -> None:
    """Write the file, in folders made for it where there are none. FolderUnusable says why it cannot be.

    Without `replace`, whatever lies there under that name is left alone.
    """
    parts = safe_parts(path)
    if parts is None:
        raise FolderUnusable(f"{path} leads out of the game's folder; nothing was written.")
    new = f".{fresh_id()}.new"
    try:
        with _opened(folder, parts[:-1], make=True) as home:
            file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=home)
            try:
                with os.fdopen(file, "wb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(file)
                if replace:
                    os.rename(new, parts[-1], src_dir_fd=home, dst_dir_fd=home)
                else:
                    with suppress(FileExistsError):
                        os.link(new, parts[-1], src_dir_fd=home, dst_dir_fd=home)
                    os.unlink(new, dir_fd=home)
            except BaseException:
                with suppress(OSError):
                    os.unlink(new, dir_fd=home)
                raise
            os.fsync(home)
    except OSError as error:
        raise FolderUnusable(f"Cannot write {Path(folder) / path}: {error.strerror}; mend that and resume.") from None


def safe_parts(path: str) -> tuple[str, ...] | None:
    """The parts of a path that stays below its folder, or None."""
    parts = tuple(path.split("/"))
    if not path or "\x00" in path or any(part in ("", ".", "..") for part in parts):
        return None
    return parts


@contextmanager
def _opened(folder: str | Path, parts: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
    """The folder below the game's own to which the parts lead; links among them are errors."""
    current = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=current)
            deeper = os.open(part, _DIRECTORY, dir_fd=current)
            os.close(current)
            current = deeper
        yield current
    finally:
        os.close(current)
