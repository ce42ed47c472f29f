"""Who sees each event of delegated work. Whatever is not stated here fails at import (invariant 3).

The user sees all of the work; a session sees what it sends, what comes to it, and the files that go with that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.audience import EVERYONE, NOBODY, Audience, Rule, only
from domain.events import Event, HoldLifted, HoldPlaced
from domain.ruleset import CORE_AUDIENCE
from domain.rulesets.delegation import events
from domain.rulesets.delegation.messages import USER
from domain.rulesets.delegation.state import DelegationState, Task


def everyone(state: DelegationState, event: Event) -> Audience:
    return EVERYONE


def nobody(state: DelegationState, event: Event) -> Audience:
    return NOBODY


def user_and(field: str) -> Rule:
    def rule(state: DelegationState, event: Any) -> Audience:
        return only(USER, getattr(event, field))

    return rule


def own_seat(state: DelegationState, event: events.TurnAssigned) -> Audience:
    return only(event.seat)


def both_ends(state: DelegationState, event: events.MessageSent) -> Audience:
    """The sender, the receiver and the user, and nobody in copy (D-021)."""
    return only(event.message.from_session_id, event.message.to_session_id, USER)


def reviewer_alone(state: DelegationState, event: events.ArtifactDisclosed) -> Audience:
    return only(event.to)


def readers(state: DelegationState, event: events.ArtifactFiled) -> Audience:
    """Whom the server opens the file to (D-022). What other messages point to is opened to the user alone."""
    task = _task(state, event)
    match event.kind:
        case "task":
            return only(_names(task.planner, task.executor), USER)
        case "request" | "report":
            return only(_names(task.executor, task.reviewer), USER)
        case "closeout":
            return only(_names(task.reviewer, task.planner), USER)
        case _:
            return only(USER)


def user_and_reviewer(state: DelegationState, event: Any) -> Audience:
    return only(_names(_task(state, event).reviewer), USER)


def _task(state: DelegationState, event: Any) -> Task:
    return state.tasks.get(event.task_id) or Task(event.task_id)


def _names(*names: str | None) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)


DELEGATION_AUDIENCE: Mapping[type[Event], Rule] = {
    **CORE_AUDIENCE,
    HoldPlaced: everyone,
    HoldLifted: everyone,
    events.FolderGiven: nobody,
    events.SkillsDeclared: everyone,
    events.BriefGiven: user_and("planner"),
    events.TurnAssigned: own_seat,
    events.MessageSent: both_ends,
    events.ArtifactFiled: readers,
    events.ArtifactDisclosed: reviewer_alone,
    events.StopDecided: user_and_reviewer,
    events.HandoffGuarded: user_and_reviewer,
    events.ClosingInstructed: user_and_reviewer,
    events.WorkRecorded: user_and("session"),
    events.TaskHeld: user_and("waiting_for"),
    events.TaskResumed: user_and("waiting_for"),
    events.TaskAbandoned: user_and("waiting_for"),
    events.WorkEnded: everyone,
}
