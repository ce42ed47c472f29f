"""Games: opening one, the list of them, one of them, and what its keeper does."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sottovoce.server.http.models.fields import GAME, MOST_SEATS, Given, Name, SeatAgents, Status, example
from sottovoce.server.http.models.links import Links

LONGEST_SEED = 200

LINE: dict[str, Any] = {
    "game": GAME,
    "ruleset": "mafia",
    "status": "open",
    "started": "2026-05-01T18:02:00.000000+00:00",
    "ended": None,
    "winner": None,
    "fallbacks": None,
}
"""The example of a game in one line."""


class Opened(BaseModel):
    """A game that was opened. `cautions` are what to know of its options where players come from outside, a line
    each."""

    model_config = ConfigDict(extra="forbid")

    game: Annotated[str, Field(examples=[GAME])]
    links: Links
    cautions: Annotated[list[str], Field(examples=[[]])]


class Wanted(Given):
    """A game to be opened.

    `names` are the players' in seating order, or `players` says how many are to be drawn; with neither there are as
    many as usual. `agent` fills every seat for which `agents` says nothing; remote people sit as `outside`. `options`
    are the ruleset's. `campaign` and `folder` are names that the server's settings give to folders, for the rulesets
    that need one.
    """

    model_config = example(ruleset="mafia", names=["Ada", "Bram", "Cleo", "Dirk", "Edda"], agents={"Ada": "outside"})

    ruleset: Name
    names: Annotated[list[Name], Field(max_length=MOST_SEATS)] | None = None
    players: Annotated[int, Field(ge=1, le=MOST_SEATS)] | None = None
    agents: SeatAgents = {}
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

    model_config = example(**LINE)

    game: str
    ruleset: str
    status: Status
    started: str
    ended: str | None
    winner: str | None
    fallbacks: int | None


class GameListed(GameLine):
    """A game of the list. Asked for with `standing`, it has its seats, its phase and who is awaited, as everybody may
    know them, too; a game that has ended awaits nobody."""

    model_config = example(**LINE, seats=["narrator", "Ada", "Bram"], phase="day 1", waiting_for=["Ada"])

    seats: list[str] = []
    phase: str = ""
    waiting_for: list[str] = []


class GameLines(BaseModel):
    """Games, newest first. `next` is what to give as `after` for more, null where there are none."""

    model_config = ConfigDict(extra="forbid")

    games: list[GameListed]
    next: str | None


class GameShown(GameLine):
    """Where a game stands, as this chair may see it. The seed is an auditor's to know."""

    model_config = example(
        **LINE,
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


class CautionLine(BaseModel):
    """What to know before players come from outside, where the option has that value."""

    model_config = ConfigDict(extra="forbid")

    option: str
    value: Any
    says: str


class RulesetLine(BaseModel):
    """A ruleset: the seats of every game (`seats`), how many players beside them, its options as JSON schema, what of
    the server's settings a game of it needs, and what to know of its options before players come from outside."""

    model_config = example(
        name="mafia",
        seats=["narrator"],
        players={"least": 4, "most": 20, "usual": 7},
        options={"type": "object"},
        needs=None,
        cautions=[{"option": "night_seconds", "value": 0, "says": "With night_seconds=0 …"}],
    )

    name: str
    seats: list[str]
    players: dict[str, int | None]
    options: dict[str, Any]
    needs: Literal["campaign", "folder"] | None
    cautions: list[CautionLine]


class Rulesets(BaseModel):
    """What may be played here, with which agents, campaigns and folders."""

    model_config = ConfigDict(extra="forbid")

    rulesets: list[RulesetLine]
    agents: Annotated[list[str], Field(examples=[["house", "random", "outside"]])]
    campaigns: Annotated[list[str], Field(examples=[["ten-past-four"]])]
    folders: Annotated[list[str], Field(examples=[[]])]


class Offered(BaseModel):
    """What may be chosen for a game in one campaign or folder: its seats as they come of what was chosen so far, the
    characters that a player may take, the tasks, and the editions of the messages."""

    model_config = example(seats=["gm", "pim", "tallow"], characters=["pim", "tallow"], tasks=[], editions=["current"])

    seats: list[str]
    characters: list[str]
    tasks: list[str]
    editions: list[str]


class Agents(Given):
    """Agents for seats, by the seat's name."""

    model_config = example(agents={"Ada": "house"})

    agents: SeatAgents = {}


class AgentOf(Given):
    """The agent that is to fill a seat."""

    model_config = example(agent="outside")

    agent: Name


class Fork(Given):
    """Where to leave the old game: at the end of what was decided by entry `at` of the public view, or now."""

    model_config = example(at=40)

    at: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None


class Kept(BaseModel):
    """How the game stands after what its keeper did."""

    model_config = example(game=GAME, status="held")

    game: str
    status: Status
