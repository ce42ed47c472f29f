"""A connection between clients and a server that can be cut: real sockets, with a plug to pull."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from patience import PATIENCE

CHUNK = 65_536


class Wire:
    """Forwards connections to a port of this machine. `port` is where it listens; `base` its address.

    With `stream_bytes` each stream is cut after that many bytes, even inside a frame. With `lost`, every `lost`-th POST
    gets through, but its answer is lost.
    """

    def __init__(self, target: int, *, stream_bytes: int | None = None, lost: int | None = None) -> None:
        self.target = target
        self.cuts = 0
        self.posts = 0
        self.streams = 0
        self._stream_bytes = stream_bytes
        self._lost = lost
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(ready)), daemon=True)
        self._thread.start()
        assert ready.wait(PATIENCE)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def cut(self) -> None:
        """Cut every open connection."""
        self._loop.call_soon_threadsafe(self._cut)

    def stall(self) -> None:
        """From now on nothing gets through, and nobody is told. New connections wait as well."""
        self._loop.call_soon_threadsafe(self._flows.clear)

    def flow(self) -> None:
        """Send what was held back, and continue."""
        self._loop.call_soon_threadsafe(self._flows.set)

    def _cut(self) -> None:
        self.cuts += 1
        for writer in self._open:
            writer.transport.abort()

    async def _run(self, ready: threading.Event) -> None:
        self._loop, self._done, self._flows = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        self._flows.set()
        server = await asyncio.start_server(self._forward, "127.0.0.1", 0)
        self.port: int = server.sockets[0].getsockname()[1]
        ready.set()
        await self._done.wait()
        server.close()
        for writer in self._open:
            writer.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._open |= ends
        line = _Line(self)
        tasks = [
            asyncio.create_task(_pass(reader, far_writer, line.asked, line)),
            asyncio.create_task(_pass(far_reader, writer, line.answered, line)),
        ]
        with suppress(asyncio.CancelledError):  # the connection is taken down
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for end in ends:
            end.transport.abort()
        self._open -= ends


class _Line:
    """One connection: how many bytes may still pass, None for all."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._left: int | None = None
        self.cut = False

    async def flows(self) -> None:
        """Wait while the wire is stalled."""
        await self._wire._flows.wait()

    def asked(self, data: bytes) -> bytes:
        wire = self._wire
        if data.startswith(b"GET ") and b"/stream" in data.split(b"\r\n", 1)[0]:
            wire.streams += 1
            self._left = wire._stream_bytes
        elif data.startswith(b"POST ") and b"/turns/" in data.split(b"\r\n", 1)[0]:
            wire.posts += 1
            if wire._lost is not None and wire.posts % wire._lost == 0:
                self._left = 0
        return data

    def answered(self, data: bytes) -> bytes:
        """Return the part that passes."""
        if self._left is None:
            return data
        data = data[: self._left]
        self._left -= len(data)
        if self._left == 0:
            self._wire.cuts += 1
            self.cut = True
        return data


async def _pass(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, look: Callable[[bytes], bytes], line: _Line
) -> None:
    """Pass data on until there is no more or the plug is pulled."""
    with suppress(OSError):
        while not line.cut and (data := await reader.read(CHUNK)):
            await line.flows()
            writer.write(look(data))
            await writer.drain()
