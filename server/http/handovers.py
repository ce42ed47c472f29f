"""Receipts for what leaves this process over HTTP, written before it does.

Streams of one game are woken together by what is appended: the receipts of such a burst are one write, not one for each
stream, and none for each frame (ADR 0034).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from eventlog.log import Receipt
from projections.handovers import HANDED_OVER
from server.games import Games
from server.ids import fresh_id
from server.live import LiveGame

BY = "http"
"""How what is handed over here says that it left."""


@dataclass(slots=True)
class _Burst:
    """Receipts of one game that wait to be written together."""

    written: asyncio.Future[None]
    receipts: list[Receipt] = field(default_factory=list)


class HandOvers:
    """Writes the receipts of all games of this process."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._waiting: dict[str, _Burst] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def entries(self, live: LiveGame, seat: str, first: int, last: int, **said: Any) -> None:
        """Note that the seat's entries from `first` to `last` are about to be handed over; `said` is noted too."""
        agent = live.state.agents.get(seat, "")
        data = {"by": BY, "agent": agent, "call": fresh_id(), "turn": None, "from": first, "to": last, **said}
        await self.record(live, [Receipt(HANDED_OVER, self._games.clock(), seat, data)])

    async def record(self, live: LiveGame, receipts: Sequence[Receipt]) -> None:
        """Write the receipts, together with those that others of this game wait for at this moment."""
        if not receipts:
            return
        burst = self._waiting.get(live.id)
        if burst is None:
            loop = asyncio.get_running_loop()
            burst = self._waiting[live.id] = _Burst(loop.create_future())
            # The task runs once all who were woken together have come.
            task = loop.create_task(self._write(live, burst))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        burst.receipts += receipts
        await asyncio.shield(burst.written)

    async def _write(self, live: LiveGame, burst: _Burst) -> None:
        del self._waiting[live.id]
        try:
            await self._games.record(live, burst.receipts)
        except BaseException as error:
            burst.written.set_exception(error)
            burst.written.exception()  # seen, even where nobody waits any more
            if not isinstance(error, Exception):
                raise
        else:
            burst.written.set_result(None)
