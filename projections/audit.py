"""What an auditor asks: who saw this event, what had this seat seen, what was in that prompt, what fell back and why.

Pure functions over one game's whole log, in order, and its receipts. Numbers are positions throughout. `how` (how could
this seat have learnt that) and `leaks` are in modules of their own and can be had from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sottovoce.domain.events import AttemptFailed, FallbackApplied, Recorded, TurnOpened, TurnWithdrawn
from sottovoce.domain.piece import Chair
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.projections.exports import export_event, stamp
from sottovoce.projections.handovers import Ending, HandOver, Receipt, coverage, endings, hand_overs
from sottovoce.projections.knowledge import How, Presence, Telling, how
from sottovoce.projections.leaks import Finding, Leaks, leaks
from sottovoce.projections.perspective import UnknownTurn, at_position, checked_seat, seats_of
from sottovoce.projections.view import Entry, SeatProjection

__all__ = [
    "Disclosure",
    "Fallback",
    "Finding",
    "How",
    "Leaks",
    "PromptAudit",
    "SawEntry",
    "SeatSaw",
    "Telling",
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


@dataclass(frozen=True, slots=True)
class SeatSaw:
    """Whether one seat may see an event, and each time it was handed over."""

    seat: str
    allowed: bool
    handed: tuple[HandOver, ...]

    def to_json(self) -> dict[str, Any]:
        return {"seat": self.seat, "allowed": self.allowed, "handed": [item.to_json() for item in self.handed]}


@dataclass(frozen=True, slots=True)
class WhoSaw:
    """An event and every seat, in seating order."""

    event: Recorded
    seats: tuple[SeatSaw, ...]

    def to_json(self) -> dict[str, Any]:
        return {"event": export_event(self.event), "seats": [seat.to_json() for seat in self.seats]}


def seat_entries(ruleset: Ruleset[Any], recorded: Sequence[Recorded], seat: str) -> list[tuple[int, Entry]]:
    """The entries of a seat, each with its position."""
    projection = SeatProjection(ruleset, seat)
    taken = ((item.position, projection.take(item)) for item in recorded)
    return [(position, entry) for position, entry in taken if entry is not None]


def who_saw(ruleset: Ruleset[Any], recorded: Sequence[Recorded], receipts: Sequence[Receipt], position: int) -> WhoSaw:
    """Which seats may see the event at a position, and by which hand-overs each got it. Raises UnknownPosition.

    A receipt names seqs of its seat's own view, so none can speak of an event that is not in that view; one that
    reaches beyond the view is a finding of `leaks`.
    """
    event = at_position(recorded, position)
    handed = hand_overs(receipts)
    seats = []
    for seat in seats_of(recorded):
        seq = dict(seat_entries(ruleset, recorded[:position], seat)).get(position)
        covering = tuple(item for item in handed.get(seat, ()) if seq is not None and item.covers(seq.seq))
        seats.append(SeatSaw(seat, seq is not None, covering))
    return WhoSaw(event, tuple(seats))


@dataclass(frozen=True, slots=True)
class SawEntry:
    """One entry of a seat for an auditor. `told` is the event as the seat reads it, None where it needs no telling.

    `handed` is the first hand-over of the entry, None if it never was; it was handed over at least so many `times`.
    """

    position: int
    seq: int
    name: str
    at: datetime
    told: str | None
    words: str | None
    handed: HandOver | None
    times: int

    def to_json(self) -> dict[str, Any]:
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
    """What a seat had seen once the event at `upto_position` was appended. Raises UnknownSeat or UnknownPosition."""
    checked_seat(recorded, seat)
    if upto_position is not None:
        at_position(recorded, upto_position)
    handed = hand_overs(receipts).get(seat, [])
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


@dataclass(frozen=True, slots=True)
class PromptAudit:
    """All that was handed over for one turn, each hand-over with how its call ended, None while it is under way."""

    seat: str
    turn: int
    kind: str
    position: int
    handed: tuple[tuple[HandOver, Ending | None], ...]

    def to_json(self) -> dict[str, Any]:
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
    """What was handed to a seat for one turn: the range of its view and the digests of the texts.

    Raises UnknownSeat or UnknownTurn.
    """
    checked_seat(recorded, seat)
    for item in recorded:
        event = item.event
        if isinstance(event, TurnOpened) and (event.seat, event.turn) == (seat, turn):
            ended = endings(receipts)
            handed = [given for given in hand_overs(receipts).get(seat, []) if given.turn == turn]
            pairs = tuple((given, ended.get(given.call)) for given in handed)
            return PromptAudit(seat, turn, event.kind, item.position, pairs)
    raise UnknownTurn(f"{seat} has no turn {turn} in this game.")


@dataclass(frozen=True, slots=True)
class Fallback:
    """A turn that ran out of attempts: the fallback stood in, or the turn was withdrawn.

    `failures` are the failed attempts, as (position, reason, message).
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
    """Which turns fell back, and why."""
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
    """By an event of the rules, `seats` learnt a fact that others had since position `known_since`."""

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
    """Which facts were disclosed by rule: events that carry to more seats what was hidden from them before."""
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
