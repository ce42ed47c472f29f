"""The facts of delegated work. Who sees each is in `audience.py`.

A control message and the file it points to are two events, since some see the one and not the other (D-021, D-022).
"""

from __future__ import annotations

from typing import Literal

from domain.audience import named_in, seat
from domain.events import Event
from domain.rulesets.delegation.messages import SKILL, USER, ControlMessage, artifact_path

Artifact = Literal["task", "request", "report", "closeout", "other"]
Decision = Literal["accept", "iterate"]
Work = Literal["merged", "progress"]

TASK = "20260101-1200-tidy-notes"


class FolderGiven(Event, name="delegation.folder-given.v1"):
    """The folder below which this game's artifacts lie, on the machine it was opened on."""

    folder: str

    example = {
        "folder": "/home/ada/notes",
    }


class SkillsDeclared(Event, name="delegation.skills-declared.v1", by=named_in("session")):
    """The skills that a session has loaded, all of them (D-023)."""

    session: str
    skills: tuple[str, ...]

    example = {
        "session": "executor",
        "skills": (SKILL,),
    }


class BriefGiven(Event, name="delegation.brief-given.v1", by=seat(USER)):
    """The user's brief for one task, with the sessions meant for it; it binds nobody yet (D-018)."""

    task_id: str
    planner: str
    executor: str
    reviewer: str
    text: str

    example = {
        "task_id": TASK,
        "planner": "planner",
        "executor": "executor",
        "reviewer": "reviewer",
        "text": "Tidy the notes.",
    }


class TurnAssigned(Event, name="delegation.turn-assigned.v1"):
    """The task that a turn is about."""

    seat: str
    turn: int
    task_id: str

    example = {
        "seat": "executor",
        "turn": 1,
        "task_id": TASK,
    }


class MessageSent(Event, name="delegation.message-sent.v1", by=named_in("message.from_session_id")):
    """A control message was accepted and delivered."""

    message: ControlMessage

    example = {
        "message": ControlMessage(
            schema_version="1.0",
            task_id=TASK,
            planner_session_id="planner",
            required_skills=(SKILL,),
            from_session_id="executor",
            to_session_id="reviewer",
            round=1,
            action="review_requested",
            artifact_path=artifact_path("review_requested", TASK, 1),
            note="Please review.",
        )
    }


class ArtifactFiled(Event, name="delegation.artifact-filed.v1", by=named_in("session")):
    """The file that a message points to, as it was then.

    `sha256` is of its bytes, `size` their number, `text` what they say where they are UTF-8. `must_fix` holds a review
    report's items (D-043), `again` those of them that the report before listed too, and `closed` those that it listed
    and this one does not; `round` is None where the file belongs to no round.
    """

    task_id: str
    kind: Artifact
    session: str
    round: int | None
    path: str
    sha256: str
    size: int
    text: str | None
    must_fix: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    example = {
        "task_id": TASK,
        "kind": "report",
        "session": "reviewer",
        "round": 1,
        "path": artifact_path("rework_required", TASK, 1),
        "sha256": "0" * 64,
        "size": 46,
        "text": "# Review\n\n## Must-fix\n\n- The title is missing.\n",
        "must_fix": ("The title is missing.",),
    }


class ArtifactDisclosed(Event, name="delegation.artifact-disclosed.v1"):
    """The delegate task is opened to the reviewer at the first review request (D-022)."""

    task_id: str
    to: str
    path: str
    sha256: str
    text: str | None

    example = {
        "task_id": TASK,
        "to": "reviewer",
        "path": artifact_path("execute_delegate_task", TASK, 1),
        "sha256": "0" * 64,
        "text": "Tidy the notes.",
    }


class StopDecided(Event, name="delegation.stop-decided.v1", by=seat(USER)):
    """The user accepts, or asks for another iteration (D-045). `words` are what the user said with it."""

    task_id: str
    decision: Decision
    words: str = ""

    example = {
        "task_id": TASK,
        "decision": "iterate",
        "words": "Please add a title.",
    }


class HandoffGuarded(Event, name="delegation.handoff-guarded.v1"):
    """A closeout would go from the reviewer to itself: it is refused, and the user is waited for (D-054)."""

    task_id: str
    session: str

    example = {
        "task_id": TASK,
        "session": "planner",
    }


class ClosingInstructed(Event, name="delegation.closing-instructed.v1", by=seat(USER)):
    """The user has the one who is both planner and reviewer close the task without a handoff (D-062)."""

    task_id: str
    words: str = ""

    example = {
        "task_id": TASK,
    }


class WorkRecorded(Event, name="delegation.work-recorded.v1", by=named_in("session")):
    """The planner has merged the task branch, or updated the progress records (D-055)."""

    task_id: str
    session: str
    work: Work
    words: str = ""

    example = {
        "task_id": TASK,
        "session": "planner",
        "work": "merged",
        "words": "Merged without conflicts.",
    }


class TaskHeld(Event, name="delegation.task-held.v1"):
    """The task stops, waiting for a session that failed or stayed silent (D-057)."""

    task_id: str
    waiting_for: str
    why: str

    example = {
        "task_id": TASK,
        "waiting_for": "executor",
        "why": "executor stayed silent too often.",
    }


class TaskResumed(Event, name="delegation.task-resumed.v1", by=seat(USER)):
    """The user lets a held task go on; the session awaited has fresh attempts (D-063)."""

    task_id: str
    waiting_for: str

    example = {
        "task_id": TASK,
        "waiting_for": "executor",
    }


class TaskAbandoned(Event, name="delegation.task-abandoned.v1", by=seat(USER)):
    """The user gives a held task up, for good (D-063)."""

    task_id: str
    waiting_for: str

    example = {
        "task_id": TASK,
        "waiting_for": "executor",
    }


class WorkEnded(Event, name="delegation.work-ended.v1"):
    """Every task has ended. How each did is not for everybody, and not told here."""


DELEGATION_EVENTS: tuple[type[Event], ...] = (
    FolderGiven,
    SkillsDeclared,
    BriefGiven,
    TurnAssigned,
    MessageSent,
    ArtifactFiled,
    ArtifactDisclosed,
    StopDecided,
    HandoffGuarded,
    ClosingInstructed,
    WorkRecorded,
    TaskHeld,
    TaskResumed,
    TaskAbandoned,
    WorkEnded,
)
