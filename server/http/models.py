"""What goes in and out, as the OpenAPI document tells it. What comes in is checked by these, and all else refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from domain.game import LONGEST_REPLY
from domain.reading import readable

MOST_TEXT = LONGEST_REPLY * 2
"""Characters of a text that is read at all: the rules refuse a shorter one already, and say so."""
LONGEST_SEED = 200
MOST_SEATS = 64
GAME = "k7m2p9qrst"
TOKEN = "svs_kJ0c1v3dQYf8mH2sN5xW7zB9aL4eR6tU8iO0pG1jKqE"

Name = Annotated[str, Field(min_length=1, max_length=100)]
Text = Annotated[str, Field(max_length=MOST_TEXT), AfterValidator(readable)]
LinkKind = Literal["keeper", "seat", "spectator", "auditor"]
Status = Literal["open", "held", "over", "void"]


def _example(**values: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [values]})


# links


class LinkOpens(BaseModel):
    """What a link opens. `game`, `seat` and `ruleset` are null where it is no game's or no seat's. `claimed` is when a
    seat's link was taken up, to the minute."""

    model_config = _example(kind="seat", game=GAME, seat="Ada", ruleset="mafia", claimed=None)

    kind: Literal["host", "keeper", "seat", "spectator", "auditor"]
    game: str | None
    seat: str | None
    ruleset: str | None
    claimed: str | None


class LinkRow(BaseModel):
    """A link of a game, without its token. Times are to the minute."""

    model_config = _example(
        number=3, kind="seat", seat="Ada", issued="2026-05-01T18:02:00+00:00", claimed=None, ended=None
    )

    number: int
    kind: LinkKind
    seat: str | None
    issued: str
    claimed: str | None
    ended: str | None


class LinkRows(BaseModel):
    """All links of a game by their numbers, ended ones too."""

    model_config = ConfigDict(extra="forbid")

    links: list[LinkRow]


class LinkWanted(BaseModel):
    """A link to be issued: `seat` for a seat's and nothing else. The older one of its kind and seat ends at once."""

    model_config = _example(kind="seat", seat="Ada")

    kind: LinkKind
    seat: Name | None = None


class LinkIssued(BaseModel):
    """A new link, which nothing shows again."""

    model_config = _example(number=4, link=f"http://127.0.0.1:8642/games/{GAME}#{TOKEN}")

    number: int
    link: str


# games


class Links(BaseModel):
    """The links that a new game has: its keeper's, one to look on, and one for each seat filled by `outside`."""

    model_config = _example(
        keeper=f"http://127.0.0.1:8642/games/{GAME}#{TOKEN.replace('svs', 'svk')}",
        spectator=f"http://127.0.0.1:8642/games/{GAME}#{TOKEN.replace('svs', 'svw')}",
        seats={"Ada": f"http://127.0.0.1:8642/games/{GAME}#{TOKEN}"},
    )

    keeper: str
    spectator: str
    seats: dict[str, str]


class Opened(BaseModel):
    """A game that was opened."""

    model_config = ConfigDict(extra="forbid")

    game: Annotated[str, Field(examples=[GAME])]
    links: Links


class Wanted(BaseModel):
    """A game to be opened.

    `names` are the players' in seating order, or `players` says how many are to be drawn; with neither there are as
    many as usual. `agent` fills every seat for which `agents` says nothing; remote people sit as `outside`. `options`
    are the ruleset's. `campaign` and `folder` are names that the server's settings give to folders, for the rulesets
    that need one.
    """

    model_config = _example(ruleset="mafia", names=["Ada", "Bram", "Cleo", "Dirk", "Edda"], agents={"Ada": "outside"})

    ruleset: Name
    names: Annotated[list[Name], Field(max_length=MOST_SEATS)] | None = None
    players: Annotated[int, Field(ge=1, le=MOST_SEATS)] | None = None
    agents: Annotated[dict[Name, Name], Field(max_length=MOST_SEATS)] = {}
    agent: Name = "house"
    seed: Annotated[str, Field(min_length=1, max_length=LONGEST_SEED)] | None = None
    options: dict[str, Any] = {}
    campaign: Name | None = None
    folder: Name | None = None
    task: Name | None = None
    character: Name | None = None
    edition: Name | None = None


class GameLine(BaseModel):
    """A game in one line, as everybody may know it. `fallbacks` counts moves that no seat made, null while it runs."""

    model_config = _example(
        game=GAME,
        ruleset="mafia",
        status="open",
        started="2026-05-01T18:02:00.000000+00:00",
        ended=None,
        winner=None,
        fallbacks=None,
    )

    game: str
    ruleset: str
    status: Status
    started: str
    ended: str | None
    winner: str | None
    fallbacks: int | None


class GameLines(BaseModel):
    """Games, newest first. `next` is what to give as `after` for more, null where there are none."""

    model_config = ConfigDict(extra="forbid")

    games: list[GameLine]
    next: str | None


class GameShown(GameLine):
    """Where a game stands, as this chair may see it. The seed is an auditor's to know."""

    model_config = _example(
        game=GAME,
        ruleset="mafia",
        status="open",
        started="2026-05-01T18:02:00.000000+00:00",
        ended=None,
        winner=None,
        fallbacks=None,
        seats=["narrator", "Ada", "Bram"],
        phase="day 1",
        waiting_for=["Ada"],
        options={"max_attempts": 3},
        seed=None,
        repeatable=None,
    )

    seats: list[str]
    phase: str
    waiting_for: list[str]
    options: dict[str, Any]
    seed: str | None
    repeatable: bool | None


class RulesetLine(BaseModel):
    """A ruleset: the seats of every game (`seats`), how many players beside them, its options as JSON schema, and what
    of the server's settings a game of it needs."""

    model_config = _example(
        name="mafia",
        seats=["narrator"],
        players={"least": 4, "most": 20, "usual": 7},
        options={"type": "object"},
        needs=None,
    )

    name: str
    seats: list[str]
    players: dict[str, int | None]
    options: dict[str, Any]
    needs: Literal["campaign", "folder"] | None


class Rulesets(BaseModel):
    """What may be played here, with which agents, campaigns and folders."""

    model_config = ConfigDict(extra="forbid")

    rulesets: list[RulesetLine]
    agents: Annotated[list[str], Field(examples=[["house", "random", "outside"]])]
    campaigns: Annotated[list[str], Field(examples=[["ten-past-four"]])]
    folders: Annotated[list[str], Field(examples=[[]])]


class Agents(BaseModel):
    """Agents for seats, by the seat's name."""

    model_config = _example(agents={"Ada": "house"})

    agents: Annotated[dict[Name, Name], Field(max_length=MOST_SEATS)] = {}


class AgentOf(BaseModel):
    """The agent that is to fill a seat."""

    model_config = _example(agent="outside")

    agent: Name


class Fork(BaseModel):
    """Where to leave the old game: at the end of what was decided by entry `at` of the public view, or now."""

    model_config = _example(at=40)

    at: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None


class Kept(BaseModel):
    """How the game stands after what its keeper did."""

    model_config = _example(game=GAME, status="held")

    game: str
    status: Status


# views


class Entry(BaseModel):
    """An event as a chair has it. `at` is cut to the minute; `piece` is how it is told, if it is."""

    model_config = _example(
        seq=12,
        name="mafia.spoke.v1",
        at="2026-05-01T18:02:00+00:00",
        actor="Ada",
        data={"player": "Ada", "text": "It was not me."},
        piece={"kind": "speech", "text": "Ada says"},
    )

    seq: int
    name: str
    at: str
    actor: str | None
    data: dict[str, Any]
    piece: dict[str, Any] | None


class FullEvent(BaseModel):
    """An event as the log has it: an auditor's. `body` is there where `data` does not give its bytes, `piece` in the
    view."""

    model_config = _example(
        game=GAME,
        position=12,
        append="0f3c5a7e9b1d2f4a",
        name="mafia.spoke.v1",
        at="2026-05-01T18:02:11.123456+00:00",
        actor="Ada",
        audience="everyone",
        cause=11,
        data={"player": "Ada", "text": "It was not me."},
        salt="00",
        hash="00",
    )

    game: str
    position: int
    append: str
    name: str
    at: str
    actor: str | None
    audience: Literal["everyone"] | list[str]
    cause: int | None
    data: dict[str, Any]
    salt: str
    hash: str
    body: str | None = None
    piece: dict[str, Any] | None = None


class View(BaseModel):
    """Entries of a chair's view, an auditor's as `FullEvent`. `seq` is the last there is, `next` what to give as
    `after` for more, null where there is no more now."""

    model_config = ConfigDict(extra="forbid")

    seq: Annotated[int, Field(examples=[12])]
    over: bool
    entries: list[Entry | FullEvent]
    next: int | None


class OpenTurn(BaseModel):
    """A turn that is open, with what else its ruleset says it is about."""

    model_config = ConfigDict(extra="allow")

    turn: int
    kind: str
    choices: list[str]
    attempts_left: int
    deadline: str | None
    claimed_until: str | None
    prompt: str


class Told(BaseModel):
    """An entry as `Entry`, without its piece."""

    model_config = ConfigDict(extra="forbid")

    seq: int
    name: str
    at: str
    actor: str | None
    data: dict[str, Any]


class Inbox(BaseModel):
    """A seat's open turns, and what is new to it."""

    model_config = _example(
        seat="Ada",
        seq=12,
        over=False,
        turns=[
            {
                "turn": 7,
                "kind": "mafia.vote",
                "choices": ["Bram", "Cleo"],
                "attempts_left": 3,
                "deadline": None,
                "claimed_until": None,
                "prompt": "YOUR TURN 7. Whom do you vote for?",
            }
        ],
        entries=[],
    )

    seat: str
    seq: int
    over: bool
    turns: list[OpenTurn]
    entries: list[Told]


class Sent(BaseModel):
    """A text that a seat sends."""

    model_config = _example(text="I vote for Bram.")

    text: Text


class Accepted(BaseModel):
    """The text was accepted, `repeated` if it had been already. `seq` is the seat's last entry of what came of it."""

    model_config = _example(accepted=True, repeated=False, seq=14)

    accepted: Literal[True]
    repeated: bool
    seq: int


class DocumentRow(BaseModel):
    """A document as the chair may read it, and how long that is."""

    model_config = _example(path="party/pim-tallow.md", bytes=812)

    path: str
    bytes: int


class Documents(BaseModel):
    """The documents that the chair may read."""

    model_config = ConfigDict(extra="forbid")

    documents: list[DocumentRow]


# an auditor's


class Events(BaseModel):
    """Events of the log, by position. `next` is what to give as `after` for more."""

    model_config = ConfigDict(extra="forbid")

    events: list[FullEvent]
    next: int | None


class ReceiptRow(BaseModel):
    """What was handed over, or how a call ended, or what became of a link, with the texts that were handed over."""

    model_config = _example(
        game=GAME,
        number=1,
        name="core.handed-over.v1",
        at="2026-05-01T18:02:11.123456+00:00",
        seat="Ada",
        data={"by": "http", "agent": "outside", "call": "0f3c5a7e9b1d2f4a", "turn": None, "from": 1, "to": 12},
        texts=[],
        hash="00",
    )

    game: str
    number: int
    name: str
    at: str
    seat: str
    data: dict[str, Any]
    texts: list[str]
    hash: str


class Receipts(BaseModel):
    """Receipts by their numbers. `next` is what to give as `after` for more."""

    model_config = ConfigDict(extra="forbid")

    receipts: list[ReceiptRow]
    next: int | None


class Handed(BaseModel):
    """One hand-over."""

    model_config = ConfigDict(extra="forbid")

    number: int
    at: str
    by: str
    turn: int | None
    agent: str | None


class SeatSaw(BaseModel):
    """Whether a seat may see an event, and each time that it was handed over."""

    model_config = ConfigDict(extra="forbid")

    seat: str
    allowed: bool
    handed: list[Handed]


class WhoSaw(BaseModel):
    """An event, and every seat."""

    model_config = ConfigDict(extra="forbid")

    event: FullEvent
    seats: list[SeatSaw]


class SawEntry(BaseModel):
    """An entry of a seat, with the first time that it was handed over and how often it was."""

    model_config = ConfigDict(extra="forbid")

    position: int
    seq: int
    name: str
    at: str
    told: str | None
    words: str | None
    handed: Handed | None
    times: int


class Saw(BaseModel):
    """What a seat had seen. `next` is what to give as `after` (a seq) for more."""

    model_config = ConfigDict(extra="forbid")

    entries: list[SawEntry]
    next: int | None


class Finding(BaseModel):
    """Something that the look for leaks found."""

    model_config = ConfigDict(extra="allow")


class Leaks(BaseModel):
    """What the look for leaks found; all but a `note` is a leak."""

    model_config = ConfigDict(extra="forbid")

    findings: list[Finding]


class Verified(BaseModel):
    """Whether events and receipts agree with their hashes and the head."""

    model_config = ConfigDict(extra="allow")

    ok: bool


class Learnt(BaseModel):
    """How a seat could have learnt what an event carries."""

    model_config = ConfigDict(extra="allow")


class PromptOf(BaseModel):
    """What was handed to a seat for one turn, with the texts by their digests."""

    model_config = ConfigDict(extra="allow")

    texts: dict[str, str]


class Health(BaseModel):
    """Whether the server is there, or ready to be asked."""

    model_config = _example(ok=True)

    ok: bool
