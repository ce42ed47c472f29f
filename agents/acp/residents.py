"""The agents' processes of one event loop: so many at once, the idle ones among them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from weakref import WeakKeyDictionary

End = Callable[[], Awaitable[None]]

_residents: WeakKeyDictionary[asyncio.AbstractEventLoop, Residents] = WeakKeyDictionary()


class Residents:
    """Says when a process may be started. Each takes some hundred MiB, so idle ones end when others need their place.

    `working` is held while one answers.
    """

    def __init__(self, most: int) -> None:
        self.working = asyncio.Semaphore(most)
        self._most = most
        self._busy = 0
        self._idle: dict[object, End] = {}
        self._timers: dict[object, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Future[None]] = set()

    async def take(self, who: object) -> None:
        """Count a process as busy, whether it is idle or still to be started. End idle ones that are too many."""
        self.forget(who)
        self._busy += 1
        while self._idle and self._busy + len(self._idle) > self._most:
            await self._end(next(iter(self._idle)))

    def leave(self, who: object, end: End | None, seconds: float) -> None:
        """Count a busy process as idle, and end it after so many seconds; as gone where it has no `end`."""
        self._busy -= 1
        if end is not None:
            self._idle[who] = end
            loop = asyncio.get_running_loop()
            self._timers[who] = loop.call_later(seconds, self._too_long, who)

    def forget(self, who: object) -> None:
        """Leave an idle process to the caller."""
        self._idle.pop(who, None)
        if (timer := self._timers.pop(who, None)) is not None:
            timer.cancel()

    def _too_long(self, who: object) -> None:
        ending = asyncio.ensure_future(self._end(who))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def _end(self, who: object) -> None:
        end = self._idle.get(who)
        self.forget(who)
        if end is not None:
            await end()


def residents(most: int) -> Residents:
    """Those of the running loop; the first who asks says how many there can be."""
    loop = asyncio.get_running_loop()
    if loop not in _residents:
        _residents[loop] = Residents(most)
    return _residents[loop]
