"""How a tabletop session is told: like a chapter, scene by scene, as the reader's seat lived it."""

from __future__ import annotations

from domain import events as core
from domain.events import Event
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.events import HUMAN, STANDING
from domain.rulesets.tabletop.messages import MessageSent
from domain.rulesets.tabletop.phrases import group_note
from domain.rulesets.tabletop.state import TabletopState
from domain.rulesets.tabletop.words import tell
from projections.transcripts.shape import Grid, Heading, Kind, Piece, Shape

LEFT_OUT = (
    core.TurnOpened,
    core.TurnWithdrawn,
    core.GameOpened,
    core.SeatsFilled,
    events.TaskStarted,
    events.ShutdownRequested,
    events.PieceRemoved,
)
"""What makes no line of a story; `replay` has it."""
SPOKEN = ("PLAYER_TO_GM", "PLAYER_TO_PLAYER", "HUMAN_DECISION", "PLAYER_ACTION")
TO_MANY = ("NARRATIVE", "DICE_RESULT", "SESSION_END", "SESSION_COMMAND")


def _heading(event: Event) -> Heading | None:
    match event:
        case MessageSent(tag="SESSION_COMMAND") if event.fields["command"] == "start":
            return Heading("The session")
        case events.SceneChanged():
            return Heading(f"Scene {event.number}: {event.slug.replace('-', ' ')}")
        case MessageSent(tag="SESSION_END"):
            return Heading("The end of the session")
    return None


def _piece(event: Event, seat: str | None, full: bool) -> Piece | None:
    if isinstance(event, LEFT_OUT):
        return None
    told = tell(event, seat)
    if told is None:
        return None
    if isinstance(event, MessageSent):
        return _message(event, told.lead)
    voices: tuple[tuple[str, str], ...] = () if told.words is None else ((event.actor or "", told.words),)
    kind: Kind = "ending" if isinstance(event, events.TeamDissolved) else "line"
    if isinstance(event, events.ChatSaid):
        kind = "speech"
    return Piece(kind, told.lead, voices, private=not isinstance(event, events.TeamDissolved | events.SceneChanged))


def _message(event: MessageSent, lead: str) -> Piece:
    words = event.body
    kind: Kind = "line"
    grid: Grid | None = None
    match event.tag:
        case "NARRATIVE":
            kind = "narration"
            if event.group is not None and group_note(words) is not None:
                lead, words = f"For {', '.join(event.group)}:", words.partition("\n")[2].strip()
        case "PLAYER_ACTION":
            kind, words = "speech", str(event.fields["action"])
        case tag if tag in SPOKEN:
            kind = "speech"
        case "ASK_PLAYER":
            lead = f"{event.fields['header']}: {event.fields['question']}"
            grid = Grid(("Option", ""), tuple((each["label"], each["description"]) for each in event.fields["options"]))
        case "PLAYER_ANSWER":
            lead = f"Answer: {event.fields['answer']}"
        case "DICE_RESULT":
            against = f" against {event.fields['dc']}: {event.fields['result']}" if "dc" in event.fields else ""
            lead = f"{event.fields['character']} rolls for {event.fields['check']}: {event.fields['roll']}{against}."
        case "SESSION_END":
            kind, lead = "ending", "The session ends."
            words = f"{event.fields['summary']}\n\n{event.fields['next_hook']}"
        case "SESSION_COMMAND":
            lead = f"The team lead: {event.fields['command']}."
        case None:
            pass
        case _:
            words = "\n".join(filter(None, (*(f"{key}: {value}" for key, value in event.fields.items()), words)))
    voices = ((event.seat, words),) if words else ()
    return Piece(kind, lead, voices, grid, private=event.tag not in TO_MANY)


def _cast(state: TabletopState, full: bool) -> Grid:
    header = ("Seat", "Part", "Played by") if full else ("Seat", "Part")
    rows = []
    for seat in state.seats:
        row = (seat, _part(seat))
        rows.append((*row, state.agents.get(seat, "—")) if full else row)
    return Grid(header, tuple(rows))


def _part(seat: str) -> str:
    parts = {
        "gm": "game master",
        "team-lead": "serves the human",
        "narrator": "keeps the scene files",
        HUMAN: "the human",
    }
    return parts.get(seat, "character")


TABLETOP_SHAPE = Shape(
    title="A tabletop session",
    prologue="Before the session",
    silence="Nothing was heard.",
    offices=frozenset((*STANDING, HUMAN)),
    heading=_heading,
    piece=_piece,
    cast=_cast,
)
