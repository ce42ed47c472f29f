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
    """A new game. `cautions` warn about options that can reveal secrets when players come from outside."""

    model_config = ConfigDict(extra="forbid")

    game: Annotated[str, Field(examples=[GAME])]
    links: Links
    cautions: Annotated[list[str], Field(examples=[[]])]


class Wanted(Given):
    """A game to create.

    `names` are the players in seating order, or `players` is their number; without both, the ruleset's default number
    is used. `agent` plays every seat without an entry in `agents`; remote people use `outside`. `options` are the
    ruleset's. `campaign` and `folder` are names from the server's settings, for rulesets that need one.
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
    """A game of the list, with public information only. `fallbacks` counts fallback moves; null during the game."""

    model_config = example(**LINE)

    game: str
    ruleset: str
    status: Status
    started: str
    ended: str | None
    winner: str | None
    fallbacks: int | None


class GameListed(GameLine):
    """A game of the list.

    With `standing`, also its seats, its phase and whose turn it is, with public information only.
    """

    model_config = example(**LINE, seats=["narrator", "Ada", "Bram"], phase="day 1", waiting_for=["Ada"])

    seats: list[str] = []
    phase: str = ""
    waiting_for: list[str] = []


class GameLines(BaseModel):
    """Games, newest first. Pass `next` as `after` for more; null if there are no more."""

    model_config = ConfigDict(extra="forbid")

    games: list[GameListed]
    next: str | None


class GameShown(GameLine):
    """A game's status, as this viewer can see it. Only an auditor sees the seed."""

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
    """A warning for games with players from outside, if the option has that value."""

    model_config = ConfigDict(extra="forbid")

    option: str
    value: Any
    says: str


class RulesetLine(BaseModel):
    """A ruleset.

    It has the fixed seats of every game (`seats`), the number of other players, its options as JSON schema, what it
    needs from the server's settings, and warnings about its options.
    """

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
    """The rulesets, agents, campaigns and folders that this server offers."""

    model_config = ConfigDict(extra="forbid")

    rulesets: list[RulesetLine]
    agents: Annotated[list[str], Field(examples=[["house", "random", "outside"]])]
    campaigns: Annotated[list[str], Field(examples=[["ten-past-four"]])]
    folders: Annotated[list[str], Field(examples=[[]])]


class Offered(BaseModel):
    """The choices for a game in one campaign or folder.

    These are its seats after the choices so far, the characters a person can play, the tasks, and the message formats.
    """

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
    """The new agent of a seat."""

    model_config = example(agent="outside")

    agent: Name


class Fork(Given):
    """Where to fork: after the decision of entry `at` of the public view, or now."""

    model_config = example(at=40)

    at: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None


class Kept(BaseModel):
    """The game's status after the keeper's action."""

    model_config = example(game=GAME, status="held")

    game: str
    status: Status
