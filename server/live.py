"""A game in memory: its events, its full state, and its seats' views, each folded as far as it is needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.events import Draft, Recorded, TurnOpened
from domain.ruleset import Ruleset
from projections.view import SeatProjection, View


class LiveGame:
    """One game as this process knows it. The log is the truth; this may lag behind it."""

    def __init__(self, game: str, ruleset: Ruleset[Any]) -> None:
        self.id = game
        self.ruleset = ruleset
        self.recorded: list[Recorded] = []
        self.state: Any = ruleset.initial
        self._seats: dict[str, tuple[SeatProjection[Any], int]] = {}
        self._openings: dict[tuple[str, int], int] = {}

    @property
    def length(self) -> int:
        """The position of the last event known here."""
        return len(self.recorded)

    def take(self, events: Iterable[Recorded]) -> list[Recorded]:
        """Fold new events; those already known are passed over. Gives the new ones."""
        fresh = []
        for item in events:
            event = item.event
            if item.position == len(self.recorded) + 1:
                self.recorded.append(item)
                self.state = self.ruleset.evolve(self.state, event)
                fresh.append(item)
                if type(event) is TurnOpened:
                    self._openings[event.seat, event.turn] = item.position
        return fresh

    def projection(self, seat: str) -> SeatProjection[Any]:
        """The seat's projection, up to date with what is known here."""
        projection, seen = self._seats.get(seat) or (SeatProjection(self.ruleset, seat), 0)
        if seen < len(self.recorded):
            for item in self.recorded[seen:]:
                projection.take(item)
            self._seats[seat] = (projection, len(self.recorded))
        return projection

    def view(self, seat: str) -> View[Any]:
        return self.projection(seat).view()

    def seq_after(self, seat: str, drafts: Iterable[Draft]) -> int:
        """The length of the seat's view once the drafts are appended."""
        return self.projection(seat).seq + sum(draft.audience.includes(seat) for draft in drafts)

    def opening_position(self, seat: str, turn: int) -> int | None:
        """The position at which a turn was opened; None if it was not."""
        return self._openings.get((seat, turn))
