"""A worker's leases are renewed for as long as it plays, so that a person may think for an hour."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.log import EventLog

BEATS = 3
"""Renewals in the time that one lease lasts: two may fail before somebody else may take it over."""


class Heartbeat:
    """Renews all leases of `worker`, each for another `lease`, while anything is being played.

    `players` counts the games that are.
    """

    def __init__(self, log: EventLog, worker: str, clock: Callable[[], datetime], lease: timedelta) -> None:
        self._log = log
        self._worker = worker
        self._clock = clock
        self._lease = lease
        self.players = 0
        self._task: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        """Renew leases until the end of the block, or of the last such block."""
        self.players += 1
        if self._task is None:
            self._task = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            self.players -= 1
            if self.players == 0:
                self._task.cancel()
                self._task = None

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._lease.total_seconds() / BEATS)
            # A full disk or a busy log is told by whoever appends; a lease that lapses costs a second call and no more.
            with suppress(LogError):
                await asyncio.to_thread(self._log.renew, self._worker, self._clock() + self._lease)
