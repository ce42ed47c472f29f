"""Worlds of the isolation kit on a real port, one after another, and everything that went over the wire."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import format_datetime
from types import TracebackType
from typing import Any, Self, TypeVar

import uvicorn
from patience import PATIENCE
from starlette.types import Message, Receive, Scope, Send

from sottovoce.domain.events import Recorded
from sottovoce.isolation.cases import SOME_TIME
from sottovoce.isolation.wire.world import Setting, World, later, token
from sottovoce.server.links import LinkKind

T = TypeVar("T")
BEAT = re.compile(rb"^:.*\n+", re.MULTILINE)
"""Comments in a stream, which come by the clock."""
DATE = (b"date", format_datetime(SOME_TIME, usegmt=True).encode())
"""The time that a server reports. The browsers' clocks are stopped at it too."""


@dataclass
class Exchange:
    """One request and its answer."""

    asked: str
    headers: dict[bytes, bytes]
    body: bytes = b""
    status: int = 0
    answered: list[tuple[bytes, bytes]] = field(default_factory=list)
    parts: list[bytes] = field(default_factory=list)

    def told(self) -> str:
        """Return everything in it that must be the same in two worlds."""
        headers = [f"{name.decode()}: {value.decode()}" for name, value in self.answered if name.lower() != b"date"]
        asked = [f"{name.decode()}: {value.decode()}" for name, value in sorted(self.headers.items())]
        body = BEAT.sub(b"", b"".join(self.parts))
        return "\n".join([self.asked, *asked, repr(self.body), str(self.status), *headers, repr(body)])


class Switchboard:
    """Serves one world at a time, always at the same address. `wire` is what went over it since that world came."""

    def __init__(self) -> None:
        self.wire: list[Exchange] = []
        self.world: World | None = None

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._socket.close()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        config = uvicorn.Config(self._answer, interface="asgi3", lifespan="off", log_config=None, date_header=False)
        self._server = uvicorn.Server(config)
        self._ready.set()
        await self._server.serve(sockets=[self._socket])

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http", scope["type"]
        assert self.world is not None
        query = f"?{scope['query_string'].decode()}" if scope["query_string"] else ""
        exchange = Exchange(f"{scope['method']} {scope['path']}{query}", dict(scope["headers"]))
        self.wire.append(exchange)

        async def heard() -> Message:
            message = await receive()
            exchange.body += message.get("body", b"")
            return message

        async def said(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status, exchange.answered = message["status"], list(message.get("headers", ()))
                message = {**message, "headers": [*exchange.answered, DATE]}
            else:
                exchange.parts.append(message.get("body", b""))
            await send(message)

        await self.world.middleware(scope, heard, said)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something in the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    @contextmanager
    def serving(self, setting: Setting, side: int = 0) -> Iterator[World]:
        """Serve that world until it is left."""
        world = World(setting, side)
        self.run(world.__aenter__())
        self.world, self.wire = world, []
        try:
            yield world
        finally:
            self.run(world.__aexit__(None, None, None))
            self.world = None

    def append(self, events: Sequence[Recorded]) -> None:
        """Let these events happen in the served world."""
        self.do(lambda world: world.append(events))

    def do(self, work: Callable[[World], T]) -> T:
        """Do something with the world, in its loop."""

        async def done() -> T:
            assert self.world is not None
            return work(self.world)

        return self.run(done())

    def address(self, game: str, kind: LinkKind, seat: str | None = None) -> str:
        """The link of that kind which is the same in every world."""
        return f"{self.base}/games/{game}#{token(kind, seat or '')}"


def setting(
    game: str, ruleset: str, seat: str | None, log: Sequence[Recorded], side: int = 0, *, working: bool = True
) -> Setting:
    """Return a world with that log; the clocks of the two sides differ by seconds."""
    return Setting(game, ruleset, seat, log, later(SOME_TIME, 13 if side == 0 else 46), working=working)
