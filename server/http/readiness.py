"""Whether the log answers."""

from __future__ import annotations

import asyncio

from sottovoce.eventlog.errors import LogError
from sottovoce.server.live_games import LiveGames

PATIENCE = 3.0
"""Seconds after which a log that has not answered counts as gone."""


class Readiness:
    """Asks the log once at a time, however many requests want to know: a log that hangs must not occupy all readers."""

    def __init__(self, live_games: LiveGames) -> None:
        self._hall = live_games
        self._asking: asyncio.Task[int] | None = None

    async def look(self) -> bool:
        """Whether the log answers now."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._hall.call(self._hall.games.log.newest))
            self._asking.add_done_callback(lambda asked: asked.cancelled() or asked.exception())
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.shield(self._asking)
        except (TimeoutError, LogError):
            return False
        return True
