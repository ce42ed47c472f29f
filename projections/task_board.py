"""The board of delegated work: its tasks, as `show` lists them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from domain.rulesets.delegation import events
from domain.rulesets.delegation.prompts import standing
from domain.rulesets.delegation.state import DelegationState, Task
from projections.perspective import Line
from projections.transcripts.shape import Grid


def tasks(told: Sequence[Line], state: DelegationState) -> Grid | None:
    """Each task known here: where it stands, its round, who is awaited since when, what is left to be fixed, and
    whether a review has no answer yet (D-033)."""
    if not state.tasks:
        return None
    since = _since(told)
    rows = tuple(_row(task, since.get(task.task_id)) for task in state.tasks.values())
    return Grid(("task", "stands", "round", "awaited", "since", "to be fixed", "unanswered"), rows)


def _row(task: Task, since: datetime | None) -> tuple[str, ...]:
    items = task.reports.get(max(task.reports, default=0))
    return (
        task.task_id,
        standing(task),
        str(task.round) if task.round else "—",
        task.awaited or "—",
        f"{since:%Y-%m-%d %H:%M} UTC" if since is not None and task.awaited else "—",
        "—" if items is None else str(len(items)),
        f"round {task.round}" if task.step == "review" and not task.ended else "—",
    )


def _since(told: Sequence[Line]) -> dict[str, datetime]:
    """When each task last took a step."""
    moved: dict[str, datetime] = {}
    for line in told:
        match line.event:
            case events.MessageSent(message=message) if message.workflow:
                moved[message.task_id] = line.at
            case (
                events.BriefGiven()
                | events.StopDecided()
                | events.HandoffGuarded()
                | events.ClosingInstructed()
                | events.WorkRecorded()
                | events.TaskHeld()
                | events.TaskResumed()
            ):
                moved[line.event.task_id] = line.at
    return moved
