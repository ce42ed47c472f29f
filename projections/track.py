"""A track: one chair's record of a game, whole, as pages replay it.

Its entries are those of the chair's view, encoded already, under a head that says what the chair knows of the game. All
of it is a function of what that chair has seen: there is neither a total nor a position in it but for an auditor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.exports import compact
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import PublicProjection, SeatProjection


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above the entries.

    `seat` and `full` say whose track it is: a seat's, the public's, or all of the record. `chairs` are the seats whose
    tracks its reader may have too. `seq` is the last entry's number and `started` the first one's time; `offices` are
    the seats that are named by what they do.
    """

    game: str
    ruleset: str
    title: str
    seat: str | None
    full: bool
    chairs: tuple[str, ...]
    over: bool
    seq: int
    seats: tuple[str, ...]
    offices: tuple[str, ...]
    started: str | None

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "ruleset": self.ruleset,
            "title": self.title,
            "chair": {"seat": self.seat, "full": self.full},
            "chairs": self.chairs,
            "over": self.over,
            "seq": self.seq,
            "seats": self.seats,
            "offices": self.offices,
            "started": self.started,
        }


def head(teller: Teller, game: str, seq: int, started: str | None, *, audited: bool = False) -> Head:
    """The head of what a teller has told so far. An `audited` track's reader may have those of all seats."""
    seats = tuple(teller.state.seats)
    offices = EXTRAS.of(teller.ruleset.name).shape.offices
    return Head(
        game=game,
        ruleset=teller.ruleset.name,
        title=teller.title,
        seat=teller.seat,
        full=teller.auditor,
        chairs=seats if audited else (),
        over=bool(teller.state.over),
        seq=seq,
        seats=seats,
        offices=tuple(seat for seat in seats if seat in offices),
        started=started,
    )


@dataclass(frozen=True, slots=True)
class Track:
    """A head and the JSON of each entry. With `positions`, it says of each where it stands in the log: to auditors."""

    head: Head
    entries: Sequence[bytes]
    positions: Sequence[int] | None = None

    def to_bytes(self) -> bytes:
        """The track as one JSON object."""
        entries = self.entries
        if self.positions is not None:
            placed = zip(entries, self.positions, strict=True)
            entries = [b'%s,"position":%d}' % (entry[:-1], position) for entry, position in placed]
        return b'%s,"entries":[%s]}' % (compact(self.head.to_json()).encode()[:-1], b",".join(entries))


def positions(ruleset: Ruleset[Any], recorded: Sequence[Recorded], seat: str | None) -> list[int]:
    """Where in the log each entry of a seat stands, or of the public's."""
    gate = PublicProjection(ruleset, "") if seat is None else SeatProjection(ruleset, seat)
    found = []
    for item in recorded:
        before = gate.seq
        gate.take_all((item,))
        if gate.seq > before:
            found.append(item.position)
    return found
