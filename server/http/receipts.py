"""Receipts for what leaves this process over HTTP, written before it does.

Streams of one game are woken together by what is appended: the receipts of such a burst are one write, not one for each
stream, and none for each frame (ADR 0034). What the same link gets again is counted (ADR 0051).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.log import Receipt
from sottovoce.projections.receipts import DELIVERED
from sottovoce.server.games import Games
from sottovoce.server.ids import fresh_id
from sottovoce.server.links import Link
from sottovoce.server.live import LiveGame
from sottovoce.server.repeats import Repeats

BY = "http"
"""What receipts call a delivery over HTTP."""

LOOK_SECONDS = 30.0
"""Seconds between looks for counts of links that have stopped asking."""

MOST_LINKS = 2048
"""The number of links whose latest deliveries are remembered."""

Reader = tuple[str, int]
"""A game, and the number of a link to it."""


@dataclass(slots=True)
class _Burst:
    """Receipts of one game that wait to be written together."""

    written: asyncio.Future[None]
    receipts: list[Receipt] = field(default_factory=list)


@dataclass(slots=True)
class _Link:
    """What one link was handed, and the bursts that are being written of it."""

    repeats: Repeats = field(default_factory=Repeats)
    writing: set[asyncio.Future[None]] = field(default_factory=set)


class DeliveryReceipts:
    """Writes the receipts of all games of this process."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._waiting: dict[str, _Burst] = {}
        self._links: dict[Reader, _Link] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    async def entries(self, live: LiveGame, link: Link, first: int, last: int, **said: Any) -> None:
        """Note that a seat's link is about to get the seat's entries from `first` to `last`; `said` is noted too."""
        assert link.seat is not None, "receipts are of seats"
        agent = live.state.agents.get(link.seat, "")
        data = {"by": BY, "agent": agent, "call": fresh_id(), "turn": None, "from": first, "to": last, **said}
        await self.record(live, link, [Receipt(DELIVERED, self._games.clock(), link.seat, data)])

    async def record(self, live: LiveGame, link: Link, receipts: Sequence[Receipt]) -> None:
        """Write the receipts, together with those that others of this game wait for at this moment.

        What the link got before is counted, and waits for what is being written of it.
        """
        if not receipts:
            return
        reader = live.id, link.number
        known = self._of(reader)
        timely = (self._games.in_time(live, receipt) for receipt in receipts)
        named = [replace(receipt, data={**receipt.data, "link": link.number}) for receipt in timely]
        fresh = [receipt for receipt in named if self._closed or known.repeats.is_new(receipt)]
        if fresh:
            await asyncio.shield(self._burst(live.id, known, fresh))
        elif known.writing:
            await asyncio.gather(*map(asyncio.shield, known.writing))
        if len(fresh) < len(named):
            self._look_after(reader, known)

    async def close(self) -> None:
        """Write what was counted. From now on everything is written."""
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()
        for reader, known in list(self._links.items()):
            await self._seal(reader, known)

    def _of(self, reader: Reader) -> _Link:
        """What is known of a link, which is now the last to ask."""
        known = self._links[reader] = self._links.pop(reader) if reader in self._links else _Link()
        if len(self._links) > MOST_LINKS:
            oldest = next(iter(self._links))
            self._start(self._seal(oldest, self._links.pop(oldest)))
        return known

    def _burst(self, game: str, known: _Link, receipts: Sequence[Receipt]) -> asyncio.Future[None]:
        """The burst that these are written with."""
        burst = self._waiting.get(game)
        if burst is None:
            burst = self._waiting[game] = _Burst(asyncio.get_running_loop().create_future())
            # The task runs once all who were woken together have come.
            self._start(self._write(game, burst))
        burst.receipts += receipts
        if burst.written not in known.writing:
            known.writing.add(burst.written)
            burst.written.add_done_callback(lambda written: _settled(known, written))
        return burst.written

    async def _write(self, game: str, burst: _Burst) -> None:
        del self._waiting[game]
        try:
            await self._games.record(game, burst.receipts)
        except BaseException as error:
            burst.written.set_exception(error)
            burst.written.exception()  # seen, even where nobody waits any more
            if not isinstance(error, Exception):
                raise
        else:
            burst.written.set_result(None)

    def _look_after(self, reader: Reader, known: _Link) -> None:
        """See to it that what is counted of a link is written in time, whether or not it asks again."""
        due = known.repeats.due
        if due is not None and due <= self._games.clock():
            self._start(self._seal(reader, known))
        if self._looking is None or self._looking.done():
            self._looking = self._start(self._look())

    async def _look(self) -> None:
        """Write what is due, until nothing is counted any more."""
        while any(known.repeats.due is not None for known in self._links.values()):
            await asyncio.sleep(LOOK_SECONDS)
            now = self._games.clock()
            for reader, known in list(self._links.items()):
                if known.repeats.due is not None and known.repeats.due <= now:
                    await self._seal(reader, known)

    async def _seal(self, reader: Reader, known: _Link) -> None:
        """Write what was counted of a link; where the log cannot be written, count on."""
        if not (counts := known.repeats.take()):
            return
        try:
            await self._games.record(reader[0], [count.receipt() for count in counts])
        except LogError:
            known.repeats.give_back(counts)

    def _start(self, work: Awaitable[None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        assert isinstance(task, asyncio.Task)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _settled(known: _Link, written: asyncio.Future[None]) -> None:
    known.writing.discard(written)
    if written.cancelled() or written.exception() is not None:
        known.repeats.forget()
