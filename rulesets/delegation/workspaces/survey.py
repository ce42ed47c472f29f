"""The tasks' workspaces as they lie on the disk, and the removal of those that nobody needs (`sottovoce work`)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from sottovoce import Site
from sottovoce.rulesets.delegation.rules.code_events import merge_result
from sottovoce.rulesets.delegation.rules.evidence import Offered
from sottovoce.rulesets.delegation.rules.names import FOLDER
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task
from sottovoce.rulesets.delegation.workspaces.git import GitFailed, Repository
from sottovoce.rulesets.delegation.workspaces.merges import merge_of
from sottovoce.rulesets.delegation.workspaces.places import game_folder, locked
from sottovoce.rulesets.delegation.workspaces.worktrees import known

SHORT = 7
"""Characters of a commit's id in the table."""
HEADER = ("task", "stands", "branch", "head", "uncommitted", "checks", "merged", "folder")


def survey(site: Site, state: DelegationState) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Header and rows, a row for each task with a workspace."""
    rows = [_row(site, state, task) for task in state.tasks.values() if task.workspace is not None]
    return HEADER, rows


def _row(site: Site, state: DelegationState, task: Task) -> Sequence[str]:
    assert task.workspace is not None
    offered = task.offered
    path = game_folder(site.game) / task.task_id
    head, changed, folder = offered.head if offered else task.workspace.base, "—", "removed"
    try:
        repository = Repository(Path(state.folder or ""))
        worktree = known(repository, path) if task.workspace.kind == "worktree" else repository
        if worktree is not None:
            head, folder = worktree.tip("HEAD") or head, str(worktree.folder)
            changed = str(worktree.changed(FOLDER))
        merged = _merged(repository, task)
    except (GitFailed, OSError):
        merged, folder = "—", "the repository is not here"
    return (task.task_id, task.stands, task.workspace.branch, head[:SHORT], changed, _checks(offered), merged, folder)


def _checks(offered: Offered | None) -> str:
    if offered is None or not offered.checks:
        return "—"
    failing = ", ".join(check.name for check in offered.failing)
    return f"{failing} failed" if failing else f"{len(offered.checks)} passed"


def _merged(repository: Repository, task: Task) -> str:
    """What is in the target branch now, which may be more than was recorded."""
    assert task.workspace is not None
    if task.offered is None:
        return "—"
    space, head = task.workspace, task.offered.head
    found = merge_of(repository, task.task_id, space.target, space.target_at, space.base, head)
    return merge_result(found.found, found.target, found.commit[:SHORT] if found.commit else None)


def tidy(site: Site, state: DelegationState) -> Sequence[str]:
    """Remove the worktrees that are clean and merged, or whose task was abandoned; a line on each."""
    lines = []
    for task in state.tasks.values():
        if task.workspace is None or task.workspace.kind != "worktree":
            continue
        path = game_folder(site.game) / task.task_id
        try:
            lines.append(f"{task.task_id}: {_tidied(site, state, task, path)}")
        except (GitFailed, OSError) as error:
            lines.append(f"{task.task_id}: kept; {error}")
    return lines


def _tidied(site: Site, state: DelegationState, task: Task, path: Path) -> str:
    repository = Repository(Path(state.folder or ""))
    with locked(path):
        worktree = known(repository, path)
        if worktree is None:
            return "already removed."
        why = next(_reasons(repository, worktree, task), None)
        if why is not None:
            return f"kept; {why}."
        assert task.workspace is not None
        branch, head = worktree.branch() or task.workspace.branch, worktree.tip("HEAD")
        # Git removes no worktree with submodules unless forced; it is clean, so nothing is lost.
        repository.run("worktree", "remove", "--force", str(path))
        for suffix in ("filters", "set-up"):
            path.with_name(f"{path.name}.{suffix}").unlink(missing_ok=True)
    return f"removed; the branch {branch} stays at {(head or '')[:SHORT]}."


def _reasons(repository: Repository, worktree: Repository, task: Task) -> Iterator[str]:
    """Why the worktree has to stay."""
    assert task.workspace is not None
    if not task.ended:
        yield "the task is not over"
    if changed := worktree.changed(FOLDER):
        yield f"{changed} changed files are not committed"
    if worktree.admin is not None and (worktree.admin / "modules").is_dir():
        path = shlex.quote(str(worktree.folder))
        yield f"commits in its submodules may be nowhere else. Push them, then: git worktree remove --force {path}"
    if worktree.branch() is None:
        yield "no branch is checked out in it"
    head = worktree.tip("HEAD")
    space = task.workspace
    if task.abandoned:
        return
    found = merge_of(repository, task.task_id, space.target, space.target_at, space.base, head or space.base)
    if found.found == "none":
        yield f"its work is not found in {space.target}"
