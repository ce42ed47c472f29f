"""The message that a bare action stands for: every field but the action follows from the turn and what its seat knows.

Nobody has to write JSON by hand, and the sender is the seat that sends, never a field it fills in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from domain.errors import Refused
from domain.rulesets.delegation.messages import SKILL, USER, VERSION, Action, ControlMessage, Round, artifact_path
from domain.rulesets.delegation.state import DelegationState, Task

NOTES: Mapping[Action, str] = {
    "execute_delegate_task": "Follow the task file and work in the branch task/{task}. When a first version is there, "
    "commit it and prepare a review request.",
    "review_requested": "Please read the review request and write a full review report, then send the next control "
    "message yourself: rework if anything must be fixed, otherwise a stop recommendation to the user.",
    "rework_required": "Must-fix items remain. Please fix what the report lists and send a review request for the "
    "next round.",
    "stop_recommended": "A stop condition is met: no must-fix item is left, the last round is reached, or there is no "
    "progress. Please confirm acceptance and closeout, or ask for another iteration.",
    "user_requested_iteration": "The user wants another pass. Please do the follow-ups and send a new review request.",
    "closeout_delivered": "The review loop is complete and the user has confirmed. Please merge the branch task/{task} "
    "and update the progress records; planning a next task is up to you.",
}
"""The default note of each action (D-026, D-030, D-036, D-040, D-048, D-052, D-059)."""

_REVIEWER = re.compile(r"^Reviewer: *(\S.*?) *$", re.MULTILINE)


QUESTION = "need_input"
"""What is sent by whoever cannot go on without an answer; any action outside the six asks as well (D-012)."""
ANSWERED = "input_given"
"""What plain words become that answer it."""


def default_note(action: Action, task_id: str) -> str:
    """What the action's message tells where its sender says nothing else."""
    return NOTES[action].format(task=task_id)


def due_round(task: Task, action: Action) -> Round:
    """The round that a message of that action has next (D-024, D-028, D-034, D-038, D-046, D-050)."""
    match action:
        case "execute_delegate_task":
            return 1
        case "review_requested":
            return task.round + 1
        case "closeout_delivered":
            return "final"
    return task.round


def due_path(task: Task, action: Action) -> str:
    """The path that its artifact has (D-025, D-029, D-035, D-039, D-047, D-051)."""
    return artifact_path(action, task.task_id, due_round(task, action))


def due_receiver(state: DelegationState, task: Task, action: Action) -> str | None:
    """Whom it goes to, as far as its sender can know; None where that is the sender's to say.

    An executor learns the reviewer from the line `Reviewer: NAME` of the task file.
    """
    match action:
        case "execute_delegate_task":
            return task.meant[1] if task.meant else None
        case "review_requested":
            if task.reviewer is not None:
                return task.reviewer
            filed = task.files.get(artifact_path("execute_delegate_task", task.task_id, 1))
            named = _REVIEWER.search(filed.text or "") if filed else None
            return next((name for name in (named and named[1], "reviewer") if name in state.sessions), None)
        case "rework_required" | "user_requested_iteration":
            return task.executor
        case "stop_recommended":
            return USER
        case "closeout_delivered":
            return task.planner


def compose(
    state: DelegationState,
    task: Task,
    seat: str,
    action: Action,
    to: str | None,
    note: str | None,
    skills: Sequence[str],
) -> ControlMessage:
    """The message of a bare action from `seat`. Refused where nobody says whom it goes to."""
    receiver = to or due_receiver(state, task, action)
    if receiver is None:
        raise Refused("to_session_id: say whom it goes to, in a line `to: NAME` below the action.")
    return ControlMessage(
        schema_version=VERSION,
        task_id=task.task_id,
        planner_session_id=task.planner or seat,
        required_skills=(SKILL, *(skill for skill in skills if skill != SKILL)),
        from_session_id=seat,
        to_session_id=receiver,
        round=due_round(task, action),
        action=action,
        artifact_path=due_path(task, action),
        note=note or default_note(action, task.task_id),
    )


def compose_words(state: DelegationState, task: Task, seat: str, action: str, to: str, note: str) -> ControlMessage:
    """The message that plain words about a task make. Its round is the last that `seat` may know of."""
    known = [message for message in task.messages if seat in (message.from_session_id, message.to_session_id, USER)]
    heard = state.heard.get((seat, task.task_id))
    rounds = [1, *(message.round for message in known), *([heard.round] if heard is not None else [])]
    planner = task.planner or (task.meant[0] if task.meant else seat)
    return ControlMessage(
        schema_version=VERSION,
        task_id=task.task_id,
        planner_session_id=planner,
        required_skills=(),
        from_session_id=seat,
        to_session_id=to,
        round=rounds[-1],
        action=action,
        artifact_path="",
        note=note,
    )
