"""Errors as RFC 9457 problem documents, in the words that the command line uses.

Every error that this server answers with is one of `PROBLEM_TYPES`. Its `detail` says what to do, and depends on
nothing but the request and on what its sender may know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response

from sottovoce.domain.safe_text import visible_json

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class ProblemType:
    """What a slug stands for: its status, its title, and an example of a detail."""

    status: int
    title: str
    example: str


UNAUTHORIZED = "This needs a valid link. Ask the keeper of the game for one."
UNKNOWN = "This game does not exist, or your link does not open it."
NO_ROUTE = "Unknown address. /openapi.json lists all addresses."
INTERNAL = "Internal error. Details are in the server's log. Try again."

PROBLEM_TYPES: Mapping[str, ProblemType] = {
    "http": ProblemType(400, "Not HTTP", "This is not a valid HTTP/1.1 request. Check the request."),
    "unauthorized": ProblemType(401, "No valid link", UNAUTHORIZED),
    "origin": ProblemType(
        403,
        "Origin not allowed",
        "Pages of this origin can't use this server. Add it to the server's `origins` setting.",
    ),
    "forbidden": ProblemType(403, "Wrong link", "A seat link can't do this. Use a keeper link."),
    "unknown": ProblemType(404, "Not found", UNKNOWN),
    "method": ProblemType(405, "Method not allowed", "This address takes GET only."),
    "slow": ProblemType(408, "Too slow", "The body took more than 30 s. Send it faster."),
    "closed": ProblemType(409, "Closed", "Turn 7 is not open: it was answered, or its time ran out."),
    "too-large": ProblemType(413, "Too large", "The body is longer than 262144 bytes. Send less."),
    "host": ProblemType(
        421, "Unknown host", "This server does not serve that host name. Add it to the server's `hosts` setting."
    ),
    "refused": ProblemType(422, "Refused", "Your reply names no legal choice; name exactly one of: Ada, Bram."),
    "invalid": ProblemType(422, "Invalid request", "limit: Input should be less than or equal to 1000."),
    "too-many": ProblemType(429, "Too many requests", "More than 60 replies per minute. Wait 12 s."),
    "headers": ProblemType(431, "Headers too large", "The headers are longer than 16384 bytes. Send less."),
    "internal": ProblemType(500, "Internal error", INTERNAL),
    "behind": ProblemType(503, "Behind", "This server does not have entry 12 yet. Ask again in a moment."),
    "unavailable": ProblemType(503, "Unavailable", "The server is stopping. Try again in a moment."),
}
"""Every kind of problem by its slug, which its `type` ends with."""


class Problem(Exception):
    """Raised where a request is to be answered with a problem."""

    def __init__(self, slug: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.slug = slug
        self.detail = detail
        self.headers = headers

    def response(self) -> Response:
        """The answer."""
        return problem(self.slug, self.detail, self.headers)


def document(slug: str, detail: str) -> dict[str, str | int]:
    """The problem as an object: type, title, status, detail."""
    kind = PROBLEM_TYPES[slug]
    return {"type": f"/problems/{slug}", "title": kind.title, "status": kind.status, "detail": detail}


def problem(slug: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """The answer with the problem of that slug, one of `PROBLEM_TYPES`."""
    body = visible_json(json.dumps(document(slug, detail), ensure_ascii=False)).encode()
    return Response(body, PROBLEM_TYPES[slug].status, dict(headers or {}), MEDIA_TYPE)
