"""The house's user: it follows up what the brief says it will, and accepts."""

from __future__ import annotations

from typing import Any

from sottovoce import Turn, View
from sottovoce.rulesets.delegation.house.documents import items, listed, sections
from sottovoce.rulesets.delegation.rules.events import StopDecided, TaskHeld
from sottovoce.rulesets.delegation.rules.state import Task


def decide(view: View[Any], turn: Turn, task: Task) -> str:
    """One more iteration for the brief's follow-ups once nothing else is left to fix; otherwise it is good enough."""
    wanted = items(sections(task.brief or "").get("follow-ups", ""))
    asked = any(isinstance(entry.event, StopDecided) and entry.event.task_id == task.task_id for entry in view.entries)
    if wanted and not asked and not task.reports.get(task.round):
        return f"iterate\n{listed(wanted)}"
    return "accept"


def instruct(view: View[Any], turn: Turn, task: Task) -> str:
    """Let the planner close what nobody can hand over."""
    return "close"


def hold(view: View[Any], turn: Turn, task: Task) -> str:
    """Give a session that failed one more chance."""
    held = [entry.event for entry in view.entries if isinstance(entry.event, TaskHeld)]
    times = sum(event.task_id == task.task_id for event in held)
    return "resume" if times <= 1 else "abandon"
