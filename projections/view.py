"""What one seat has seen. Only this module leads from the log to a seat.

A view accepts an event if its audience includes the seat, numbers it with the seat's own `seq`, and folds it with the
ruleset's `evolve`. Nothing else of the log reaches it: if you change, add, drop or reorder what the seat must not see,
the view stays the same to the byte (invariants 4 and 5).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

import msgspec
from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.events import Event, GameOpened, Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.piece import CLOSED
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.turns import Table, Turn

S = TypeVar("S", bound=Table)

MINUTE = timedelta(minutes=1)


@with_config(CLOSED)
class Told(TypedDict):
    """An entry as `Entry`, without its piece and its marks."""

    seq: int
    name: str
    at: str
    actor: str | None
    data: dict[str, Any]


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One event in a seat's view. `seq` counts from 1 without gaps; `at` is cut to the minute."""

    seq: int
    at: datetime
    event: Event

    @property
    def name(self) -> str:
        return self.event.stored_name

    @property
    def actor(self) -> str | None:
        return self.event.actor

    def to_json(self) -> Told:
        """The entry as the command line prints it: no position, cause, append or hash."""
        return {
            "seq": self.seq,
            "name": self.name,
            "at": self.at.isoformat(),
            "actor": self.actor,
            "data": self.event.data(),
        }


class View(Generic[S]):
    """What a seat has seen up to one `seq`, and the state folded from only that. Immutable.

    `told` caches, by `seq`, what a reader made of single entries, so a long view is not rendered again for every turn.
    `kept` caches what a reader made of the first entries. The views of one projection share both, so their content must
    depend only on those entries and the seat.
    """

    __slots__ = ("_entries", "kept", "ruleset", "seat", "seq", "state", "told")

    def __init__(
        self,
        ruleset: Ruleset[S],
        seat: str,
        entries: list[Entry],
        seq: int,
        state: S,
        told: dict[int, tuple[str, int] | None] | None = None,
        kept: dict[Any, Any] | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.seat = seat
        self.seq = seq
        self.state = state
        self.told = {} if told is None else told
        self.kept = {} if kept is None else kept
        self._entries = entries

    @property
    def entries(self) -> list[Entry]:
        """Return all entries, oldest first."""
        return self._entries[: self.seq]

    def recent(self, count: int) -> list[Entry]:
        """Return the last `count` entries, oldest first."""
        return self._entries[max(0, self.seq - count) : self.seq]

    def since(self, seq: int) -> list[Entry]:
        """Return the entries after `seq`."""
        return self._entries[max(0, seq) : self.seq]

    @property
    def turns(self) -> list[Turn]:
        """Return the seat's open turns by number."""
        return sorted((turn for turn in self.state.turns.values() if turn.seat == self.seat), key=lambda t: t.number)


class SeatProjection(Generic[S]):
    """Builds a seat's view. `take_all` is the only gate between the log and a seat.

    It counts accepted events at once, and makes entries and state only on demand, because most seats are seldom asked.
    """

    def __init__(self, ruleset: Ruleset[S], seat: str) -> None:
        self.ruleset = ruleset
        self.seat = seat
        self.present = False
        self._admitted: list[Recorded] = []
        self._entries: list[Entry] = []
        self._state = ruleset.initial
        self._told: dict[int, tuple[str, int] | None] = {}
        self._kept: dict[Any, Any] = {}
        self._minute = self._next_minute = datetime.fromtimestamp(0, UTC)

    def take(self, recorded: Recorded) -> Entry | None:
        """Accept one event if the seat is in its audience. Return its entry, or None."""
        before = self.seq
        self.take_all((recorded,))
        self._fold()
        return self._entries[-1] if self.seq > before else None

    def take_all(self, recorded: Iterable[Recorded]) -> None:
        """Accept, in order, the events whose audience includes the seat.

        A seat is present from the event that seats it, which it must see. It does not get earlier public events.
        """
        seat, admitted = self.seat, self._admitted
        for item in recorded:
            seats = item.audience.seats
            if seats is not None and seat not in seats:
                continue
            if not self.present:
                self.present = isinstance(item.event, GameOpened) and seat in item.event.seats
                if not self.present:
                    continue
            admitted.append(item)

    def _fold(self) -> None:
        """Make entries of the accepted events, and fold them."""
        admitted, entries = self._admitted, self._entries
        if not admitted:
            return
        seq, minute, following = len(entries), self._minute, self._next_minute
        for item in admitted:
            at = item.at
            if not minute <= at < following:
                minute = at.replace(second=0, microsecond=0)
                following = minute + MINUTE
            seq += 1
            entries.append(Entry(seq, minute, item.event))
        self._minute, self._next_minute = minute, following
        self._state = fold(self.ruleset, [item.event for item in admitted], self._state)
        admitted.clear()

    @property
    def seq(self) -> int:
        """Return how many events were accepted."""
        return len(self._entries) + len(self._admitted)

    def view(self) -> View[S]:
        """Return the current view. Later events do not change it."""
        self._fold()
        return View(self.ruleset, self.seat, self._entries, len(self._entries), self._state, self._told, self._kept)


class PublicProjection(SeatProjection[S]):
    """Builds the view of a spectator without a seat: what everyone has seen."""

    def take_all(self, recorded: Iterable[Recorded]) -> None:
        """Accept the public events, in order."""
        self._admitted += [item for item in recorded if item.audience.seats is None]


def view(ruleset: Ruleset[S], recorded: Iterable[Recorded], seat: str, upto: int | None = None) -> View[S]:
    """Return the seat's view of the events, up to its own `seq` number `upto` if given."""
    projection = SeatProjection(ruleset, seat)
    for item in recorded:
        if upto is not None and projection.seq >= upto:
            break
        projection.take(item)
    return projection.view()


def public_view(ruleset: Ruleset[S], recorded: Iterable[Recorded]) -> View[S]:
    """Return what everyone has seen: the fold of only the public events, for a spectator without a seat."""
    projection = PublicProjection(ruleset, "")
    projection.take_all(recorded)
    return projection.view()
