"""What an auditor asks for."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, with_config

from sottovoce.domain.piece import CLOSED
from sottovoce.eventlog.verify import VerificationJson
from sottovoce.projections.audit import PromptAuditJson, SawEntryJson
from sottovoce.projections.exports import FullEvent
from sottovoce.projections.leaks import LeakFindingJson
from sottovoce.server.receipts import ReceiptRow


class Events(BaseModel):
    """Events of the log, by position. Pass `next` as `after` for more."""

    model_config = ConfigDict(extra="forbid")

    events: list[FullEvent]
    next: int | None


class Receipts(BaseModel):
    """Receipts by their numbers. Pass `next` as `after` for more."""

    model_config = ConfigDict(extra="forbid")

    receipts: list[ReceiptRow]
    next: int | None


class Saw(BaseModel):
    """What a seat had seen. Pass `next` as `after` (a seq) for more."""

    model_config = ConfigDict(extra="forbid")

    entries: list[SawEntryJson]
    next: int | None


class LeakFindings(BaseModel):
    """Leaks and notes; everything except a `note` is a leak."""

    model_config = ConfigDict(extra="forbid")

    findings: list[LeakFindingJson]


@with_config(CLOSED)
class VerifiedGame(VerificationJson):
    """Whether events and receipts match their hashes and the head."""

    head: str


@with_config(CLOSED)
class PromptTexts(PromptAuditJson):
    """What a seat received for one turn, with the texts by their digests."""

    texts: dict[str, str]
