"""What each seat's agent had in mind, call by call, and what it noted: for auditors, in the order of the game.

Thoughts and beliefs come from receipts, notes from events. Nobody at the table sees any of them but its own notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sottovoce.domain.events import AttemptFailed, NotesKept, Recorded, ReplyAccepted
from sottovoce.projections.knowledge import Presence
from sottovoce.projections.receipts import Mind, Receipt, endings, read_deliveries

NO_MIND = Mind("", {})


@dataclass(frozen=True, slots=True)
class Thought:
    """What a seat's agent had in mind for one attempt at a turn, and the notes that came with it, if any.

    `position` is that of the reply, or of the failed attempt; where neither followed, of the last event that the agent
    had seen. `suspicion` holds each other seat with how far that moved since the seat's thought before, None where it
    said nothing of it then.
    """

    position: int
    seat: str
    turn: int | None
    agent: str | None
    thoughts: str = ""
    suspicion: Mapping[str, tuple[float, float | None]] = field(default_factory=dict)
    notes: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "seat": self.seat,
            "turn": self.turn,
            "agent": self.agent,
            "thoughts": self.thoughts,
            "suspicion": {name: much for name, (much, _) in self.suspicion.items()},
            "notes": self.notes,
        }


def thoughts(recorded: Sequence[Recorded], receipts: Sequence[Receipt], seat: str | None = None) -> list[Thought]:
    """Return the thoughts of a seat, or of all seats, in the order of the game."""
    where = _Places(recorded)
    ended = endings(receipts)
    found: list[Thought] = []
    for name, given in read_deliveries(receipts).items():
        if seat not in (None, name):
            continue
        attempts: dict[int, int] = {}
        for handed in given:
            ending = ended.get(handed.call)
            if ending is None or handed.turn is None:
                continue
            accepted = ending.how == "accepted"
            number = attempts[handed.turn] = attempts.get(handed.turn, 0) + (ending.how in ("refused", "failed"))
            place = where.accepted.get((name, handed.turn)) if accepted else where.failed(name, handed.turn, number)
            place = place or where.seen(name, handed.last)
            mind = ending.mind or NO_MIND
            notes = where.notes.pop((name, place), None) if accepted else None
            if mind.thoughts or mind.suspicion or notes is not None:
                so_far = {who: (much, None) for who, much in mind.suspicion.items()}
                found.append(Thought(place, name, handed.turn, handed.agent, mind.thoughts, so_far, notes))
    for (name, place), notes in where.notes.items():  # those of seats whose calls leave no receipt of a turn
        if seat in (None, name):
            found.append(Thought(place, name, where.turns.get((name, place)), None, notes=notes))
    return list(_moved(sorted(found, key=lambda one: one.position)))


def _moved(found: Sequence[Thought]) -> Iterator[Thought]:
    """The thoughts with how far each suspicion moved."""
    before: dict[str, Mapping[str, tuple[float, float | None]]] = {}
    for one in found:
        if not one.suspicion:
            yield one
            continue
        last = before.get(one.seat, {})
        moved = {
            name: (much, round(much - last[name][0], 2) if name in last else None)
            for name, (much, _) in one.suspicion.items()
        }
        before[one.seat] = moved
        yield replace(one, suspicion=moved)


class _Places:
    """Where replies, failed attempts and notes stand, and what each seat had seen."""

    def __init__(self, recorded: Sequence[Recorded]) -> None:
        self.accepted: dict[tuple[str, int], int] = {}
        self.turns: dict[tuple[str, int], int] = {}
        self.notes: dict[tuple[str, int], str] = {}
        """By the seat and the position of the reply that they came with."""
        self._failed: dict[tuple[str, int], list[int]] = {}
        self._seen: dict[str, list[int]] = {}
        presence, replied = Presence(), dict[str, tuple[str, int]]()
        for item in recorded:
            for seat in presence.audience(item):
                self._seen.setdefault(seat, []).append(item.position)
            event = item.event
            if isinstance(event, ReplyAccepted):
                self.accepted[event.seat, event.turn] = item.position
                self.turns[event.seat, item.position] = event.turn
                replied[event.seat] = (item.append, item.position)
            elif isinstance(event, AttemptFailed):
                self._failed.setdefault((event.seat, event.turn), []).append(item.position)
            elif isinstance(event, NotesKept):
                append, place = replied.get(event.seat, ("", item.position))
                self.notes[event.seat, place if append == item.append else item.position] = event.text

    def failed(self, seat: str, turn: int, number: int) -> int | None:
        """The position of the turn's failed attempt of that number."""
        positions = self._failed.get((seat, turn), [])
        return positions[number - 1] if 0 < number <= len(positions) else None

    def seen(self, seat: str, seq: int) -> int:
        """The position of a seat's entry, 0 where it has none."""
        positions = self._seen.get(seat, [])
        return positions[seq - 1] if 0 < seq <= len(positions) else 0
