"""Read receipts: what was delivered to which agent, and how each call ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import heappop, heappush
from typing import Any, Final, Protocol

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.piece import CLOSED
from sottovoce.projections.exports import stamp

DELIVERED: Final = "core.handed-over.v1"
HANDED_AGAIN: Final = "core.handed-again.v1"
"""Repeated deliveries of the same: how many times and since when. The receipt's time is the latest."""
CALL_ENDED: Final = "core.call-ended.v1"
CALLED: Final = "core.called.v1"
"""A whole call, delivered and ended, of an agent in the server's process."""

WITH_REPLY: Final = "reply"
"""How a receipt says that it delivers nothing: it keeps the thoughts that an outside seat sent with its reply."""

DELIVERIES = (DELIVERED, HANDED_AGAIN, CALLED)
ENDINGS = (CALL_ENDED, CALLED)


class Receipt(Protocol):
    """A receipt as stored. `number` counts from 1 in each game. `blocks` are digests of the delivered texts."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def seat(self) -> str: ...
    @property
    def data(self) -> dict[str, Any]: ...
    @property
    def blocks(self) -> tuple[str, ...]: ...


@with_config(CLOSED)
class MindJson(TypedDict):
    """What an agent reported when it answered."""

    thoughts: str
    suspicion: dict[str, float]


@with_config(CLOSED)
class EndingJson(TypedDict):
    """How a call ended."""

    how: str
    at: str
    seconds: float | None
    prompt_tokens: int | None
    reply_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    cost: float | None
    notes: dict[str, Any]
    mind: MindJson | None


@dataclass(frozen=True, slots=True)
class Mind:
    """What an agent reported when it answered: its thoughts, and how much it suspected whom."""

    thoughts: str
    suspicion: dict[str, float]

    @classmethod
    def of(cls, given: object) -> Mind | None:
        """Read it from a receipt, or return None if it has nothing readable."""
        if not isinstance(given, dict):
            return None
        thoughts, suspicion = given.get("thoughts"), given.get("suspicion")
        much = suspicion.items() if isinstance(suspicion, dict) else ()
        return cls(
            thoughts if isinstance(thoughts, str) else "",
            {name: float(value) for name, value in much if isinstance(value, int | float)},
        )

    def to_json(self) -> MindJson:
        return {"thoughts": self.thoughts, "suspicion": self.suspicion}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended. Tokens, cost and the agent's thoughts are None if unknown."""

    number: int
    call: str
    at: datetime
    how: str
    seconds: float | None
    prompt_tokens: int | None
    reply_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    cost: float | None
    notes: dict[str, Any]
    mind: Mind | None

    def to_json(self) -> EndingJson:
        return {
            "how": self.how,
            "at": stamp(self.at),
            "seconds": self.seconds,
            "prompt_tokens": self.prompt_tokens,
            "reply_tokens": self.reply_tokens,
            "cached_tokens": self.cached_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cost": self.cost,
            "notes": self.notes,
            "mind": None if self.mind is None else self.mind.to_json(),
        }


@with_config(CLOSED)
class Handed(TypedDict):
    """A delivery, or `times` the same delivery, from `since` to `at`."""

    number: int
    at: str
    by: str
    turn: int | None
    agent: str | None
    times: int
    since: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery: entries `first` to `last` (seqs of the seat's view, inclusive) given to a seat's agent.

    With `since` it repeats an earlier delivery, at least `times` times from then to `at`. With `parts`, each time it
    was only some of these entries.
    """

    number: int
    call: str
    at: datetime
    seat: str
    turn: int | None
    first: int
    last: int
    by: str
    agent: str | None
    blocks: tuple[str, ...] = ()
    times: int = 1
    since: str | None = None
    parts: bool = False

    def covers(self, seq: int) -> bool:
        return not self.parts and self.first <= seq <= self.last

    def to_json(self) -> Handed:
        """The delivery as `audit who-saw` and `audit saw` print it."""
        return {
            "number": self.number,
            "at": stamp(self.at),
            "by": self.by,
            "turn": self.turn,
            "agent": self.agent,
            "times": self.times,
            "since": self.since,
        }


class MalformedReceipt(ValueError):
    """A receipt lacks a required field."""


def read_delivery(receipt: Receipt) -> Delivery:
    """Return the delivery that a receipt records. Raises MalformedReceipt, which names the wrong field."""
    data = receipt.data
    turn = data.get("turn")
    if turn is not None and not _whole(turn):
        raise MalformedReceipt("its turn is not a number")
    for key in ("from", "to"):
        if not _whole(data.get(key)):
            raise MalformedReceipt(f"its {key!r} is not a number")
    if data["from"] < 1:
        raise MalformedReceipt("its range starts before seq 1")
    times = data.get("times", 1)
    if not _whole(times) or times < 1:
        raise MalformedReceipt("it has no count")
    since = data.get("since")
    if since is not None and not _is_time(since):
        raise MalformedReceipt("its 'since' is not a time")
    for key in ("call", "by"):
        if not isinstance(data.get(key), str):
            raise MalformedReceipt(f"its {key!r} is not text")
    return Delivery(
        number=receipt.number,
        call=data["call"],
        at=receipt.at,
        seat=receipt.seat,
        turn=turn,
        first=data["from"],
        last=data["to"],
        by=data["by"],
        agent=data.get("agent"),
        blocks=tuple(receipt.blocks),
        times=times,
        since=since,
        parts=data.get("parts") is True,
    )


def read_deliveries(receipts: Iterable[Receipt]) -> dict[str, list[Delivery]]:
    """Return the well-formed deliveries of each seat, in order. `leaks` reports the others."""
    found: dict[str, list[Delivery]] = defaultdict(list)
    for receipt in receipts:
        if receipt.name in DELIVERIES:
            try:
                found[receipt.seat].append(read_delivery(receipt))
            except MalformedReceipt:
                continue
    return found


def coverage(handed: Iterable[Delivery], length: int) -> Iterator[tuple[Delivery | None, int]]:
    """Return for each seq from 1 to `length` the earliest of these deliveries that covers it, and how often it was
    delivered."""
    spans = [item for item in handed if item.first <= item.last and not item.parts]
    begins = sorted(range(len(spans)), key=lambda number: spans[number].first)
    ends = sorted((item.last, item.times) for item in spans)
    begun = ended = times = 0
    covering: list[int] = []
    for seq in range(1, length + 1):
        while begun < len(begins) and spans[begins[begun]].first <= seq:
            heappush(covering, begins[begun])
            times += spans[begins[begun]].times
            begun += 1
        while ended < len(ends) and ends[ended][0] < seq:
            times -= ends[ended][1]
            ended += 1
        while covering and spans[covering[0]].last < seq:
            heappop(covering)
        yield spans[covering[0]] if covering else None, times


def endings(receipts: Sequence[Receipt]) -> dict[str, Ending]:
    """Return how each call ended, by call. The first ending counts."""
    found: dict[str, Ending] = {}
    for receipt in receipts:
        if receipt.name in ENDINGS:
            data = receipt.data
            call = str(data.get("call"))
            found.setdefault(
                call,
                Ending(
                    number=receipt.number,
                    call=call,
                    at=receipt.at,
                    how=str(data.get("how")),
                    seconds=data.get("seconds"),
                    prompt_tokens=data.get("prompt_tokens"),
                    reply_tokens=data.get("reply_tokens"),
                    cached_tokens=data.get("cached_tokens"),
                    reasoning_tokens=data.get("reasoning_tokens"),
                    cost=data.get("cost"),
                    notes=data.get("notes") or {},
                    mind=Mind.of(data.get("mind")),
                ),
            )
    return found


def _is_time(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
