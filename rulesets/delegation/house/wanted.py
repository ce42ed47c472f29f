"""What the house says of the items that the user asked for: done, or not done and why."""

from __future__ import annotations

from sottovoce.rulesets.delegation.house.checklist import understood
from sottovoce.rulesets.delegation.rules.state import Task


def answered(task: Task, text: str) -> str:
    """A line on each open item, by what the text is like now."""
    lines = []
    for wish in task.unsettled:
        checks, unclear = understood([wish.text])
        if unclear or not checks:
            lines.append(f"{wish.number}. not done: the house does not understand this.")
        elif faults := [fault for check in checks for fault in check.faults(text)]:
            lines.append(f"{wish.number}. not done: {'; '.join(faults)}.")
        else:
            lines.append(f"{wish.number}. done")
    return "\n".join(lines)
