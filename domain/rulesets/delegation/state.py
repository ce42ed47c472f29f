"""The state of delegated work, and its fold.

The same state serves the full log and any seat's view of it: a task that a seat has not heard of is not there, and what
it does not know of one is empty. Nothing is concluded here: every step of a task is an event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import Field

from domain.events import Event, FallbackApplied, GameOpened, ReplyAccepted, TurnWithdrawn
from domain.ruleset import Options
from domain.rulesets.delegation import events
from domain.rulesets.delegation.events import Artifact
from domain.rulesets.delegation.messages import SKILL, USER, ControlMessage
from domain.turns import CORE_EVOLVE, NOTHING, Table, Turn

ANSWER = "answer"
"""The kind of turn in which a seat answers what another one asked."""
MOST_WORDS = 6
"""Messages outside the workflow that a task keeps at hand."""

Step = Literal[
    "proposed",
    "delegated",
    "review",
    "rework",
    "stopped",
    "accepted",
    "requested",
    "iterating",
    "guarded",
    "instructed",
    "closing",
]
"""Where a task stands. What comes next is owed by: the planner (proposed, instructed, closing), the executor
(delegated, rework, iterating), the reviewer (review, accepted, requested), the user (stopped, guarded)."""


class DelegationOptions(Options):
    """The rules options of delegation, each with its default."""

    max_rounds: int = Field(default=5, ge=1, le=1000, description="the iteration cap (D-042)")
    max_note_chars: int = Field(default=1000, ge=1, le=20_000, description="how long a note may be (D-016)")
    max_attempts: int = Field(default=3, ge=1, le=100, description="attempts per turn, the first included (D-056)")
    session_seconds: float | None = Field(
        default=None, gt=0, le=1e7, description="time limit of each attempt of a session (D-057)"
    )
    skills: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="the skills of sessions that declare others than the usual one (D-023)"
    )


DEFAULTS = DelegationOptions()


@dataclass(frozen=True, slots=True)
class Filed:
    """A file that a message pointed to."""

    kind: Artifact
    round: int | None
    sha256: str
    text: str | None


@dataclass(frozen=True)
class Task:
    """One task as far as it is known here.

    `planner`, `executor` and `reviewer` are bound once a message has bound them; before that `meant` holds those whom
    the brief names. `round` is that of the last review request, 0 before the first. `reports` holds the must-fix items
    of each round's report. `asked` are the user's words when another iteration was asked for.
    """

    task_id: str
    step: Step = "proposed"
    meant: tuple[str, str, str] | None = None
    brief: str | None = None
    planner: str | None = None
    executor: str | None = None
    reviewer: str | None = None
    round: int = 0
    messages: tuple[ControlMessage, ...] = ()
    files: Mapping[str, Filed] = field(default_factory=lambda: NOTHING)
    reports: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    asked: str = ""
    merged: bool = False
    progress: bool = False
    held: events.TaskHeld | None = None
    abandoned: bool = False

    @property
    def complete(self) -> bool:
        """Merge and progress are both recorded (D-055)."""
        return self.merged and self.progress

    @property
    def ended(self) -> bool:
        return self.complete or self.abandoned

    @property
    def awaited(self) -> str | None:
        """Who owes the next step, None where nobody does or it is not known."""
        if self.ended:
            return None
        if self.held is not None:
            return USER
        return self.owing

    @property
    def owing(self) -> str | None:
        """Who owes the next step, a hold aside."""
        match self.step:
            case "proposed":
                return self.planner or (self.meant[0] if self.meant else None)
            case "instructed" | "closing":
                return self.planner
            case "delegated" | "rework" | "iterating":
                return self.executor
            case "review" | "accepted" | "requested":
                return self.reviewer
            case "stopped" | "guarded":
                return USER

    def but(self, **changes: Any) -> Task:
        return replace(self, **changes)


@dataclass(frozen=True)
class DelegationState(Table):
    """Delegated work as far as it is known here. `assigned` gives the task of each open turn.

    What was said about a task outside the workflow is no part of the task (D-012): `words` are the latest of those
    messages since the last one within it, `heard` is the latest that each seat received about a task, and `asking` is
    who has put one in the place of the step it owes since the last one, and how often.
    """

    options: DelegationOptions = DEFAULTS
    folder: str | None = None
    skills: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    tasks: Mapping[str, Task] = field(default_factory=lambda: NOTHING)
    assigned: Mapping[tuple[str, int], str] = field(default_factory=lambda: NOTHING)
    words: Mapping[str, tuple[ControlMessage, ...]] = field(default_factory=lambda: NOTHING)
    heard: Mapping[tuple[str, str], ControlMessage] = field(default_factory=lambda: NOTHING)
    asking: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: NOTHING)

    @property
    def sessions(self) -> tuple[str, ...]:
        """All seats but the user's."""
        return tuple(seat for seat in self.seats if seat != USER)

    def task_of(self, seat: str, turn: int) -> Task | None:
        """The task that a turn is about."""
        return self.tasks.get(self.assigned.get((seat, turn), ""))

    def turn_for(self, seat: str, task_id: str) -> int | None:
        """The number of the seat's open turn that asks for the next step of a task."""
        return next((turn.number for turn in self._about(task_id) if turn.seat == seat and turn.kind != ANSWER), None)

    def answers_to(self, asker: str, task_id: str) -> tuple[Turn, ...]:
        """The open turns in which others are to answer what that seat asked about a task."""
        if not self.asked_by(asker, task_id):
            return ()
        return tuple(turn for turn in self._about(task_id) if turn.kind == ANSWER)

    def asked_by(self, seat: str, task_id: str) -> int:
        """How often the seat has asked something in place of the step that it owes."""
        times: Mapping[str, int] = self.asking.get(task_id, NOTHING)
        return times.get(seat, 0)

    def _about(self, task_id: str) -> Iterator[Turn]:
        for key, about in self.assigned.items():
            if about == task_id and key in self.turns:
                yield self.turns[key]

    def declared(self, session: str) -> tuple[str, ...]:
        """The skills that a session has loaded."""
        return self.skills.get(session, (SKILL,))


def _changed(state: DelegationState, task_id: str, **changes: Any) -> DelegationState:
    task = state.tasks.get(task_id) or Task(task_id)
    return state.but(tasks={**state.tasks, task_id: task.but(**changes)})


def _opened(state: DelegationState, event: GameOpened) -> DelegationState:
    options = DelegationOptions.model_validate(event.options)
    return state.but(seats=event.seats, options=options, skills=options.skills)


def _folder(state: DelegationState, event: events.FolderGiven) -> DelegationState:
    return state.but(folder=event.folder)


def _declared(state: DelegationState, event: events.SkillsDeclared) -> DelegationState:
    return state.but(skills={**state.skills, event.session: event.skills})


def _briefed(state: DelegationState, event: events.BriefGiven) -> DelegationState:
    meant = (event.planner, event.executor, event.reviewer)
    return _changed(state, event.task_id, meant=meant, brief=event.text)


def _assigned(state: DelegationState, event: events.TurnAssigned) -> DelegationState:
    return state.but(assigned={**state.assigned, (event.seat, event.turn): event.task_id})


def _unassigned(state: DelegationState, event: ReplyAccepted | FallbackApplied | TurnWithdrawn) -> DelegationState:
    key = (event.seat, event.turn)
    turn, about = state.turns.get(key), state.assigned.get(key)
    if turn is not None and about is not None and isinstance(event, ReplyAccepted) and _asked(turn, event):
        times = {**state.asking.get(about, NOTHING), event.seat: state.asked_by(event.seat, about) + 1}
        state = state.but(asking={**state.asking, about: times})
    state = CORE_EVOLVE[type(event)](state, event)
    return state.but(assigned={other: task for other, task in state.assigned.items() if other != key})


def _asked(turn: Turn, event: ReplyAccepted) -> bool:
    """Whether the turn was closed by a message that asks something, and not by one of its choices."""
    return turn.kind != ANSWER and event.choice is not None and event.choice not in turn.choices


def _sent(state: DelegationState, event: events.MessageSent) -> DelegationState:
    message = event.message
    if not message.workflow:
        said = (*state.words.get(message.task_id, ()), message)
        heard = {**state.heard, (message.to_session_id, message.task_id): message}
        return state.but(words={**state.words, message.task_id: said[-MOST_WORDS:]}, heard=heard)
    task = state.tasks.get(message.task_id) or Task(message.task_id)
    changes: dict[str, Any] = {
        "messages": (*task.messages, message),
        "planner": message.planner_session_id,
    }
    sender, receiver = message.from_session_id, message.to_session_id
    match message.action:
        case "execute_delegate_task":
            changes |= {"step": "delegated", "executor": receiver}
        case "review_requested":
            changes |= {"step": "review", "executor": sender, "reviewer": receiver, "round": message.round}
        case "rework_required":
            changes |= {"step": "rework", "executor": receiver, "reviewer": sender}
        case "stop_recommended":
            changes |= {"step": "stopped", "reviewer": sender}
        case "user_requested_iteration":
            changes |= {"step": "iterating", "executor": receiver, "reviewer": sender}
        case "closeout_delivered":
            changes |= {"step": "closing", "reviewer": sender}
    words = {about: said for about, said in state.words.items() if about != message.task_id}
    asking = {about: times for about, times in state.asking.items() if about != message.task_id}
    return _changed(state.but(words=words, asking=asking), message.task_id, **changes)


def _filed(state: DelegationState, event: events.ArtifactFiled) -> DelegationState:
    task = state.tasks.get(event.task_id) or Task(event.task_id)
    filed = Filed(event.kind, event.round, event.sha256, event.text)
    changes: dict[str, Any] = {"files": {**task.files, event.path: filed}}
    if event.kind == "report" and event.round is not None:
        changes["reports"] = {**task.reports, event.round: event.must_fix}
    return _changed(state, event.task_id, **changes)


def _disclosed(state: DelegationState, event: events.ArtifactDisclosed) -> DelegationState:
    task = state.tasks.get(event.task_id) or Task(event.task_id)
    filed = Filed("task", 1, event.sha256, event.text)
    return _changed(state, event.task_id, files={**task.files, event.path: filed})


def _decided(state: DelegationState, event: events.StopDecided) -> DelegationState:
    step = "accepted" if event.decision == "accept" else "requested"
    return _changed(state, event.task_id, step=step, asked=event.words)


def _guarded(state: DelegationState, event: events.HandoffGuarded) -> DelegationState:
    return _changed(state, event.task_id, step="guarded")


def _instructed(state: DelegationState, event: events.ClosingInstructed) -> DelegationState:
    return _changed(state, event.task_id, step="instructed")


def _recorded(state: DelegationState, event: events.WorkRecorded) -> DelegationState:
    return _changed(state, event.task_id, **{event.work: True})


def _held(state: DelegationState, event: events.TaskHeld) -> DelegationState:
    return _changed(state, event.task_id, held=event)


def _resumed(state: DelegationState, event: events.TaskResumed) -> DelegationState:
    return _changed(state, event.task_id, held=None)


def _abandoned(state: DelegationState, event: events.TaskAbandoned) -> DelegationState:
    return _changed(state, event.task_id, held=None, abandoned=True)


def _ended(state: DelegationState, event: events.WorkEnded) -> DelegationState:
    return state.but(over=True)


DELEGATION_EVOLVE: Mapping[type[Event], Callable[[DelegationState, Any], DelegationState]] = {
    **CORE_EVOLVE,
    GameOpened: _opened,
    ReplyAccepted: _unassigned,
    FallbackApplied: _unassigned,
    TurnWithdrawn: _unassigned,
    events.FolderGiven: _folder,
    events.SkillsDeclared: _declared,
    events.BriefGiven: _briefed,
    events.TurnAssigned: _assigned,
    events.MessageSent: _sent,
    events.ArtifactFiled: _filed,
    events.ArtifactDisclosed: _disclosed,
    events.StopDecided: _decided,
    events.HandoffGuarded: _guarded,
    events.ClosingInstructed: _instructed,
    events.WorkRecorded: _recorded,
    events.TaskHeld: _held,
    events.TaskResumed: _resumed,
    events.TaskAbandoned: _abandoned,
    events.WorkEnded: _ended,
}
