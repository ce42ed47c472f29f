"""What is delivered: control messages and the files that they point to.

They are two events, since some see the one and not the other (D-021, D-022).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sottovoce import Chair, Event, Grid, Piece, fact, named_in, plainly, seat, spoken, those
from sottovoce.rulesets.delegation.rules.actions import ACTIONS, artifact_path
from sottovoce.rulesets.delegation.rules.composition import ANSWERED, QUESTION
from sottovoce.rulesets.delegation.rules.messages import ControlMessage
from sottovoce.rulesets.delegation.rules.names import SKILL, USER, Artifact, Part, in_brackets, named
from sottovoce.rulesets.delegation.rules.state import MOST_WORDS, DelegationState, Filed

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
        task = state.task(about)
        bound = {action.sender: message.from_session_id, action.receiver: message.to_session_id}
        parts: dict[str, str] = {part: name for part, name in bound.items() if part != USER}
        return state.with_task(
            about,
            **{**parts, "planner": message.planner_session_id},
            step=action.then,
            round=message.round if action.begins_round else task.round,
            messages=(*task.messages, message),
        )

    def tell(self, chair: Chair) -> Piece:
        message, action = self.message, ACTIONS.get(self.message.action)
        ends = f"{chair.listed(message.from_session_id)} → {chair.listed(message.to_session_id)}"
        deed = action.deed if action else ASIDES.get(message.action, f"sends {plainly(message.action)}")
        of = () if message.round == "final" else (f"round {message.round}",)
        file = f" See {plainly(message.artifact_path)}." if message.artifact_path else ""
        return Piece(
            f"{ends}: {deed} {in_brackets(message.task_id, *of)}.{file}",
            who=message.from_session_id,
            to=(message.to_session_id,),
            words=spoken(message.from_session_id, message.note),
            chapter=action.heading(message.task_id, message.round) if action else None,
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
        lead = f"The task file of {named(self.task_id)} is opened to {chair.you(self.to)}:"
        return Piece(lead, "document", to=(self.to,), words=spoken(None, self.text), private="")
