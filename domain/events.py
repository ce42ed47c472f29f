"""Events: facts in the past tense, and the ones that every ruleset shares.

An event class states its stored name once, as a class keyword: `class SpeechGiven(Event, name="mafia.speech.v1")`. The
stored name is what the log keeps; moving or renaming the class never breaks an old log. Who sees an event is stated in
the ruleset's `audience.py`, so that a class without an audience is found at import.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict

from domain.audience import Audience
from domain.draws import Seed

STORED_NAME = re.compile(r"[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+\.v[1-9][0-9]*")

Failure = Literal["invalid", "timeout"]
"""Why one attempt at a turn failed."""


class Event(BaseModel):
    """A fact. Immutable, and seen whole or not at all."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings", defer_build=True)

    stored_name: ClassVar[str] = ""

    def __init_subclass__(cls, *, name: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not STORED_NAME.fullmatch(name):
            raise TypeError(f"{cls.__name__} needs a stored name such as 'mafia.speech-given.v1', not {name!r}")
        cls.stored_name = name

    @property
    def actor(self) -> str | None:
        """The seat whose own act this is, where everybody who sees the event may know it; None for the game itself."""
        return None

    @classmethod
    def example(cls) -> Self:
        """One well-formed event of this class, for tests and docs."""
        raise NotImplementedError(cls.__name__)


@dataclass(frozen=True, slots=True)
class Draft:
    """An event decided on, with the audience fixed for it, before it has a position."""

    event: Event
    audience: Audience


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event in the log, with its envelope.

    `position` counts from 1 without gaps in one game. `append` names the decision it was written with. `cause` is the
    position of what it reacts to, or None. `body` is the very JSON that was stored; `event` is decoded from it.
    """

    game: str
    position: int
    append: str
    name: str
    at: datetime
    actor: str | None
    audience: Audience
    cause: int | None
    body: bytes
    salt: bytes
    hash: bytes
    event: Event


class GameOpened(Event, name="core.game-opened.v1"):
    """The public opening: which rules, which seats in seating order, and the public options."""

    ruleset: str
    seats: tuple[str, ...]
    options: dict[str, Any]

    @classmethod
    def example(cls) -> Self:
        return cls(ruleset="mafia", seats=("Ada", "Bram", "Cleo", "Dirk", "narrator"), options={"max_attempts": 3})


class SeatsFilled(Event, name="core.seats-filled.v2"):
    """Which agent fills which seat from here on, and what is drawn from: the seed before where there is none here.

    Seen by nobody: it holds the game's secret.
    """

    agents: dict[str, str]
    seed: Seed | None = None

    @classmethod
    def example(cls) -> Self:
        return cls(agents={"Ada": "house", "narrator": "house"}, seed=Seed.of(7))


class GameForked(Event, name="core.game-forked.v1"):
    """This game goes on from another one's log. Seen by nobody: to its seats nothing has happened."""

    parent: str
    position: int

    @classmethod
    def example(cls) -> Self:
        return cls(parent="m-1234", position=40)


class TurnOpened(Event, name="core.turn-opened.v1"):
    """A seat is asked for one reply. Turns are numbered per seat, so the number says nothing of other seats.

    `choices` are the legal ones, empty where any text will do. `seconds` limits each attempt, None for no limit. Turns
    with the same `ballot` are counted together and sealed until the ruleset closes it.
    """

    seat: str
    turn: int
    kind: str
    choices: tuple[str, ...] = ()
    attempts: int
    seconds: float | None = None
    ballot: str | None = None

    @classmethod
    def example(cls) -> Self:
        return cls(seat="Ada", turn=3, kind="trial-vote", choices=("Bram", "Cleo"), attempts=3, ballot="trial.1.0")


class ReplyAccepted(Event, name="core.reply-accepted.v1"):
    """A seat's reply closed its turn. `choice` is what was read in it, None where any text will do."""

    seat: str
    turn: int
    choice: str | None = None
    text: str

    @property
    def actor(self) -> str | None:
        return self.seat

    @classmethod
    def example(cls) -> Self:
        return cls(seat="Ada", turn=3, choice="Bram", text="I vote for Bram.")


class AttemptFailed(Event, name="core.attempt-failed.v1"):
    """One attempt at a turn changed nothing. Seen by the seat alone; `message` says which rule or field was broken."""

    seat: str
    turn: int
    attempt: int
    reason: Failure
    text: str
    message: str

    @property
    def actor(self) -> str | None:
        return self.seat

    @classmethod
    def example(cls) -> Self:
        return cls(seat="Ada", turn=3, attempt=1, reason="invalid", text="Zed", message="Name one of: Bram, Cleo.")


class FallbackApplied(Event, name="core.fallback-applied.v1"):
    """The attempts ran out and the ruleset's fallback closed the turn; `choice` is what it drew or took, if any."""

    seat: str
    turn: int
    reason: Failure
    choice: str | None = None

    @classmethod
    def example(cls) -> Self:
        return cls(seat="Ada", turn=3, reason="timeout", choice="Bram")


class TurnWithdrawn(Event, name="core.turn-withdrawn.v1"):
    """An open turn is no longer asked for."""

    seat: str
    turn: int

    @classmethod
    def example(cls) -> Self:
        return cls(seat="Ada", turn=3)


class MessageRefused(Event, name="core.message-refused.v1"):
    """Something a seat sent changed nothing: a reply to no open turn of its own, or a message the rules do not take."""

    seat: str
    turn: int | None
    text: str
    message: str

    @property
    def actor(self) -> str | None:
        return self.seat

    @classmethod
    def example(cls) -> Self:
        return cls(seat="Ada", turn=3, text="I vote for Bram.", message="Turn 3 is not open.")


class HoldPlaced(Event, name="core.hold-placed.v1"):
    """The game stops and says who or what it waits for; a `resume` lifts it."""

    waiting_for: str
    why: str

    @classmethod
    def example(cls) -> Self:
        return cls(waiting_for="gm", why="The GM's attempts ran out.")


class HoldLifted(Event, name="core.hold-lifted.v1"):
    """The game goes on."""

    @classmethod
    def example(cls) -> Self:
        return cls()


class GameVoided(Event, name="core.game-voided.v1"):
    """The game is broken off and counts for nobody: a stand-in would have falsified it. It ends here."""

    why: str

    @classmethod
    def example(cls) -> Self:
        return cls(why="An agent could not be reached.")


CORE_EVENTS: tuple[type[Event], ...] = (
    GameOpened,
    SeatsFilled,
    GameForked,
    TurnOpened,
    ReplyAccepted,
    AttemptFailed,
    FallbackApplied,
    TurnWithdrawn,
    MessageRefused,
    HoldPlaced,
    HoldLifted,
    GameVoided,
)
