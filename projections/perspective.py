"""Whose eyes a game is looked at with: one seat's, the public's, or an auditor's.

A seat and the public get entries and seqs; positions and audiences exist for the auditor alone.
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
    """A seat's (`seat` given), the public's (nothing given) or the auditor's (`full`)."""

    seat: str | None = None
    full: bool = False

    def includes(self, audience: Audience) -> bool:
        """Whether what has this audience is seen by these eyes, where a seat is present."""
        return self.full or (audience.seats is None if self.seat is None else audience.includes(self.seat))


PUBLIC = Perspective()
FULL = Perspective(full=True)


def of_seat(seat: str) -> Perspective:
    """The perspective of one seat."""
    return Perspective(seat=seat)


@dataclass(frozen=True, slots=True)
class Line:
    """One event as a perspective has it.

    `number` is the seat's or the public's seq, for the auditor the position; `at` is cut to the minute save for the
    auditor; `audience` is known to the auditor alone.
    """

    number: int
    at: datetime
    event: Event
    audience: Audience | None = None


def seats_of(recorded: Sequence[Recorded]) -> tuple[str, ...]:
    """The seats in seating order, as the openings name them."""
    seats: dict[str, None] = {}
    for item in recorded:
        if isinstance(item.event, GameOpened):
            seats.update(dict.fromkeys(item.event.seats))
    return tuple(seats)


def checked_seat(recorded: Sequence[Recorded], seat: str) -> str:
    """The seat, or UnknownSeat naming those there are."""
    seats = seats_of(recorded)
    if seat not in seats:
        raise UnknownSeat(f"This game has no seat {seat!r}. Its seats are: {', '.join(seats)}.")
    return seat


def at_position(recorded: Sequence[Recorded], position: int) -> Recorded:
    """The event at a position, or UnknownPosition with the last one there is."""
    if not 1 <= position <= len(recorded):
        raise UnknownPosition(f"This game has no position {position}. Its positions are 1 to {len(recorded)}.")
    return recorded[position - 1]


def lines(ruleset: Ruleset[Any], recorded: Sequence[Recorded], perspective: Perspective) -> tuple[list[Line], Any]:
    """What the perspective has of the game, oldest first, and the state folded from that alone."""
    if perspective.full:
        told = [Line(item.position, item.at, item.event, item.audience) for item in recorded]
        return told, fold(ruleset, [item.event for item in recorded])
    if perspective.seat is None:
        seen = public_view(ruleset, recorded)
    else:
        seen = view(ruleset, recorded, checked_seat(recorded, perspective.seat))
    return [Line(entry.seq, entry.at, entry.event) for entry in seen.entries], seen.state
