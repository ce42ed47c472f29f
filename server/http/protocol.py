"""HTTP as uvicorn and httptools speak it, with bounds on everything that they take without end.

Heads are bounded in bytes, headers and time, bodies in time, connections in number, and requests that are sent ahead
in number. Where what came is HTTP the answer is a problem document; then the connection is closed.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeGuard

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from sottovoce.server.http.addresses import is_among, place
from sottovoce.server.http.problems import MEDIA_TYPE, document
from sottovoce.server.http.settings import Settings
from sottovoce.server.http.stream import ABORT

AHEAD = 8
"""Requests that may wait on one connection while another is answered."""

OVERHEAD = 8
"""Times the bound of a body that its bytes on the wire may be: in chunks of one byte each byte takes six."""

_LINGER = struct.pack("ii", 1, 0)


class Gate:
    """Counts connections, in all and by address. A trusted proxy stands for many people and has no limit."""

    def __init__(self, settings: Settings) -> None:
        self._most = settings.bounds.connections
        self._most_each = settings.bounds.connections_per_address
        self._trusted = settings.trusted
        self._each: Counter[str] = Counter()
        self.open = 0

    def enter(self, address: str) -> str | None:
        """Let a connection in; what to do, if it may not come in."""
        where = place(address)
        if self.open >= self._most:
            return "Too many connections are open. Try again in a moment."
        if self._each[where] >= self._most_each and not is_among(address, self._trusted):
            return f"More than {self._most_each} connections are open from this address. Close some, then try again."
        self.open += 1
        self._each[where] += 1
        return None

    def leave(self, address: str) -> None:
        """Count one that came in out again."""
        where = place(address)
        self.open -= 1
        self._each[where] -= 1
        if not self._each[where]:
            del self._each[where]


class BoundedConfig(Config):
    """What each connection's protocol needs to know of the server."""

    def __init__(self, app: Any, settings: Settings, refused: Callable[[str], None], **more: Any) -> None:
        super().__init__(app, http=BoundedProtocol, **more)
        self.bounds = settings.bounds
        self.gate = Gate(settings)
        self.refused = refused


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(
        self,
        config: BoundedConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._bounds = config.bounds
        self._gate = config.gate
        self._refused = config.refused
        self._address: str | None = None
        self._answered: RequestResponseCycle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._within = False  # between the first byte of a message and its last
        self._in_head = True
        self._count = 0
        self._size = 0  # of the head, as far as it is known
        self._fed = 0  # bytes of this message, and those that came with its first
        self._refusal: tuple[str, str] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        why = self._gate.enter(address)
        if why is not None:
            self._refuse("unavailable", why)
            return
        self._address = address
        self._arm(self._bounds.head_seconds, self._head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self._leave_cycles()
        if self._address is not None:
            self._gate.leave(self._address)
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._fed += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._in_head and self._fed > self._bounds.header_bytes and self._within:
            self._refuse("headers", self._head_is_large())
        elif self._within and self._fed > OVERHEAD * self._bounds.body + self._bounds.header_bytes:
            self._refuse("too-large", f"The body is longer than {self._bounds.body} bytes. Send less.")
        elif (
            not self._within and self._timer is None and self.timeout_keep_alive_task is None and not _busy(self.cycle)
        ):
            # Line breaks between requests are no request; they buy no more time than its head would.
            self._arm(self._bounds.head_seconds, self._head_is_late)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._within = self._in_head = True
        self._count = self._size = self._fed = 0
        if self._timer is None:
            self._arm(self._bounds.head_seconds, self._head_is_late)
        self.scope["extensions"] = {ABORT: {"call": self.abort}}

    def on_url(self, url: bytes) -> None:
        self._grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count += 1
        if self._count > self._bounds.headers:
            self._stop("headers", f"There are more than {self._bounds.headers} headers. Send fewer.")
        self._grow(len(name) + len(value) + 4)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._disarm()
        if len(self.pipeline) >= AHEAD:
            self._stop(
                "too-many", f"More than {AHEAD} requests are waiting on this connection. Wait for their answers."
            )
        if self.parser.get_http_version() != "1.1":
            # Who reads an older one would take the sizes of a stream's chunks for its text.
            self._stop("http", "This server supports only HTTP/1.1. Configure your client or proxy to use it.")
        super().on_headers_complete()
        self._in_head = False
        self._fed = 0
        self._arm(self._bounds.body_seconds, self._body_is_late)

    def on_message_complete(self) -> None:
        self._disarm()
        self._within, self._in_head = False, True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser did not take, or what a bound stopped it in."""
        slug, detail = self._refusal or ("http", "This is not a valid HTTP/1.1 request. Check the request.")
        self._refuse(slug, detail)

    def abort(self) -> None:
        """End the connection now; what was not sent yet is dropped, by the kernel too."""
        self._leave_cycles()
        connection = self.transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
        self.transport.abort()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def _leave_cycles(self) -> None:
        """Tell the request that is being answered, which need not be the last that came, that nobody listens."""
        for cycle in (self._answered, self.cycle):
            if _busy(cycle):
                cycle.disconnected = True
                cycle.message_event.set()

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > self._bounds.header_bytes:
            self._stop("headers", self._head_is_large())

    def _head_is_large(self) -> str:
        return f"The head of the request is longer than {self._bounds.header_bytes} bytes. Send less."

    def _stop(self, slug: str, detail: str) -> None:
        """Stop the parser, which then asks for the answer."""
        self._refusal = slug, detail
        raise ValueError(slug)

    def _arm(self, seconds: float, late: Callable[[], None]) -> None:
        self._timer = self.loop.call_later(seconds, late)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _head_is_late(self) -> None:
        self._timer = None
        if self._within:
            self._refuse(
                "slow", f"The head of the request took more than {self._bounds.head_seconds:g} s. Send it faster."
            )
        else:  # nothing was asked
            self.transport.close()

    def _body_is_late(self) -> None:
        self._timer = None
        self._refuse("slow", f"The body took more than {self._bounds.body_seconds:g} s. Send it faster.")

    def _refuse(self, slug: str, detail: str) -> None:
        """Answer with a problem and close; where an answer is under way or given already, only close."""
        self._disarm()
        self._refused(slug)
        answering = _busy(self.cycle)
        if answering and (self._in_head or self.cycle.response_started or self.pipeline):
            self.abort()
            return
        if not answering and not self._in_head:  # it has its answer, though the request never came to its end
            self.transport.close()
            return
        told = document(slug, detail)
        body = json.dumps(told, ensure_ascii=False).encode()
        lines = [STATUS_LINE[int(told["status"])]]
        lines += [name + b": " + value + b"\r\n" for name, value in self.server_state.default_headers]
        lines.append(
            b"content-type: %s\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % (MEDIA_TYPE.encode(), len(body))
        )
        self.transport.write(b"".join([*lines, body]))
        self._leave_cycles()
        self.transport.close()


def _busy(cycle: RequestResponseCycle | None) -> TypeGuard[RequestResponseCycle]:
    """Whether there is a request whose answer is not complete."""
    return cycle is not None and not cycle.response_complete
