"""Inputs of endpoints: each parameter that the application accepts, and values for it from the hidden world.

Endpoints and parameters are read from the application itself, including those missing in its OpenAPI document, so a new
one is asked without a line here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import msgspec
from fastapi import FastAPI
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Header, Path, Query
from starlette.routing import Route

from sottovoce.isolation.probes.lexicon import Lexicon
from sottovoce.isolation.wire.operations import OPERATIONS, Effect, Request

PLACE = re.compile(r"\{(\w+)(?::\w+)?\}")
WHERE = {Path: "path", Query: "query", Header: "header"}
EVEN = ("null", "true", "0")
"""Values of the wrong type for any parameter."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One input of an endpoint: its place (`path`, `query`, `header` or `body`), its name and JSON schema."""

    where: str
    name: str
    schema: Mapping[str, Any] = field(compare=False)

    @property
    def type(self) -> str:
        """Return its JSON type, the first if there are several."""
        kinds = [self.schema, *self.schema.get("anyOf", ())]
        return next((kind["type"] for kind in kinds if kind.get("type", "null") != "null"), "string")

    @property
    def choices(self) -> tuple[str, ...]:
        """Return its possible values, if they are listed."""
        kinds = [self.schema, *self.schema.get("anyOf", ())]
        return tuple(str(value) for kind in kinds for value in kind.get("enum", ()))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method at one path. `kinds` are the links that open it; empty if anyone can ask."""

    method: str
    path: str
    parameters: tuple[Parameter, ...]
    kinds: frozenset[str]
    documented: bool

    @property
    def name(self) -> str:
        """Return its name in the OpenAPI document."""
        return f"{self.method} {self.path}"

    @property
    def effect(self) -> Effect:
        """Return the effect of a request. For an unknown one that is not a GET, assume the largest."""
        known = OPERATIONS.get(self.name)
        return known.effect if known else "reads" if self.method in ("GET", "HEAD") else "keeps"

    def open_to(self, kind: str) -> bool:
        """Return whether a link of that kind opens it."""
        return not self.kinds or kind in self.kinds


@lru_cache(maxsize=4)
def endpoints(app: FastAPI) -> tuple[Endpoint, ...]:
    """Return every endpoint of the application, including hidden ones, except mounted applications such as `/mcp`."""
    document = app.openapi()
    found = {}
    for route in _routes(app.routes):
        path = PLACE.sub(r"{\1}", route.path)
        for method in sorted(route.methods or ()):
            told = document["paths"].get(path, {}).get(method.lower())
            one = Endpoint(method, path, tuple(_parameters(route, told, document)), _kinds(told), told is not None)
            found[one.name] = one
    return tuple(found.values())


def mounted(app: FastAPI) -> tuple[str, ...]:
    """Return the paths of mounted applications, which answer every method themselves."""
    return tuple(route.path for route in _routes(app.routes) if not route.methods)


def _routes(routes: Sequence[Any]) -> Iterator[Any]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from _routes(included.routes)
        elif isinstance(route, Route):
            yield route


def _kinds(told: Any) -> frozenset[str]:
    return frozenset(kind for entry in (told or {}).get("security", ()) for kind in entry)


def _parameters(route: Any, told: Any, document: Any) -> Iterator[Parameter]:
    schemas = {(one["in"], one["name"]): one["schema"] for one in (told or {}).get("parameters", ())}
    seen = set()
    if hasattr(route, "dependant"):
        for field in get_flat_params(route.dependant):
            where = next((name for kind, name in WHERE.items() if isinstance(field.field_info, kind)), "cookie")
            seen.add((where, field.alias))
            yield Parameter(where, field.alias, schemas.get((where, field.alias), {}))
    for name in PLACE.findall(route.path):
        if ("path", name) not in seen:
            yield Parameter("path", name, {"type": "string"})
    for key in schemas.keys() - seen:
        yield Parameter(*key, schemas[key])
    body = (told or {}).get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    for name, schema in _resolved(body, document).get("properties", {}).items():
        yield Parameter("body", name, _resolved(schema, document))


def _resolved(schema: Mapping[str, Any], document: Any) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: Mapping[str, Any] = document["components"]["schemas"][reference.rpartition("/")[2]]
    return found


@dataclass(frozen=True, slots=True)
class Value:
    """A value to ask with, and its kind for the report."""

    kind: str
    value: Any


def values(parameter: Parameter, lexicon: Lexicon, rng: random.Random) -> Iterator[Value]:
    """Return values for a parameter, the most revealing first."""
    numbers = [Value(kind, number) for kind, number in lexicon.integers(rng, 14)]
    words = [Value(kind, word) for kind, word in lexicon.texts(rng, 14)]
    listed = [Value("listed", choice) for choice in parameter.choices]
    match parameter.where, parameter.type:
        case _, "number":
            yield from (Value("seconds", 1), Value("seconds", 30), *numbers[:3])
        case _, "integer":
            yield from numbers
            yield from words[:1]
        case _, "boolean":
            yield from (Value("listed", "true"), Value("listed", "false"))
        case "header", _:
            for each in numbers:
                yield from (Value(f"{each.kind}, quoted", f'"{each.value}"'), each)
                if each.kind == "length" and parameter.name.lower().startswith("if-"):
                    yield Value("length, quoted", f'W/"{each.value}"')
            yield from words
        case "body", "object":
            yield from (Value(each.kind, {each.value: each.value}) for each in words)
        case "body", "array":
            yield from (Value(each.kind, [each.value]) for each in words)
        case _:
            yield from listed
            yield from words
            yield from numbers[:4]
    yield from (Value("of another type", value) for value in EVEN)


def asked(
    endpoint: Endpoint, chair: str, places: Mapping[str, str], given: Mapping[Parameter, Any], plain: Any = None
) -> Request:
    """Return the request with these values. `plain` is the rest of its body."""
    path, query, headers = endpoint.path, [], []
    body = dict(plain) if isinstance(plain, dict) else plain
    filled = {name: places.get(name, "1") for name in PLACE.findall(path)}
    for parameter, value in given.items():
        match parameter.where:
            case "path":
                filled[parameter.name] = str(value)
            case "query":
                query.append(f"{quote(parameter.name)}={quote(str(value))}")
            case "header":
                headers.append((parameter.name, in_header(value)))
            case "cookie":
                headers.append(("cookie", f"{parameter.name}={in_header(value)}"))
            case _:
                body = {**(body or {}), parameter.name: value}
    for name, value in filled.items():
        path = path.replace(f"{{{name}}}", value)
    encoded = b"" if body is None else msgspec.json.encode(body)
    return Request(endpoint.name, chair, endpoint.method, path, "&".join(query), encoded, tuple(headers))


def in_header(value: object) -> str:
    """Return the value as far as a header can contain it."""
    return re.sub(r"[^\x20-\x7e]", "?", str(value))[:180]
