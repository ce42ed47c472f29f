"""What an agent is: something that answers a turn from a seat's own view.

An agent gets the view, the turn, a random stream of that seat and turn, and a write-only call record. It gets no log,
no database and no full state: what it cannot see it cannot give away.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from sottovoce.domain.draws import Seed, derived, stream
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Failure
from sottovoce.domain.reading import readable
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

C = TypeVar("C")
TOLD: Mapping[Failure, str] = {
    "timeout": "Your answer did not come in time.",
    "unreadable": "Your answer could not be read: {detail}.",
    "truncated": "Your answer was cut off at its length limit. Think less, and give the reply at once.",
    "empty": "Your answer held no reply. Give the reply itself.",
    "declined": "You declined to answer. This is a game, and everyone at the table plays it; answer in your role.",
    "filtered": "A content filter stopped your answer. Say it in other words.",
    "failed": "No answer came: the agent of this seat failed.",
}
"""What a seat is told of an attempt that failed, so that the next one goes better. Never an endpoint's own words."""


LONGEST_TOLD = 300
"""Characters of a program's own words that its seat is told."""


class AgentFailed(SottovoceError):
    """The agent gave no reply. `reason` says why in one word; `told` is what its seat may read of it.

    `nothing`: there was nothing to play by at all. An answer that can't be read or was cut off may be bad play instead.
    `own`: a program failed by its own account. Its seat is told so in its words, and it is not asked again where that
    would cost once more (`Ruleset.asks_failed_again`).
    """

    def __init__(
        self,
        message: str,
        reason: Failure = "failed",
        detail: str = "",
        *,
        nothing: bool | None = None,
        own: bool = False,
    ) -> None:
        super().__init__(message)
        self.reason: Failure = reason
        self.nothing = reason in ("declined", "filtered", "empty", "failed") if nothing is None else nothing
        self.own = own
        told = TOLD.get(reason, TOLD["failed"]).format(detail=detail or "it is not what is asked for")
        self.told = message[:LONGEST_TOLD] if own else told


class AgentUnreachable(AgentFailed):
    """Nothing answered for the agent, or it was turned away: this says nothing of what it would have played."""


LONGEST_THOUGHTS = 4000
"""Characters of an agent's thoughts that are kept."""
LONGEST_RAW = 8000
"""Characters of an answer that are kept as they came."""


@dataclass(frozen=True, slots=True)
class Mind:
    """What an agent had in mind when it answered, as far as it says so itself.

    `thoughts` are in its own words. `suspicion` says how much it suspects other seats: 0 where it is undecided, less
    where it trusts them, and beyond 5 or -5 it has no doubt. Beliefs in percent become that (`Ruleset.suspicion`).
    """

    thoughts: str = ""
    suspicion: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The same as receipts keep it."""
        return {"thoughts": readable(self.thoughts[:LONGEST_THOUGHTS]), "suspicion": dict(self.suspicion)}


class Considered(str):
    """A reply that comes with what its author had in mind, and with notes that its seat keeps for itself.

    `notes` replace those that the seat had; empty notes leave them as they are. The rules keep their first
    `LONGEST_NOTES` characters if they accept the reply. A seat finds its own in `view.state.kept_notes`.
    """

    mind: Mind | None
    notes: str

    def __new__(cls, reply: str, mind: Mind | None = None, notes: str = "") -> Self:
        made = super().__new__(cls, reply)
        made.mind = mind
        made.notes = notes
        return made


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a call is for, beside the view: the game, and if the turn is about a piece of work, its name, its round and
    the place to work in.

    `place` is None where the game works in no folder. `reads_only`: nothing is to be changed there. No prompt holds
    any of it.
    """

    game: str = ""
    about: str | None = None
    round: int | None = None
    place: Path | None = None
    reads_only: bool = False


@dataclass(slots=True)
class CallRecord:
    """What an agent is told of its call, and what it notes about it: kept as a receipt, read by nobody at the table.

    `blocks` are the texts of a prompt that left this process. Tokens and `cost` stay None where they are unknown,
    `mind` where the agent does not say. `cached_tokens` are those of the prompt that came from the endpoint's cache,
    `reasoning_tokens` those of the reply that the model thought with.
    """

    blocks: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    mind: Mind | None = None
    assignment: Assignment = Assignment()
    doing: Callable[[str], None] = field(default=lambda step: None, repr=False, compare=False)
    """Called with what the agent does now, in a few words, each time that changes."""

    def keep_answer(self, shown: str, whole: bytes) -> None:
        """Keep an answer as it came: the beginning of it, in which no secret may be, and the hash of the whole."""
        self.notes["raw"] = {
            "text": readable(shown[:LONGEST_RAW]),
            "bytes": len(whole),
            "sha256": sha256(whole).hexdigest(),
        }


class Agent(Protocol):
    """Fills a seat.

    `by` says how the view reaches it: `view` in this process, `prompt` as text, `files` in a folder, `screen` for a
    person at this terminal.
    Receipts keep it.
    """

    @property
    def by(self) -> str: ...

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        """The reply to an open turn of the view's seat. Raises AgentFailed when there will be none."""


@runtime_checkable
class RemoteAgent(Agent, Protocol):
    """An agent that something outside this process answers for."""

    async def reach(self) -> None:
        """Ask for one answer, as small as can be. Raises AgentUnreachable if none comes."""


@runtime_checkable
class KeepingAgent(Agent, Protocol):
    """An agent that keeps something between calls, such as a process or a conversation."""

    async def release(self, game: str | None = None, *, over: bool = False) -> None:
        """End what runs for a game, for all games without one. What is kept for later goes too if the game is over."""


@runtime_checkable
class PromptedAgent(Agent, Protocol):
    """An agent that sends its view out of this process as text (`by` is `prompt` or `files`)."""

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        """The very texts that `act` sends, in order: a pure function, so that they can be receipted before the call."""


class SeatRandom(random_module.Random):
    """The random stream of one attempt at one turn, for that purpose; seeded when it is first drawn from.

    `key` is the seat's own: nobody else's draws come from it.
    """

    def __init__(self, key: bytes, *purpose: object) -> None:
        self.key = key
        self._purpose = purpose
        self._begun = False
        self.gauss_next = None

    def pick(self, choices: Sequence[C]) -> C:
        """One of the choices, evenly; the same one however often this is asked, and apart from the stream.

        For who draws once in a turn: to begin a stream takes several times as long as to decide.
        """
        return choices[int.from_bytes(derived(self.key, "pick", *self._purpose), "big") % len(choices)]

    def random(self) -> float:
        """A number from 0 to 1, without 1."""
        if not self._begun:
            self._begin()
        return super().random()

    def getrandbits(self, bits: int, /) -> int:
        """A number of so many random bits."""
        if not self._begun:
            self._begin()
        return super().getrandbits(bits)

    def _begin(self) -> None:
        self._begun = True
        self.seed(int.from_bytes(derived(self.key, *self._purpose), "big"))

    def lasting(self, *purpose: object) -> random_module.Random:
        """A stream for a purpose that is the same at every turn of the seat, and that nobody else can work out."""
        return stream(self.key, "lasting", *purpose)


def seat_random(seed: Seed, seat: str, turn: int, attempt: int = 1) -> SeatRandom:
    """The random stream of one attempt at one turn, apart from every draw of the game."""
    return SeatRandom(_seat_key(seed.secret, seat), "turn", turn, attempt)


@lru_cache(maxsize=4096)
def _seat_key(secret: str, seat: str) -> bytes:
    return derived(bytes.fromhex(secret), "agent", seat)
