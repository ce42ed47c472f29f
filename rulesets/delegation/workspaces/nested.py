"""Repositories within a task's worktree: submodules, and others.

An agent can write their configuration, and git runs what it names (filters, monitors) as soon as it looks for changes
in them. So git is kept out of them: the commit of a submodule is recorded, and any other repository is refused, since
its files would be in no commit of the task.
"""

from __future__ import annotations

import os
import re

from sottovoce.rulesets.delegation.workspaces.git import GitFailed, Repository

GITLINK = b"160000"
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


def submodules(worktree: Repository) -> dict[bytes, str]:
    """The commits of the worktree's submodules as its index has them, by path."""
    found = {}
    for entry in worktree.run("ls-files", "-s", "-z").split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        if facts.startswith(GITLINK):
            found[path] = facts.split()[1].decode()
    return found


def kept_out(worktree: Repository) -> list[bytes]:
    """The submodules that are filled, for git to keep out of.

    Files in the place of a submodule are files like others. GitFailed where another repository lies in the worktree.
    """
    found: list[bytes] = []
    inner: list[bytes] = []
    known = submodules(worktree)
    named = _named(worktree) if known else frozenset()
    for path in known:
        folder = os.path.join(os.fsencode(worktree.folder), path)
        if os.path.lexists(os.path.join(folder, b".git")):
            (found if path in named else inner).append(path)
        elif os.path.lexists(folder) and not (path in named and os.path.isdir(folder) and not os.listdir(folder)):
            worktree.run("update-index", "--force-remove", "--", os.fsdecode(path))
    untracked = worktree.run("ls-files", "-o", "--exclude-standard", "-z").split(b"\0")
    inner += [path.rstrip(b"/") for path in untracked if path.endswith(b"/")]
    if inner:
        first = os.fsdecode(min(inner))
        raise GitFailed(
            f"{first} is another git repository, so its files would be in no commit of the task. Remove "
            f"{first}/.git, have git ignore it, or make it a submodule"
        )
    return found


def record(worktree: Repository, paths: list[bytes]) -> None:
    """Put the commits that submodules are at into the index."""
    known = submodules(worktree) if paths else {}
    for path in paths:
        folder = os.path.join(os.fsencode(worktree.folder), path)
        if os.path.lexists(os.path.join(folder, b".git")):
            # Only the ref is read: looking at the commit could have git fetch it, by a program of that configuration.
            inner = Repository(worktree.folder / os.fsdecode(path))
            now = inner.text("rev-parse", "--verify", "-q", "HEAD", ok=range(256))
            if _COMMIT.fullmatch(now) and now != known[path]:
                worktree.run("update-index", "--cacheinfo", f"160000,{now},{os.fsdecode(path)}")


def _named(worktree: Repository) -> frozenset[bytes]:
    """The paths of the submodules that `.gitmodules` names."""
    words = ("config", "-f", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$")
    code, out = worktree.ran(*words, ok=range(256))
    return frozenset(entry.partition(b"\n")[2] for entry in out.split(b"\0")) if code == 0 else frozenset()
