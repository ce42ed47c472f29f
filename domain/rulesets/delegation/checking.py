"""Whether a well-formed message may be sent: who may send what to whom, when, and with which file.

What is refused, and in which words, depends on nothing but what the sender may know: whoever has no part in a task gets
one answer whether or not there is such a task, and an executor that waits gets one answer however the work goes on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from domain.commands import Found, NotAFile
from domain.errors import Refused
from domain.rulesets.delegation.composing import due_path, due_round
from domain.rulesets.delegation.messages import USER, Action, ControlMessage, in_one_line
from domain.rulesets.delegation.reports import must_fix, same_items
from domain.rulesets.delegation.state import DelegationState, Filed, Task

MOST_BYTES = 262_144
"""Bytes that an artifact may have."""

Fault = tuple[str, str]

SENDERS: Mapping[Action, str] = {
    "execute_delegate_task": "planner",
    "review_requested": "executor",
    "rework_required": "reviewer",
    "stop_recommended": "reviewer",
    "user_requested_iteration": "reviewer",
    "closeout_delivered": "reviewer",
}
PATH_RULES: Mapping[Action, str] = {
    "execute_delegate_task": "D-025",
    "review_requested": "D-029",
    "rework_required": "D-035",
    "stop_recommended": "D-039",
    "user_requested_iteration": "D-047",
    "closeout_delivered": "D-051",
}
ROUND_RULES: Mapping[Action, str] = {
    "execute_delegate_task": "D-024",
    "review_requested": "D-028",
    "rework_required": "D-034",
    "stop_recommended": "D-038",
    "user_requested_iteration": "D-046",
    "closeout_delivered": "D-050",
}
DUE_STEPS: Mapping[Action, tuple[str, ...]] = {
    "execute_delegate_task": ("proposed",),
    "review_requested": ("delegated", "rework", "iterating"),
    "rework_required": ("review",),
    "stop_recommended": ("review",),
    "user_requested_iteration": ("requested",),
    "closeout_delivered": ("accepted",),
}
"""The steps of a task in which each action is accepted."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A message's file. `fresh` says that it is to be recorded; a file of the workflow is recorded once."""

    data: bytes
    sha256: str
    text: str | None
    must_fix: tuple[str, ...]
    report: bool
    fresh: bool


def check(state: DelegationState, seat: str, message: ControlMessage) -> None:
    """Refused, naming every field at fault, unless `seat` may send the message now. The file is looked at apart."""
    rules = _workflow if message.workflow else _other
    faults: dict[str, str] = {}
    if message.to_session_id not in state.seats:
        faults["to_session_id"] = f"there is no such session; there are: {', '.join(state.seats)} (D-007)"
    for field, what in rules(state, seat, message):
        faults.setdefault(field, what)
    if not faults:
        faults = dict(_lacking(state, message))
    if faults:
        raise Refused(in_one_line(faults.items()))


def parts(task: Task, seat: str) -> tuple[str, ...]:
    """The parts that a seat has in a task."""
    planner = task.planner or (task.meant[0] if task.meant else None)
    held = (("planner", planner), ("executor", task.executor), ("reviewer", task.reviewer))
    return tuple(part for part, name in held if name == seat)


def _lacking(state: DelegationState, message: ControlMessage) -> Iterator[Fault]:
    """The user is exempt (D-023)."""
    declared = state.declared(message.to_session_id)
    missing = [skill for skill in message.required_skills if skill not in declared]
    if missing and message.to_session_id != USER:
        yield "required_skills", f"{message.to_session_id} has not loaded {', '.join(missing)} (D-023)"


def _other(state: DelegationState, seat: str, message: ControlMessage) -> Iterator[Fault]:
    """A message outside the workflow goes from a part of the task, or the user, to anybody (D-012)."""
    task = state.tasks.get(message.task_id)
    if task is None or not (seat == USER or parts(task, seat)):
        yield _no_part(message)
    elif message.planner_session_id != (task.planner or (task.meant and task.meant[0])):
        yield _planner(task)


def _workflow(state: DelegationState, seat: str, message: ControlMessage) -> Iterator[Fault]:
    action: Action = message.action  # type: ignore[assignment]
    task = state.tasks.get(message.task_id)
    if seat == USER:
        yield "from_session_id", "the user decides and sends no workflow message (D-045)"
    elif action == "execute_delegate_task":
        yield from _opening(seat, message, task)
    elif task is None or not parts(task, seat) or task.planner is None:
        yield _no_part(message)
    else:
        if message.planner_session_id != task.planner:
            yield _planner(task)
        if SENDERS[action] not in parts(task, seat):
            yield "action", f"{action} comes from the task's {SENDERS[action]}, which you are not (D-018)"
        elif (late := _out_of_step(task, action)) is not None:
            yield "action", late
        else:
            yield from _due(task, action, message)
            yield from _bound(task, action, message)


def _opening(seat: str, message: ControlMessage, task: Task | None) -> Iterator[Fault]:
    if message.planner_session_id != seat:
        yield "planner_session_id", f"is the sender's own id in this message; write {seat} (D-024)"
    if task is not None and "planner" not in parts(task, seat):
        yield "task_id", "this id is taken by a task of somebody else's; choose another one (D-027)"
    elif task is not None and task.step != "proposed":
        yield "task_id", "this task has been opened; a task is delegated once (D-027)"
    elif task is not None and (stopped := _stopped(task)) is not None:
        yield "action", stopped
    if message.to_session_id == USER:
        yield "to_session_id", "a task goes to a session, not to the user (D-018)"
    yield from _due(task or Task(message.task_id), "execute_delegate_task", message)


def _no_part(message: ControlMessage) -> Fault:
    return "task_id", f"you have no part in a task {message.task_id} (D-018)"


def _planner(task: Task) -> Fault:
    planner = task.planner or (task.meant[0] if task.meant else "")
    return "planner_session_id", f"never changes within a task; copy {planner} (D-019)"


def _due(task: Task, action: Action, message: ControlMessage) -> Iterator[Fault]:
    due = due_round(task, action)
    if message.round != due:
        yield "round", f"{action} has the round {due} now ({ROUND_RULES[action]})"
    if message.artifact_path != due_path(task, action):
        yield "artifact_path", f"point to {due_path(task, action)} ({PATH_RULES[action]})"


def _bound(task: Task, action: Action, message: ControlMessage) -> Iterator[Fault]:
    """Later messages go to those who are bound (D-018)."""
    due = {
        "review_requested": task.reviewer,
        "rework_required": task.executor,
        "stop_recommended": USER,
        "user_requested_iteration": task.executor,
        "closeout_delivered": task.planner,
    }[action]
    if due is not None and message.to_session_id != due:
        yield "to_session_id", f"{action} goes to {due} (D-018)"
    elif message.to_session_id == USER and action != "stop_recommended":
        yield "to_session_id", "a review request goes to a session, not to the user (D-018)"


def _out_of_step(task: Task, action: Action) -> str | None:
    """Why the action does not fit the step, or None if it does. The sender has the part that sends it."""
    if task.step in DUE_STEPS[action]:
        return _stopped(task)
    if action == "review_requested":
        return f"you wait until round {task.round} is answered and handed back to you (D-031, D-032)"
    if task.step == "closing":
        return "the closeout has ended the loop (D-055)"
    if task.step == "guarded" and action == "closeout_delivered":
        return "you are the planner too, so there is nobody to hand over to; wait for the user (D-054)"
    if task.step in ("guarded", "instructed"):
        return "nothing is left to review; the user closes the task (D-054, D-062)"
    if task.step == "stopped":
        return "you recommended stopping; wait until the user has decided (D-045)"
    if action == "user_requested_iteration":
        return "the user has asked for no further iteration (D-049)"
    if action == "closeout_delivered":
        return "the user has not accepted (D-053)"
    return "no review request is open (D-037)"


def _stopped(task: Task) -> str | None:
    """Whoever is awaited knows of a hold, and of the end that the user made of it (D-060, D-063)."""
    if task.abandoned:
        return "the user has abandoned the task (D-063)"
    return "the task is on hold until the user resumes it (D-063)" if task.held is not None else None


def contents(
    files: Mapping[str, Found], task: Task | None, message: ControlMessage, carried: str | None
) -> Contents | None:
    """The file that the message points to, or None for none (D-013). Refused where there is no such file (D-015), where
    it is not the one recorded under that path, or cannot be one.

    Without a folder to look into, a file recorded before is taken to be as it was.
    """
    path = message.artifact_path
    if not path:
        return None
    known = task.files.get(path) if task else None
    found = files.get(path)
    if isinstance(found, NotAFile):
        raise _artifact(f"{found.what}; put a plain file inside the folder there (D-014)")
    if path in files and carried is None and found is None:
        raise _artifact("there is no such file; write it first, then send the message (D-015)")
    data = carried.encode() if carried is not None else found
    if data is None:
        if known is None or known.text is None:
            raise _artifact("there is no such file; write it first, then send the message (D-015)")
        data = known.text.encode()
    if known is not None and message.workflow:
        on_disk = (found,) if path in files else ()
        if any(part is None or _sha256(part) != known.sha256 for part in (data, *on_disk)):
            raise _artifact("the file is not the one that was recorded under this name; put that one back (D-015)")
    return _read(data, known, message)


def stalled(task: Task, items: tuple[str, ...]) -> bool:
    """Whether the report of the task's round lists what the one before listed (D-042)."""
    return bool(items) and same_items(items, task.reports.get(task.round - 1, ()))


def check_stop(state: DelegationState, task: Task, action: str, items: tuple[str, ...]) -> None:
    """Refused where the report calls for the other answer (D-041, D-042, D-061)."""
    capped = task.round >= state.options.max_rounds
    if action == "rework_required":
        if not items:
            raise Refused("action: the report lists no item under '## Must-fix'; recommend stopping instead (D-061).")
        if capped or stalled(task, items):
            why = f"round {task.round} is the last" if capped else "two reports in a row list the same items"
            raise Refused(f"action: {why}; recommend stopping instead (D-042).")
    elif action == "stop_recommended" and items and not capped and not stalled(task, items):
        raise Refused("action: must-fix items remain and no other stop condition holds; require rework (D-061).")


def _read(data: bytes, known: Filed | None, message: ControlMessage) -> Contents:
    if len(data) > MOST_BYTES:
        raise _artifact(f"the file has more than {MOST_BYTES} bytes; make it smaller")
    try:
        text: str | None = data.decode()
    except UnicodeDecodeError:
        if message.workflow:
            raise _artifact("the file is not UTF-8 text; write it anew") from None
        text = None
    digest = _sha256(data)
    report = message.artifact_path.rpartition("/")[2].startswith("review-report-r")
    items = must_fix(text) if report and text is not None else ()
    fresh = known is None or (known.sha256 != digest and known.kind == "other")
    return Contents(data, digest, text, items, report, fresh)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _artifact(what: str) -> Refused:
    return Refused(in_one_line([("artifact_path", what)]))
