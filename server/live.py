"""A game in memory: its events, its full state, and its seats' views, each folded as far as it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from domain.draws import Seed
from domain.errors import SottovoceError
from domain.events import GameOpened, Recorded, TurnOpened
from domain.game import fold
from domain.ruleset import Ruleset
from domain.rulesets import RULESETS
from eventlog import EventLog
from eventlog.errors import DamagedLog
from projections.view import SeatProjection, View

if TYPE_CHECKING:
    from asyncio import Lock


class UnknownGame(SottovoceError):
    """There is no such game; `sottovoce games` lists them."""

    exit_code = 2


class LiveGame:
    """One game as this process knows it. The log is the truth; this may lag behind it.

    Who decides a command on its state and waits for the append holds `lock` meanwhile.
    """

    def __init__(self, game: str, ruleset: Ruleset[Any]) -> None:
        self.id = game
        self.ruleset = ruleset
        self.recorded: list[Recorded] = []
        self.state: Any = ruleset.initial
        self._seats: dict[str, SeatProjection[Any]] = {}
        self._routed: dict[str, int] = {}
        self._openings: dict[tuple[str, int], int] = {}

    @cached_property
    def lock(self) -> Lock:
        """Held from a decision to its append. Made when first asked for: commands that only read need none."""
        from asyncio import Lock

        return Lock()

    @property
    def seed(self) -> Seed:
        """What is drawn from."""
        seed: Seed | None = self.state.seed
        assert seed is not None, "every log says what is drawn from"
        return seed

    @property
    def length(self) -> int:
        """The position of the last event known here."""
        return len(self.recorded)

    def take(self, events: Iterable[Recorded]) -> list[Recorded]:
        """Fold new events; those already known are passed over. Gives the new ones."""
        fresh: list[Recorded] = []
        for item in events:
            if item.position == len(self.recorded) + len(fresh) + 1:
                fresh.append(item)
        return self.follow(fresh, fold(self.ruleset, [item.event for item in fresh], self.state))

    def follow(self, fresh: Sequence[Recorded], state: Any) -> list[Recorded]:
        """Take the events that come next, with the state that they lead to."""
        self.recorded += fresh
        self.state = state
        for item in fresh:
            event = item.event
            if type(event) is TurnOpened:
                self._openings[event.seat, event.turn] = item.position
        return list(fresh)

    def projection(self, seat: str) -> SeatProjection[Any]:
        """The seat's projection, with all that is known here and meant for it let in."""
        projection = self._seats.get(seat)
        if projection is None:
            projection = self._seats[seat] = SeatProjection(self.ruleset, seat)
        routed = self._routed.get(seat, 0)
        if routed < len(self.recorded):
            projection.take_all(self.recorded[routed:])
            self._routed[seat] = len(self.recorded)
        return projection

    def view(self, seat: str) -> View[Any]:
        """What the seat has seen, as far as the game is known here."""
        return self.projection(seat).view()

    def opening_position(self, seat: str, turn: int) -> int | None:
        """The position at which a turn was opened; None if it was not."""
        return self._openings.get((seat, turn))


def load(log: EventLog, game: str) -> LiveGame:
    """The game as the log has it now. Raises UnknownGame, or DamagedLog where events are missing."""
    head = log.head(game)
    if head is None:
        raise UnknownGame
    recorded = log.read(game)
    positions = [item.position for item in recorded]
    if len(positions) < head.length or positions != list(range(1, len(positions) + 1)):
        raise DamagedLog(f"Events of game {game} are missing; to see which, run: sottovoce audit verify {game}")
    opening = recorded[0].event if recorded else None
    if not isinstance(opening, GameOpened):
        raise UnknownGame
    live = LiveGame(game, RULESETS[opening.ruleset])
    live.take(recorded)
    return live
