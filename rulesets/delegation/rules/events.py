"""The facts of delegated work.

The user sees all of the work; a session sees what it sends, what comes to it, and the files that go with that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from sottovoce import (
    Chair,
    Event,
    Fold,
    Heading,
    Mood,
    Piece,
    changes_nothing,
    everyone,
    fact,
    line,
    marked,
    named_in,
    nobody,
    plainly,
    sets,
    spoken,
    those,
)
from sottovoce.rulesets.delegation.rules.code_events import (
    CODE_EVENTS,
    CheckRan,
    CodeOffered,
    MergeChecked,
    WorkspaceOpened,
)
from sottovoce.rulesets.delegation.rules.deliveries import TASK, ArtifactDisclosed, ArtifactFiled, MessageSent, user
from sottovoce.rulesets.delegation.rules.names import SKILL, USER, in_brackets, named
from sottovoce.rulesets.delegation.rules.remarks import Remark
from sottovoce.rulesets.delegation.rules.state import DelegationState, Held
from sottovoce.rulesets.delegation.rules.wish_events import (
    WISH_EVENTS,
    ItemsAnswered,
    ItemsAsked,
    ItemsLeft,
    ItemsPassedOn,
    RemarksMade,
)

__all__ = [
    "DELEGATION_EVENTS",
    "TASK",
    "ArtifactDisclosed",
    "ArtifactFiled",
    "BriefGiven",
    "CheckRan",
    "ClosingInstructed",
    "CodeOffered",
    "FolderGiven",
    "HandoffGuarded",
    "ItemsAnswered",
    "ItemsAsked",
    "ItemsLeft",
    "ItemsPassedOn",
    "MergeChecked",
    "MessageSent",
    "ProgramFailed",
    "RemarksMade",
    "SkillsDeclared",
    "StopDecided",
    "TaskAbandoned",
    "TaskHeld",
    "TaskResumed",
    "TurnAssigned",
    "WorkEnded",
    "WorkRecorded",
    "WorkspaceOpened",
]

State = DelegationState


@those
def the_reviewer(state: State, event: Any) -> Iterable[str]:
    """the reviewer"""
    return filter(None, (state.task(event.task_id).reviewer,))


def on_task(**changes: Any) -> Fold:
    """Some fields of the task that the event names are set."""
    return lambda event, state: state.with_task(event.task_id, **changes)


def said(chair: Chair, who: str, what: str, words: str, mood: Mood = "") -> Piece:
    """What somebody did, and the words that came with it."""
    return Piece(f"{chair.listed(who)} {what}", who=who, words=spoken(who, words), private="", mood=mood)


class FolderGiven(Event[State], name="delegation.folder-given.v1", seen_by=nobody):
    """The folder below which this game's artifacts lie, on the machine it was opened on."""

    folder: str

    example = {"folder": "/home/ada/notes"}
    fold = sets("folder")
    tell = line("The files lie below {folder}.", private="")


class SkillsDeclared(Event[State], name="delegation.skills-declared.v1", seen_by=everyone, by=named_in("session")):
    """The skills that a session has loaded, all of them (D-023)."""

    session: str
    skills: tuple[str, ...]

    example = {"session": "executor", "skills": (SKILL,)}

    def fold(self, state: State) -> State:
        return state.but(skills={**state.skills, self.session: self.skills})

    def tell(self, chair: Chair) -> Piece:
        skills = plainly(", ".join(self.skills) or "none")
        return Piece(f"{chair.you(self.session, 'You')} declared the skills {skills}.", who=self.session)


class BriefGiven(Event[State], name="delegation.brief-given.v1", seen_by=named_in("planner") | user, by=user):
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
    facts = fact("brief", "task_id", "text")

    def fold(self, state: State) -> State:
        return state.with_task(self.task_id, meant=(self.planner, self.executor, self.reviewer), brief=self.text)

    def tell(self, chair: Chair) -> Piece:
        lead = f"The brief for {named(self.task_id)}, for {chair.you(self.planner)}:"
        meant = f"executor {self.executor}, reviewer {self.reviewer}"
        return Piece(lead, "document", USER, (self.planner,), spoken(USER, self.text), note=meant, private="")


class TurnAssigned(Event[State], name="delegation.turn-assigned.v1", seen_by=named_in("seat")):
    """The task that a turn is about."""

    seat: str
    turn: int
    task_id: str

    example = {"seat": "executor", "turn": 1, "task_id": TASK}

    def fold(self, state: State) -> State:
        return state.but(assigned={**state.assigned, (self.seat, self.turn): self.task_id})

    def tell(self, chair: Chair) -> Piece | None:
        if chair.seat is not None:
            return None
        return Piece(f"Turn {self.turn} of {marked(self.seat)} is about {named(self.task_id)}.", private="", weight=0)


class StopDecided(Event[State], name="delegation.stop-decided.v1", seen_by=the_reviewer | user, by=user):
    """The user accepts, or asks for another iteration (D-045). `words` are what the user said with it.

    `remarks` are those that come with an acceptance; those of an iteration are items of it (R-001).
    """

    task_id: str
    decision: Literal["accept", "iterate"]
    words: str = ""
    remarks: tuple[Remark, ...] = ()

    example = {"task_id": TASK, "decision": "iterate", "words": "Please add a title."}
    facts = fact("decided", "task_id", "decision")

    def fold(self, state: State) -> State:
        step = "accepted" if self.decision == "accept" else "requested"
        return state.with_task(self.task_id, step=step, asked=self.words, noted=self.remarks)

    def tell(self, chair: Chair) -> Piece:
        if self.decision == "accept":
            words = "\n".join(filter(None, (self.words, *(one.told for one in self.remarks))))
            return said(chair, USER, f"accepts the work {in_brackets(self.task_id)}.", words, "good")
        return said(chair, USER, f"wants another iteration {in_brackets(self.task_id)}.", self.words, "warn")


class HandoffGuarded(Event[State], name="delegation.handoff-guarded.v1", seen_by=the_reviewer | user):
    """A closeout would go from the reviewer to itself: it is refused, and the user is waited for (D-054)."""

    task_id: str
    session: str

    example = {"task_id": TASK, "session": "planner"}
    fold = on_task(step="guarded")
    facts = fact("decided", "task_id", being="accept")

    def tell(self, chair: Chair) -> Piece:
        who, what = chair.listed(self.session), named(self.task_id)
        lead = f"{who} planned {what} and reviewed it too: nobody can hand it over, and the user is waited for."
        return Piece(lead, private="")


class ClosingInstructed(Event[State], name="delegation.closing-instructed.v1", seen_by=the_reviewer | user, by=user):
    """The user has the one who is both planner and reviewer close the task without a handoff (D-062)."""

    task_id: str
    words: str = ""

    example = {"task_id": TASK}
    fold = on_task(step="instructed")
    facts = fact("decided", "task_id", being="close")

    def tell(self, chair: Chair) -> Piece:
        return said(chair, USER, f"has {named(self.task_id)} closed without a handoff.", self.words)


class WorkRecorded(
    Event[State], name="delegation.work-recorded.v1", seen_by=named_in("session") | user, by=named_in("session")
):
    """The planner says that the task branch is merged, or the progress records are updated (D-055)."""

    task_id: str
    session: str
    work: Literal["merged", "progress"]
    words: str = ""

    example = {"task_id": TASK, "session": "planner", "work": "merged", "words": "Merged without conflicts."}
    facts = fact("recorded", "task_id", "work")

    def fold(self, state: State) -> State:
        return state.with_task(self.task_id, **{self.work: True})

    def tell(self, chair: Chair) -> Piece:
        what = "says that the work is merged" if self.work == "merged" else "says that the progress records are updated"
        return said(chair, self.session, f"{what} {in_brackets(self.task_id)}.", self.words)


class TaskHeld(Event[State], name="delegation.task-held.v1", seen_by=named_in("waiting_for") | user):
    """The task stops, waiting for a session that failed or stayed silent (D-057)."""

    task_id: str
    waiting_for: str
    why: str

    example = {"task_id": TASK, "waiting_for": "executor", "why": "executor stayed silent too often."}
    facts = fact("held", "task_id", "waiting_for")

    def fold(self, state: State) -> State:
        return state.with_task(self.task_id, held=Held(self.waiting_for, self.why))

    def tell(self, chair: Chair) -> Piece:
        lead = f"Waiting for {chair.you(self.waiting_for)}: {plainly(self.why)}"
        return Piece(lead, "hold", title=f"{named(self.task_id)} is on hold", private="", mood="warn")


class TaskResumed(Event[State], name="delegation.task-resumed.v1", seen_by=named_in("waiting_for") | user, by=user):
    """The user lets a held task go on; the session awaited has fresh attempts (D-063)."""

    task_id: str
    waiting_for: str

    example = {"task_id": TASK, "waiting_for": "executor"}
    fold = on_task(held=None)

    def tell(self, chair: Chair) -> Piece:
        awaited = chair.you(self.waiting_for)
        return Piece(f"{named(self.task_id)} goes on, with fresh attempts for {awaited}.", private="")


class TaskAbandoned(Event[State], name="delegation.task-abandoned.v1", seen_by=named_in("waiting_for") | user, by=user):
    """The user gives a held task up, for good (D-063)."""

    task_id: str
    waiting_for: str

    example = {"task_id": TASK, "waiting_for": "executor"}
    fold = on_task(held=None, abandoned=True)
    facts = fact("abandoned", "task_id", "waiting_for")

    def tell(self, chair: Chair) -> Piece:
        return Piece(f"{named(self.task_id)} is abandoned.", private="", mood="bad")


class WorkEnded(Event[State], name="delegation.work-ended.v1", seen_by=everyone):
    """Every task has ended. How each did is not for everybody, and not told here."""

    tell = line("All work has ended.", kind="ending", chapter=Heading("The end"), mood="good", weight=2)

    def fold(self, state: State) -> State:
        return state.but(over=True)


class ProgramFailed(
    Event[State], name="delegation.program-failed.v1", seen_by=named_in("session") | user, by=named_in("session")
):
    """The program or model of a session gave no reply, with the reason that it gave or that was found."""

    session: str
    task_id: str
    reason: str
    why: str

    example = {"session": "executor", "task_id": TASK, "reason": "failed", "why": "codex ended with exit code 1."}
    fold = changes_nothing

    def tell(self, chair: Chair) -> Piece:
        lead = f"{chair.listed(self.session)} gave no reply {in_brackets(self.task_id)}: {plainly(self.reason)}."
        return Piece(lead, who=self.session, words=spoken(None, self.why), private="", mood="warn")


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
    ProgramFailed,
    *CODE_EVENTS,
    *WISH_EVENTS,
    WorkEnded,
)
