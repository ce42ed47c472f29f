"""What one seat has seen: the only way from the log to a seat.

A view takes an event in if its audience includes the seat, numbers it with the seat's own `seq`, and folds it with the
ruleset's `evolve`. Nothing else of the log reaches it: change, add, drop or reorder what the seat may not see, and the
view stays the same to the byte (invariants 4 and 5).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

import msgspec

from sottovoce.domain.events import Event, GameOpened, Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.turns import Table, Turn

S = TypeVar("S", bound=Table)

MINUTE = timedelta(minutes=1)


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One event as a seat has it. `seq` counts from 1 without gaps; `at` is cut to the minute."""

    seq: int
    at: datetime
    event: Event

    @property
    def name(self) -> str:
        return self.event.stored_name

    @property
    def actor(self) -> str | None:
        return self.event.actor

    def to_json(self) -> dict[str, Any]:
        """The entry as the command line prints it: no position, cause, append or hash."""
        return {
            "seq": self.seq,
            "name": self.name,
            "at": self.at.isoformat(),
            "actor": self.actor,
            "data": self.event.data(),
        }


class View(Generic[S]):
    """What a seat has seen up to one `seq`, and the state folded from that alone. Immutable.

    `told` keeps, by `seq`, what a reader made of single entries, so that a long view is not told anew for every turn.
    It is shared by the views of one projection, and nothing but the entry and the seat may go into what it keeps.
    """

    __slots__ = ("_entries", "ruleset", "seat", "seq", "state", "told")

    def __init__(
        self,
        ruleset: Ruleset[S],
        seat: str,
        entries: list[Entry],
        seq: int,
        state: S,
        told: dict[int, tuple[str, int] | None] | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.seat = seat
        self.seq = seq
        self.state = state
        self.told = {} if told is None else told
        self._entries = entries

    @property
    def entries(self) -> list[Entry]:
        """All entries, oldest first."""
        return self._entries[: self.seq]

    def recent(self, count: int) -> list[Entry]:
        """The last `count` entries, oldest first."""
        return self._entries[max(0, self.seq - count) : self.seq]

    def since(self, seq: int) -> list[Entry]:
        """The entries after `seq`."""
        return self._entries[max(0, seq) : self.seq]

    @property
    def turns(self) -> list[Turn]:
        """The seat's own open turns, in the order of their numbers."""
        return sorted((turn for turn in self.state.turns.values() if turn.seat == self.seat), key=lambda t: t.number)


class SeatProjection(Generic[S]):
    """Builds a seat's view. `take_all` is the one gate between the log and a seat.

    What it lets in is counted at once, and becomes entries and state when somebody looks: most seats are asked seldom.
    """

    def __init__(self, ruleset: Ruleset[S], seat: str) -> None:
        self.ruleset = ruleset
        self.seat = seat
        self.present = False
        self._admitted: list[Recorded] = []
        self._entries: list[Entry] = []
        self._state = ruleset.initial
        self._told: dict[int, tuple[str, int] | None] = {}
        self._minute = self._next_minute = datetime.fromtimestamp(0, UTC)

    def take(self, recorded: Recorded) -> Entry | None:
        """Let one event in if the seat is in its audience; the entry it became, or None."""
        before = self.seq
        self.take_all((recorded,))
        self._fold()
        return self._entries[-1] if self.seq > before else None

    def take_all(self, recorded: Iterable[Recorded]) -> None:
        """Let those events in, in their order, in whose audience the seat is.

        A seat is present from the event that seats it, which it must see: what everyone saw before that is not its.
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
        """Make entries of what was let in, and fold it."""
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
        """How many events were let in."""
        return len(self._entries) + len(self._admitted)

    def view(self) -> View[S]:
        """The view as it is now; later events do not change it."""
        self._fold()
        return View(self.ruleset, self.seat, self._entries, len(self._entries), self._state, self._told)


class PublicProjection(SeatProjection[S]):
    """Builds the view of a spectator without a seat: what everyone has seen."""

    def take_all(self, recorded: Iterable[Recorded]) -> None:
        """Let the public events in, in their order."""
        self._admitted += [item for item in recorded if item.audience.seats is None]


def view(ruleset: Ruleset[S], recorded: Iterable[Recorded], seat: str, upto: int | None = None) -> View[S]:
    """The seat's view of the events, up to its own `seq` number `upto` if given."""
    projection = SeatProjection(ruleset, seat)
    for item in recorded:
        if upto is not None and projection.seq >= upto:
            break
        projection.take(item)
    return projection.view()


def public_view(ruleset: Ruleset[S], recorded: Iterable[Recorded]) -> View[S]:
    """What everyone has seen: the fold of the public events alone, for a spectator without a seat."""
    projection = PublicProjection(ruleset, "")
    projection.take_all(recorded)
    return projection.view()
