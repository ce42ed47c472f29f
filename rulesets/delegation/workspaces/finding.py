"""What the server looks for in a repository before a text is decided on, and where each agent runs."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sottovoce import Command, Refused, Reply, Say, Site, Turn
from sottovoce.rulesets.delegation.rules.actions import DelegateTask, ReviewRequested
from sottovoce.rulesets.delegation.rules.evidence import (
    Check,
    Evidence,
    Fault,
    FoundCode,
    FoundWorkspace,
    Offered,
    Workspace,
)
from sottovoce.rulesets.delegation.rules.moves import Send
from sottovoce.rulesets.delegation.rules.names import FOLDER, USER
from sottovoce.rulesets.delegation.rules.permission import check
from sottovoce.rulesets.delegation.rules.replies import read
from sottovoce.rulesets.delegation.rules.state import STEPS, DelegationState, Task
from sottovoce.rulesets.delegation.rules.task_turns import Choice
from sottovoce.rulesets.delegation.workspaces import survey
from sottovoce.rulesets.delegation.workspaces.checkout import LEFT_OUT, switched
from sottovoce.rulesets.delegation.workspaces.checks import NOT_ALLOWED, is_allowed, run_check
from sottovoce.rulesets.delegation.workspaces.diffs import difference
from sottovoce.rulesets.delegation.workspaces.git import GitFailed, Repository
from sottovoce.rulesets.delegation.workspaces.merges import merge_of
from sottovoce.rulesets.delegation.workspaces.places import game_folder, locked
from sottovoce.rulesets.delegation.workspaces.worktrees import checked_out_at, committed, opened

LONGEST_TEXT = 65_536
"""Characters of a text that the rules read."""
_ARTIFACT = re.compile(rf"{re.escape(FOLDER)}/([^/]+)/[^/].*")


class Repositories:
    """The repositories that tasks are worked on in. Every method may take long, and looks at the disk."""

    def place(self, site: Site, state: DelegationState, turn: Turn, stop: threading.Event) -> Path | None:
        """The folder in which the agent of a turn runs; None where nothing is said of it.

        The executor's and the reviewer's is the task's workspace, which is made if it is not there; the planner's is
        the repository. Raises GitFailed.
        """
        task = state.task_of(turn.seat, turn.number)
        if state.folder is None or state.options.workspace == "none" or turn.seat == USER or task is None:
            return None
        repository = Repository(Path(state.folder))
        if _planning(task, turn) or task.workspace is None:
            if state.options.workspace == "checkout" and task.workspace is not None:
                switched(repository, task.workspace.target, None, _ours(state))
            return repository.folder
        return self._worked_on(site, state, task, stop).folder

    def find(self, site: Site, state: DelegationState, command: Command, stop: threading.Event) -> Evidence | None:
        """What there is in the repository for the text of a command; None where it is about nothing there.

        A review request has the work committed and the checks run. Raises Stopped when `stop` is set meanwhile.
        """
        if state.folder is None or state.options.workspace == "none" or not isinstance(command, Reply | Say):
            return None
        move = _move(state, command)
        if isinstance(move, Send):
            task_id = move.message.task_id
            task = state.task(task_id)
            try:
                if move.message.action == DelegateTask.name:
                    return self._workspace(site, state, task_id)
                if move.message.action == ReviewRequested.name and task.workspace is not None:
                    return self._code(site, state, task, stop)
            except (GitFailed, OSError) as error:
                return Fault(task_id, f"workspace: {str(error).rstrip('.')} (D-064).")
        if isinstance(move, Choice) and move.choice == "merged":
            return self._merge(state, move.turn.task(state))
        return None

    def beside(self, site: Site, state: DelegationState, path: str) -> Path | None:
        """The other folder in which a file that a message points to may lie: an agent writes where it runs."""
        named = _ARTIFACT.fullmatch(path)
        task = state.tasks.get(named[1]) if named else None
        if task is None or task.workspace is None or task.workspace.kind != "worktree":
            return None
        return game_folder(site.game) / task.task_id

    def survey(self, site: Site, state: DelegationState) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """A table of the tasks' workspaces as they are on the disk: header and rows."""
        return survey.survey(site, state)

    def tidy(self, site: Site, state: DelegationState) -> Sequence[str]:
        """Remove worktrees that nobody needs any more; a line on each. Nothing is lost."""
        return survey.tidy(site, state)

    def _workspace(self, site: Site, state: DelegationState, task_id: str) -> Evidence:
        """Where the task can begin: at the tip of the target, or where a branch of its name left it."""
        repository = Repository(Path(state.folder or ""))
        branch, target = branch_of(site, task_id), state.options.target
        tip = repository.tip(f"refs/heads/{target}")
        if tip is None:
            return Fault(task_id, f"workspace: the branch {target} is gone; make it again (D-064).")
        base, there = tip, repository.tip(f"refs/heads/{branch}")
        if there is not None:
            other = checked_out_at(repository, branch, game_folder(site.game) / task_id)
            if other is not None and state.options.workspace == "worktree":
                return Fault(
                    task_id, f"workspace: the branch {branch} is checked out at {other}; switch that folder (D-064)."
                )
            base = repository.text("merge-base", tip, there)
        return FoundWorkspace(task_id, Workspace(state.options.workspace, branch, base, target, tip))

    def _worked_on(self, site: Site, state: DelegationState, task: Task, stop: threading.Event) -> Repository:
        """The task's worktree, set up; or the checkout on its branch."""
        assert task.workspace is not None, "only where the task has a workspace"
        repository, branch = Repository(Path(state.folder or "")), _branch(site, task)
        start = task.offered.head if task.offered else task.workspace.base
        if task.workspace.kind == "checkout":
            switched(repository, branch, start, _ours(state))
            return repository
        path = game_folder(site.game) / task.task_id
        worktree = opened(repository, path, branch, start)
        _set_up(state, worktree.folder, stop)
        return worktree

    def _code(self, site: Site, state: DelegationState, task: Task, stop: threading.Event) -> Evidence:
        assert task.workspace is not None, "only where the task has a workspace"
        worktree = self._worked_on(site, state, task, stop)
        options, base, branch = state.options, task.workspace.base, _branch(site, task)
        message = f"Round {task.round + 1} of {task.task_id}"
        leave_out = (FOLDER,) if task.workspace.kind == "worktree" else LEFT_OUT
        head, fresh = committed(worktree, branch, message, leave_out)
        before = None if task.offered is None else task.offered.head
        repository = Repository(Path(state.folder or ""))
        whole = difference(repository, base, head, options.diff_bytes)
        since = None if before is None else difference(repository, before, head, options.diff_bytes)
        checks = tuple(_checked(state, name, command, worktree.folder, stop) for name, command in options.check.items())
        return FoundCode(task.task_id, Offered(base, head, whole, since, checks), fresh)

    def _merge(self, state: DelegationState, task: Task) -> Evidence | None:
        if task.workspace is None or state.folder is None or state.options.merge_check == "off":
            return None
        repository, space = Repository(Path(state.folder)), task.workspace
        try:
            head = task.offered.head if task.offered else repository.tip(f"refs/heads/{space.branch}")
            return merge_of(repository, task.task_id, space.target, space.target_at, space.base, head or space.base)
        except (GitFailed, OSError) as error:
            must = state.options.merge_check == "required"
            return Fault(task.task_id, f"merged: {str(error).rstrip('.')} (D-067).") if must else None


def branch_of(site: Site, task_id: str) -> str:
    """The branch of a task. A fork has branches of its own, since those of the first game are checked out there."""
    return f"fork/{site.game}/{task_id}" if site.forked else f"task/{task_id}"


def _branch(site: Site, task: Task) -> str:
    return branch_of(site, task.task_id)


def _ours(state: DelegationState) -> frozenset[str]:
    return frozenset(task.workspace.branch for task in state.tasks.values() if task.workspace is not None)


def _planning(task: Task, turn: Turn) -> bool:
    """Whether the turn is the planner's, who works in the repository itself."""
    if turn.kind == "answer":
        return turn.seat not in (task.executor, task.reviewer)
    return STEPS[task.step][0] == "planner"


def _move(state: DelegationState, command: Reply | Say) -> Any:
    """The move that the text makes, if it is one that its sender may make now."""
    if len(command.text) > LONGEST_TEXT:
        return None
    turn = state.turns.get((command.seat, command.turn)) if isinstance(command, Reply) else None
    try:
        move = read(state, command.seat, turn, command.text)
        if isinstance(move, Send) and move.message.workflow:
            if turn is not None:
                turn.takes(state, move.message)
            check(state, command.seat, move.message)
    except Refused:
        return None
    return move


def _set_up(state: DelegationState, folder: Path, stop: threading.Event) -> None:
    """Run the set-up command once in a new worktree. Raises GitFailed where it fails."""
    command = state.options.setup.strip()
    done = folder.with_name(f"{folder.name}.set-up")
    if not command:
        return
    with locked(folder):
        if done.exists() and done.read_text(encoding="utf-8", errors="replace") == command:
            return
        ran = _checked(state, "set-up", command, folder, stop)
        if not ran.passed:
            last = ran.output.strip().rpartition("\n")[2][:200]
            raise GitFailed(f"The set-up command {ran.result}{f': {last}' if last else '.'}")
        done.write_text(command, encoding="utf-8")


def _checked(state: DelegationState, name: str, command: str, folder: Path, stop: threading.Event) -> Check:
    if not is_allowed(state.folder or "", command):
        return Check(name, command, None, NOT_ALLOWED)
    return run_check(name, command, folder, state.options.seconds_for(name), stop)
