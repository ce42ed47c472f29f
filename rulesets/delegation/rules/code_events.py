"""The facts of work in a repository: where a task is worked on, its code at each review, checks, and the merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from sottovoce import Chair, Event, Grid, Piece, named_in, plainly, spoken, those
from sottovoce.rulesets.delegation.rules.deliveries import TASK, user
from sottovoce.rulesets.delegation.rules.evidence import (
    SHOWN,
    ChangedFile,
    Check,
    Difference,
    Merged,
    Offered,
    Workspace,
    WorkspaceKind,
)
from sottovoce.rulesets.delegation.rules.names import in_brackets, named
from sottovoce.rulesets.delegation.rules.state import DelegationState

State = DelegationState

MOST_FILES = 40
"""Changed files that are listed; of more, only the number is told."""


@those
def the_planner_and_executor(state: State, event: Any) -> Iterable[str]:
    """the planner, the executor"""
    task = state.task(event.task_id)
    return filter(None, (task.planner, task.executor))


@those
def the_executor_and_reviewer(state: State, event: Any) -> Iterable[str]:
    """the executor, the reviewer"""
    task = state.task(event.task_id)
    return filter(None, (task.executor, task.reviewer))


class WorkspaceOpened(Event[State], name="delegation.workspace-opened.v1", seen_by=the_planner_and_executor | user):
    """A task has its own branch, from a commit that is recorded here once (D-064)."""

    task_id: str
    kind: WorkspaceKind
    branch: str
    base: str
    target: str
    target_at: str

    example = {
        "task_id": TASK,
        "kind": "worktree",
        "branch": f"task/{TASK}",
        "base": "1" * 40,
        "target": "main",
        "target_at": "1" * 40,
    }

    def fold(self, state: State) -> State:
        workspace = Workspace(self.kind, self.branch, self.base, self.target, self.target_at)
        return state.with_task(self.task_id, workspace=workspace)

    def tell(self, chair: Chair) -> Piece:
        where = "has a worktree of its own" if self.kind == "worktree" else "is worked on in the checkout"
        begun = f"from {self.base[:SHOWN]} of {plainly(self.target)}"
        return Piece(f"{named(self.task_id)} {where}: branch {plainly(self.branch)}, {begun}.", private="")


class CodeOffered(
    Event[State],
    name="delegation.code-offered.v1",
    seen_by=the_executor_and_reviewer | user,
    by=named_in("session"),
):
    """The code of a round, as it was committed when its review was requested (D-065).

    `whole` is what changed since the task began, `since` what changed after the round before; None in the first round.
    """

    task_id: str
    round: int
    session: str
    base: str
    head: str
    whole: Difference
    since: Difference | None = None
    committed_by_server: bool = False

    example = {
        "task_id": TASK,
        "round": 1,
        "session": "executor",
        "base": "1" * 40,
        "head": "2" * 40,
        "whole": Difference(
            files=(ChangedFile("notes.md", None, 1, 0),),
            size=36,
            sha256="0" * 64,
            text="--- a/notes.md\n+++ b/notes.md\n+Tidy.\n",
        ),
    }

    def fold(self, state: State) -> State:
        task = state.task(self.task_id)
        offered = Offered(self.base, self.head, self.whole, self.since)
        return state.with_task(self.task_id, code={**task.code, self.round: offered})

    def tell(self, chair: Chair) -> Piece:
        new = self.whole if self.since is None else self.since
        rows = [(plainly(_path(file)), _count("+", file.added), _count("−", file.removed)) for file in new.files]
        lead = " ".join(self._leads(new))
        return Piece(
            lead,
            "list" if rows else "line",
            self.session,
            words=spoken(self.session, new.text),
            title=f"Code of round {self.round} of {named(self.task_id)}" if rows else "",
            private="",
            mood="" if rows else "warn",
            grid=Grid(("File", "added", "removed"), tuple(rows[:MOST_FILES])) if rows else None,
            numbers={"files": len(new.files), "bytes": new.size},
        )

    def _leads(self, new: Difference) -> Iterator[str]:
        if not new.files:
            since = "since the task began" if self.since is None else "since the last round"
            yield f"Round {self.round} of {named(self.task_id)}: no change {since}, at {self.head[:SHOWN]}."
            return
        yield f"{new.counted[:1].upper()}{new.counted[1:]}, at {self.head[:SHOWN]}."
        if self.since is not None:
            yield f"Since the task began: {self.whole.counted}."
        if len(new.files) > MOST_FILES:
            yield f"{len(new.files) - MOST_FILES} more files are not listed."
        if not new.whole:
            yield f"The diff has {new.size} bytes; not all of it is kept."


class CheckRan(Event[State], name="delegation.check-ran.v1", seen_by=the_executor_and_reviewer | user):
    """A check that the server ran on the code of a round, with its result (D-066)."""

    task_id: str
    round: int
    head: str
    check: Check

    example = {
        "task_id": TASK,
        "round": 1,
        "head": "2" * 40,
        "check": Check("test", "make test", 2, "", 1.5, "1 failed"),
    }

    def fold(self, state: State) -> State:
        task = state.task(self.task_id)
        offered = task.code.get(self.round)
        if offered is None:
            return state
        offered = replace(offered, checks=(*offered.checks, self.check))
        return state.with_task(self.task_id, code={**task.code, self.round: offered})

    def tell(self, chair: Chair) -> Piece:
        check = self.check
        lead = (
            f"Check {plainly(check.name)} {plainly(check.result)} {in_brackets(self.task_id, f'round {self.round}')}."
        )
        words = () if check.passed else spoken(None, check.output)
        return Piece(lead, words=words, private="", mood="good" if check.passed else "bad")


class MergeChecked(Event[State], name="delegation.merge-checked.v1", seen_by=named_in("session") | user):
    """What the server found in the target branch when the planner said that the work is merged (D-067)."""

    task_id: str
    session: str
    head: str
    target: str
    tip: str
    found: Merged
    commit: str | None = None
    conflicts: tuple[str, ...] = ()

    example = {
        "task_id": TASK,
        "session": "planner",
        "head": "2" * 40,
        "target": "main",
        "tip": "3" * 40,
        "found": "merge",
        "commit": "3" * 40,
    }

    def fold(self, state: State) -> State:
        return state.with_task(self.task_id, merge=(self.found, self.commit))

    def tell(self, chair: Chair) -> Piece:
        lead = f"{merge_result(self.found, self.target, self.commit)} {in_brackets(self.task_id, self.head[:SHOWN])}."
        if self.conflicts:
            lead += f" A merge would conflict in {len(self.conflicts)} files:"
        words = spoken(None, "\n".join(self.conflicts[:MOST_FILES]))
        return Piece(lead, words=words, private="", mood="bad" if self.found == "none" else "good")


def merge_result(found: Merged, target: str, commit: str | None) -> str:
    """What was found of the work in the target branch, in words."""
    where = plainly(target)
    at = f" in {commit[:SHOWN]}" if commit else ""
    match found:
        case "merge":
            return f"Merged into {where}{at}"
        case "picked":
            return (
                f"Merged into {where} commit by commit, the last{at}" if at else f"Merged into {where} by its commits"
            )
        case "squash":
            return f"Merged into {where} as one commit{at}"
        case "contained":
            return f"All of it is in {where}: merging would change nothing"
        case "empty":
            return f"The branch changes nothing, so there is nothing to merge into {where}"
        case "none":
            return f"Not found in {where}"


def _path(file: ChangedFile) -> str:
    return f"{file.old} → {file.path}" if file.old else file.path


def _count(sign: str, lines: int | None) -> str:
    return "binary" if lines is None else f"{sign}{lines}"


CODE_EVENTS: tuple[type[Event], ...] = (WorkspaceOpened, CodeOffered, CheckRan, MergeChecked)
