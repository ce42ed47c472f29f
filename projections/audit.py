"""An auditor's questions: who saw this event, what had this seat seen, what was in that prompt, where did fallbacks
act.

Pure functions over one game's whole log, in order, and its receipts. All numbers are positions. `how` (how could this
seat have learnt that) and `leaks` are in separate modules and exported here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.events import AttemptFailed, FallbackApplied, Recorded, TurnOpened, TurnWithdrawn
from sottovoce.domain.piece import CLOSED, Chair
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.projections.exports import FullEvent, export_event, stamp
from sottovoce.projections.knowledge import How, Presence, Retelling, how
from sottovoce.projections.leaks import LeakFinding, Leaks, leaks
from sottovoce.projections.perspective import UnknownTurn, at_position, checked_seat, seats_of
from sottovoce.projections.receipts import (
    Delivery,
    Ending,
    EndingJson,
    Handed,
    Receipt,
    coverage,
    endings,
    read_deliveries,
)
from sottovoce.projections.view import Entry, SeatProjection

__all__ = [
    "Disclosure",
    "Fallback",
    "How",
    "LeakFinding",
    "Leaks",
    "PromptAudit",
    "Retelling",
    "SawEntry",
    "SeatSaw",
    "WhoSaw",
    "disclosures",
    "fallbacks",
    "how",
    "leaks",
    "prompt",
    "saw",
    "seat_entries",
    "who_saw",
]


@with_config(CLOSED)
class SeatSawJson(TypedDict):
    """Whether a seat can see an event, and each delivery of it."""

    seat: str
    allowed: bool
    handed: list[Handed]


@with_config(CLOSED)
class WhoSawJson(TypedDict):
    """An event, and who could see it."""

    event: FullEvent
    seats: list[SeatSawJson]


@with_config(CLOSED)
class SawEntryJson(TypedDict):
    """An entry of a seat, with its first delivery and their number."""

    position: int
    seq: int
    name: str
    at: str
    told: str | None
    words: str | None
    handed: Handed | None
    times: int


@dataclass(frozen=True, slots=True)
class SeatSaw:
    """Whether a seat can see an event, and each delivery of it to the seat."""

    seat: str
    allowed: bool
    handed: tuple[Delivery, ...]

    def to_json(self) -> SeatSawJson:
        return {"seat": self.seat, "allowed": self.allowed, "handed": [item.to_json() for item in self.handed]}


@dataclass(frozen=True, slots=True)
class WhoSaw:
    """An event and all seats, in seating order."""

    event: Recorded
    seats: tuple[SeatSaw, ...]

    def to_json(self) -> WhoSawJson:
        return {"event": export_event(self.event), "seats": [seat.to_json() for seat in self.seats]}


def seat_entries(ruleset: Ruleset[Any], recorded: Sequence[Recorded], seat: str) -> list[tuple[int, Entry]]:
    """Return a seat's entries, each with its position."""
    projection = SeatProjection(ruleset, seat)
    taken = ((item.position, projection.take(item)) for item in recorded)
    return [(position, entry) for position, entry in taken if entry is not None]


def who_saw(ruleset: Ruleset[Any], recorded: Sequence[Recorded], receipts: Sequence[Receipt], position: int) -> WhoSaw:
    """Return which seats can see the event at a position, and which deliveries brought it. Raises UnknownPosition.

    A receipt names seqs of its seat's view, so it can't refer to an event outside that view. `leaks` reports a receipt
    that goes beyond the view.
    """
    event = at_position(recorded, position)
    handed = read_deliveries(receipts)
    seats = []
    for seat in seats_of(recorded):
        seq = dict(seat_entries(ruleset, recorded[:position], seat)).get(position)
        covering = tuple(item for item in handed.get(seat, ()) if seq is not None and item.covers(seq.seq))
        seats.append(SeatSaw(seat, seq is not None, covering))
    return WhoSaw(event, tuple(seats))


@dataclass(frozen=True, slots=True)
class SawEntry:
    """One entry of a seat for an auditor. `told` is the event as the seat reads it, or None if it is not shown.

    `handed` is the entry's first delivery, or None. It was delivered at least `times` times.
    """

    position: int
    seq: int
    name: str
    at: datetime
    told: str | None
    words: str | None
    handed: Delivery | None
    times: int

    def to_json(self) -> SawEntryJson:
        return {
            "position": self.position,
            "seq": self.seq,
            "name": self.name,
            "at": stamp(self.at),
            "told": self.told,
            "words": self.words,
            "handed": None if self.handed is None else self.handed.to_json(),
            "times": self.times,
        }


def saw(
    ruleset: Ruleset[Any],
    recorded: Sequence[Recorded],
    receipts: Sequence[Receipt],
    seat: str,
    upto_position: int | None = None,
) -> list[SawEntry]:
    """Return what a seat had seen after the event at `upto_position`. Raises UnknownSeat or UnknownPosition."""
    checked_seat(recorded, seat)
    if upto_position is not None:
        at_position(recorded, upto_position)
    handed = read_deliveries(receipts).get(seat, [])
    entries = []
    placed = seat_entries(ruleset, recorded[:upto_position], seat)
    for (position, entry), (first, times) in zip(placed, coverage(handed, len(placed)), strict=True):
        told = ruleset.tell(entry.event, Chair(seat))
        entries.append(
            SawEntry(
                position=position,
                seq=entry.seq,
                name=entry.name,
                at=recorded[position - 1].at,
                told=told.text if told else None,
                words=told.said if told else None,
                handed=first,
                times=times,
            )
        )
    return entries


_From = TypedDict("_From", {"from": int})


@with_config(CLOSED)
class PromptDeliveryJson(Handed, _From):
    """A delivery for one turn: which entries, the digests of the texts, and how the call ended."""

    to: int
    blocks: list[str]
    ended: EndingJson | None


@with_config(CLOSED)
class PromptAuditJson(TypedDict):
    """What a seat received for one turn."""

    seat: str
    turn: int
    kind: str
    position: int
    handed: list[PromptDeliveryJson]


@dataclass(frozen=True, slots=True)
class PromptAudit:
    """All deliveries for one turn, each with how its call ended, or None while the call is running."""

    seat: str
    turn: int
    kind: str
    position: int
    handed: tuple[tuple[Delivery, Ending | None], ...]

    def to_json(self) -> PromptAuditJson:
        return {
            "seat": self.seat,
            "turn": self.turn,
            "kind": self.kind,
            "position": self.position,
            "handed": [
                {
                    **item.to_json(),
                    "from": item.first,
                    "to": item.last,
                    "blocks": list(item.blocks),
                    "ended": None if ending is None else ending.to_json(),
                }
                for item, ending in self.handed
            ],
        }


def prompt(recorded: Sequence[Recorded], receipts: Sequence[Receipt], seat: str, turn: int) -> PromptAudit:
    """Return what was delivered to a seat for one turn: the range of its view and the digests of the texts.

    Raises UnknownSeat or UnknownTurn.
    """
    checked_seat(recorded, seat)
    for item in recorded:
        event = item.event
        if isinstance(event, TurnOpened) and (event.seat, event.turn) == (seat, turn):
            ended = endings(receipts)
            handed = [given for given in read_deliveries(receipts).get(seat, []) if given.turn == turn]
            pairs = tuple((given, ended.get(given.call)) for given in handed)
            return PromptAudit(seat, turn, event.kind, item.position, pairs)
    raise UnknownTurn(f"{seat} has no turn {turn} in this game.")


@dataclass(frozen=True, slots=True)
class Fallback:
    """A turn that ran out of attempts: a fallback answered, or the turn was withdrawn.

    `failures` are the failed attempts as (position, reason, message).
    """

    position: int
    seat: str
    turn: int
    kind: str | None
    how: Literal["fallback", "withdrawn"]
    reason: str | None
    choice: str | None
    failures: tuple[tuple[int, str, str], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "seat": self.seat,
            "turn": self.turn,
            "kind": self.kind,
            "how": self.how,
            "reason": self.reason,
            "choice": self.choice,
            "failures": [
                {"position": position, "reason": reason, "message": message}
                for position, reason, message in self.failures
            ],
        }


def fallbacks(recorded: Sequence[Recorded]) -> list[Fallback]:
    """Return which turns fell back, and why."""
    kinds: dict[tuple[str, int], str] = {}
    failures: dict[tuple[str, int], tuple[tuple[int, str, str], ...]] = {}
    found = []
    for item in recorded:
        match item.event:
            case TurnOpened(seat=seat, turn=turn, kind=kind):
                kinds[seat, turn] = kind
            case AttemptFailed(seat=seat, turn=turn, reason=reason, message=message):
                failures[seat, turn] = (*failures.get((seat, turn), ()), (item.position, reason, message))
            case FallbackApplied(seat=seat, turn=turn, reason=reason, choice=choice):
                key = (seat, turn)
                found.append(
                    Fallback(
                        item.position, seat, turn, kinds.get(key), "fallback", reason, choice, failures.get(key, ())
                    )
                )
            case TurnWithdrawn(seat=seat, turn=turn):
                key = (seat, turn)
                last = failures.get(key, ())
                why = last[-1][1] if last else None
                found.append(Fallback(item.position, seat, turn, kinds.get(key), "withdrawn", why, None, last))
    return found


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A fact that an event of the rules disclosed to `seats`. Others had it since position `known_since`."""

    position: int
    name: str
    fact: Fact
    seats: tuple[str, ...]
    known_since: int

    def to_json(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "name": self.name,
            "fact": list(self.fact),
            "seats": list(self.seats),
            "known_since": self.known_since,
        }


def disclosures(ruleset: Ruleset[Any], recorded: Sequence[Recorded]) -> list[Disclosure]:
    """Return the facts that the rules disclosed: events that give more seats what was hidden from them before."""
    first: dict[Fact, int] = {}
    knowing: dict[Fact, set[str]] = {}
    presence = Presence()
    found = []
    for item in recorded:
        audience = presence.audience(item)
        for fact in sorted(ruleset.facts(item.event)):
            known = knowing.setdefault(fact, set())
            new = tuple(seat for seat in audience if seat not in known)
            if new and fact in first:
                found.append(Disclosure(item.position, item.name, fact, new, first[fact]))
            first.setdefault(fact, item.position)
            known.update(new)
    return found
