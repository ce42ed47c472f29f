"""Whether the log answers, and what it answers to those who watch over it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from eventlog.errors import LogError
from server.hall import Hall

PATIENCE = 3.0
"""Seconds after which a log that has not answered counts as gone."""

T = TypeVar("T")


class OneAtATime(Generic[T]):
    """A question to the log, asked once at a time however many want to know.

    A log that hangs must not take up all the threads that read it.
    """

    def __init__(self, hall: Hall, question: Callable[[], T]) -> None:
        self._hall = hall
        self._question = question
        self._asking: asyncio.Task[T] | None = None

    async def answer(self) -> T | None:
        """The answer, or None if the log gives none in time."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._hall.call(self._question))
            self._asking.add_done_callback(lambda asked: asked.cancelled() or asked.exception())
        try:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.shield(self._asking)
        except (TimeoutError, LogError):
            return None


class Readiness:
    """Asks the log whether it is there."""

    def __init__(self, hall: Hall) -> None:
        self._newest = OneAtATime(hall, hall.games.log.newest)

    async def look(self) -> bool:
        """Whether the log answers now."""
        return await self._newest.answer() is not None
