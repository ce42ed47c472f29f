"""What a server would find in the repositories of the kit's games: the same for the same text."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from sottovoce import Command, Refused, Reply, Say, readable
from sottovoce.rulesets.delegation.rules.actions import DelegateTask, ReviewRequested
from sottovoce.rulesets.delegation.rules.evidence import (
    ChangedFile,
    Check,
    Difference,
    Evidence,
    Fault,
    FoundCode,
    FoundMerge,
    FoundWorkspace,
    Merged,
    Offered,
    Workspace,
)
from sottovoce.rulesets.delegation.rules.moves import Send
from sottovoce.rulesets.delegation.rules.replies import read
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task
from sottovoce.rulesets.delegation.rules.task_turns import Choice

SHARED = "shared notes.py"
"""A file that is changed wherever something is, so that a remark can name it."""
MERGES: tuple[Merged, ...] = ("merge", "picked", "squash", "contained", "empty", "none")


def evidence_for(state: DelegationState, command: Command) -> Evidence | None:
    """What there is for a command, from its text and its task alone."""
    if state.options.workspace == "none" or not isinstance(command, Reply | Say):
        return None
    turn = state.turns.get((command.seat, command.turn)) if isinstance(command, Reply) else None
    try:
        move: Any = read(state, command.seat, turn, command.text)
    except Refused:
        return None
    if isinstance(move, Send):
        task_id = move.message.task_id
        lot = _lot(task_id, command.text)
        if move.message.action == DelegateTask.name:
            if lot.random() < 0.05:
                return Fault(task_id, f"workspace: the branch task/{task_id} is checked out at /elsewhere.")
            return FoundWorkspace(task_id, Workspace("worktree", f"task/{task_id}", _commit(lot), "main", _commit(lot)))
        task = state.task(task_id)
        if move.message.action == ReviewRequested.name and task.workspace is not None:
            if lot.random() < 0.05:
                return Fault(task_id, f"workspace: it has left the branch task/{task_id}.")
            return _code(state, task, lot)
    if isinstance(move, Choice) and move.choice == "merged":
        task = move.turn.task(state)
        return _merge(task, _lot(task.task_id, command.text)) if task.workspace is not None else None
    return None


def _lot(task_id: str, text: str) -> random.Random:
    """Drawn from the text as the server has it, and from the task's slug: added tasks are called by the time of day."""
    said = readable(text.replace("\0", "\ufffd"))
    return random.Random(hashlib.sha256(f"{task_id[14:]} {said}".encode()).hexdigest())


def _commit(lot: random.Random) -> str:
    return f"{lot.getrandbits(160):040x}"


def _difference(lot: random.Random) -> Difference:
    word = f"code-{lot.getrandbits(32):08x}"
    if lot.random() < 0.2:
        return Difference(sha256=f"{lot.getrandbits(256):064x}")
    named = (f"{word}.py", SHARED)
    files = (
        *(ChangedFile(name, None, lot.randint(0, 9), lot.randint(0, 9)) for name in named),
        ChangedFile("logo.png"),
    )
    text = "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,2 @@\n same\n-was\n+print({word!r})\n"
        for name in named
    )
    return Difference(files, lot.randint(9, 10**6), f"{lot.getrandbits(256):064x}", text, lot.random() < 0.8)


def _code(state: DelegationState, task: Task, lot: random.Random) -> FoundCode:
    assert task.workspace is not None, "asked only of a task with a workspace"
    whole = _difference(lot)
    since = _difference(lot) if task.code else None
    checks = tuple(
        Check(name, command, lot.choice((0, 0, 2)), "", lot.randint(0, 99) / 10, f"said {lot.getrandbits(32):08x}\n")
        for name, command in state.options.check.items()
    )
    return FoundCode(task.task_id, Offered(task.workspace.base, _commit(lot), whole, since, checks), True)


def _merge(task: Task, lot: random.Random) -> FoundMerge:
    found = lot.choice(MERGES)
    commit = _commit(lot) if found in ("merge", "picked", "squash") else None
    conflicts = (f"clash-{lot.getrandbits(32):08x}.py",) if found == "none" else ()
    return FoundMerge(task.task_id, _commit(lot), "main", _commit(lot), found, commit, conflicts)
