"""What an auditor asks for."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from sottovoce.server.http.models.fields import GAME, example
from sottovoce.server.http.models.views import FullEvent


class Events(BaseModel):
    """Events of the log, by position. Pass `next` as `after` for more."""

    model_config = ConfigDict(extra="forbid")

    events: list[FullEvent]
    next: int | None


class ReceiptRow(BaseModel):
    """A delivery with its texts, the end of a call, or a change of a link."""

    model_config = example(
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
    """Receipts by their numbers. Pass `next` as `after` for more."""

    model_config = ConfigDict(extra="forbid")

    receipts: list[ReceiptRow]
    next: int | None


class Handed(BaseModel):
    """A delivery, or `times` the same delivery, from `since` to `at`."""

    model_config = ConfigDict(extra="forbid")

    number: int
    at: str
    by: str
    turn: int | None
    agent: str | None
    times: int
    since: str | None


class SeatSaw(BaseModel):
    """Whether a seat can see an event, and each delivery of it."""

    model_config = ConfigDict(extra="forbid")

    seat: str
    allowed: bool
    handed: list[Handed]


class WhoSaw(BaseModel):
    """An event, and who could see it."""

    model_config = ConfigDict(extra="forbid")

    event: FullEvent
    seats: list[SeatSaw]


class SawEntry(BaseModel):
    """An entry of a seat, with its first delivery and their number."""

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
    """What a seat had seen. Pass `next` as `after` (a seq) for more."""

    model_config = ConfigDict(extra="forbid")

    entries: list[SawEntry]
    next: int | None


class Finding(BaseModel):
    """A finding or note."""

    model_config = ConfigDict(extra="allow")


class Leaks(BaseModel):
    """Leaks and notes; everything except a `note` is a leak."""

    model_config = ConfigDict(extra="forbid")

    findings: list[Finding]


class Verified(BaseModel):
    """Whether events and receipts match their hashes and the head."""

    model_config = ConfigDict(extra="allow")

    ok: bool


class Learnt(BaseModel):
    """How a seat could know what an event contains."""

    model_config = ConfigDict(extra="allow")


class PromptOf(BaseModel):
    """What a seat received for one turn, with the texts by their digests."""

    model_config = ConfigDict(extra="allow")

    texts: dict[str, str]
