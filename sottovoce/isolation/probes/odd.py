"""Requests that no client would send: unusual paths, methods that nothing accepts, headers that nobody should read.

The headers are those that the server reads during a request, those named in its code, and those by which servers in
general choose a version, a user or a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from starlette.datastructures import Headers

from sottovoce import server

METHODS = ("HEAD", "OPTIONS", "TRACE", "GET", "POST", "PUT", "PATCH", "DELETE", "QUERY")
ANSWERED = ("HEAD", "OPTIONS")
"""Methods that servers answer themselves. Every endpoint is asked with them each time."""

PATHS: Mapping[str, str] = {
    "with a slash behind it": "{path}/",
    "with two slashes behind it": "{path}//",
    "with a dot behind it": "{path}/.",
    "as a file": "{path}.json",
    "with a parameter in it": "{path};all=1",
    "from one level above": "{parent}/x/../{last}",
    "with an encoded slash": "{parent}%2f{last}",
    "with a double slash": "{parent}//{last}",
    "with a blank behind it": "{path}%20",
    "with a null behind it": "{path}%00",
    "in upper case": "{upper}",
    "with its last part in upper case": "{parent}/{last_upper}",
    "with its first part in upper case": "/{first_upper}",
    "under another version": "/v2{rest}",
    "under no version": "{rest}",
    "with more behind it": "{path}/all",
    "with two slashes before it": "/{path}",
}
"""Other ways to write a path."""

HEADERS = ("headers with numbers", "headers with words", "headers with seats", "a range of bytes", "asking for gzip")

BODIES: Mapping[str, bytes] = {
    "a body without end": b"{",
    "a body that is nothing": b"null",
    "a body that is a list": b"[1]",
    "a body of bytes": b"\xff\xfe",
    "a body with a number for a text": b'{"text": 3}',
    "a body with a text for fields": b'{"fields": "x"}',
    "a body with more in it": b'{"text": "yes", "seat": "x", "as": "x"}',
}
"""Bodies that are refused before they reach the rules."""

QUERIES = ("debug=1", "full=true", "seat={seat}", "as={seat}", "token=x", "auditor=1", "limit=1&limit=2", "_=1", "%00=")

KNOWN = tuple(
    """
    accept accept-additions accept-charset accept-datetime accept-encoding accept-features accept-language accept-patch
    accept-signature accept-version access-control-request-headers a-im alpn alt-used available-dictionary cache-control
    cdn-loop client-cert content-digest content-disposition content-language content-location cookie date depth
    destination device-memory dnt downlink dpop dpr early-data ect forwarded from idempotency-key if if-match
    if-modified-since if-none-match if-range if-schedule-tag-match if-unmodified-since isolation label last-event-id
    last-modified link lock-token max-forwards mime-version negotiate nonce origin-agent-cluster overwrite position
    pragma prefer priority purpose range referer repr-digest rtt save-data schedule-reply sec-ch-ua sec-fetch-dest
    sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc service-worker signature signature-input slug soapaction
    surrogate-capability tcn timeout topic traceparent tracestate ttl upgrade-insecure-requests urgency user-agent
    variant-vary via viewport-width want-content-digest want-digest want-repr-digest width x-api-key x-as x-auth-token
    x-client-version x-correlation-id x-csrf-token x-debug x-device-id x-forwarded-for x-forwarded-host
    x-forwarded-port x-forwarded-proto x-forwarded-user x-http-method-override x-original-url x-real-ip x-request-id
    x-requested-with x-rewrite-url x-role x-seat x-seq x-since x-sottovoce-seat x-user
    """.split()
)
"""Headers of requests that standards name, and those by which servers in general choose what to answer."""

FRAMING = frozenset(
    "authorization connection content-length content-type expect host keep-alive origin te trailer transfer-encoding"
    " upgrade access-control-request-method proxy-authorization sec-websocket-key".split()
)
"""Headers that a request needs, or that end it."""

_LITERAL = re.compile(r"""["']([a-z]{1,24}(?:-[a-z0-9]{1,24}){1,4})["']""")


@cache
def named_in_code() -> tuple[str, ...]:
    """Return names in the server's modules that could be headers, in lower case."""
    folder = Path(server.__file__).parent
    found = {name for path in folder.rglob("*.py") for name in _LITERAL.findall(path.read_text(encoding="utf-8"))}
    return tuple(sorted(found - FRAMING))


@contextmanager
def listening(heard: set[str]) -> Iterator[None]:
    """Inside this block, record which headers the application reads."""
    with ExitStack() as stack:
        for method in ("__getitem__", "__contains__", "getlist"):
            stack.enter_context(mock.patch.object(Headers, method, _noting(method, heard)))
        yield


def _noting(method: str, heard: set[str]) -> Any:
    real = getattr(Headers, method)

    def noting(self: Any, key: Any) -> Any:
        if isinstance(key, str):
            heard.add(key.lower())
        return real(self, key)

    return noting


def respelled(path: str, how: str) -> str:
    """Return the path written in one of the ways of `PATHS`."""
    parent, _, last = path.rpartition("/")
    first, _, rest = path.removeprefix("/").partition("/")
    return PATHS[how].format(
        path=path,
        parent=parent,
        last=last,
        last_upper=last.upper() if last.upper() != last else last.lower(),
        upper=path.upper(),
        first_upper=f"{first.upper()}/{rest}",
        rest=f"/{rest}",
    )
