"""A game in memory: its events, its full state, and its seats' views, each folded as far as it is needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import GameOpened, Recorded, TurnOpened
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import EventLog
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.log import Due, TurnChange
from sottovoce.projections.perspective import Perspective
from sottovoce.projections.view import PublicProjection, SeatProjection, View

if TYPE_CHECKING:
    from asyncio import Event, Lock


class UnknownGame(SottovoceError):
    """There is no such game. Run `sottovoce games` to list games."""

    exit_code = 2


Key = tuple[str, int]
"""A turn: seat and number."""

LOOK_AGAIN = 1.0
"""Seconds after which a limit is looked at again whose clock stands still."""


@dataclass(frozen=True, slots=True)
class Doing:
    """What the agent of a turn does now, in its own words, and since when by the clock of `time.monotonic`."""

    seat: str
    about: str | None
    step: str
    began: float


class LiveGame:
    """One game as this process knows it. The log is the truth; this can lag behind it.

    Hold `lock` while you decide a command on its state and wait for the append. `leased` are the turns that this
    process has leased and not started to answer, each with its epoch. `noticed`, if set, is called at every growth.
    """

    def __init__(self, game: str, ruleset: Ruleset[Any]) -> None:
        self.id = game
        self.ruleset = ruleset
        self.recorded: list[Recorded] = []
        self.state: Any = ruleset.initial
        self._seats: dict[str, SeatProjection[Any]] = {}
        self._routed: dict[str, int] = {}
        self._openings: dict[Key, int] = {}
        self._appends: dict[str, int] = {}
        self.leased: dict[Key, int] = {}
        self.doing: dict[Key, Doing] = {}
        """The calls of this process that are under way and say what they do."""
        self._limits: dict[Key, tuple[int, datetime | None]] = {}
        self._stopped: dict[Key, list[float]] = {}
        self._still: dict[Key, float] = {}
        self._put_off: dict[Key, float] = {}
        self.noticed: Callable[[], None] | None = None
        self._growth: Event | None = None
        self._public: PublicProjection[Any] | None = None

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
    def blind(self) -> bool:
        """Whether the game was opened with `keeper=blind`: nobody may get at its secrets until it is over."""
        opening = self.recorded[0].event if self.recorded else None
        return isinstance(opening, GameOpened) and opening.options.get("keeper") == "blind"

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
        append = None
        for item in fresh:
            event = item.event
            if item.append is not append:
                append = item.append
                self._appends.setdefault(append, item.position - 1)
            if type(event) is TurnOpened:
                self._openings[event.seat, event.turn] = item.position
        if fresh:
            if self._growth is not None:
                self.wake()
            if self.noticed is not None:
                self.noticed()
        return list(fresh)

    def restore(self, length: int, state: Any) -> None:
        """Be again as the game was at that length, with that state; the log tells which turns are leased to whom."""
        del self.recorded[length:]
        self.state = state
        self._openings = {key: position for key, position in self._openings.items() if position <= length}
        self.leased.clear()
        self._limits.clear()
        self._seats.clear()
        self._routed.clear()
        self._public = None

    def appended(self, append: str) -> list[Recorded]:
        """The events of the append with that id, as far as the game is known here."""
        first = self._appends.get(append)
        if first is None:
            return []
        return [item for item in self.recorded[first:] if item.append == append]

    def growth(self) -> Event:
        """An event that is set as soon as the game grows or `wake` is called, for readers that have seen everything."""
        if self._growth is None:
            from asyncio import Event

            self._growth = Event()
        return self._growth

    def wake(self) -> None:
        """Wake all who wait for the game to grow."""
        if self._growth is not None:
            growth, self._growth = self._growth, None
            growth.set()

    def changed(self, turns: Iterable[TurnChange]) -> None:
        """Note what this process's own append did to the turns' leases and limits."""
        for turn in turns:
            key = turn.seat, turn.turn
            self._still.pop(key, None)
            self._put_off.pop(key, None)
            if turn.what == "close":
                self._limits.pop(key, None)
                self.leased.pop(key, None)
                continue
            self._limits[key] = turn.attempt, turn.expires
            if turn.worker is not None and (turn.what == "open" or turn.epoch is not None):
                self.leased[key] = 1 if turn.epoch is None else turn.epoch + 1

    def require_closed(self, *turns: Key) -> None:
        """DamagedLog if one of these turns is open: the log has no row of it, so that nobody can answer it."""
        for seat, number in turns:
            if (seat, number) in self.state.turns:
                raise DamagedLog(
                    f"Turn {number} of {seat} in game {self.id} is open, but its row is gone or was changed; "
                    "run: sottovoce db rebuild"
                )

    def knows_limit(self, key: Key, attempt: int) -> bool:
        """Whether the limit of an attempt at a turn is known here."""
        return key in self._limits and self._limits[key][0] == attempt

    def limit(self, key: Key, attempt: int) -> datetime | None:
        """When the time of an attempt at a turn runs out; None if never, or if that is not known here.

        While its clock stands still, that is later and later.
        """
        expires = self._limits[key][1] if self.knows_limit(key, attempt) else None
        if expires is None:
            return None
        later = self.stood_still(key)
        if key in self._stopped:
            later += LOOK_AGAIN
        return expires + timedelta(seconds=later + self._put_off.get(key, 0.0))

    def learn(self, turns: Iterable[Due]) -> None:
        """Note the limits of the open turns as the log has them."""
        self._limits = {(due.seat, due.turn): (due.attempt, due.expires) for due in turns}

    def put_off(self, key: Key, seconds: float) -> None:
        """Let the time of a turn run out so much later."""
        self._put_off[key] = self._put_off.get(key, 0.0) + seconds

    def stood_still(self, key: Key) -> float:
        """For how many seconds the clock of the current attempt at a turn stood still in this process."""
        since = self._stopped.get(key)
        return self._still.get(key, 0.0) + (time.monotonic() - since[0] if since else 0.0)

    @contextmanager
    def clock_stopped(self, *keys: Key) -> Iterator[None]:
        """The time of these turns does not run meanwhile: the server itself works for them, such as on checks."""
        for key in keys:
            self._stopped.setdefault(key, []).append(time.monotonic())
        try:
            yield
        finally:
            for key in keys:
                if len(since := self._stopped[key]) > 1:
                    since.pop()  # the first one counts, until the last one ends
                    continue
                self._still[key] = self.stood_still(key)
                del self._stopped[key]

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

    def public(self) -> View[Any]:
        """What everyone has seen, as far as the game is known here."""
        return self._publicly().view()

    def seen(self, whose: Perspective) -> int:
        """How many entries those eyes have, as far as the game is known here: a seq, or an auditor's position."""
        if whose.full:
            return self.length
        return (self._publicly() if whose.seat is None else self.projection(whose.seat)).seq

    def _publicly(self) -> PublicProjection[Any]:
        if self._public is None:
            self._public = PublicProjection(self.ruleset, "")
        routed = self._routed.get("", 0)
        if routed < len(self.recorded):
            self._public.take_all(self.recorded[routed:])
            self._routed[""] = len(self.recorded)
        return self._public

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
