"""The house's reviewer: it checks the text sentence by sentence and lists what fails, a few things at a time."""

from __future__ import annotations

from typing import Any

from sottovoce import Turn, View
from sottovoce.rulesets.delegation.house.checklist import understood
from sottovoce.rulesets.delegation.house.documents import (
    checklist_of,
    document,
    fenced,
    listed,
    reply,
    text_of_round,
)
from sottovoce.rulesets.delegation.house.wanted import answered
from sottovoce.rulesets.delegation.rules.reports import same_items
from sottovoce.rulesets.delegation.rules.state import Task
from sottovoce.rulesets.delegation.rules.wishes import HEADING, wishes

AT_ONCE = 3
"""Must-fix items in one report: more would not be mended well in one round."""

BETWEEN = " · "
"""What stands between follow-ups in a note, which is one line."""
INTRODUCTION = "The user wants another pass. Follow-ups: "
LONGEST_NOTE = 900


def review(view: View[Any], turn: Turn, task: Task) -> str:
    """The report, and rework or a stop recommendation by what it lists and by what the rules still allow."""
    checks, unclear = understood([*checklist_of(task), *(wish.text for wish in task.wanted.values())])
    text = text_of_round(task, task.round)
    checked, failing = [], []
    for check in checks:
        faults = check.faults(text)
        checked.append(f"{'not met' if faults else 'met'}: {check.line}")
        if faults:
            failing.append(f"{check.line.rstrip('.')} ({'; '.join(faults)}).")
    must_fix = failing[:AT_ONCE]
    parts = [("Checked", listed(checked, "There was nothing to check.")), ("Must-fix", listed(must_fix))]
    if len(failing) > AT_ONCE:
        parts.append(("Later", f"{len(failing) - AT_ONCE} more, once these are done."))
    if unclear:
        parts.append(("Not understood", listed(unclear)))
    if task.unsettled:
        parts.append((HEADING, answered(task, text)))
    content = document(f"Review report, round {task.round}", *parts)
    stalled = same_items(must_fix, task.reports.get(task.round - 1, ()))
    again = must_fix and not stalled and "rework_required" in turn.choices
    return reply("rework_required" if again else "stop_recommended", content)


def hand_back(view: View[Any], turn: Turn, task: Task) -> str:
    """What the user wants, in a note to the executor; the file is the report, which lies there as it was."""
    wanted = wishes(task.asked)
    note = INTRODUCTION + BETWEEN.join(wanted) if wanted else ""
    headers = [("note", note[:LONGEST_NOTE])] if note else []
    return reply("user_requested_iteration", "", headers)


def close(view: View[Any], turn: Turn, task: Task) -> str:
    """The closeout: how it went, what is left, and the text."""
    rounds = [f"Round {number}: {len(found)} to be fixed." for number, found in sorted(task.reports.items())]
    left = task.reports.get(task.round, ())
    not_done = [f"Item {wish.number}, {wish.stands}: {wish.text}" for wish in task.unsettled]
    content = document(
        f"Closeout of {task.task_id}",
        ("Rounds", listed(rounds)),
        ("Left", listed(left, "Nothing." if not not_done else "No must-fix item.")),
        *([("Not done", listed(not_done))] if not_done else []),
        ("Text", fenced(text_of_round(task, task.round))),
    )
    return reply("closeout_delivered", content)
