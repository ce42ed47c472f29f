"""Server-sent events: frames of bytes for as long as a reader takes them.

A stream ends when its frames do, when its reader goes or stops reading, when its link is ended, and when the server
stops; whichever it is, the generator of the frames is closed. Its heartbeats come at fixed times from its start, so
that their pace says nothing about what others do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from weakref import WeakKeyDictionary

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sottovoce.server.http.settings import Bounds

BEAT = b": \n\n"
"""A heartbeat: a comment, which readers pass over."""

ABORT = "sottovoce.abort"
"""The ASGI extension by which the protocol lets an answer cut its connection."""

COME_BACK = b"retry: 1500\n\n"
"""The last frame where the server stops: come back in a moment, with the last id."""


def frame(number: int | None, event: str, data: bytes) -> bytes:
    """One event of a stream. `data` is JSON without line breaks; a reader continues after `number`."""
    identity = b"" if number is None else b"id: %d\n" % number
    return b"%sevent: %s\ndata: %s\n\n" % (identity, event.encode(), data)


OVER = frame(None, "end", b'{"why":"over"}')
"""The last frame of a game that is over."""

LINK_ENDED = frame(None, "end", b'{"why":"link-ended"}')
"""The last frame where the link was ended: there is no coming back with it."""


class EventStream(Response):
    """An answer that sends `frames` as they come.

    `ended` is set when the reader's link is ended, `closing` when the server stops; `left` is called once at the end.
    A reader that takes nothing for `bounds.send_seconds` is cut off with all that waits for it.
    """

    def __init__(
        self,
        frames: AsyncGenerator[bytes],
        *,
        closing: asyncio.Event,
        ended: asyncio.Event,
        bounds: Bounds,
        left: Callable[[], None] = lambda: None,
    ) -> None:
        # A content type that is given gets no charset added: it is UTF-8 always.
        super().__init__(
            headers={"content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"}
        )
        del self.headers["content-length"]
        self._frames = frames
        self._closing = closing
        self._ended = ended
        self._bounds = bounds
        self._left = left
        self._stuck = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._send = send
        loop = asyncio.get_running_loop()
        tasks: list[asyncio.Task[None]] = []
        try:
            async with aclosing(self._frames) as frames, _ended_by() as stop:
                with _heard(self._closing, stop):
                    tasks.append(loop.create_task(_gone(receive, stop)))
                    tasks.append(loop.create_task(self._beat(loop.time(), stop)))
                    await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                    async for item in frames:
                        await self._give(item)
            last = COME_BACK if self._closing.is_set() else LINK_ENDED if self._ended.is_set() else b""
            if not self._stuck:
                await self._give(last, more=False)
        except _StuckError:
            pass
        finally:
            for task in tasks:
                task.cancel()
            self._left()
        if self._stuck:
            _cut(scope)

    async def _give(self, item: bytes, *, more: bool = True) -> None:
        """Send a frame; _StuckError if it is not taken in time."""
        try:
            async with asyncio.timeout(self._bounds.send_seconds):
                await self._send({"type": "http.response.body", "body": item, "more_body": more})
        except TimeoutError:
            self._stuck = True
            raise _StuckError from None

    async def _beat(self, started: float, stop: Callable[[], None]) -> None:
        """Send heartbeats until the link is ended or the reader is stuck."""
        loop = asyncio.get_running_loop()
        pace = self._bounds.heartbeat_seconds
        with suppress(_StuckError):
            while not self._ended.is_set():
                next_beat = started + (int((loop.time() - started) / pace) + 1) * pace
                try:
                    async with asyncio.timeout_at(next_beat):
                        await self._ended.wait()
                except TimeoutError:
                    await self._give(BEAT)
        stop()


class _StuckError(Exception):
    """A reader takes nothing any more."""


@asynccontextmanager
async def _ended_by() -> AsyncIterator[Callable[[], None]]:
    """A block that ends, wherever it waits, once what it is given is called."""
    loop = asyncio.get_running_loop()
    try:
        # A limit without a time, which runs out when it is told to.
        async with asyncio.timeout(None) as limit:

            def stop() -> None:
                with suppress(RuntimeError):  # over already
                    limit.reschedule(loop.time())

            yield stop
    except TimeoutError:
        if not limit.expired():
            raise


async def _gone(receive: Receive, stop: Callable[[], None]) -> None:
    """Wait until the reader has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
    stop()


_LISTENERS: WeakKeyDictionary[asyncio.Event, set[Callable[[], None]]] = WeakKeyDictionary()
_TASKS: set[asyncio.Task[None]] = set()


@contextmanager
def _heard(event: asyncio.Event, callback: Callable[[], None]) -> Iterator[None]:
    """Call back once the event is set; one task waits for all who listen to the same event, however many they are."""
    if event.is_set():
        callback()
    listeners = _LISTENERS.get(event)
    if listeners is None:
        listeners = _LISTENERS[event] = set()
        task = asyncio.get_running_loop().create_task(_tell(event, listeners))
        _TASKS.add(task)
        task.add_done_callback(_TASKS.discard)
    listeners.add(callback)
    try:
        yield
    finally:
        listeners.discard(callback)


async def _tell(event: asyncio.Event, listeners: set[Callable[[], None]]) -> None:
    await event.wait()
    for callback in list(listeners):
        callback()


def _cut(scope: Scope) -> None:
    """End the connection at once, with all that waits to be sent on it; the protocol says how."""
    abort = scope.get("extensions", {}).get(ABORT)
    if abort is not None:
        abort["call"]()
