"""Planted faults of a server over HTTP, for `durability.far`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from sottovoce.server.http.routes import turns, views


def acknowledge_before_the_append() -> None:
    """A reply is acknowledged first, and decided and appended a moment later."""
    take = turns.take
    tasks: set[asyncio.Task[Any]] = set()

    async def later(*given: Any) -> None:
        await asyncio.sleep(1)
        await take(*given)

    async def early(*given: Any) -> Any:
        task = asyncio.get_running_loop().create_task(later(*given))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return {"accepted": True, "repeated": False, "seq": 0}

    turns.take = early


def skip_after_a_reconnect() -> None:
    """A resumed stream skips the first frame that its reader does not have."""
    _take_up_from(1)


def repeat_after_a_reconnect() -> None:
    """A resumed stream begins with the last frame that its reader has."""
    _take_up_from(-1)


def _take_up_from(shift: int) -> None:
    frames = views._frames

    def shifted(asked: Any, game: str, after: int, limit: int | None) -> AsyncGenerator[bytes]:
        return frames(asked, game, after + shift if after else 0, limit)

    views._frames = shifted


FAR_FAULTS: dict[str, Callable[[], None]] = {
    fault.__name__: fault for fault in (acknowledge_before_the_append, skip_after_a_reconnect, repeat_after_a_reconnect)
}
