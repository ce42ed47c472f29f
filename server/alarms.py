"""When the rules want something done in games that nobody is playing just then: limits that run out, and wake-ups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

LONGEST = 3600.0
"""Seconds for which the clock is set at most: the time of day may be changed meanwhile."""


class Alarms:
    """One alarm a game, in the loop that it is set in. `ring` is called with each game whose moment has come.

    It has come when the clock shows it, or when as much time has passed as was left when the alarm was set: the clock
    may be set forward or back meanwhile.
    """

    def __init__(self, clock: Callable[[], datetime], ring: Callable[[str], None]) -> None:
        self._clock = clock
        self._call = ring
        self._moments: dict[str, tuple[datetime, float]] = {}
        self._next: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False

    def __len__(self) -> int:
        return len(self._moments)

    def set(self, game: str, moment: datetime | None) -> None:
        """Set the game's alarm, or with None take it away."""
        self._moments.pop(game, None)
        if moment is not None:
            due = asyncio.get_running_loop().time() + (moment - self._clock()).total_seconds()
            self._moments[game] = moment, due
            if self._next is None or due < self._next:
                self._wind()

    def stop(self) -> None:
        """Let none ring any more."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def _wind(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._next = min((due for _, due in self._moments.values()), default=None)
        if self._next is not None and not self._stopped:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(min(max(0.0, self._next - loop.time()), LONGEST), self._ring)

    def _ring(self) -> None:
        now, passed = self._clock(), asyncio.get_running_loop().time()
        for game in [game for game, (moment, due) in self._moments.items() if moment <= now or due <= passed]:
            del self._moments[game]
            self._call(game)
        self._wind()
