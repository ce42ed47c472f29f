"""What the server found in a task's repository: where the work began, what was changed, what ran, what was merged.

The rules look at no repository. The server finds these facts before a text is decided on, and they come with the
command, as files do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

WorkspaceKind = Literal["worktree", "checkout", "none"]
"""Where a task's agents run: in a git worktree of their own, in the checkout itself one turn at a time, or anywhere."""

Merged = Literal["merge", "picked", "squash", "contained", "empty", "none"]
"""How work came into the target branch: its head is an ancestor; its commits were picked or rebased; one commit has the
whole change; merging would change nothing; there was no change; or not at all."""

SHOWN = 12
"""Characters of a commit's id that are shown."""


class ChangedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that differs: its path, the old one if it was renamed, lines added and removed (None if it is binary)."""

    path: str
    old: str | None = None
    added: int | None = None
    removed: int | None = None


class Difference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What differs between two commits.

    `text` is the diff as far as it is kept, whole files only; `size`, in bytes, and `sha256` are those of the whole
    diff. `whole` says whether `text` is all of it.
    """

    files: tuple[ChangedFile, ...] = ()
    size: int = 0
    sha256: str = ""
    text: str = ""
    whole: bool = True

    @property
    def counted(self) -> str:
        """The number of files and lines, such as `2 files, +10 −3`."""
        if not self.files:
            return "no file is changed"
        added = sum(file.added or 0 for file in self.files)
        removed = sum(file.removed or 0 for file in self.files)
        return f"{len(self.files)} file{'' if len(self.files) == 1 else 's'}, +{added} −{removed}"


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One run of a check: its exit code, or why it has none (`cut`), the seconds it took, the end of its output."""

    name: str
    command: str
    exit: int | None
    cut: str = ""
    seconds: float = 0.0
    output: str = ""

    @property
    def passed(self) -> bool:
        return self.exit == 0 and not self.cut

    @property
    def result(self) -> str:
        """How it ended, in a few words."""
        if self.cut:
            return f"did not end by itself: {self.cut}"
        return f"{'passed' if self.passed else f'failed with exit code {self.exit}'} in {self.seconds:g} s"


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where a task is worked on: the branch, the commit it began at, and the branch that it is to be merged into, with
    the commit that was its tip then."""

    kind: WorkspaceKind
    branch: str
    base: str
    target: str
    target_at: str


@dataclass(frozen=True, slots=True)
class Offered:
    """The code of a round, as the state keeps it. `since` is what changed after the round before; None in the first."""

    base: str
    head: str
    whole: Difference
    since: Difference | None
    checks: tuple[Check, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether nothing changed after the round before, or, in the first round, at all."""
        return not (self.whole if self.since is None else self.since).files

    @property
    def failing(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.passed)


@dataclass(frozen=True, slots=True)
class FoundWorkspace:
    """A repository in which the task can begin."""

    task_id: str
    workspace: Workspace


@dataclass(frozen=True, slots=True)
class FoundCode:
    """The code of a task when its review is requested. `committed`: the server had to commit some of it."""

    task_id: str
    offered: Offered
    committed: bool


@dataclass(frozen=True, slots=True)
class FoundMerge:
    """What is in the target branch of a task's work. `commit` has it; `conflicts` are files that would not merge."""

    task_id: str
    head: str
    target: str
    tip: str
    found: Merged
    commit: str | None = None
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in the repository keeps the text from being taken: what, and what to do."""

    task_id: str
    why: str


Evidence = FoundWorkspace | FoundCode | FoundMerge | Fault
