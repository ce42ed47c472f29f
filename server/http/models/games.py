"""Games: opening one, the list of them, one of them, and what its keeper does."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import BaseModel, ConfigDict, Field, model_validator, with_config

from sottovoce.domain.piece import CLOSED
from sottovoce.projections.extras import Layout
from sottovoce.projections.summary import GameLine, Status
from sottovoce.server.extras import setups
from sottovoce.server.http.models.fields import GAME, MOST_SEATS, Given, Name, SeatAgents, SetupValues, example
from sottovoce.server.http.models.links import TOKEN, Links
from sottovoce.server.oversight import AgentAtWork, BudgetJson

LONGEST_SEED = 200


class Opened(BaseModel):
    """A new game. `cautions` warn about options that can reveal secrets when players come from outside."""

    model_config = ConfigDict(extra="forbid")

    game: Annotated[str, Field(examples=[GAME])]
    links: Links
    cautions: Annotated[list[str], Field(examples=[[]])]


class Wanted(Given):
    """A game to create.

    `names` are the players in seating order, or `players` is their number; without both, the ruleset's default number
    is used. `agent` plays every seat without an entry in `agents`; remote people use `outside`. `own` is the seat of
    the person who creates the game: it is played through its link, and the host can have a new link for it at any
    time. `options` are the ruleset's. `setup` has the fields that the ruleset's own `setup` names in
    `GET /v1/rulesets`, such as `{"campaign": "ten-past-four"}`; they are also taken next to `ruleset`, where requests
    had them earlier.
    """

    model_config = example(ruleset="mafia", names=["Ada", "Bram", "Cleo", "Dirk", "Edda"], agents={"Ada": "outside"})

    ruleset: Name
    names: Annotated[list[Name], Field(max_length=MOST_SEATS)] | None = None
    players: Annotated[int, Field(ge=1, le=MOST_SEATS)] | None = None
    agents: SeatAgents = {}
    agent: Name = "house"
    own: Name | None = None
    seed: Annotated[str, Field(min_length=1, max_length=LONGEST_SEED)] | None = None
    options: dict[str, Any] = {}
    setup: SetupValues = {}

    @model_validator(mode="before")
    @classmethod
    def gathered(cls, given: Any) -> Any:
        """Return the body with the fields of a setup moved into `setup`."""
        if not isinstance(given, dict) or not isinstance(given.get("setup", {}), dict):
            return given
        fields = {field for setup in setups().values() for field in setup.model_fields}
        beside = {key: value for key, value in given.items() if key in fields}
        others = {key: value for key, value in given.items() if key not in fields}
        return {**others, "setup": {**given.get("setup", {}), **beside}} if beside else given


@with_config(CLOSED)
class GameListed(GameLine):
    """A game of the list.

    With `standing`, also its seats, its phase and whose turn it is, with public information only; and for the host
    `own`, the seat that the host took when creating the game, and whether it is `awaited`.
    """

    seats: NotRequired[list[str]]
    phase: NotRequired[str]
    waiting_for: NotRequired[list[str]]
    own: NotRequired[str | None]
    awaited: NotRequired[bool]


class GameLines(BaseModel):
    """Games, newest first. Pass `next` as `after` for more; null if there are no more."""

    model_config = ConfigDict(extra="forbid")

    games: list[GameListed]
    next: str | None


class CautionLine(BaseModel):
    """A warning for games with players from outside, if the option has that value."""

    model_config = ConfigDict(extra="forbid")

    option: str
    value: Any
    says: str


class RulesetLine(BaseModel):
    """A ruleset.

    It has the fixed seats of every game (`seats`), the number of other players, its options as JSON schema, and
    warnings about its options. `setup` is what its games are opened with as well, as JSON schema, or null. In a
    property, `place` marks the field for one of the server's `places`, whose name is `needs`; `label` is a title other
    than the name, `none` what a form shows if nothing is chosen, and `option` the option that the field decides.
    `makes` marks a list of names and of new things, which adds to the values of the field that it names.
    `layout`, `pitch`, `company` and `minutes` are how a first screen offers it.
    """

    model_config = example(
        name="mafia",
        seats=["narrator"],
        players={"least": 4, "most": 20, "usual": 7},
        options={"type": "object"},
        setup=None,
        needs=None,
        cautions=[{"option": "night_seconds", "value": 0, "says": "With night_seconds=0 …"}],
        layout="table",
        pitch="Eight at a table, two of them lying.",
        company="you and seven others",
        minutes=15,
    )

    name: str
    layout: Layout
    pitch: str
    company: str
    minutes: int | None
    seats: list[str]
    players: dict[str, int | None]
    options: dict[str, Any]
    setup: dict[str, Any] | None
    needs: str | None
    cautions: list[CautionLine]


class Rulesets(BaseModel):
    """The rulesets and agents that this server offers, and the names of its folders by kind (`places`)."""

    model_config = ConfigDict(extra="forbid")

    rulesets: list[RulesetLine]
    agents: Annotated[list[str], Field(examples=[["house", "random", "outside"]])]
    places: Annotated[dict[str, list[str]], Field(examples=[{"campaign": ["ten-past-four"]}])]


class Offered(BaseModel):
    """The choices for a game in one of the server's folders.

    `seats` are those of a game with the choices so far, `people` the seats that a person usually plays, and `choices`
    the values of each field of the setup that can be listed.
    """

    model_config = example(seats=["gm", "pim", "tallow"], people=[], choices={"character": ["pim", "tallow"]})

    seats: list[str]
    people: list[str]
    choices: dict[str, list[str]]


class PlayedAgain(BaseModel):
    """A new game with the same line-up and options, and the caller's link to it: the same seat, or the keeper's."""

    model_config = example(game=GAME, link=f"http://127.0.0.1:8642/games/{GAME}#{TOKEN}")

    game: str
    link: str


class Overseen(BaseModel):
    """The models and programs that work now (null if this viewer can't know), and the game's budget.

    `budget` is null if nothing is limited and nothing was used, or if this viewer can't know it.
    """

    model_config = example(
        agents=[{"seat": "executor", "turn": 2, "task": "01-cover", "step": "runs make test", "seconds": 120}],
        budget={
            "limits": {
                "tokens": None,
                "cost": 5.0,
                "minutes": None,
                "task_tokens": None,
                "task_cost": None,
                "task_minutes": 60.0,
            },
            "used": [
                {
                    "task": None,
                    "tokens": 41200,
                    "cost": 1.25,
                    "minutes": 12.5,
                    "calls": 9,
                    "silent": 1,
                    "uncounted": [],
                }
            ],
        },
    )

    agents: list[AgentAtWork] | None
    budget: BudgetJson | None


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
