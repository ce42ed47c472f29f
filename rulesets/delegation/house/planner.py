"""The house's planner: it turns a brief into a task file, and records what it did with the work."""

from __future__ import annotations

from typing import Any

from sottovoce import Turn, View
from sottovoce.rulesets.delegation.house.documents import document, fenced, items, listed, reply, sections, unfenced
from sottovoce.rulesets.delegation.rules.state import Task


def delegate(view: View[Any], turn: Turn, task: Task) -> str:
    """The brief as a task file. What the user wants to follow up later is the user's own and stays out of it."""
    brief = sections(task.brief or "")
    _, executor, reviewer = task.meant or ("", "executor", "reviewer")
    head, *goal = [line for line in brief[""].splitlines() if line.strip()] or [task.task_id]
    parts = [("Goal", "\n".join(goal) or "What the checklist asks for.")]
    if "text" in brief:
        parts.append(("Text", fenced(unfenced(brief["text"]))))
    parts.append(("Checklist", listed(items(brief.get("checklist", "")), "There is none.")))
    sessions = f"Executor: {executor}\nReviewer: {reviewer}\nBranch: task/{task.task_id}"
    content = document(head.lstrip("# "), ("Sessions", sessions), *parts)
    return reply("execute_delegate_task", content)


def record(view: View[Any], turn: Turn, task: Task) -> str:
    """Merge first, then the progress records. A bot cannot merge code, and says so."""
    if turn.choices[0] == "merged" and task.workspace is not None:
        return f"merged\nA bot plays this seat and cannot merge. Merge it yourself: git merge task/{task.task_id}"
    if turn.choices[0] == "merged":
        return f"merged\nThe branch task/{task.task_id} is merged."
    return "progress\nThe progress records are up to date."
