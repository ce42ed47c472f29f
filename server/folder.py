"""The folder that a game works in: its files are read and written there, and never anywhere else.

A file is written whole or not at all, and is on the disk before anything is said of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sottovoce.agents import folder as below
from sottovoce.domain.commands import Found, NotAFile
from sottovoce.domain.errors import SottovoceError
from sottovoce.server.ids import fresh_id

MOST_READ = 1_048_576
"""Bytes that are read of one file at most; whether it may have as many is the ruleset's to say."""


class FolderUnusable(SottovoceError):
    """The game's folder cannot be used."""


def read_file(folder: str | Path, path: str) -> bytes | None:
    """What the file holds, or None where there is no ordinary file of that name below the folder."""
    if not is_below(path):
        return None
    try:
        with _opened(folder) as top:
            return below.read_file(top, path, MOST_READ - 1)
    except OSError:
        return None


def found_at(folder: str | Path, path: str) -> Found:
    """What lies under the path: a file's bytes, None where there is nothing, or what stands there in its place."""
    if not is_below(path):
        return None
    try:
        with _opened(folder) as top:
            what = below.in_place_of_file(top, path)
            return NotAFile(what) if what is not None else below.read_file(top, path, MOST_READ - 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return NotAFile(f"{path} cannot be read: {below.what_is_wrong(error)}")


def write_file(folder: str | Path, path: str, data: bytes, *, replace: bool = True) -> bool:
    """Write the file, in folders made for it where there are none. FolderUnusable says why it cannot be.

    Without `replace`, whatever lies there under that name is left alone; False if something did.
    """
    if not is_below(path):
        raise FolderUnusable(f"{path} is outside the game's folder. Nothing was written.")
    try:
        with _opened(folder) as top, below.parent(top, path, make=True) as (home, name):
            return _put(home, name, data, replace)
    except OSError as error:
        what = below.what_is_wrong(error)
        raise FolderUnusable(f"Cannot write {Path(folder) / path}: {what}. Fix this, then resume the game.") from None


def is_below(path: str) -> bool:
    """Whether a relative path names something below its folder, as far as the path alone can say."""
    return bool(path) and "\x00" not in path and not any(part in ("", ".", "..") for part in path.split("/"))


def remove_file(folder: str | Path, path: str) -> None:
    """Take a file away, if it is there."""
    with suppress(OSError), _opened(folder) as top:
        below.delete_file(top, path)


def _put(home: int, name: str, data: bytes, replace: bool) -> bool:
    """Write under a new name, then give it its own; whether that was done."""
    new = f".{fresh_id()}.new"
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=home), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        done = True
        if replace:
            os.rename(new, name, src_dir_fd=home, dst_dir_fd=home)
        else:
            try:
                os.link(new, name, src_dir_fd=home, dst_dir_fd=home)
            except FileExistsError:
                done = False
            os.unlink(new, dir_fd=home)
        os.fsync(home)
        return done
    except BaseException:
        with suppress(OSError):
            os.unlink(new, dir_fd=home)
        raise


@contextmanager
def _opened(folder: str | Path) -> Iterator[int]:
    """The folder itself, which may be reached by a link: what lies below it may not."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield top
    finally:
        os.close(top)
