"""The facts of a tabletop session. Who sees each is stated in `audience.py`."""

from __future__ import annotations

from typing import Literal

from domain.audience import named_in
from domain.events import Event
from domain.rulesets.tabletop.documents import Piece

GM = "gm"
TEAM_LEAD = "team-lead"
NARRATOR = "narrator"
HUMAN = "human"
STANDING = (GM, TEAM_LEAD, NARRATOR)
"""The seats of every session beside the characters' and the human's."""

Mode = Literal["HUMAN_RELAY", "AUTONOMOUS"]
Task = Literal["state-delta-writer", "knowledge-delta-writer", "decision-log", "ai-player-journal", "ai-player-action"]


class RequestPassed(Event, name="tabletop.request-passed.v1"):
    """A character's open request was closed without an answer; by `fallback` where its attempts or its time ran out."""

    character: str
    fallback: bool = False

    example = {
        "character": "tilda-brannock",
    }


class RequestWithdrawn(Event, name="tabletop.request-withdrawn.v1"):
    """A character's open request is no longer asked for."""

    character: str

    example = {
        "character": "tilda-brannock",
    }


class RelayWithdrawn(Event, name="tabletop.relay-withdrawn.v1"):
    """The human is no longer asked about the relay that was pending."""

    character: str

    example = {
        "character": "tilda-brannock",
    }


class QuestionWithdrawn(Event, name="tabletop.question-withdrawn.v1"):
    """The oldest open question to the human is no longer asked."""

    question: str

    example = {
        "question": "Which door?",
    }


class PromptClosed(Event, name="tabletop.prompt-closed.v1"):
    """The action prompt of the last NARRATIVE was closed without an action of the human.

    By `fallback` where nobody answered it; otherwise because it is no longer asked.
    """

    fallback: bool = True


class BeatBegun(Event, name="tabletop.beat-begun.v1"):
    """While the party is split, a new beat has begun for a group: its limits count anew (T-161).

    It says nothing of what the NARRATIVE told, which no player sees (T-047).
    """

    characters: tuple[str, ...]

    example = {
        "characters": ("corwin-voss", "tilda-brannock"),
    }


class NoteRequestLapsed(Event, name="tabletop.note-request-lapsed.v1"):
    """The GM left the narrator's open request unanswered."""


class SceneChanged(Event, name="tabletop.scene-changed.v1"):
    """Another scene is being played. `number` keeps its zeros."""

    number: str
    slug: str

    example = {
        "number": "002",
        "slug": "the-drowned-stair",
    }


class DiceRolled(Event, name="tabletop.dice-rolled.v1"):
    """The server drew dice for a character at a seat's request.

    `roll` is the whole notation (`1d20+5 = [8]+5 = 13`), `total` its value; `result` stands where a `dc` was known.
    """

    seat: str
    character: str
    check: str
    roll: str
    total: int
    dc: int | None = None
    result: str | None = None

    example = {
        "seat": GM,
        "character": "tilda-brannock",
        "check": "perception",
        "roll": "1d20+5 = [8]+5 = 13",
        "total": 13,
    }


class ChatSaid(Event, name="tabletop.chat-said.v1", by=named_in("seat")):
    """Talk out of character between the human and one companion: no message of the protocol."""

    seat: str
    to: str
    text: str

    example = {
        "seat": HUMAN,
        "to": "corwin-voss",
        "text": "Shall we let the others lead for once?",
    }


class TaskStarted(Event, name="tabletop.task-started.v1"):
    """The team lead started a short piece of work in the background; `character` is whose it is, if anybody's."""

    task: Task
    character: str | None = None

    example = {
        "task": "ai-player-journal",
        "character": "corwin-voss",
    }


class TaskEnded(Event, name="tabletop.task-ended.v1"):
    """A piece of background work ended; `done` is False where it failed or took too long, which holds up nothing."""

    task: Task
    character: str | None = None
    done: bool = True

    example = {
        "task": "ai-player-journal",
        "character": "corwin-voss",
    }


class ActionAsked(Event, name="tabletop.action-asked.v1"):
    """One entry of an AWAIT_PLAYERS as its character's task gets it, and nothing else of that message."""

    character: str
    request_type: str
    scene_number: str
    scene_slug: str
    scene_context: str
    just_happened: str
    request: str

    example = {
        "character": "corwin-voss",
        "request_type": "QUICK_REACTION",
        "scene_number": "001",
        "scene_slug": "the-ferry",
        "scene_context": "You stand at the rail.",
        "just_happened": "The rope snaps.",
        "request": "What do you do at once?",
    }


class ShutdownRequested(Event, name="tabletop.shutdown-requested.v1"):
    """The team lead asked a seat to stop: the session is over."""

    seat: str

    example = {
        "seat": NARRATOR,
    }


class TeamDissolved(Event, name="tabletop.team-dissolved.v1"):
    """The session's seats are let go: the end of the game."""


class PieceWritten(Event, name="tabletop.piece-written.v1", by=named_in("seat")):
    """A piece of a document stands as it is given here, new or anew. `seat` is who wrote it, None at the import.

    The other fields are those of `pieces.Piece`; `after` is the key of the piece that a new one follows, None for the
    end of the document.
    """

    seat: str | None
    key: str
    document: str
    heading: str | None
    text: str
    readers: tuple[str, ...]
    level: int = 0
    opens: bool = False
    secret: bool = False
    coding: Literal["text", "base64"] = "text"
    after: str | None = None

    def __post_init__(self) -> None:
        """No text may stand for bytes that it does not hold: whoever read them would fail, long after the import."""
        if self.coding == "base64":
            try:
                self.piece.content()
            except ValueError:
                raise ValueError("the text is not base64, which its coding says it is") from None

    @property
    def piece(self) -> Piece:
        """The piece as it stands from now on."""
        return Piece(
            self.key,
            self.document,
            self.heading,
            self.text,
            self.readers,
            self.level,
            self.opens,
            self.secret,
            self.coding,
        )

    example = {
        "seat": None,
        "key": "a1b2c3d4e5f60718",
        "document": "party-knowledge.md",
        "heading": "Rumours",
        "text": "## Rumours\nThe lamp on the far bank burns green.\n",
        "readers": ("corwin-voss", GM, "tilda-brannock"),
        "level": 2,
        "opens": True,
    }


class PieceRemoved(Event, name="tabletop.piece-removed.v1", by=named_in("seat")):
    """A piece of a document is gone."""

    seat: str
    key: str
    document: str
    readers: tuple[str, ...]

    example = {
        "seat": GM,
        "key": "a1b2c3d4e5f60718",
        "document": "tmp/gm-context.md",
        "readers": (GM,),
    }


class ResourceChanged(Event, name="tabletop.resource-changed.v1"):
    """What a character has of something that is counted or named, after a change or as its sheet states it."""

    seat: str | None
    character: str
    resource: str
    amount: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()

    example = {
        "seat": GM,
        "character": "tilda-brannock",
        "resource": "hit-points",
        "amount": 9,
        "most": 12,
    }


SESSION_EVENTS: tuple[type[Event], ...] = (
    RequestPassed,
    RequestWithdrawn,
    RelayWithdrawn,
    QuestionWithdrawn,
    PromptClosed,
    BeatBegun,
    NoteRequestLapsed,
    SceneChanged,
    DiceRolled,
    ChatSaid,
    TaskStarted,
    TaskEnded,
    ActionAsked,
    ShutdownRequested,
    TeamDissolved,
    PieceWritten,
    PieceRemoved,
    ResourceChanged,
)
