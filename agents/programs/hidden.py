"""Files that no program in a sandbox may read, such as the database with all that seats must not know."""

from __future__ import annotations

from pathlib import Path

_hidden: set[Path] = set()


def hide(path: Path) -> None:
    """Keep a file, and the files next to it that a database keeps, from all programs that are started from now on."""
    whole = path.absolute()
    _hidden.update(whole.with_name(f"{whole.name}{beside}") for beside in ("", "-wal", "-shm"))


def hidden() -> list[Path]:
    """The files that are there."""
    return sorted(path for path in _hidden if path.is_file())
