"""Events: facts in the past tense, and the ones that every ruleset shares.

An event class says all that is to be known of it, in its head and its body:

    class GuessMade(Event[State], name="guessing.guess-made.v1", seen_by=everyone, by=named_in("player")):
        player: str
        number: int
        example = {"player": "Ada", "number": 9}
        fold = adds("guesses")

`name` is what the log keeps; moving or renaming the class never breaks an old log. `seen_by` is its audience, `by` the
seat whose own act it is, where everybody who sees the event may know it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, Self

import msgspec
from typing_extensions import TypeVar, dataclass_transform

from sottovoce.domain import words
from sottovoce.domain.audience import Audience, OneSeat, SeenBy, everyone, named_in, nobody
from sottovoce.domain.draws import Seed
from sottovoce.domain.folds import changes_nothing, sets
from sottovoce.domain.piece import Chair, Piece, line
from sottovoce.domain.typed import decoded

STORED_NAME = re.compile(r"[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+\.v[1-9][0-9]*")

Failure = Literal["invalid", "timeout", "unreadable", "truncated", "empty", "declined", "filtered", "failed"]
"""Why one attempt at a turn failed: the rules refused the reply (`invalid`), or the time ran out; or an agent gave no
reply, since its answer could not be read, was cut off at its length limit or held no reply at all, or the model
declined, a filter stopped it, or the program failed. Logs keep these words: add to them, and change none."""


def what_came(reason: Failure) -> str:
    """What a seat did whose attempts ran out, in a few words."""
    match reason:
        case "timeout":
            return "stayed silent"
        case "invalid":
            return "sent nothing valid"
        case "declined" | "failed":
            return reason
        case "filtered":
            return "was stopped by a content filter"
        case _:
            return f"gave no answer ({reason})"


S = TypeVar("S", default=Any)

to_json = msgspec.json.Encoder().encode
"""An event as JSON, as it is stored."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class EventClass(msgspec.StructMeta):
    """Makes event classes out of their heads: `name`, `seen_by` and `by`."""

    def __new__(
        mcs,
        cls_name: str,
        bases: tuple[type, ...],
        body: dict[str, Any],
        /,
        *,
        name: str = "",
        seen_by: SeenBy | None = None,
        by: OneSeat | None = None,
    ) -> Any:
        made: Any = super().__new__(mcs, cls_name, bases, body, frozen=True, forbid_unknown_fields=True, kw_only=True)
        if body.get("__qualname__") != "Event" and not STORED_NAME.fullmatch(name):
            raise TypeError(f"{cls_name} needs a stored name such as 'core.turn-opened.v1', not {name!r}")
        made.stored_name = name
        if seen_by is not None:
            made.seen_by = seen_by
        if by is not None:
            made.actor = property(by.of, doc=Event.actor.__doc__)
        for field in (*(seen_by.fields if seen_by else ()), *(by.fields if by else ())):
            if field not in made.__struct_fields__:
                raise TypeError(f"{cls_name} has no field {field!r}, which its head names")
        return made


class Event(msgspec.Struct, Generic[S], metaclass=EventClass):
    """A fact. Immutable, and seen whole or not at all.

    `example` are the fields of one well-formed event of the class, for tests and docs.
    """

    stored_name: ClassVar[str] = ""
    seen_by: ClassVar[SeenBy | None] = None
    example: ClassVar[Mapping[str, Any]] = {}

    @property
    def actor(self) -> str | None:
        """The seat whose own act this is, where everybody who sees the event may know it; None for the game itself."""
        return None

    @classmethod
    def sample(cls) -> Self:
        """The event of the example."""
        return cls(**cls.example)

    def fold(self, state: S, /) -> S:
        """The state after the event. Total over any seat's subset of the events, and it concludes nothing."""
        raise NotImplementedError

    def tell(self, chair: Chair, /) -> Piece | None:
        """Return the event in words, as that viewer sees it; None if there is nothing to tell."""
        raise NotImplementedError

    def facts(self) -> frozenset[tuple[str, ...]]:
        """The hidden matters that the event carries, in a form that two events can share."""
        return frozenset()

    def but(self, **changes: Any) -> Self:
        """This event with some fields replaced."""
        return msgspec.structs.replace(self, **changes)

    def misfit(self) -> str | None:
        """Why the event could not be read again once it is stored, such as a field of another type; None if it could.

        Nothing looks at types when an event is made.
        """
        try:
            decoded(self.encoded(), type(self))
        except (TypeError, ValueError) as error:
            return str(error)
        return None

    def encoded(self) -> bytes:
        """The event as JSON, as it is stored."""
        return to_json(self)

    def data(self) -> dict[str, Any]:
        """The event as JSON shows it: what `encoded` holds."""
        found: dict[str, Any] = msgspec.json.decode(self.encoded())
        return found


class Closing(Event[S], name="core.closing.v1"):
    """An event that ends the game, with the winner if there is one. A ruleset's own is a subclass."""

    winner: str | None

    def fold(self, state: S, /) -> S:
        return state


class Draft(msgspec.Struct, frozen=True, gc=False):
    """An event decided on, with the audience fixed for it, before it has a position."""

    event: Event
    audience: Audience


class Enveloped(msgspec.Struct, frozen=True, gc=False):
    """An event's envelope and its body, the very JSON that is stored.

    `position` counts from 1 without gaps in one game. `append` names the decision it was written with. `cause` is the
    position of what it reacts to, or None.
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


class Recorded(Enveloped, frozen=True, gc=False):
    """An event in the log, decoded from its body."""

    event: Event


class GameOpened(Event, name="core.game-opened.v1", seen_by=everyone):
    """The public opening: which rules, which seats in seating order, and the public options."""

    ruleset: str
    seats: tuple[str, ...]
    options: dict[str, Any]

    example = {"ruleset": "guessing", "seats": ("keeper", "Ada", "Bram"), "options": {"max_attempts": 3}}
    tell = words.opening
    fold = sets("seats")


class GameRequested(Event, name="core.game-requested.v1", seen_by=nobody):
    """How somebody asked a server for this game: the setup by the names that the server shows, and which `seat` is for
    the person who asked. That person can have a new link for it, and for no other seat.

    Seen by nobody: which seats people play is not for everyone to know.
    """

    seat: str | None = None
    setup: dict[str, Any] = {}

    example = {"seat": "Ada", "setup": {"where": "here"}}
    tell = words.requested

    def fold(self, state: Any, /) -> Any:
        return state.but(own=self.seat, setup=self.setup)


class SeatsFilled(Event, name="core.seats-filled.v2", seen_by=nobody):
    """Which agent fills which seat from here on, and what is drawn from: the seed before where there is none here.

    Seen by nobody: it holds the game's secret.
    """

    agents: dict[str, str]
    seed: Seed | None = None

    example = {"agents": {"Ada": "house", "narrator": "house"}, "seed": Seed.of(7)}
    tell = words.filled

    def fold(self, state: Any, /) -> Any:
        return state.but(agents={**state.agents, **self.agents}, seed=self.seed or state.seed)


class GameForked(Event, name="core.game-forked.v1", seen_by=nobody):
    """This game continues another one's log. Seen by nobody: to its seats nothing has happened."""

    parent: str
    position: int

    example = {"parent": "m-1234", "position": 40}
    tell = line("Forked from {parent} at position {position}.", private="")

    def fold(self, state: Any, /) -> Any:
        return state.but(own=None)


class SecretsKnown(Event, name="core.secrets-known.v1", seen_by=everyone):
    """This game continues a finished one, and who sat there can look at what these chairs saw in it."""

    chairs: tuple[str, ...]

    example = {"chairs": ("Ada", "Bram")}
    tell = words.known_before
    fold = changes_nothing


class ChairsOpened(Event, name="core.chairs-opened.v1", seen_by=everyone):
    """The game ends: from here on, everyone who sat can look at it from these chairs, as its opening said."""

    chairs: tuple[str, ...]

    example = {"chairs": ("Ada", "Bram")}
    tell = words.chairs_opened
    fold = sets("chairs")


class GameCopied(Event, name="core.game-copied.v1", seen_by=everyone):
    """A copy was made of this game while it ran: anyone with the copy can read every secret of this one.

    `by` says who made it: the keeper, or someone with access to the database. The copy's id is in a receipt.
    """

    by: Literal["keeper", "database"]

    example = {"by": "keeper"}
    tell = words.copied
    fold = changes_nothing


class AuditorLinkIssued(Event, name="core.auditor-link-issued.v1", seen_by=everyone):
    """The keeper made an auditor's link to this game while it ran, which shows every secret."""

    tell = line("The keeper made an auditor's link. It shows all secrets of this game.", mood="warn", weight=2)
    fold = changes_nothing


class SeatLinkIssued(Event, name="core.seat-link-issued.v1", seen_by=everyone):
    """The keeper made a new link for a seat while the game ran. It shows what the seat sees, and can answer for it."""

    seat: str

    example = {"seat": "Ada"}
    tell = words.seat_link
    fold = changes_nothing


Peek = GameCopied | AuditorLinkIssued | SeatLinkIssued
"""Something that can make secrets of a running game visible to somebody: everyone is told."""


class TurnOpened(Event, name="core.turn-opened.v1", seen_by=named_in("seat")):
    """A seat is asked for one reply. Turns are numbered per seat, so the number says nothing of other seats.

    `choices` are the legal ones, empty where any text will do. `seconds` limits each attempt, None for no limit. Turns
    with the same `ballot` are counted together and sealed until the ruleset closes it.
    """

    seat: str
    turn: int
    kind: str
    choices: tuple[str, ...] = ()
    attempts: int  # type: ignore[misc]
    seconds: float | None = None
    ballot: str | None = None

    example = {
        "seat": "Ada",
        "turn": 3,
        "kind": "trial-vote",
        "choices": ("Bram", "Cleo"),
        "attempts": 3,
        "ballot": "trial.1.0",
    }
    tell = words.asked

    def fold(self, state: Any, /) -> Any:
        return state.with_turn(self)


class ReplyAccepted(Event, name="core.reply-accepted.v1", seen_by=named_in("seat"), by=named_in("seat")):
    """A seat's reply closed its turn. `choice` is what was read in it, None where any text will do."""

    seat: str
    turn: int
    choice: str | None = None
    text: str  # type: ignore[misc]

    example = {"seat": "Ada", "turn": 3, "choice": "Bram", "text": "I vote for Bram."}
    tell = words.answered

    def fold(self, state: Any, /) -> Any:
        return state.answered(self.seat, self.turn, self.choice, self.text)


class NotesKept(Event, name="core.notes-kept.v1", seen_by=named_in("seat"), by=named_in("seat")):
    """A seat's notes for itself, in place of those it had.

    They come back in its own prompts. Only an auditor is told of them.
    """

    seat: str
    text: str

    example = {"seat": "Ada", "text": "Bram was quick to vote. Ask him why."}
    tell = words.noted

    def fold(self, state: Any, /) -> Any:
        return state.but(kept_notes={**state.kept_notes, self.seat: self.text})


class AttemptFailed(Event, name="core.attempt-failed.v1", seen_by=named_in("seat"), by=named_in("seat")):
    """One attempt at a turn changed nothing. Seen by the seat alone; `message` says which rule or field was broken."""

    seat: str
    turn: int
    attempt: int
    reason: Failure
    text: str
    message: str

    example = {
        "seat": "Ada",
        "turn": 3,
        "attempt": 1,
        "reason": "invalid",
        "text": "Zed",
        "message": "Name one of: Bram, Cleo.",
    }
    tell = words.failed

    def fold(self, state: Any, /) -> Any:
        return state.missed(self.seat, self.turn, self.message)


class FallbackApplied(Event, name="core.fallback-applied.v1", seen_by=named_in("seat")):
    """The attempts ran out and the ruleset's fallback closed the turn; `choice` is what it drew or took, if any."""

    seat: str
    turn: int
    reason: Failure
    choice: str | None = None

    example = {"seat": "Ada", "turn": 3, "reason": "timeout", "choice": "Bram"}
    tell = words.fell_back

    def fold(self, state: Any, /) -> Any:
        return state.answered(self.seat, self.turn, self.choice, "")


class TurnWithdrawn(Event, name="core.turn-withdrawn.v1", seen_by=named_in("seat")):
    """An open turn is no longer asked for."""

    seat: str
    turn: int

    example = {"seat": "Ada", "turn": 3}
    tell = line("Turn {turn} of {seat:name} is withdrawn.", private="", weight=0)

    def fold(self, state: Any, /) -> Any:
        return state.without_turn(self.seat, self.turn)


class MessageRefused(Event, name="core.message-refused.v1", seen_by=named_in("seat"), by=named_in("seat")):
    """Something a seat sent changed nothing: a reply to a turn it does not have, or a message the rules do not take."""

    seat: str
    turn: int | None
    text: str
    message: str

    example = {"seat": "Ada", "turn": 3, "text": "I vote for Bram.", "message": "Turn 3 is not open."}
    tell = words.refused
    fold = changes_nothing


class HoldPlaced(Event, name="core.hold-placed.v1"):
    """The game stops and says who or what it waits for; a `resume` lifts it."""

    waiting_for: str
    why: str

    example = {"waiting_for": "gm", "why": "The GM's attempts ran out."}
    tell = words.held

    def fold(self, state: Any, /) -> Any:
        return state.but(hold=self)


class HoldLifted(Event, name="core.hold-lifted.v1"):
    """The game is resumed."""

    tell = line("The game is resumed.", mood="warn")

    def fold(self, state: Any, /) -> Any:
        return state.but(hold=None)


class GameVoided(Event, name="core.game-voided.v1", seen_by=everyone):
    """The game is aborted and does not count: a fallback move would have falsified it. It ends here."""

    why: str

    example = {"why": "An agent could not be reached."}
    tell = words.voided

    def fold(self, state: Any, /) -> Any:
        return state.but(over=True, voided=True, hold=None)


CORE_EVENTS: tuple[type[Event], ...] = (
    GameOpened,
    GameRequested,
    SeatsFilled,
    GameForked,
    SecretsKnown,
    GameCopied,
    AuditorLinkIssued,
    SeatLinkIssued,
    TurnOpened,
    ReplyAccepted,
    NotesKept,
    AttemptFailed,
    FallbackApplied,
    TurnWithdrawn,
    MessageRefused,
    HoldPlaced,
    HoldLifted,
    GameVoided,
    ChairsOpened,
)
