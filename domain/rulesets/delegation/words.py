"""How each event of delegated work is told. Nothing here uses more than the event and the chair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from domain import events as core
from domain.events import Event
from domain.piece import Chair, Grid, Heading, Mood, Piece, Tell, line, named, plainly, spoken
from domain.rulesets.delegation import events
from domain.rulesets.delegation.composing import ANSWERED, QUESTION
from domain.rulesets.delegation.messages import ACTIONS, USER, ControlMessage
from domain.rulesets.delegation.state import DelegationOptions
from domain.words import answered, opening, seated

DEEDS: Mapping[str, str] = {
    "execute_delegate_task": "delegates the task",
    "review_requested": "requests a review",
    "rework_required": "requires rework",
    "stop_recommended": "recommends stopping",
    "user_requested_iteration": "passes on that the user wants another iteration",
    "closeout_delivered": "delivers the closeout",
    QUESTION: "asks something",
    ANSWERED: "writes back",
}
MOODS: Mapping[str, Mood] = {"rework_required": "warn", "stop_recommended": "good", "closeout_delivered": "good"}


def _opened(event: core.GameOpened, chair: Chair) -> Piece:
    lead = f"Delegated work begins.\nAt the table: {seated(event.seats, chair)}."
    return opening(event, chair, DelegationOptions, title="Delegated work", lead=lead)


def _answered(event: core.ReplyAccepted, chair: Chair) -> Piece:
    """What the answer came to is told by the events that follow; words are a seat's own where it only chose."""
    told = answered(event, chair)
    return replace(told, words=() if event.choice in ACTIONS else told.words, weight=0)


def _declared(event: events.SkillsDeclared, chair: Chair) -> Piece:
    skills = plainly(", ".join(event.skills) or "none")
    return Piece(f"{chair.you(event.session, 'You')} declared the skills {skills}.", who=event.session)


def _assigned(event: events.TurnAssigned, chair: Chair) -> Piece | None:
    if chair.seat is not None:
        return None
    return Piece(f"Turn {event.turn} of {named(event.seat)} is about {event.task_id}.", private="", weight=0)


def _briefed(event: events.BriefGiven, chair: Chair) -> Piece:
    lead = f"The brief for {event.task_id}, for {chair.you(event.planner)}:"
    meant = f"executor {event.executor}, reviewer {event.reviewer}"
    return Piece(lead, "document", USER, (event.planner,), spoken(USER, event.text), note=meant, private="")


def _sent(event: events.MessageSent, chair: Chair) -> Piece:
    message = event.message
    ends = f"{chair.listed(message.from_session_id)} → {chair.listed(message.to_session_id)}"
    deed = DEEDS.get(message.action) or f"sends {plainly(message.action)}"
    of = "" if message.round == "final" else f", round {message.round}"
    file = f" See {plainly(message.artifact_path)}." if message.artifact_path else ""
    return Piece(
        f"{ends}: {deed} ({message.task_id}{of}).{file}",
        who=message.from_session_id,
        to=(message.to_session_id,),
        words=spoken(message.from_session_id, message.note),
        chapter=_chapter(message),
        private="",
        mood=MOODS.get(message.action, ""),
    )


def _chapter(message: ControlMessage) -> Heading | None:
    task = message.task_id
    match message.action:
        case "execute_delegate_task":
            return Heading(f"Task {task}")
        case "review_requested":
            return Heading(f"Round {message.round} of {task}", 3)
        case "stop_recommended":
            return Heading(f"The user decides on {task}", 3)
        case "user_requested_iteration":
            return Heading(f"Another iteration of {task}", 3)
        case "closeout_delivered":
            return Heading(f"Closing {task}", 3)
    return None


def _filed(event: events.ArtifactFiled, chair: Chair) -> Piece:
    """A report by what it opened and closed; of any file the words are its whole text."""
    path, size = plainly(event.path), f"{event.size} bytes, SHA-256 {event.sha256[:12]}…"
    words = spoken(event.session, event.text)
    if event.kind != "report":
        return Piece(f"File {path} ({size}){':' if words else '.'}", "document", event.session, words=words, private="")
    left = len(event.must_fix)
    rows = [(plainly(item), "closed") for item in event.closed]
    rows += [(plainly(item), "open again" if item in event.again else "opened") for item in event.must_fix]
    return Piece(
        f"{left} to be fixed." if left else "Nothing must be fixed.",
        "list",
        event.session,
        words=words,
        title=f"Report of round {event.round}, {path}",
        note=size,
        private="",
        mood="warn" if left else "good",
        grid=Grid(("Must-fix item", ""), tuple(rows)),
        numbers={"must_fix": left, "closed": len(event.closed), "again": len(event.again)},
    )


def _disclosed(event: events.ArtifactDisclosed, chair: Chair) -> Piece:
    lead = f"The task file of {event.task_id} is opened to {chair.you(event.to)}:"
    return Piece(lead, "document", to=(event.to,), words=spoken(None, event.text), private="")


def _decided(event: events.StopDecided, chair: Chair) -> Piece:
    accepted = event.decision == "accept"
    what = "accepts the work" if accepted else "wants another iteration"
    return _by(USER, chair, f"{what} ({event.task_id}).", event.words, "good" if accepted else "warn")


def _instructed(event: events.ClosingInstructed, chair: Chair) -> Piece:
    return _by(USER, chair, f"has {event.task_id} closed without a handoff.", event.words)


def _recorded(event: events.WorkRecorded, chair: Chair) -> Piece:
    what = "has merged the work" if event.work == "merged" else "has updated the progress records"
    return _by(event.session, chair, f"{what} ({event.task_id}).", event.words)


def _by(who: str, chair: Chair, what: str, words: str, mood: Mood = "") -> Piece:
    return Piece(f"{chair.listed(who)} {what}", who=who, words=spoken(who, words), private="", mood=mood)


def _held(event: events.TaskHeld, chair: Chair) -> Piece:
    lead = f"Waiting for {chair.you(event.waiting_for)}: {plainly(event.why)}"
    return Piece(lead, "hold", title=f"{event.task_id} is on hold", private="", mood="warn")


WORDS: Mapping[type[Event], Tell] = {
    core.GameOpened: _opened,
    core.ReplyAccepted: _answered,
    events.FolderGiven: line("The files lie below {folder}.", private=""),
    events.SkillsDeclared: _declared,
    events.BriefGiven: _briefed,
    events.TurnAssigned: _assigned,
    events.MessageSent: _sent,
    events.ArtifactFiled: _filed,
    events.ArtifactDisclosed: _disclosed,
    events.StopDecided: _decided,
    events.HandoffGuarded: line(
        "{session:name} planned {task_id} and reviewed it too: nobody can hand it over, and the user is waited for.",
        private="",
    ),
    events.ClosingInstructed: _instructed,
    events.WorkRecorded: _recorded,
    events.TaskHeld: _held,
    events.TaskResumed: line("{task_id} goes on; {waiting_for:you} awaited with fresh attempts.", private=""),
    events.TaskAbandoned: line("{task_id} is abandoned.", private="", mood="bad"),
    events.WorkEnded: line("All work has ended.", kind="ending", chapter=Heading("The end"), mood="good", weight=2),
}


def tell(event: Event, chair: Chair) -> Piece | None:
    """An event of delegated work, told to a chair; None where it needs no telling."""
    told = WORDS.get(type(event))
    return told(event, chair) if told else event.tell(chair)
