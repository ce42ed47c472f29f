"""A table: one game in this process, with what is told at it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sottovoce.projections.perspective import Perspective
from sottovoce.projections.track import Track
from sottovoce.server.entries import Entries
from sottovoce.server.live import LiveGame

BITE = 200
"""Entries that are encoded without giving way to others."""

HEAVY = 2000
"""Bytes of entries from which on they are encoded in a thread: what is claimed is read out of every text."""

Think = Callable[..., Awaitable[None]]


class Table:
    """One game in this process."""

    def __init__(self, live: LiveGame, closing: asyncio.Event, think: Think) -> None:
        self.live = live
        self._closing = closing
        self._think = think
        self._closed = False
        self.sitters = 0
        self.users = 0
        self.left_at: float | None = None
        self.behind = 0
        self.doubtful = False
        self.reading: asyncio.Task[None] | None = None
        self._told: dict[tuple[str | None, bool], Entries] = {}

    async def news(self, length: int, whose: Perspective | None = None) -> None:
        """Return once the game is longer than that, at once if it is, or when the table closes; with a perspective,
        once there is something more for those eyes."""
        while not self.closed:
            fresh = self.live.recorded[length:]
            if fresh and (whose is None or any(whose.includes(item.audience) for item in fresh)):
                return
            length += len(fresh)
            await self.live.growth().wait()

    def told(self, seat: str | None, *, auditor: bool = False) -> list[bytes]:
        """The JSON of every entry that a chair has so far, each with its piece, encoded once; not to be changed.

        While somebody prepares the same beside the loop, it is as much as is done.

        No seat is the public, or with `auditor` who sees everything.
        """
        return self._entries(seat, auditor).upto_now(self.live)

    async def prepare(self, seat: str | None, *, auditor: bool = False) -> None:
        """Encode what a chair has so far, giving way to others; `told`, which may take long, then finds it done."""
        entries = self._entries(seat, auditor)
        async with entries.lock:
            while fresh := entries.fresh(self.live, BITE):
                if entries.weight(fresh) > HEAVY:
                    await self._think(entries.take, fresh)
                else:
                    entries.take(fresh)
                if len(fresh) == BITE:
                    await asyncio.sleep(0)

    def track(self, seat: str | None, *, auditor: bool = False, audited: bool = False) -> Track:
        """A chair's record so far, whole; an `audited` one with each entry's place in the log."""
        return self._entries(seat, auditor).track(self.live, audited=audited)

    def _entries(self, seat: str | None, auditor: bool) -> Entries:
        entries = self._told.get((seat, auditor))
        if entries is None:
            entries = self._told[seat, auditor] = Entries(self.live.ruleset, seat, auditor=auditor)
        return entries

    @property
    def closed(self) -> bool:
        """Whether nobody is to wait here any longer."""
        return self._closed or self._closing.is_set()

    def close(self) -> None:
        """Wake all who wait here, for good."""
        self._closed = True
        self.live.wake()

    def is_behind(self) -> bool:
        """Whether there is, or may be, more in the log."""
        return self.doubtful or self.live.length < self.behind
