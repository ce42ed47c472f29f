"""Everything that a folder shows: names, order of writing, modes, links, times and contents."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

RECENT = 3600
"""Seconds: a file written less long ago shows the time of writing, which differs between two sides."""


@contextmanager
def written_in_order() -> Iterator[list[str]]:
    """Inside this block, record the names of files that are moved into place or opened for writing, in order."""
    order: list[str] = []
    renamed, made = os.replace, os.mkdir

    def replace(source: Any, target: Any, **rest: Any) -> None:
        order.append(os.path.basename(os.fspath(target)))
        renamed(source, target, **rest)

    def mkdir(path: Any, *rest: Any, **more: Any) -> None:
        order.append(f"{os.path.basename(os.fspath(path))}/")
        made(path, *rest, **more)

    with mock.patch("os.replace", replace), mock.patch("os.mkdir", mkdir):
        yield order


def listing(folder: Path, but: Callable[[str], bool] = lambda path: False) -> bytes:
    """Return all of it as one text, without the contents of the files in `but`."""
    lines = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found = path.lstat()
        links = found.st_nlink if stat.S_ISREG(found.st_mode) else "-"
        lines.append(f"{name} {stat.filemode(found.st_mode)} {links} {_age(found.st_mtime)}".encode())
        if stat.S_ISREG(found.st_mode) and not but(name):
            lines += [str(found.st_size).encode(), path.read_bytes()]
    return b"\n".join(lines)


def _age(at: float) -> str:
    return "now" if abs(time.time() - at) < RECENT else datetime.fromtimestamp(at, UTC).isoformat()
