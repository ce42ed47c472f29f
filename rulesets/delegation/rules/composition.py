"""The message that a bare action or plain words stand for: every other field follows from what its seat knows.

Nobody has to write JSON by hand, and the sender is the seat that sends, never a field it fills in.
"""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce import Refused, the_one
from sottovoce.rulesets.delegation.rules.actions import ACTIONS
from sottovoce.rulesets.delegation.rules.messages import ControlMessage, faults_of, in_one_line
from sottovoce.rulesets.delegation.rules.names import SKILL, USER, VERSION
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task

QUESTION = "need_input"
"""The action of a session that needs an answer to continue; any action except the six also asks (D-012)."""
ANSWERED = "input_given"
"""What plain words become that answer it."""


def compose(
    state: DelegationState,
    task: Task,
    seat: str,
    name: str,
    to: str | None,
    note: str | None,
    skills: Sequence[str],
) -> ControlMessage:
    """The message of a bare action from `seat`. Refused where nobody says whom it goes to, or a line is at fault."""
    action = ACTIONS[name]
    receiver = meant(state, to) or action.whom(state, task)
    if receiver is None:
        raise Refused("to_session_id: name the recipient in a line `to: NAME` below the action.")
    message = ControlMessage(
        schema_version=VERSION,
        task_id=task.task_id,
        planner_session_id=task.planner or seat,
        required_skills=(SKILL, *(skill for skill in skills if skill != SKILL)),
        from_session_id=seat,
        to_session_id=receiver,
        round=action.round(task),
        action=action.name,
        artifact_path=action.due_path(task),
        note=note or action.note.format(task=task.task_id),
    )
    return checked(state, message, usual_note=note is None)


def compose_words(state: DelegationState, task: Task, seat: str, action: str, to: str, note: str) -> ControlMessage:
    """The message that plain words about a task make. Its round is the last that `seat` may know of."""
    known = [message for message in task.messages if seat in (message.from_session_id, message.to_session_id, USER)]
    heard = state.heard.get((seat, task.task_id))
    rounds = [1, *(message.round for message in known), *([heard.round] if heard is not None else [])]
    return ControlMessage(
        schema_version=VERSION,
        task_id=task.task_id,
        planner_session_id=task.lead or seat,
        required_skills=(),
        from_session_id=seat,
        to_session_id=meant(state, to) or to,
        round=rounds[-1],
        action=action,
        artifact_path="",
        note=note,
    )


def meant(state: DelegationState, name: str | None) -> str | None:
    """The session that a name means, however it is spelled; as it is if it means none."""
    return name and (the_one(name, state.seats) or name)


def checked(state: DelegationState, message: ControlMessage, usual_note: bool = False) -> ControlMessage:
    """A message made here, or Refused where a line that its seat wrote is at fault."""
    faults = faults_of(message, state.options.max_note_chars)
    if usual_note:
        faults = [fault for fault in faults if fault[0] != "note"]
    if faults:
        raise Refused(in_one_line(faults))
    return message
