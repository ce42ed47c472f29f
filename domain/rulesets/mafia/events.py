"""The facts of a Mafia game. Who sees each is in `audience.py`.

An event that everybody sees carries nothing that only some may know; what the narrator alone may know is an event of
its own. Tallies, deaths and outcomes are data here, so that no reader has to conclude them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from domain.audience import named_in, seat
from domain.events import Event

Role = Literal["Detective", "Doctor", "Villager", "Mafia", "Jester"]
Phase = Literal[
    "setup", "night", "dawn", "discussion", "nominations", "defence", "trial", "gallows", "aftermath", "over"
]
Winner = Literal["town", "mafia", "jester", "draw"]
Scene = Literal["opening", "dawn", "introduction", "gallows", "execution"]
Occasion = Literal["discussion", "defence", "final"]

NARRATOR = "narrator"
TOWN_HALL = "town_hall"


class RoleDealt(Event, name="mafia.role-dealt.v1"):
    """A player's role for the whole game (M-002, M-004, M-029)."""

    player: str
    role: Role

    example = {
        "player": "Ada",
        "role": "Detective",
    }


class MafiaIntroduced(Event, name="mafia.mafia-introduced.v1"):
    """The Mafia learn each other's names (M-029)."""

    members: tuple[str, ...]

    example = {
        "members": ("Bram", "Cleo"),
    }


class NarrationGiven(Event, name="mafia.narration-given.v1", by=seat(NARRATOR)):
    """The narrator speaks to all (M-026, M-056, M-074, M-084, M-091, M-103). `subject` is whom the scene is about."""

    scene: Scene
    subject: str | None = None
    text: str  # type: ignore[misc]

    example = {
        "scene": "opening",
        "text": "Fog lies on the harbour, and the lamps are lit early.",
    }


class RepliesHeard(Event, name="mafia.replies-heard.v1"):
    """What players said when they chose, acknowledged or voted, in seating order: motives for the narrator (M-102)."""

    about: str
    replies: dict[str, str]

    example = {
        "about": "trial-vote",
        "replies": {"Ada": "I vote for Bram; he lied about the well."},
    }


class PhaseBegan(Event, name="mafia.phase-began.v1"):
    """The game moves on. A night and the day after it share a number (M-030)."""

    phase: Phase
    number: int

    example = {
        "phase": "night",
        "number": 1,
    }


class DawnHeld(Event, name="mafia.dawn-held.v1"):
    """Dawn comes no earlier than this, so that the length of the night shows nothing (M-111)."""

    until: datetime

    example = {
        "until": datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC),
    }


class PlayerProtected(Event, name="mafia.player-protected.v1"):
    """The Doctor's choice of a night (M-037)."""

    night: int
    doctor: str
    target: str

    example = {
        "night": 1,
        "doctor": "Cleo",
        "target": "Ada",
    }


class PlayerInvestigated(Event, name="mafia.player-investigated.v1"):
    """The Detective's choice of a night and the role it revealed (M-041, M-042)."""

    night: int
    detective: str
    target: str
    role: Role

    example = {
        "night": 1,
        "detective": "Ada",
        "target": "Bram",
        "role": "Mafia",
    }


class MafiaBallotClosed(Event, name="mafia.mafia-ballot-closed.v1"):
    """A ballot of the Mafia, counted (M-045 to M-048). `target` is None on a tie that is voted on again; `drawn` says
    that the last allowed revote was still tied and the target was drawn."""

    night: int
    round: int
    votes: dict[str, str]
    tally: dict[str, int]
    target: str | None
    drawn: bool = False

    example = {
        "night": 1,
        "round": 0,
        "votes": {"Bram": "Ada"},
        "tally": {"Ada": 1},
        "target": "Ada",
    }


class MafiaWhispered(Event, name="mafia.mafia-whispered.v1", by=named_in("player")):
    """A Mafia says something to the others before they vote; `text` is None for a pass (M-112)."""

    night: int
    round: int
    player: str
    text: str | None

    example = {
        "night": 1,
        "round": 0,
        "player": "Bram",
        "text": "Ada asks too many questions.",
    }


class NightResolved(Event, name="mafia.night-resolved.v1"):
    """What a night came to, as the narrator alone knows it (M-049, M-052)."""

    night: int
    target: str
    protected: str | None
    died: str | None
    cause: Literal["killed by the Mafia", "saved by protection"]

    example = {
        "night": 1,
        "target": "Ada",
        "protected": "Ada",
        "died": None,
        "cause": "saved by protection",
    }


class DeathsAnnounced(Event, name="mafia.deaths-announced.v1"):
    """Dawn: the names of the dead, or none (M-053)."""

    day: int
    deaths: tuple[str, ...]

    example = {
        "day": 1,
        "deaths": ("Ada",),
    }


class RoleRevealed(Event, name="mafia.role-revealed.v1"):
    """A dead player's role becomes public by rule (M-054, M-090)."""

    player: str
    role: Role

    example = {
        "player": "Ada",
        "role": "Detective",
    }


class SpeakerChosen(Event, name="mafia.speaker-chosen.v1", by=seat(NARRATOR)):
    """The narrator gives somebody the floor, or calls the town hall, aloud (M-059). `words` is None on a fallback."""

    choice: str
    words: str | None

    example = {
        "choice": "Ada",
        "words": "Ada, you have the floor.",
    }


class BidsClosed(Event, name="mafia.bids-closed.v1"):
    """How much each living player wanted the floor, in seating order: for the narrator (M-114)."""

    day: int
    round: int
    bids: dict[str, int]

    example = {
        "day": 1,
        "round": 0,
        "bids": {"Ada": 3, "Bram": 0, "Cleo": 1},
    }


class FloorGiven(Event, name="mafia.floor-given.v1"):
    """Who speaks next, or that the town hall opens, as the bids decided (M-114)."""

    day: int
    round: int
    choice: str

    example = {
        "day": 1,
        "round": 0,
        "choice": "Ada",
    }


class SpeechGiven(Event, name="mafia.speech-given.v1", by=named_in("player")):
    """A player speaks to all (M-060, M-075, M-085). `text` is None for silence (M-021)."""

    player: str
    occasion: Occasion
    text: str | None

    example = {
        "player": "Ada",
        "occasion": "discussion",
        "text": "Bram was very quiet when Dirk was found.",
    }


class NominationMade(Event, name="mafia.nomination-made.v1", by=named_in("player")):
    """A player uses the nomination turn of the day; `nominee` is None for a pass (M-068).

    `words` is the charge, heard by all with the nomination (M-113); None if there is none.
    """

    day: int
    player: str
    nominee: str | None
    words: str | None = None

    example = {
        "day": 1,
        "player": "Ada",
        "nominee": "Bram",
        "words": "Nobody else was seen at the well.",
    }


class SecondingClosed(Event, name="mafia.seconding-closed.v1"):
    """The votes on one nomination, all at once (M-071, M-072, M-083)."""

    day: int
    nominator: str
    nominee: str
    votes: dict[str, Literal["yes", "no"]]
    tally: dict[str, int]
    seconded: bool

    example = {
        "day": 1,
        "nominator": "Ada",
        "nominee": "Bram",
        "votes": {"Bram": "no", "Cleo": "yes", "Dirk": "yes"},
        "tally": {"yes": 2, "no": 1},
        "seconded": True,
    }


class TrialClosed(Event, name="mafia.trial-closed.v1"):
    """The votes of one trial ballot, all at once (M-079 to M-083). With `again` the tied stand again."""

    day: int
    round: int
    votes: dict[str, str]
    tally: dict[str, int]
    condemned: str | None
    tied: tuple[str, ...] = ()
    again: bool = False

    example = {
        "day": 1,
        "round": 0,
        "votes": {"Ada": "Bram", "Bram": "Ada", "Cleo": "Bram", "Dirk": "Bram"},
        "tally": {"Bram": 3, "Ada": 1},
        "condemned": "Bram",
    }


class ExecutionVoteClosed(Event, name="mafia.execution-vote-closed.v1"):
    """The votes on life and death, all at once (M-087, M-088)."""

    day: int
    condemned: str
    votes: dict[str, Literal["execute", "spare"]]
    tally: dict[str, int]
    executed: bool

    example = {
        "day": 1,
        "condemned": "Bram",
        "votes": {"Ada": "execute", "Cleo": "execute", "Dirk": "spare"},
        "tally": {"execute": 2, "spare": 1},
        "executed": True,
    }


class PlayerExecuted(Event, name="mafia.player-executed.v1"):
    """A player dies at the gallows. The role follows in a RoleRevealed (M-090)."""

    day: int
    player: str

    example = {
        "day": 1,
        "player": "Bram",
    }


class GameEnded(Event, name="mafia.game-ended.v1"):
    """The result and all roles (M-100). Closes the game."""

    winner: Winner
    reason: str
    roles: dict[str, Role]

    example = {
        "winner": "town",
        "reason": "No Mafia is left alive.",
        "roles": {"Ada": "Detective", "Bram": "Mafia"},
    }


MAFIA_EVENTS: tuple[type[Event], ...] = (
    RoleDealt,
    MafiaIntroduced,
    NarrationGiven,
    RepliesHeard,
    PhaseBegan,
    DawnHeld,
    PlayerProtected,
    PlayerInvestigated,
    MafiaWhispered,
    MafiaBallotClosed,
    NightResolved,
    DeathsAnnounced,
    RoleRevealed,
    SpeakerChosen,
    BidsClosed,
    FloorGiven,
    SpeechGiven,
    NominationMade,
    SecondingClosed,
    TrialClosed,
    ExecutionVoteClosed,
    PlayerExecuted,
    GameEnded,
)
