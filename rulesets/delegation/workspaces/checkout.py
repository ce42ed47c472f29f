"""Tasks in the checkout itself, one turn at a time: it is switched to the branch of whoever works next (D-064)."""

from __future__ import annotations

from sottovoce.rulesets.delegation.rules.names import FOLDER
from sottovoce.rulesets.delegation.workspaces.git import GitFailed, Repository
from sottovoce.rulesets.delegation.workspaces.places import locked
from sottovoce.rulesets.delegation.workspaces.worktrees import committed

LEFT_OUT = (FOLDER, "tasks")
"""What is never committed in a checkout: the game's own files, and briefs that lie there uncommitted."""


def switched(checkout: Repository, branch: str, start: str | None, ours: frozenset[str]) -> None:
    """Switch the checkout to the branch, which begins at `start` if it is not there.

    What lies uncommitted on another branch of `ours` is committed there. Raises GitFailed where anything else is.
    """
    with locked(checkout.folder / FOLDER / "checkout"):
        now = checkout.branch()
        if now == branch:
            return
        if now in ours:
            committed(checkout, str(now), "Work in progress", LEFT_OUT)
        elif changed := checkout.changed(*LEFT_OUT):
            raise GitFailed(
                f"{changed} changed files in {checkout.folder} are not committed. Commit or stash them, or use "
                "workspace=worktree"
            )
        if checkout.holds("show-ref", "--verify", "-q", f"refs/heads/{branch}"):
            checkout.run("switch", "-q", "--no-guess", branch)
        elif start is not None:
            checkout.run("switch", "-q", "-c", branch, start)
        else:
            raise GitFailed(f"There is no branch {branch} in {checkout.folder}")
