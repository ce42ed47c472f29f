"""A table: one game in this process, with what is told at it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from sottovoce.domain.events import Recorded
from sottovoce.projections.open_chairs import open_record
from sottovoce.projections.perspective import Perspective
from sottovoce.projections.track import Track
from sottovoce.server.entries import Entries
from sottovoce.server.live import LiveGame

BITE = 200
"""Entries that are encoded without giving way to others."""

HEAVY = 2000
"""Bytes of entries from which on they are encoded in a thread: what is claimed is read out of every text."""

Think = Callable[..., Awaitable[None]]


class GameFeed:
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
        self._opened: GameFeed | None = None
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
        """Return the JSON of every entry that a viewer has so far, each with its piece. Do not change it.

        No seat means the public, or with `auditor` everything. While another task encodes the same entries, it returns
        what is done so far.
        """
        return self._entries(seat, auditor).upto_now(self.live)

    async def prepare(self, seat: str | None, *, auditor: bool = False) -> None:
        """Encode what a viewer has so far and let other tasks run meanwhile. Afterwards `told` has it ready."""
        entries = self._entries(seat, auditor)
        async with entries.lock:
            while fresh := entries.fresh(self.live, BITE):
                if entries.weight(fresh) > HEAVY:
                    await self._think(entries.take, fresh)
                else:
                    entries.take(fresh)
                if len(fresh) == BITE:
                    await asyncio.sleep(0)

    def track(
        self, seat: str | None, *, auditor: bool = False, audited: bool = False, chairs: Sequence[str] = ()
    ) -> Track:
        """Return a viewer's whole record. An `audited` one has each entry's position.

        `chairs` are those whose records its reader can have too, if not all of them.
        """
        return self._entries(seat, auditor).track(self.live, audited=audited, chairs=chairs)

    @property
    def open_chairs(self) -> tuple[str, ...]:
        """The chairs from which everyone who sat can look: none before the end, and none if its opening closed them."""
        state = self.live.public().state
        return tuple(state.chairs) if state.over else ()

    async def opened(self) -> GameFeed:
        """Return what the open chairs saw, as another game (`projections/open_chairs.py`)."""
        if self._opened is None:
            live = LiveGame(self.live.id, self.live.ruleset)
            feed = GameFeed(live, self._closing, self._think)
            found: list[Recorded] = []
            recorded, chairs = self.live.recorded[:], self.open_chairs
            await self._think(lambda: found.extend(open_record(live.ruleset, recorded, chairs)))
            live.take(found)
            self._opened = feed
        return self._opened

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
