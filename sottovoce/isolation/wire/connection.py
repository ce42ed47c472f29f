"""Connections: a request in bytes to the server's own protocol, over a socket, and what comes back in bytes."""

from __future__ import annotations

import asyncio
import socket

from starlette.types import Scope
from uvicorn.server import ServerState

from sottovoce.isolation.wire.answers import Answer
from sottovoce.server.http.edge import Edge
from sottovoce.server.http.process import configuration
from sottovoce.server.http.protocol import BoundedProtocol
from sottovoce.server.http.settings import Settings

PIECE = 65_536
"""Bytes that are read at once."""
MOMENT = 1e-4
"""Seconds within which what comes is of one moment."""


class Connections:
    """The server's protocol for one application, as `serve` sets it up; each request has a connection of its own.

    A connection is a pair of local sockets, in which what is sent at one end is there at the other at once: on a clock
    that stands still nothing else would come at comparable moments.
    """

    def __init__(self, edge: Edge, settings: Settings) -> None:
        self._config = configuration(edge, settings, lambda slug: None)
        self._config.load()
        self._state = ServerState()
        self._state.default_headers = [(b"date", b"now"), *self._config.encoded_headers]

    async def ask(self, scope: Scope, body: bytes, answer: Answer) -> None:
        """Send a request and put what comes into `answer`, until the server closes or this is cancelled."""
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
        """Wait until what is under way has ended; those who asked have gone, and the server is to be closing."""
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
    """Note a piece of the body; what the socket had at one moment is one part, however often it was read from."""
    if answer.parts and when - answer.parts[-1][0] < MOMENT:
        when, before = answer.parts.pop()
        piece = before + piece
    answer.parts.append((when, piece))
