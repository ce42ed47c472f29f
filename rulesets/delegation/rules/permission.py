"""Whether a well-formed message can be sent: who can send what to whom, and when.

Refusals depend only on what the sender can know: a session without a part in a task gets the same answer whether or not
the task exists, and a waiting executor gets the same answer whatever happens to the work.
"""

from __future__ import annotations

from collections.abc import Iterator

from sottovoce import Refused
from sottovoce.rulesets.delegation.rules.actions import ACTIONS, Action
from sottovoce.rulesets.delegation.rules.messages import ControlMessage, in_one_line
from sottovoce.rulesets.delegation.rules.names import USER
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task

Fault = tuple[str, str]


def check(state: DelegationState, seat: str, message: ControlMessage) -> None:
    """Refused, naming every field at fault, unless `seat` may send the message now. The file is looked at apart."""
    faults: dict[str, str] = {}
    if message.to_session_id not in state.seats:
        faults["to_session_id"] = f"there is no such session; there are: {', '.join(state.seats)} (D-007)"
    rules = _workflow if message.workflow else _other
    for field, what in rules(state, seat, message):
        faults.setdefault(field, what)
    if not faults:
        faults = dict(_lacking(state, message))
    if faults:
        raise Refused(in_one_line(faults.items()))


def _lacking(state: DelegationState, message: ControlMessage) -> Iterator[Fault]:
    """The user is exempt (D-023)."""
    declared = state.declared(message.to_session_id)
    missing = [skill for skill in message.required_skills if skill not in declared]
    if missing and message.to_session_id != USER:
        yield "required_skills", f"{message.to_session_id} has not loaded {', '.join(missing)} (D-023)"


def _other(state: DelegationState, seat: str, message: ControlMessage) -> Iterator[Fault]:
    """A message outside the workflow goes from a part of the task, or the user, to anybody (D-012)."""
    task = state.tasks.get(message.task_id)
    if task is None or not (seat == USER or task.parts(seat)):
        yield _no_part(message)
    elif message.planner_session_id != task.lead:
        yield _planner(task)


def _workflow(state: DelegationState, seat: str, message: ControlMessage) -> Iterator[Fault]:
    action, task = ACTIONS[message.action], state.tasks.get(message.task_id)
    if seat == USER:
        yield "from_session_id", "the user decides and sends no workflow message (D-045)"
    elif action.opens:
        yield from _opening(seat, action, message, task)
    elif task is None or not task.parts(seat) or task.planner is None:
        yield _no_part(message)
    else:
        if message.planner_session_id != task.planner:
            yield _planner(task)
        if action.sender not in task.parts(seat):
            yield "action", f"{action.name} comes from the task's {action.sender}, which you are not (D-018)"
        elif (late := _out_of_step(task, action)) is not None:
            yield "action", late
        else:
            yield from _due(task, action, message)
            yield from _bound(task, action, message)


def _opening(seat: str, action: Action, message: ControlMessage, task: Task | None) -> Iterator[Fault]:
    if message.planner_session_id != seat:
        yield "planner_session_id", f"is the sender's own id in this message; write {seat} (D-024)"
    if task is not None and action.sender not in task.parts(seat):
        yield "task_id", "this id is taken by a task of somebody else's; choose another one (D-027)"
    elif task is not None and task.step not in action.steps:
        yield "task_id", "this task has been opened; a task is delegated once (D-027)"
    elif task is not None and (stopped := _stopped(task)) is not None:
        yield "action", stopped
    task = task or Task(message.task_id)
    yield from _bound(task, action, message)
    yield from _due(task, action, message)


def _no_part(message: ControlMessage) -> Fault:
    return "task_id", f"you have no part in a task {message.task_id} (D-018)"


def _planner(task: Task) -> Fault:
    return "planner_session_id", f"never changes within a task; copy {task.lead or ''} (D-019)"


def _due(task: Task, action: Action, message: ControlMessage) -> Iterator[Fault]:
    due, path = action.round(task), action.due_path(task)
    if message.round != due:
        yield "round", f"{action.name} has the round {due} now ({action.rules[0]})"
    if message.artifact_path != path:
        yield "artifact_path", f"point to {path} ({action.rules[1]})"


def _bound(task: Task, action: Action, message: ControlMessage) -> Iterator[Fault]:
    """Later messages go to those who are bound (D-018)."""
    due = action.bound(task)
    if due is not None and message.to_session_id != due:
        yield "to_session_id", f"{action.name} goes to {due} (D-018)"
    elif due is None and message.to_session_id == USER:
        yield "to_session_id", f"{action.sent} goes to a session, not to the user (D-018)"


def _out_of_step(task: Task, action: Action) -> str | None:
    """Why the action does not fit the step, or None if it does. The sender has the part that sends it."""
    return _stopped(task) if task.step in action.steps else action.untimely(task)


def _stopped(task: Task) -> str | None:
    """Return whether the session whose turn it is knows of a hold, and of the end that the user made (D-060, D-063)."""
    if task.abandoned:
        return "the user has abandoned the task (D-063)"
    return "the task is on hold until the user resumes it (D-063)" if task.held is not None else None
