"""Serves the web page: the built files, read and compressed once at the start.

A request is looked up among their names, so no path leads outside. The page contains nothing about games and is the
same for everyone; it gets what a link opens from the API, with the token. If a page breaks its policy, the browser
reports that; reports are counted and not read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.projections.bundle import INDEX, Bundle
from sottovoce.server.http.compression import pack, takes_gzip
from sottovoce.server.http.metrics import Metrics
from sottovoce.server.http.problems import NO_ROUTE, Problem

REPORTS = "/csp-report"

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types svelte-trusted-html",
        f"report-uri {REPORTS}",
    )
)
"""Everything from here, no code or style in the page's own text, and no text that becomes markup."""

GUARDED = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
PLAIN = {**GUARDED, "cache-control": "no-cache"}
FOR_EVER = {**GUARDED, "cache-control": "public, max-age=31536000, immutable"}
"""For files that have another name whenever they are other files."""

TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}
PACKED = (".html", ".js", ".css", ".svg", ".json", ".txt")
SINGLE = "file/"
"""What is put into exported files and not served."""

MISSING = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sottovoce: no page here</title></head>
<body>
<h1>This server has no web page</h1>
<p>The page in the browser was not built where this server was installed. In its folder, <code>make serve</code> builds
it and starts the server; a wheel has it.</p>
<p>The games are here all the same. In a terminal, <code>sottovoce join</code> and your link open your seat.</p>
</body>
</html>
"""

PAUSE = 60.0
"""Seconds between two lines about broken policies."""


@dataclass(frozen=True, slots=True)
class File:
    """One file as it is sent."""

    body: bytes
    packed: bytes | None
    headers: Mapping[str, str]
    media_type: str
    tag: str

    @classmethod
    def of(cls, name: str, body: bytes) -> File:
        """A file of the built page."""
        suffix = PurePosixPath(name).suffix
        small = pack(body, 9) if suffix in PACKED else body
        return cls(
            body=body,
            packed=small if len(small) < len(body) else None,
            headers=FOR_EVER if name.startswith("assets/") else PLAIN,
            media_type=TYPES.get(suffix, "application/octet-stream"),
            tag=f'"{sha256(body).hexdigest()[:32]}"',
        )

    def answer(self, request: Request, status: int = 200) -> Response:
        """The file, or that it is the one that is known."""
        headers = {**self.headers, "etag": self.tag, "vary": "accept-encoding"}
        known = request.headers.get("if-none-match", "")
        if self.tag in (given.strip().removeprefix("W/") for given in known.split(",")):
            return Response(status_code=304, headers=headers)
        body = self.body
        if self.packed is not None and takes_gzip(request.headers.get("accept-encoding", "")):
            body, headers["content-encoding"] = self.packed, "gzip"
        return Response(body, status, headers, self.media_type)


class Reports:
    """What browsers say of pages that broke their policy: how often, in the counts, and seldom a line."""

    def __init__(self, count: Callable[[], None], note: Callable[[str], None]) -> None:
        self._count = count
        self._note = note
        self._told = -PAUSE
        self._since = 0

    def take(self) -> None:
        """One more. What it says is not looked at: it may hold anything."""
        self._count()
        self._since += 1
        now = time.monotonic()
        if now - self._told >= PAUSE:
            self._note(f"a browser reports a violation of the page's policy ({self._since} since the last line)")
            self._told, self._since = now, 0


def page_router(bundle: Bundle | None, metrics: Metrics, note: Callable[[str], None]) -> APIRouter:
    """Return the routes of the page. Without a built page, they say what to do."""
    router = APIRouter(tags=["page"], include_in_schema=False)
    files = {} if bundle is None else {name: File.of(name, body) for name, body in bundle.files.items()}
    index = files.pop(INDEX, None)
    missing = File.of(INDEX, MISSING.encode())
    reports = Reports(
        metrics.counter("policy_reports", "Violations of the page's policy that browsers reported."), note
    )

    async def page(request: Request) -> Response:
        return missing.answer(request, 503) if index is None else index.answer(request)

    async def asset(request: Request) -> Response:
        found = files.get(request.url.path.removeprefix("/"))
        if found is None:
            raise Problem("unknown", NO_ROUTE)
        return found.answer(request)

    async def reported(request: Request) -> Response:
        reports.take()
        return Response(status_code=204)

    methods = ["GET", "HEAD"]
    for path in ("/", "/games/{game}"):
        router.add_api_route(path, page, methods=methods, name="page")
    router.add_api_route("/assets/{name:path}", asset, methods=methods, name="asset")
    for name in files:
        if "/" not in name:
            router.add_api_route(f"/{name}", asset, methods=methods, name="asset")
    router.add_api_route(REPORTS, reported, methods=["POST"], name="reported")
    return router
