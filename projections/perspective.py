"""Who looks at a game: one seat, the public, or an auditor.

A seat and the public get entries and seqs. Only the auditor gets positions and audiences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sottovoce.domain.audience import Audience
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Event, GameOpened, Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.view import public_view, view


class UnknownSeat(SottovoceError):
    """The game has no such seat."""

    exit_code = 2


class UnknownPosition(SottovoceError):
    """The game has no such position."""

    exit_code = 2


class UnknownTurn(SottovoceError):
    """The seat has no such turn."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Perspective:
    """A seat's perspective (`seat`), the public's (no arguments) or the auditor's (`full`)."""

    seat: str | None = None
    full: bool = False

    def includes(self, audience: Audience) -> bool:
        """Return whether this perspective sees something with this audience, if a seat is present."""
        return self.full or (audience.seats is None if self.seat is None else audience.includes(self.seat))


PUBLIC = Perspective()
FULL = Perspective(full=True)


def of_seat(seat: str) -> Perspective:
    """Return the perspective of one seat."""
    return Perspective(seat=seat)


@dataclass(frozen=True, slots=True)
class Line:
    """One event in a perspective.

    `number` is the seat's or the public's seq, or the auditor's position. `at` is cut to the minute except for the
    auditor. Only the auditor knows the `audience`.
    """

    number: int
    at: datetime
    event: Event
    audience: Audience | None = None


def seats_of(recorded: Sequence[Recorded]) -> tuple[str, ...]:
    """Return the seats in seating order, as the first events name them."""
    seats: dict[str, None] = {}
    for item in recorded:
        if isinstance(item.event, GameOpened):
            seats.update(dict.fromkeys(item.event.seats))
    return tuple(seats)


def checked_seat(recorded: Sequence[Recorded], seat: str) -> str:
    """Return the seat. Raises UnknownSeat, which names the existing ones."""
    seats = seats_of(recorded)
    if seat not in seats:
        raise UnknownSeat(f"This game has no seat {seat!r}. Its seats are: {', '.join(seats)}.")
    return seat


def at_position(recorded: Sequence[Recorded], position: int) -> Recorded:
    """Return the event at a position. Raises UnknownPosition, which names the last one."""
    if not 1 <= position <= len(recorded):
        raise UnknownPosition(f"This game has no position {position}. Its positions are 1 to {len(recorded)}.")
    return recorded[position - 1]


def lines(ruleset: Ruleset[Any], recorded: Sequence[Recorded], perspective: Perspective) -> tuple[list[Line], Any]:
    """Return the perspective's events, oldest first, and the state folded from only those."""
    if perspective.full:
        told = [Line(item.position, item.at, item.event, item.audience) for item in recorded]
        return told, fold(ruleset, [item.event for item in recorded])
    if perspective.seat is None:
        seen = public_view(ruleset, recorded)
    else:
        seen = view(ruleset, recorded, checked_seat(recorded, perspective.seat))
    return [Line(entry.seq, entry.at, entry.event) for entry in seen.entries], seen.state
