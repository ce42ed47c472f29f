"""Connections: send a request in bytes to the server's own protocol over a socket, and read the answer in bytes."""

from __future__ import annotations

import asyncio
import socket

from starlette.types import Scope
from uvicorn.server import ServerState

from sottovoce.isolation.wire.answers import Answer
from sottovoce.server.http.middleware import Middleware
from sottovoce.server.http.process import configuration
from sottovoce.server.http.protocol import BoundedProtocol
from sottovoce.server.http.settings import Settings

PIECE = 65_536
"""Bytes to read at once."""
MOMENT = 1e-4
"""Seconds within which data counts as arriving at one moment."""


class Connections:
    """The server's protocol for one application, as `serve` sets it up. Each request has its own connection.

    A connection is a pair of local sockets. Data sent at one end is available at the other at once; otherwise it would
    not arrive at comparable times on a stopped clock.
    """

    def __init__(self, middleware: Middleware, settings: Settings) -> None:
        self._config = configuration(middleware, settings, lambda slug: None)
        self._config.load()
        self._state = ServerState()
        self._state.default_headers = [(b"date", b"now"), *self._config.encoded_headers]

    async def ask(self, scope: Scope, body: bytes, answer: Answer) -> None:
        """Send a request and put what arrives into `answer`, until the server closes or this is cancelled."""
        loop = asyncio.get_running_loop()
        here, there = socket.socketpair()
        try:
            for end in (here, there):
                end.setblocking(False)
            await loop.connect_accepted_socket(
                lambda: BoundedProtocol(self._config, self._state, {}),
                there,
            )
            started = loop.time()
            await loop.sock_sendall(here, _written(scope, body))
            head = b""
            while piece := await loop.sock_recv(here, PIECE):
                when = loop.time() - started
                if not answer.status:
                    head += piece
                    if b"\r\n\r\n" not in head:
                        continue
                    head, piece = head.split(b"\r\n\r\n", 1)
                    _read_head(head, answer)
                _take(answer, when, piece)
            answer.ended = True
        finally:
            here.close()

    async def close(self) -> None:
        """Wait until running requests have ended. Their clients have gone, and the server must be closing."""
        while self._state.tasks:
            await asyncio.wait(list(self._state.tasks))
        for connection in list(self._state.connections):
            connection.transport.abort()


def _written(scope: Scope, body: bytes) -> bytes:
    path = scope["raw_path"]
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    lines = [b"%s %s%s HTTP/1.1" % (scope["method"].encode(), path, query)]
    lines += [name + b": " + value for name, value in scope["headers"]]
    return b"\r\n".join([*lines, b"connection: close", b"", body])


def _read_head(head: bytes, answer: Answer) -> None:
    first, *lines = head.split(b"\r\n")
    answer.headers = [(name, value) for name, _, value in (line.partition(b": ") for line in lines)]
    answer.status = int(first.split(b" ")[1])


def _take(answer: Answer, when: float, piece: bytes) -> None:
    """Record a piece of the body. What the socket had at one moment is one part, however often it was read from."""
    if answer.parts and when - answer.parts[-1][0] < MOMENT:
        when, before = answer.parts.pop()
        piece = before + piece
    answer.parts.append((when, piece))
