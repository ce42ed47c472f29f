"""A task's worktree: made, found again whatever a crash left, and its work committed (D-064, D-065)."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sottovoce.rulesets.delegation.rules.names import FOLDER
from sottovoce.rulesets.delegation.workspaces.git import GitFailed, Repository
from sottovoce.rulesets.delegation.workspaces.nested import kept_out, record
from sottovoce.rulesets.delegation.workspaces.places import locked, repository_lock

AUTHOR = ("-c", "user.name=Sottovoce", "-c", "user.email=sottovoce@localhost")
INITIALIZING = "initializing"
"""Why git locks a worktree while it is being added."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A worktree as the repository lists it."""

    path: Path
    branch: str | None
    locked: str | None
    prunable: bool


def worktrees(repository: Repository) -> list[Listed]:
    """All worktrees, the main one first."""
    words = ("worktree", "list", "--porcelain", "-z")
    try:
        out = repository.run(*words).decode("utf-8", "surrogateescape")
    except GitFailed:  # somebody was just adding one
        time.sleep(0.2)
        out = repository.run(*words).decode("utf-8", "surrogateescape")
    found = []
    for part in out.split("\0\0"):
        facts = {line.partition(" ")[0]: line.partition(" ")[2] for line in part.split("\0") if line}
        if "worktree" in facts:
            branch = facts.get("branch", "").removeprefix("refs/heads/") or None
            found.append(Listed(Path(facts["worktree"]), branch, facts.get("locked"), "prunable" in facts))
    return found


def checked_out_at(repository: Repository, branch: str, but: Path) -> Path | None:
    """The other worktree in which the branch is checked out, if there is one."""
    return next((one.path for one in worktrees(repository) if one.branch == branch and one.path != but), None)


def known(repository: Repository, path: Path) -> Repository | None:
    """The worktree at that path, if the repository has it and it is whole."""
    if path.is_symlink() or not path.is_dir():
        return None
    common = Path(repository.text("rev-parse", "--path-format=absolute", "--git-common-dir"))
    for entry in (common / "worktrees").glob("*/gitdir"):
        try:
            place = entry.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n")
        except OSError:
            continue
        if place == str(path / ".git"):
            return None if (entry.parent / "locked").exists() and _half_made(entry.parent) else Repository(
                path, entry.parent
            )  # fmt: skip
    return None


def _half_made(admin: Path) -> bool:
    try:
        return (admin / "locked").read_text(encoding="utf-8", errors="replace").strip() == INITIALIZING
    except OSError:
        return False


def opened(repository: Repository, path: Path, branch: str, start: str) -> Repository:
    """The worktree at `path` on that branch, which begins at the commit `start` if there is none of that name.

    What a crash left half made is made again; a folder that is no worktree any more is moved aside, and no work is
    thrown away. Raises GitFailed, such as for a branch that is checked out elsewhere.
    """
    with locked(path) as held:
        there = known(repository, path)
        return there or _added(repository, path, branch, start, held)


def _added(repository: Repository, path: Path, branch: str, start: str, held: int) -> Repository:
    """One at a time in a repository: git cannot list worktrees while another one is being added."""
    with locked(repository_lock(repository.folder)) as all_held:
        _clear(repository, path)
        if (other := checked_out_at(repository, branch, path)) is not None:
            raise GitFailed(
                f"The branch {branch} is checked out at {other}. Switch that folder to another branch: git switch NAME"
            )
        made = repository.holds("show-ref", "--verify", "-q", f"refs/heads/{branch}")
        words = ("--", str(path), branch) if made else ("-b", branch, "--", str(path), start)
        repository.run("worktree", "add", "-q", *words, held=(held, all_held))
        there = known(repository, path)
        if there is None:
            raise GitFailed(f"The worktree {path} was not made. See: git worktree list")
        _remember_filters(there, path)
        return there


def _clear(repository: Repository, path: Path) -> None:
    """Take away the records of a worktree that is half made or gone, and make room at its path."""
    mine = next((one for one in worktrees(repository) if one.path == path), None)
    half_made = mine is not None and mine.locked == INITIALIZING
    if mine is not None:
        repository.run("worktree", "unlock", str(path), ok=(0, 128))
        if half_made:
            repository.ran("worktree", "remove", "-f", "-f", str(path), ok=range(256))
    if half_made:
        shutil.rmtree(path, ignore_errors=True)
    if path.is_symlink() or path.exists():
        _aside(path)
    repository.run("worktree", "prune")


def _aside(path: Path) -> None:
    if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
        path.rmdir()
        return
    number = 1
    while (other := path.with_name(f"{path.name}.kept-{number}")).exists() or other.is_symlink():
        number += 1
    path.rename(other)


def committed(
    worktree: Repository, branch: str, message: str, leave_out: tuple[str, ...] = (FOLDER,)
) -> tuple[str, bool]:
    """Commit whatever lies there, since an agent's sandbox often cannot: the head, and whether there was anything.

    Raises GitFailed where the worktree has left its branch, or git would run a program that was not set up before.
    """
    now, under_way = worktree.branch(), worktree.under_way()
    if under_way is not None and (now != branch or worktree.run("ls-files", "-u", "-z")):
        raise GitFailed(
            f"A {under_way} is under way in the work folder. Finish it with `git {under_way} --continue`, or go back "
            f"with `git {under_way} --abort`, and request the review again"
        )
    if now != branch:
        raise GitFailed(
            f"The work folder has left its branch: it is on {now or 'no branch'}. Go back with `git switch {branch}`, "
            "with the work of this task on it, and request the review again"
        )
    worktree.clear_locks()
    if worktree.admin is not None and (new := _new_filters(worktree, worktree.folder)):
        raise GitFailed(
            f"The git configuration has a new filter ({', '.join(new)}), which would run a program. Take it out again: "
            "git config --unset-all NAME"
        )
    # Not left out by a pathspec: git would complain of those that are ignored anyway.
    lock = worktree.folder if worktree.admin is not None else worktree.folder / FOLDER / "commit"
    with locked(lock) as held:
        inner = kept_out(worktree)
        sparse = ("--sparse",) if worktree.text("config", "--bool", "core.sparseCheckout", ok=(0, 1)) == "true" else ()
        apart = [f":(top,exclude,literal){os.fsdecode(path)}" for path in inner]
        worktree.run("add", "-A", *sparse, "--", ".", *apart, held=(held,))
        record(worktree, inner)
        if not worktree.holds("diff", "--cached", "--quiet", "--no-ext-diff", "--", *leave_out):
            worktree.run("reset", "-q", "HEAD", "--", *leave_out)
        fresh = not worktree.holds("diff", "--cached", "--quiet", "--no-ext-diff")
        if fresh:
            worktree.run(*AUTHOR, "commit", "-q", "--no-verify", "-m", message, held=(held,))
    return worktree.text("rev-parse", "--verify", "HEAD^{commit}"), fresh


def exclude_artifacts(repository: Repository) -> None:
    """Keep `.agent-artifacts/` from being listed as untracked, in the repository and in all of its worktrees."""
    path = Path(repository.text("rev-parse", "--path-format=absolute", "--git-path", "info/exclude"))
    line = f"/{FOLDER}/"
    text = path.read_text(encoding="utf-8", errors="surrogateescape") if path.is_file() else ""
    if line in text.splitlines():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n")


# An agent that can write the repository's configuration could have the server's `git add` run a filter of its own.


def _filters(worktree: Repository) -> Mapping[str, str]:
    """The configured programs that git runs on files, each with a digest of its command."""
    out = worktree.run("config", "--includes", "-z", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$", ok=(0, 1))
    found = {}
    for entry in out.split(b"\0"):
        name, _, value = entry.partition(b"\n")
        if name:
            found[name.decode("utf-8", "replace")] = hashlib.sha256(value).hexdigest()
    return found


def _remember_filters(worktree: Repository, path: Path) -> None:
    lines = [f"{digest} {name}\n" for name, digest in _filters(worktree).items()]
    path.with_name(f"{path.name}.filters").write_text("".join(lines), encoding="utf-8")


def _new_filters(worktree: Repository, path: Path) -> list[str]:
    try:
        known_ones = set(path.with_name(f"{path.name}.filters").read_text(encoding="utf-8").splitlines())
    except OSError:
        known_ones = set()
    return [name for name, digest in _filters(worktree).items() if f"{digest} {name}" not in known_ones]
