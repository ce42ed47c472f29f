"""The facts of delegated work.

The user sees all of the work; a session sees what it sends, what comes to it, and the files that go with that. A
control message and the file it points to are two events, since some see the one and not the other (D-021, D-022).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from domain.audience import everyone, named_in, nobody, seat, those
from domain.events import Event
from domain.folds import Fold, fact, sets
from domain.piece import Chair, Grid, Heading, Mood, Piece, line, named, plainly, spoken
from domain.rulesets.delegation.actions import ACTIONS, artifact_path
from domain.rulesets.delegation.composition import ANSWERED, QUESTION
from domain.rulesets.delegation.messages import ControlMessage
from domain.rulesets.delegation.names import SKILL, USER, Artifact, Part
from domain.rulesets.delegation.state import MOST_WORDS, DelegationState, Filed

State = DelegationState
Facts = frozenset[tuple[str, ...]]

READERS: Mapping[Artifact, tuple[Part, ...]] = {
    "task": ("planner", "executor"),
    "request": ("executor", "reviewer"),
    "report": ("executor", "reviewer"),
    "closeout": ("reviewer", "planner"),
    "other": (),
}
"""The parts of the task that the server opens each kind of file to (D-022)."""
ASIDES: Mapping[str, str] = {QUESTION: "asks something", ANSWERED: "writes back"}
"""What is done by messages that move no task."""

TASK = "20260101-1200-tidy-notes"

user = seat(USER)


@those
def parts_meant(state: State, event: ArtifactFiled) -> Iterable[str]:
    """the parts it is meant for (D-022)"""
    task = state.task(event.task_id)
    return filter(None, map(task.holder, READERS[event.kind]))


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
        lead = f"The brief for {self.task_id}, for {chair.you(self.planner)}:"
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
        return Piece(f"Turn {self.turn} of {named(self.seat)} is about {self.task_id}.", private="", weight=0)


class MessageSent(
    Event[State],
    name="delegation.message-sent.v1",
    seen_by=named_in("message.from_session_id") | named_in("message.to_session_id") | user,
    by=named_in("message.from_session_id"),
):
    """A control message was accepted and delivered, to nobody in copy (D-021)."""

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

    def fold(self, state: State) -> State:
        """A message that moves the task ends the talk about it (D-012)."""
        message, about = self.message, self.message.task_id
        action = ACTIONS.get(message.action)
        if action is None:
            words = (*state.words.get(about, ()), message)[-MOST_WORDS:]
            heard = {**state.heard, (message.to_session_id, about): message}
            return state.but(words={**state.words, about: words}, heard=heard)
        state = state.but(
            words={task_id: words for task_id, words in state.words.items() if task_id != about},
            asking={task_id: times for task_id, times in state.asking.items() if task_id != about},
        )
        return state.with_task(about, messages=(*state.task(about).messages, message), **action.changes(message))

    def tell(self, chair: Chair) -> Piece:
        message, action = self.message, ACTIONS.get(self.message.action)
        ends = f"{chair.listed(message.from_session_id)} → {chair.listed(message.to_session_id)}"
        deed = action.deed if action else ASIDES.get(message.action, f"sends {plainly(message.action)}")
        of = "" if message.round == "final" else f", round {message.round}"
        file = f" See {plainly(message.artifact_path)}." if message.artifact_path else ""
        return Piece(
            f"{ends}: {deed} ({message.task_id}{of}).{file}",
            who=message.from_session_id,
            to=(message.to_session_id,),
            words=spoken(message.from_session_id, message.note),
            chapter=action.heading(message) if action else None,
            private="",
            mood=action.mood if action else "",
        )

    def facts(self) -> Facts:
        message = self.message
        sent = ("sent", message.task_id, f"{message.action} {message.round}")
        return frozenset({sent} if message.workflow else ())


class ArtifactFiled(
    Event[State], name="delegation.artifact-filed.v1", seen_by=parts_meant | user, by=named_in("session")
):
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

    def fold(self, state: State) -> State:
        task = state.task(self.task_id)
        filed = Filed(self.kind, self.round, self.sha256, self.text)
        reports = task.reports
        if self.kind == "report" and self.round is not None:
            reports = {**reports, self.round: self.must_fix}
        return state.with_task(self.task_id, files={**task.files, self.path: filed}, reports=reports)

    def tell(self, chair: Chair) -> Piece:
        """A report by what it opened and closed; of any file the words are its whole text."""
        path, size = plainly(self.path), f"{self.size} bytes, SHA-256 {self.sha256[:12]}…"
        words = spoken(self.session, self.text)
        if self.kind != "report":
            lead = f"File {path} ({size}){':' if words else '.'}"
            return Piece(lead, "document", self.session, words=words, private="")
        left = len(self.must_fix)
        rows = [(plainly(item), "closed") for item in self.closed]
        rows += [(plainly(item), "open again" if item in self.again else "opened") for item in self.must_fix]
        return Piece(
            f"{left} to be fixed." if left else "Nothing must be fixed.",
            "list",
            self.session,
            words=words,
            title=f"Report of round {self.round}, {path}",
            note=size,
            private="",
            mood="warn" if left else "good",
            grid=Grid(("Must-fix item", ""), tuple(rows)),
            numbers={"must_fix": left, "closed": len(self.closed), "again": len(self.again)},
        )

    def facts(self) -> Facts:
        items = (("must-fix", self.task_id, item) for item in self.must_fix)
        return frozenset({("file", self.path, self.sha256), *items})


class ArtifactDisclosed(Event[State], name="delegation.artifact-disclosed.v1", seen_by=named_in("to")):
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
    facts = fact("file", "path", "sha256")

    def fold(self, state: State) -> State:
        filed = Filed("task", 1, self.sha256, self.text)
        return state.with_task(self.task_id, files={**state.task(self.task_id).files, self.path: filed})

    def tell(self, chair: Chair) -> Piece:
        lead = f"The task file of {self.task_id} is opened to {chair.you(self.to)}:"
        return Piece(lead, "document", to=(self.to,), words=spoken(None, self.text), private="")


class StopDecided(Event[State], name="delegation.stop-decided.v1", seen_by=the_reviewer | user, by=user):
    """The user accepts, or asks for another iteration (D-045). `words` are what the user said with it."""

    task_id: str
    decision: Literal["accept", "iterate"]
    words: str = ""

    example = {"task_id": TASK, "decision": "iterate", "words": "Please add a title."}
    facts = fact("decided", "task_id", "decision")

    def fold(self, state: State) -> State:
        step = "accepted" if self.decision == "accept" else "requested"
        return state.with_task(self.task_id, step=step, asked=self.words)

    def tell(self, chair: Chair) -> Piece:
        if self.decision == "accept":
            return said(chair, USER, f"accepts the work ({self.task_id}).", self.words, "good")
        return said(chair, USER, f"wants another iteration ({self.task_id}).", self.words, "warn")


class HandoffGuarded(Event[State], name="delegation.handoff-guarded.v1", seen_by=the_reviewer | user):
    """A closeout would go from the reviewer to itself: it is refused, and the user is waited for (D-054)."""

    task_id: str
    session: str

    example = {"task_id": TASK, "session": "planner"}
    fold = on_task(step="guarded")
    facts = fact("decided", "task_id", being="accept")
    tell = line(
        "{session:name} planned {task_id} and reviewed it too: nobody can hand it over, and the user is waited for.",
        private="",
    )


class ClosingInstructed(Event[State], name="delegation.closing-instructed.v1", seen_by=the_reviewer | user, by=user):
    """The user has the one who is both planner and reviewer close the task without a handoff (D-062)."""

    task_id: str
    words: str = ""

    example = {"task_id": TASK}
    fold = on_task(step="instructed")
    facts = fact("decided", "task_id", being="close")

    def tell(self, chair: Chair) -> Piece:
        return said(chair, USER, f"has {self.task_id} closed without a handoff.", self.words)


class WorkRecorded(
    Event[State], name="delegation.work-recorded.v1", seen_by=named_in("session") | user, by=named_in("session")
):
    """The planner has merged the task branch, or updated the progress records (D-055)."""

    task_id: str
    session: str
    work: Literal["merged", "progress"]
    words: str = ""

    example = {"task_id": TASK, "session": "planner", "work": "merged", "words": "Merged without conflicts."}
    facts = fact("recorded", "task_id", "work")

    def fold(self, state: State) -> State:
        return state.with_task(self.task_id, **{self.work: True})

    def tell(self, chair: Chair) -> Piece:
        what = "has merged the work" if self.work == "merged" else "has updated the progress records"
        return said(chair, self.session, f"{what} ({self.task_id}).", self.words)


class TaskHeld(Event[State], name="delegation.task-held.v1", seen_by=named_in("waiting_for") | user):
    """The task stops, waiting for a session that failed or stayed silent (D-057)."""

    task_id: str
    waiting_for: str
    why: str

    example = {"task_id": TASK, "waiting_for": "executor", "why": "executor stayed silent too often."}
    facts = fact("held", "task_id", "waiting_for")

    def fold(self, state: State) -> State:
        return state.with_task(self.task_id, held=self)

    def tell(self, chair: Chair) -> Piece:
        lead = f"Waiting for {chair.you(self.waiting_for)}: {plainly(self.why)}"
        return Piece(lead, "hold", title=f"{self.task_id} is on hold", private="", mood="warn")


class TaskResumed(Event[State], name="delegation.task-resumed.v1", seen_by=named_in("waiting_for") | user, by=user):
    """The user lets a held task go on; the session awaited has fresh attempts (D-063)."""

    task_id: str
    waiting_for: str

    example = {"task_id": TASK, "waiting_for": "executor"}
    fold = on_task(held=None)
    tell = line("{task_id} goes on; {waiting_for:you} awaited with fresh attempts.", private="")


class TaskAbandoned(Event[State], name="delegation.task-abandoned.v1", seen_by=named_in("waiting_for") | user, by=user):
    """The user gives a held task up, for good (D-063)."""

    task_id: str
    waiting_for: str

    example = {"task_id": TASK, "waiting_for": "executor"}
    fold = on_task(held=None, abandoned=True)
    tell = line("{task_id} is abandoned.", private="", mood="bad")
    facts = fact("abandoned", "task_id", "waiting_for")


class WorkEnded(Event[State], name="delegation.work-ended.v1", seen_by=everyone):
    """Every task has ended. How each did is not for everybody, and not told here."""

    tell = line("All work has ended.", kind="ending", chapter=Heading("The end"), mood="good", weight=2)

    def fold(self, state: State) -> State:
        return state.but(over=True)


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
