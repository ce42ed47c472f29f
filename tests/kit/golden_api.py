"""Make the API page from the OpenAPI document that the server returns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sottovoce.eventlog import open_log
from sottovoce.server.games import Games
from sottovoce.server.http.app import build
from sottovoce.server.http.problems import PROBLEM_TYPES
from sottovoce.server.http.seen import SEEN
from sottovoce.server.http.settings import Settings
from sottovoce.server.links import Links
from sottovoce.server.live_games import LiveGames

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "api.md"
DOCUMENT = DOCS / "openapi.json"
"""The OpenAPI document, from which the browser page's types are made."""

HEAD = """# HTTP API

Every address of the server, what it takes and what it returns. To set up a server, see [server.md](server.md); for a
client in Python, see [client.md](client.md). `make golden` writes this page from the OpenAPI document, which a server
also serves at `/openapi.json`.
"""

STREAMS = """## Streams

A stream is `text/event-stream`.

- A frame of the event `entry` has the entry's seq as `id` and the entry as `data`, as in the view.
- `end` is the last frame, with `{"why": "over"}` or `{"why": "link-ended"}`.
- A frame with only `retry` says that the server is stopping: reconnect.
- To continue, send the last id as `Last-Event-ID`, to this or any other server of the same database. Nothing is lost
  and nothing comes twice.
- Comments (`: `) come at a fixed pace, whatever happens in the game. Without one for three times as long, reconnect.
- `limit` ends a stream after that many entries.

## Several servers

Any number of servers can share one address. Every answer about a game has the header `Sottovoce-Seen`: the number of
entries in your view so far, or the last position for an auditor. Send the highest number you received in the same
header with every request; then no server answers with less. A server that is behind reads on first. If it can't, it
answers with the problem `behind` and `Retry-After`, and has done nothing. `/turns` needs no header: a turn that was
closed anywhere before your request is not listed.

## Once

A reply or a message with an `Idempotency-Key` is accepted once. Sent again with the same key, to any server of the same
database, it gets the first answer again, byte for byte. A key belongs to one message of one seat, and to one turn if
the message answers a turn. Without a key, the same text to the same turn is accepted again as `repeated`.
"""


def document() -> dict[str, Any]:
    """Return the OpenAPI document of a server with default settings."""
    log = open_log("memory:")
    try:
        games = Games(log)
        links = Links(games)
        return build(LiveGames(games, links, plays=False), links, Settings()).openapi()
    finally:
        games.close()
        log.close()


def written() -> str:
    """Return the document as a file that people can read, independent of the order in which it was built."""
    return json.dumps(document(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def page() -> str:
    """Return the current page."""
    found = document()
    schemas = found["components"]["schemas"]
    parts = [HEAD, found["info"]["description"].strip(), "", *_links(found), STREAMS, *_problems(), "## Endpoints"]
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            parts += ["", *_operation(path, method, operation)]
    parts += ["", "## Bodies", ""]
    for name, schema in sorted(schemas.items()):
        parts += [*_schema(name, schema), ""]
    return "\n".join(parts).rstrip() + "\n"


def _links(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Links"
    yield ""
    yield from _table(
        ("kind", "what it can do"),
        [(f"`{kind}`", scheme["description"]) for kind, scheme in found["components"]["securitySchemes"].items()],
    )
    yield ""


def _problems() -> Iterator[str]:
    yield "## Problems"
    yield ""
    yield "The `type` of a problem is `/problems/` and one of these. Its `detail` says what to do."
    yield ""
    rows = [(f"`{slug}`", str(kind.status), kind.title, kind.example) for slug, kind in PROBLEM_TYPES.items()]
    yield from _table(("problem", "status", "title", "example"), rows)
    yield ""


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> Iterator[str]:
    kinds = [kind for entry in operation["security"] for kind in entry]
    yield f"### {method.upper()} {path}"
    yield ""
    yield " ".join(operation["description"].split())
    yield ""
    yield f"For: {', '.join(kinds) or 'anyone, without a link'}."
    if parameters := [one for one in operation.get("parameters", ()) if one["name"] != SEEN]:
        rows = [
            (f"`{one['name']}`", one["in"], _type(one["schema"]), _said(one), "" if one["required"] else _usual(one))
            for one in parameters
        ]
        yield ""
        yield from _table(("parameter", "in", "type", "description", "default"), rows)
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        yield ""
        yield f"Body: {_type(body)}."
    yield ""
    for status, response in operation["responses"].items():
        if int(status) < 400:
            yield f"- {status}: {_answer(response)}"
    wrong = [slug for status, one in operation["responses"].items() if int(status) >= 400 for slug in _slugs(one)]
    yield f"- or a problem: {', '.join(f'`{slug}`' for slug in wrong)}"


def _answer(response: Mapping[str, Any]) -> str:
    types = [
        _type(content["schema"]) if media == "application/json" else f"`{media}`"
        for media, content in response.get("content", {}).items()
    ]
    headers = [f"`{name}`" for name in response.get("headers", {}) if name != SEEN]
    told = response["description"].rstrip(".")
    return ", ".join((*([f"{told} ({' or '.join(types)})"] if types else [told]), *(f"with {one}" for one in headers)))


def _slugs(response: Mapping[str, Any]) -> Sequence[str]:
    return list(response["content"]["application/problem+json"]["examples"])


def _schema(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    yield " ".join(schema.get("description", "").split())
    rows = [
        (f"`{key}`", _type(value), "yes" if key in schema.get("required", ()) else "no")
        for key, value in schema.get("properties", {}).items()
    ]
    if rows:
        yield ""
        yield from _table(("key", "type", "required"), rows)
    for example in schema.get("examples", ()):
        yield ""
        yield f"```json\n{json.dumps(example, ensure_ascii=False, indent=2)}\n```"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if either := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(_type(one) for one in either)
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_type(schema['items'])}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return str(kind)


def _said(parameter: Mapping[str, Any]) -> str:
    return str(parameter.get("description", ""))


def _usual(parameter: Mapping[str, Any]) -> str:
    default = parameter["schema"].get("default")
    return "" if default in (None, "") else f"`{json.dumps(default)}`"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
