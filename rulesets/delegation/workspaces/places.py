"""Where the worktrees of tasks lie: outside the repository, below the state folder of this machine's user."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def state_folder() -> Path:
    """Sottovoce's own folder for what it keeps between runs, such as `~/.local/state/sottovoce`."""
    home = os.environ.get("XDG_STATE_HOME", "")
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".local" / "state") / "sottovoce"


def game_folder(game: str) -> Path:
    """The folder of the worktrees of a game."""
    return state_folder() / "work" / game


def repository_lock(folder: Path) -> Path:
    """What is locked while something is done that a repository allows one at a time."""
    return state_folder() / "work" / "repositories" / hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Keep other processes away from a task's worktree meanwhile.

    The lock ends with all processes that have its descriptor, which is given to git: one that outlives a kill of this
    process still keeps others away until it is done.
    """
    lock = path.with_name(f"{path.name}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()
