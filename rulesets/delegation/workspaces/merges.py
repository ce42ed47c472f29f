"""Whether the work of a task is in the branch that it was to be merged into (D-067)."""

from __future__ import annotations

from sottovoce.rulesets.delegation.rules.evidence import FoundMerge, Merged
from sottovoce.rulesets.delegation.workspaces.git import DIFF, Repository

MOST_CONFLICTS = 100


def merge_of(repository: Repository, task_id: str, target: str, since: str, base: str, head: str) -> FoundMerge:
    """How the work from `base` to `head` came into `target`, whose tip was `since` when the task began.

    All three are commits that were recorded: a branch moves. GitFailed where a commit or the branch is gone.
    """
    tip = repository.text("rev-parse", "--verify", f"refs/heads/{target}^{{commit}}")
    found, commit = _found(repository, tip, since, base, head)
    conflicts = _conflicts(repository, tip, head) if found == "none" else ()
    return FoundMerge(task_id, head, target, tip, found, commit, conflicts)


def _found(repository: Repository, tip: str, since: str, base: str, head: str) -> tuple[Merged, str | None]:
    if repository.tree(base) == repository.tree(head):
        return "empty", None
    if repository.holds("merge-base", "--is-ancestor", head, tip):
        return "merge", _brought_by(repository, tip, head)
    marks = repository.text("cherry", tip, head, base).splitlines()
    log = ("log", "-p", "--no-merges", *DIFF, f"{since}..{tip}")
    if marks and all(mark.startswith("-") for mark in marks):
        last = _patches(repository, repository.run("show", *DIFF, marks[-1].split()[1]))
        new = _patches(repository, repository.run(*log))
        return "picked", next((new[patch] for patch in last if patch in new), None)
    whole = _patches(repository, repository.run("diff", *DIFF, base, head))
    new = _patches(repository, repository.run(*log)) if whole else {}
    if whole and all(patch in new for patch in whole):
        return "squash", new[next(iter(whole))]
    code, tree = repository.ran("merge-tree", "--write-tree", "--no-messages", tip, head, ok=(0, 1, 128, 129))
    if code == 0 and tree.decode().strip() == repository.tree(tip):
        return "contained", None
    return "none", None


def _brought_by(repository: Repository, tip: str, head: str) -> str:
    """The commit of the target branch with which the head came: the merge, or the head itself."""
    line = repository.text("rev-list", "--first-parent", "--reverse", "--ancestry-path", f"{head}..{tip}").splitlines()
    if not line:
        return head
    first = line[0]
    parents = repository.text("rev-list", "--parents", "-n", "1", first).split()[1:]
    return head if parents[:1] == [head] else first


def _patches(repository: Repository, diffs: bytes) -> dict[str, str]:
    """The ids of the patches in a text, each with the commit that it is of."""
    out = repository.run("patch-id", "--stable", given=diffs).decode("ascii", "replace")
    return {line.split()[0]: line.split()[1] for line in out.splitlines()}


def _conflicts(repository: Repository, tip: str, head: str) -> tuple[str, ...]:
    """The files in which a merge would conflict; none where this git cannot tell."""
    words = ("merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", tip, head)
    code, out = repository.ran(*words, ok=(0, 1, 128, 129))
    if code != 1:
        return ()
    names = out.decode("utf-8", "replace").split("\0")[1:]
    return tuple(dict.fromkeys(name for name in names if name))[:MOST_CONFLICTS]
