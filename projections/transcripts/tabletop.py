"""How a tabletop session is told: like a chapter, scene by scene, as the reader's seat lived it."""

from __future__ import annotations

from domain import events as core
from domain.events import Event
from domain.piece import Grid, Heading, Kind, Piece, spoken
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.names import HUMAN, STANDING
from domain.rulesets.tabletop.messages import MessageSent
from domain.rulesets.tabletop.phrases import group_note
from domain.rulesets.tabletop.state import TabletopState
from domain.rulesets.tabletop.words import tell
from projections.transcripts.shape import Shape

LEFT_OUT = (
    core.TurnOpened,
    core.TurnWithdrawn,
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
    if isinstance(event, core.GameOpened):
        return Piece("", "heading", chapter=Heading("A tabletop session", 1))
    chapter = _heading(event)
    told = None if isinstance(event, LEFT_OUT) else tell(event, seat)
    if told is None:
        return None if chapter is None else Piece("", "heading", chapter=chapter)
    if isinstance(event, MessageSent):
        return _message(event, told.lead, chapter)
    kind: Kind = "ending" if isinstance(event, events.TeamDissolved) else "line"
    if isinstance(event, events.ChatSaid):
        kind = "speech"
    private = None if isinstance(event, events.TeamDissolved | events.SceneChanged) else ""
    words = spoken(event.actor, told.words)
    note = _manner(told.lead, event.actor)
    return Piece(told.lead, kind, event.actor, words=words, private=private, chapter=chapter, note=note)


def _manner(lead: str, speaker: str | None) -> str:
    """How somebody speaks, of a lead that says it."""
    return lead[len(speaker or "") :].removesuffix(":").strip() if speaker and lead.endswith(":") else ""


def _message(event: MessageSent, lead: str, chapter: Heading | None) -> Piece:
    words = event.body
    kind: Kind = "line"
    grid: Grid | None = None
    to: tuple[str, ...] = ()
    match event.tag:
        case "NARRATIVE":
            kind = "narration"
            if event.group is not None and group_note(words) is not None:
                lead, words = f"For {', '.join(event.group)}:", words.partition("\n")[2].strip()
                to = event.group
        case "PLAYER_ACTION":
            kind, words = "speech", str(event.fields["action"])
        case tag if tag in SPOKEN:
            kind = "speech"
        case "ASK_PLAYER":
            kind = "list"
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
    return Piece(
        lead,
        kind,
        event.seat,
        to,
        spoken(event.seat, words),
        note=_manner(lead, event.seat) if kind == "speech" else "",
        chapter=chapter,
        private=None if event.tag in TO_MANY else "",
        grid=grid,
    )


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


TABLETOP_SHAPE = Shape("Before the session", frozenset((*STANDING, HUMAN)), _cast, _piece)
