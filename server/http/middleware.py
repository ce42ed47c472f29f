"""What every request passes first: checks of its host, its origin and its length.

Then it is written as one line of the access log and counted, with the route's template instead of its path: neither has
a game, a token, a query or a text.
"""

from __future__ import annotations

import re
import time
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sottovoce.server.http.access_log import AccessLog, failure
from sottovoce.server.http.metrics import Metrics
from sottovoce.server.http.page import REPORTS
from sottovoce.server.http.problems import INTERNAL, problem
from sottovoce.server.http.settings import Settings

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_EVERYWHERE = ("0.0.0.0", "::", "")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_GRANTED = {
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers": "authorization, content-type, idempotency-key, if-none-match, last-event-id, "
    "sottovoce-seen",
    "access-control-max-age": "600",
}
_CLOSE = {"connection": "close"}
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^:@/\[\]\s]*))(?::[0-9]{0,5})?")

Headers = dict[bytes, list[bytes]]
Refusal = tuple[str, str]
"""The slug of a problem, and its detail."""


class Middleware:
    """An ASGI application around the one with the routes."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics, access_log: AccessLog) -> None:
        self._app = app
        self._metrics = metrics
        self._access_log = access_log
        self._logs = settings.log_requests
        self._body = settings.bounds.body
        own = [settings.host, *_LOOPBACK, *([urlsplit(settings.address).hostname] if settings.address else [])]
        self._hosts = {name.lower() for name in (*own, *settings.hosts) if name}
        self._any_address = settings.host in _EVERYWHERE
        self._address = settings.address
        self._origins = frozenset(settings.origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = _headers(scope)
        origin = headers.get(b"origin", [b""])[0].decode("latin-1").lower()
        granted = origin if origin in self._origins else ""
        status, streams = 0, False
        body = _Body(receive, self._body if b"transfer-encoding" in headers else None)

        async def counted(message: Message) -> None:
            nonlocal status, streams
            if message["type"] == "http.response.start":
                status = message["status"]
                streams = any(value.startswith(b"text/event-stream") for _, value in message["headers"])
                if granted:
                    message["headers"] = [*message["headers"], *_granting(granted)]
            await send(message)

        async def unless_too_large(message: Message) -> None:
            if status or not body.too_large:
                await counted(message)

        async def refuse(slug: str, detail: str) -> None:
            self._metrics.refused(slug)
            await problem(slug, detail, _CLOSE if slug == "too-large" else None)(scope, receive, counted)

        try:
            refusal = self._refusal(scope, headers, origin)
            if refusal is not None:
                await refuse(*refusal)
            elif granted and scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
                await Response(status_code=204, headers=_GRANTED)(scope, receive, counted)
            else:
                try:
                    await self._app(scope, body.next, unless_too_large)
                finally:
                    if body.too_large and not status:
                        await refuse(*self._too_large())
        except Exception as error:
            if not body.too_large:
                failure(self._access_log, error)
            if not status:
                await problem("internal", INTERNAL, _CLOSE)(scope, receive, counted)
        finally:
            seconds = time.perf_counter() - started
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = str(getattr(scope.get("route"), "path", "-"))
            self._metrics.answered(method, route, status, None if streams else seconds)
            if self._logs:
                self._access_log(method=method, route=route, status=status, ms=round(seconds * 1000, 1))

    def _refusal(self, scope: Scope, headers: Headers, origin: str) -> Refusal | None:
        """Why this request goes no further, if it does not."""
        hosts = headers.get(b"host", [])
        host = hosts[0].decode("latin-1").lower() if len(hosts) == 1 else ""
        if not self._answers_for(_name(host)):
            return (
                "host",
                "This server does not serve that host name. Use the server's own name, or add this one to "
                "its `hosts` setting.",
            )
        own = [f"{scope['scheme']}://{host}", self._address]
        if scope["path"] == REPORTS:
            own.append("null")  # not every browser names a page that asked not to be named, as ours does
        if origin and origin not in self._origins and origin not in own:
            return "origin", "Pages of this origin can't use this server. Add it to the server's `origins` setting."
        length = headers.get(b"content-length", [b"0"])[0]
        if int(length) > self._body:
            return self._too_large()
        return None

    def _answers_for(self, name: str) -> bool:
        return name in self._hosts or (self._any_address and _is_address(name))

    def _too_large(self) -> Refusal:
        return "too-large", f"The body is longer than {self._body} bytes. Send less."


class _Body:
    """A request's body as the application gets it. One that is longer than `most` ends as if the client had gone."""

    def __init__(self, receive: Receive, most: int | None) -> None:
        self._receive = receive
        self._most = most
        self._length = 0
        self.too_large = False

    async def next(self) -> Message:
        """The next part."""
        message = await self._receive()
        self._length += len(message.get("body", b""))
        self.too_large = self._most is not None and self._length > self._most
        return {"type": "http.disconnect"} if self.too_large else message


def _headers(scope: Scope) -> Headers:
    found: Headers = {}
    for name, value in scope["headers"]:
        found.setdefault(name, []).append(value)
    return found


def _name(host: str) -> str:
    """Return a host without its port and brackets; empty if the text is not a host, with or without a port."""
    found = _HOST.fullmatch(host)
    return "" if found is None else found["address"] or found["name"].removesuffix(".")


def _is_address(name: str) -> bool:
    """Return whether it is an address, behind which no other person's name can stand."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _granting(origin: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", b"etag, retry-after, sottovoce-seen"),
        (b"vary", b"origin"),
    ]
