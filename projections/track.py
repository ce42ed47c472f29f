"""A track: one viewer's whole record of a game, which the page replays.

It has the entries of the viewer's view, already encoded, and a head with what the viewer knows about the game. All of
it follows from what that viewer has seen. Only an auditor's track contains totals or positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.events import Recorded
from sottovoce.domain.piece import CLOSED
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.exports import compact
from sottovoce.projections.extras import EXTRAS, Layout
from sottovoce.projections.orders import Order, OrderJson
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import PublicProjection, SeatProjection


@with_config(CLOSED)
class ReplayChair(TypedDict):
    """Whose view it is: a seat's; without a seat, what is public; with `full`, everything."""

    seat: str | None
    full: bool


@with_config(CLOSED)
class HeadJson(TypedDict):
    """What stands above the entries of a replay."""

    game: str
    ruleset: str
    layout: Layout
    title: str
    chair: ReplayChair
    chairs: list[str]
    over: bool
    seq: int
    seats: list[str]
    offices: list[str]
    orders: list[OrderJson]
    plays: str | None
    started: str | None


@dataclass(frozen=True, slots=True)
class Head:
    """The part before the entries.

    `seat` and `full` say whose track it is: a seat's, the public's, or all of the record. `chairs` are the seats whose
    tracks its reader may have too. `layout` is how the page sets the game. `seq` is the last entry's number and
    `started` the first one's time; `offices` are the seats that are named by what they do. `orders` are what the
    seat can order at any time; `plays` is the other seat for which it decides, if any.
    """

    game: str
    ruleset: str
    layout: Layout
    title: str
    seat: str | None
    full: bool
    chairs: tuple[str, ...]
    over: bool
    seq: int
    seats: tuple[str, ...]
    offices: tuple[str, ...]
    orders: tuple[Order, ...]
    plays: str | None
    started: str | None

    def to_json(self) -> HeadJson:
        return {
            "game": self.game,
            "ruleset": self.ruleset,
            "layout": self.layout,
            "title": self.title,
            "chair": {"seat": self.seat, "full": self.full},
            "chairs": list(self.chairs),
            "over": self.over,
            "seq": self.seq,
            "seats": list(self.seats),
            "offices": list(self.offices),
            "orders": [order.to_json() for order in self.orders],
            "plays": self.plays,
            "started": self.started,
        }


def head(teller: Teller, game: str, seq: int, started: str | None, readable: Sequence[str] = ()) -> Head:
    """Return the head for a teller's pieces so far. `readable` are the seats whose tracks its reader can get too."""
    seats = tuple(teller.state.seats)
    extras = EXTRAS.of(teller.ruleset.name)
    offices = extras.shape.offices
    return Head(
        game=game,
        ruleset=teller.ruleset.name,
        layout=extras.layout,
        title=teller.title,
        seat=teller.seat,
        full=teller.auditor,
        chairs=tuple(readable),
        over=bool(teller.state.over),
        seq=seq,
        seats=seats,
        offices=tuple(seat for seat in seats if seat in offices),
        orders=tuple(extras.orders.get(teller.seat or "", ())),
        plays=None if teller.seat is None else extras.plays(teller.state, teller.seat),
        started=started,
    )


@dataclass(frozen=True, slots=True)
class Track:
    """A head and the JSON of each entry. For auditors `positions` gives each entry's place in the log."""

    head: Head
    entries: Sequence[bytes]
    positions: Sequence[int] | None = None

    def to_bytes(self) -> bytes:
        """Return the track as one JSON object."""
        entries = self.entries
        if self.positions is not None:
            placed = zip(entries, self.positions, strict=True)
            entries = [b'%s,"position":%d}' % (entry[:-1], position) for entry, position in placed]
        return b'%s,"entries":[%s]}' % (compact(self.head.to_json()).encode()[:-1], b",".join(entries))


def positions(ruleset: Ruleset[Any], recorded: Sequence[Recorded], seat: str | None) -> list[int]:
    """Return the positions in the log of a seat's entries, or of the public's."""
    gate = PublicProjection(ruleset, "") if seat is None else SeatProjection(ruleset, seat)
    found = []
    for item in recorded:
        before = gate.seq
        gate.take_all((item,))
        if gate.seq > before:
            found.append(item.position)
    return found
