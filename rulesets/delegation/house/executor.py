"""The house's executor: a first pass over the text, then exactly what each report lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sottovoce import Turn, View
from sottovoce.rulesets.delegation.house.checklist import Check, understood
from sottovoce.rulesets.delegation.house.documents import checklist_of, document, fenced, listed, reply, text_of_round
from sottovoce.rulesets.delegation.house.wanted import answered
from sottovoce.rulesets.delegation.rules.state import Task
from sottovoce.rulesets.delegation.rules.wishes import HEADING

FIRST_PASS = 2
"""Sentences of the checklist that the first pass attends to."""


def implement(view: View[Any], turn: Turn, task: Task) -> str:
    """The text mended for this round, with what was done to it, and the request to review it."""
    checks, _ = understood([*checklist_of(task), *_wanted(task)])
    text = text_of_round(task, task.round)
    todo, unclear = _todo(task, checks)
    done = []
    for check in todo:
        mended = check.mended(text)
        done.append(f"Done: {check.line}" if not check.faults(mended) else f"Tried: {check.line}")
        text = mended
    parts = [("Changes", listed(done, "None were needed."))]
    if unclear:
        parts.append(("Not understood", listed(unclear)))
    if task.unsettled:
        parts.append((HEADING, answered(task, text)))
    content = document(f"Review request, round {task.round + 1}", *parts, ("Text", fenced(text)))
    return reply("review_requested", content)


def _todo(task: Task, checks: Sequence[Check]) -> tuple[list[Check], list[str]]:
    """What to do in this round, and what was asked for but is not understood."""
    match task.step:
        case "rework":
            asked = task.reports.get(task.round, ())
            found = [check for check in checks if any(item.startswith(check.line.rstrip(".")) for item in asked)]
            unclear = [item for item in asked if not any(item.startswith(check.line.rstrip(".")) for check in checks)]
            return found, unclear
        case "iterating":
            return understood(_wanted(task))
    return list(checks[:FIRST_PASS]), []


def _wanted(task: Task) -> list[str]:
    """What the user asked for in all iterations so far."""
    return [wish.text for wish in task.wanted.values()]
