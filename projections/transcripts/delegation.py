"""How delegated work is told: a chapter for each task, a section for each round, must-fix items opened and closed."""

from __future__ import annotations

from domain import events as core
from domain.events import Event
from domain.rulesets.delegation import events
from domain.rulesets.delegation.messages import USER
from domain.rulesets.delegation.prompts import tell
from domain.rulesets.delegation.state import DelegationState
from projections.transcripts.shape import Grid, Heading, Kind, Piece, Shape

LEFT_OUT = (core.TurnOpened, core.ReplyAccepted, events.TurnAssigned)
PUBLIC = (core.GameOpened, events.SkillsDeclared, events.WorkEnded)
"""What all seats see; whoever reads anything else in their own transcript has it in confidence."""


def _heading(event: Event) -> Heading | None:
    match event:
        case events.MessageSent():
            message = event.message
            match message.action:
                case "execute_delegate_task":
                    return Heading(f"Task {message.task_id}")
                case "review_requested":
                    return Heading(f"Round {message.round} of {message.task_id}", 3)
                case "stop_recommended":
                    return Heading(f"The user decides on {message.task_id}", 3)
                case "user_requested_iteration":
                    return Heading(f"Another iteration of {message.task_id}", 3)
                case "closeout_delivered":
                    return Heading(f"Closing {message.task_id}", 3)
        case events.WorkEnded():
            return Heading("The end")
    return None


def _piece(event: Event, seat: str | None, full: bool) -> Piece | None:
    told = tell(event, seat)
    if told is None or isinstance(event, LEFT_OUT):
        return None
    private = not isinstance(event, PUBLIC)
    voices: tuple[tuple[str, str], ...] = ((event.actor or "", told.words),) if told.words else ()
    kind: Kind = "line"
    grid: Grid | None = None
    lead = told.lead
    match event:
        case core.AttemptFailed() | core.MessageRefused() | events.ArtifactDisclosed():
            voices = tuple(("", words) for _, words in voices)
        case events.ArtifactFiled(kind="report"):
            kind, grid = "ballot", _items(event)
            left = len(event.must_fix)
            lead = f"Report of round {event.round}: {f'{left} to be fixed' if left else 'nothing must be fixed'}."
            voices = tuple(("", words) for _, words in voices)
        case events.ArtifactFiled():
            voices = tuple(("", words) for _, words in voices)
        case events.MessageSent():
            kind = "speech" if voices else "line"
        case events.WorkEnded():
            kind = "ending"
    return Piece(kind, lead, voices, grid, private)


def _items(event: events.ArtifactFiled) -> Grid | None:
    """What the report before listed and this one no longer does, and what is to be fixed now."""
    rows = [("closed", item) for item in event.closed]
    rows += [("open again" if item in event.again else "opened", item) for item in event.must_fix]
    return Grid(("Must-fix item", ""), tuple((item, mark) for mark, item in rows)) if rows else None


def _cast(state: DelegationState, full: bool) -> Grid:
    header = ("Seat", "Parts", "Played by") if full else ("Seat", "Parts")
    rows = []
    for seat in state.seats:
        row = (seat, _parts(state, seat))
        rows.append((*row, state.agents.get(seat, "—")) if full else row)
    return Grid(header, tuple(rows))


def _parts(state: DelegationState, seat: str) -> str:
    """The parts that a seat has in the tasks known here, each with how many of them."""
    if seat == USER:
        return "decides"
    named = [(part, sum(getattr(task, part) == seat for task in state.tasks.values())) for part in PARTS]
    return ", ".join(part if count == 1 else f"{part} of {count}" for part, count in named if count) or "none known"


PARTS = ("planner", "executor", "reviewer")

DELEGATION_SHAPE = Shape(
    title="Delegated work",
    prologue="The briefs",
    silence="Nothing was heard.",
    offices=frozenset({"planner", "executor", "reviewer", USER}),
    heading=_heading,
    piece=_piece,
    cast=_cast,
)
