"""What the OpenAPI document says of every endpoint: who may ask, the answers, and every problem with an example."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from sottovoce.server.extras import LONGEST_CHOICE
from sottovoce.server.http.callers import opened_by
from sottovoce.server.http.models.examples import EXAMPLES
from sottovoce.server.http.problems import MEDIA_TYPE, PROBLEM_TYPES, document
from sottovoce.server.http.seen import SEEN
from sottovoce.server.links import LinkKind

EVERYWHERE = ("http", "slow", "origin", "host", "too-large", "headers", "invalid", "internal", "unavailable")
"""What any request may be answered with."""
OF_LINKS = ("unauthorized", "forbidden", "behind")

SCHEMES: Mapping[LinkKind, str] = {
    LinkKind.HOST: (
        "Creates and lists games on this server. Can't see inside a game. The server prints this link when it starts."
    ),
    LinkKind.KEEPER: (
        "Manages one game: put it on hold, change who plays a seat, create links, fork. Sees only what is public."
    ),
    LinkKind.SEAT: "Plays one seat: sees what that seat sees and answers for it.",
    LinkKind.SPECTATOR: "Watches what is public. Can't play.",
    LinkKind.AUDITOR: "Sees every seat and every secret of one game. Not for players.",
}

PROBLEM = {
    "type": "object",
    "description": "An error (RFC 9457). `detail` says what to do.",
    "properties": {
        "type": {"type": "string", "description": "`/problems/` and the kind of error."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
    "additionalProperties": False,
}

STREAMS = "text/event-stream"


def answers(
    *kinds: LinkKind,
    model: type[Any] | None = None,
    status: int = 200,
    means: str = "The result.",
    content: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    more: Mapping[int, str] | None = None,
    problems: Sequence[str] = (),
    anyone: bool = False,
    query: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The arguments of an endpoint's decorator: who may ask (every kind of link where none is named), what the answer
    is, other answers without a body in `more`, further problems, and in `query` parameters whose names vary.

    The answer's JSON is written by the endpoint; `model` says what it is.
    """
    good: dict[str, Any] = {"description": means}
    if model is not None:
        good["model"] = model
    if content is not None:
        good["content"] = dict(content)
    said = {**(headers or {}), **({} if anyone else {SEEN: "Number of entries in the viewer's view so far."})}
    good["headers"] = {name: {"description": about, "schema": {"type": "string"}} for name, about in said.items()}
    responses: dict[int | str, dict[str, Any]] = {status: good}
    for code, about in (more or {}).items():
        responses[code] = {"description": about}
    responses |= told((*problems, *(() if anyone else OF_LINKS), *EVERYWHERE))
    extra = {"security": []} if anyone else opened_by(*kinds)
    if query is not None:
        extra = {**extra, "parameters": [_any_of(name, about) for name, about in query.items()]}
    described = {"status_code": status, "response_model": None, "responses": responses, "openapi_extra": extra}
    # Without a class of its own an answer that is no JSON would be said to be some as well.
    return described if model is not None else {**described, "response_class": Response}


def _any_of(name: str, about: str) -> dict[str, Any]:
    """Query parameters of any names: each property of the object is a parameter."""
    shape = {"type": "object", "additionalProperties": {"type": "string", "maxLength": LONGEST_CHOICE}}
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": about,
        "schema": shape,
        "style": "form",
        "explode": True,
    }


def told(slugs: Sequence[str]) -> dict[int | str, dict[str, Any]]:
    """The problems of these kinds as responses, those that share a status together."""
    found: dict[int | str, dict[str, Any]] = {}
    for slug in sorted(set(slugs), key=lambda slug: (PROBLEM_TYPES[slug].status, slug)):
        kind = PROBLEM_TYPES[slug]
        there = found.get(kind.status)
        example = {"summary": kind.title, "value": document(slug, kind.example)}
        if there is not None:
            there["description"] += f"; or {kind.title.lower()}"
            there["content"][MEDIA_TYPE]["examples"][slug] = example
            continue
        found[kind.status] = {
            "description": kind.title,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": {slug: example}}},
        }
    return found


def describe(app: FastAPI) -> dict[str, Any]:
    """The document: FastAPI's, with the problem's schema, the kinds of link, and the streams' items.

    Types of JSON that share a name with what they are made of, such as `PieceJson`, are called by that name.
    """
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, summary=app.summary, description=app.description, routes=app.routes
        )
        made = json.loads(re.sub(r'(/schemas/|")([A-Z]\w+)Json"', r'\1\2"', json.dumps(made)))
        components = made.setdefault("components", {})
        schemas = components.setdefault("schemas", {})
        schemas["Problem"] = PROBLEM
        for name, example in EXAMPLES.items():
            schemas[name]["examples"] = [example]
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        for path in made["paths"].values():
            for operation in path.values():
                # The first sentence of what an endpoint says of itself is better than its name.
                operation["summary"] = operation["description"].split(". ")[0].split("\n")[0].rstrip(".")
        components["securitySchemes"] = {
            kind.value: {"type": "http", "scheme": "bearer", "description": about} for kind, about in SCHEMES.items()
        }
        app.openapi_schema = made
    return app.openapi_schema
