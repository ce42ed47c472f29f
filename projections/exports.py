"""Convert an event to the JSON object that `export` prints and `import` reads, and back, without loss.

`data` is the parsed body. The stored body is that data as compact JSON, so its hash can be checked again after an
import. If compact JSON gives other bytes (a float such as 1e16 has several spellings), the object also has the key
`body`: the stored JSON text as a string, which then counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, NotRequired

import msgspec
from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.audience import Audience
from sottovoce.domain.events import STORED_NAME, Enveloped, Event, Recorded
from sottovoce.domain.piece import CLOSED, PieceJson
from sottovoce.domain.safe_text import visible_json
from sottovoce.projections.marks import MarkJson

KEYS = ("game", "position", "append", "name", "at", "actor", "audience", "cause", "data", "salt", "hash")
"""The keys of an exported event, in the order in which they are printed."""

_HEX = re.compile(r"(?:[0-9a-f]{2})*")


class Exported(Enveloped, frozen=True, gc=False):
    """A recorded event with its body not yet decoded."""

    def recorded(self, event: Event) -> Recorded:
        """Return the recorded event with this decoded body."""
        return Recorded(**msgspec.structs.asdict(self), event=event)


def stamp(at: datetime) -> str:
    """Format a time in UTC as ISO 8601 with microseconds and offset."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def compact(data: Any) -> str:
    """Return JSON without spaces or escaped characters."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@with_config(CLOSED)
class FullEvent(TypedDict):
    """An event as stored, for an auditor.

    `body` is present if `data` does not give its bytes; `piece` and `marks` in the view.
    """

    game: str
    position: int
    append: str
    name: str
    at: str
    actor: str | None
    audience: Literal["everyone"] | list[str]
    cause: int | None
    data: dict[str, Any]
    salt: str
    hash: str
    body: NotRequired[str]
    piece: NotRequired[PieceJson | None]
    marks: NotRequired[list[MarkJson]]


def export_event(recorded: Recorded) -> FullEvent:
    """The event as one JSON object with the keys of `KEYS`, and `body` where it takes that to be lossless."""
    text = recorded.body.decode()
    data = json.loads(text)
    exported: FullEvent = {
        "game": recorded.game,
        "position": recorded.position,
        "append": recorded.append,
        "name": recorded.name,
        "at": stamp(recorded.at),
        "actor": recorded.actor,
        "audience": recorded.audience.to_json(),
        "cause": recorded.cause,
        "data": data,
        "salt": recorded.salt.hex(),
        "hash": recorded.hash.hex(),
    }
    if _compact_or_none(data) != text:
        exported["body"] = text
    return exported


def export_line(recorded: Recorded) -> str:
    """Return the event as one line of an export, without the line end."""
    return visible_json(compact(export_event(recorded)))


def parse_line(line: str) -> Exported:
    """Reverse `export_line`. Raises a one-line ValueError for anything else."""
    try:
        value = json.loads(line, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    return parse_exported(value)


def parse_exported(value: object) -> Exported:
    """Reverse `export_event`, strictly. Raises a one-line ValueError that names the unknown, missing or wrong key."""
    if not isinstance(value, Mapping):
        raise ValueError("an exported event must be a JSON object")
    unknown = sorted(str(key) for key in value if key not in (*KEYS, "body"))
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; an event has: {', '.join(KEYS)}")
    missing = [key for key in KEYS if key not in value]
    if missing:
        raise ValueError(f"the key {missing[0]!r} is missing")
    return Exported(
        game=_text(value, "game"),
        position=_number(value, "position"),
        append=_text(value, "append"),
        name=_name(value),
        at=_at(value),
        actor=None if value["actor"] is None else _text(value, "actor"),
        audience=_audience(value),
        cause=None if value["cause"] is None else _number(value, "cause"),
        body=_body(value),
        salt=_hex(value, "salt"),
        hash=_hex(value, "hash"),
    )


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} appears twice")
        found[key] = value
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _compact_or_none(data: Any) -> str | None:
    try:
        return compact(data)
    except ValueError:
        return None


def _text(value: Mapping[Any, Any], key: str) -> str:
    found = value[key]
    if not isinstance(found, str) or not found:
        raise ValueError(f"{key!r} must be a non-empty text")
    try:
        found.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{key!r} contains half a surrogate pair, which is not text") from None
    return found


def _number(value: Mapping[Any, Any], key: str) -> int:
    found = value[key]
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise ValueError(f"{key!r} must be a whole number from 1")
    return found


def _name(value: Mapping[Any, Any]) -> str:
    name = _text(value, "name")
    if not STORED_NAME.fullmatch(name):
        raise ValueError("'name' must be a stored name such as core.turn-opened.v1")
    return name


def _at(value: Mapping[Any, Any]) -> datetime:
    try:
        at = datetime.fromisoformat(_text(value, "at"))
        if at.tzinfo is None:
            raise ValueError
        return at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("'at' must be an ISO 8601 time with an offset") from None


def _audience(value: Mapping[Any, Any]) -> Audience:
    try:
        return Audience.from_json(value["audience"])
    except ValueError as error:
        raise ValueError(f"'audience': {error}") from None


def _hex(value: Mapping[Any, Any], key: str) -> bytes:
    found = value[key]
    if not isinstance(found, str) or not _HEX.fullmatch(found):
        raise ValueError(f"{key!r} must be lower-case hexadecimal digits, two a byte")
    return bytes.fromhex(found)


def _body(value: Mapping[Any, Any]) -> bytes:
    data = value["data"]
    if not isinstance(data, Mapping):
        raise ValueError("'data' must be a JSON object")
    try:
        text = compact(data)
    except (TypeError, ValueError, RecursionError):
        raise ValueError("'data' must be plain JSON") from None
    if "body" in value:
        text = _text(value, "body")
        try:
            same = json.loads(text) == data
        except (ValueError, RecursionError):
            raise ValueError("'body' must be JSON text") from None
        if not same:
            raise ValueError("'body' and 'data' differ")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError("'data' contains half a surrogate pair, which is not text") from None
