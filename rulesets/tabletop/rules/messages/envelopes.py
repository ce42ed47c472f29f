"""Envelopes: what one whole reply of an agent sends, in order (T-141 to T-144, T-166).

A reply is a JSON object `{"messages": [...]}` whose items are envelopes, `{"delta": {...}}` or `{"roll": {...}}`, or it
is plain text with tags in it. What an envelope holds is not looked at here: each item is accepted or refused by itself,
later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from sottovoce import Refused, readable
from sottovoce.rulesets.tabletop.rules.messages.editions import Edition
from sottovoce.rulesets.tabletop.rules.messages.items import (
    AttitudeChange,
    AttitudeForm,
    CheckForm,
    CheckRequest,
    EnvelopeForm,
    FactsForm,
    FactsRequest,
    Item,
    Malformed,
    OpenDocument,
    OpenForm,
    Place,
    ResourceDelta,
    ResourceDeltaForm,
    RollForm,
    RollRequest,
    Send,
    TextDelta,
    TextDeltaForm,
)
from sottovoce.rulesets.tabletop.rules.messages.message import parse
from sottovoce.rulesets.tabletop.rules.messages.routes import one_recipient
from sottovoce.rulesets.tabletop.rules.names import as_typed, check_name
from sottovoce.rulesets.tabletop.rules.rolls import expression
from sottovoce.rulesets.tabletop.rules.texts import blank, in_lines, shown

_FENCE = re.compile(r"```[a-zA-Z]{0,8}[ \t]*\n")
_JSON_BEGUN = re.compile(r"\{\s*[\"}]|\[\s*[{\]]")
_NAMED = re.compile(r"@(\S+)\s*")
_PLACED = re.compile(r"@place[ \t]+([^;]*)(?:;(.*))?")
_TAG_LINE = re.compile(r"\[([A-Z_]+)\]|\[AWAIT_AI_PLAYERS:[^\[\]]*\]")
_SENDERS = ("from", "sender", "author", "seat")
_SIGNED = re.compile(r"[+-][0-9]{1,7}")
_TWICE = "\x00twice"


def read_reply(text: str, *, seat: str, edition: Edition, seats: Sequence[str]) -> tuple[Item, ...]:
    """What the reply of `seat` sends, in order; an empty tuple for a reply that sends nothing, blank ones included.

    `seats` are those at the table. Refused only where the whole reply cannot be read.
    """
    text = _unfenced(readable(text))
    if blank(text):
        return ()
    if _JSON_BEGUN.match(text):
        return tuple(_read_item(item, number, seat, seats) for number, item in enumerate(_json_items(text), 1))
    return tuple(_read_text(in_lines(text), seat, edition, seats))


def in_json(text: str) -> bool:
    """Whether the reply is, or means to be, one in JSON."""
    return bool(_JSON_BEGUN.match(_unfenced(readable(text))))


def _unfenced(text: str) -> str:
    """The text without white space around it and without a code fence round the whole of it."""
    text = text.strip()
    opening = _FENCE.match(text)
    if opening and text.endswith("\n```") and text.count("```") == 2:
        return text[opening.end() : -4].strip()
    return text


def _json_items(text: str) -> Sequence[Any]:
    try:
        reply = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        raise Refused('Your reply is JSON nested too deeply; send {"messages": […]}.') from None
    except ValueError as error:
        where = f" in line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else f": {error}"
        raise Refused(f"Your reply looks like JSON but can't be read{where}; fix it or write text.") from None
    if isinstance(reply, list):
        return reply
    if "messages" not in reply:
        return [reply]
    others = [name for name in reply if name != "messages"]
    if others or not isinstance(reply["messages"], list):
        raise Refused(
            'Your reply is not of the form {"messages": […]}: '
            + (f"leave out {_key(others[0])}" if others else "messages is a list")
            + "."
        )
    return reply["messages"]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        found[_TWICE] = True
    return found


def _no_number(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


def _read_item(item: Any, number: int, seat: str, seats: Sequence[str]) -> Item:
    try:
        return _item(item, seat, seats)
    except Refused as refusal:
        return Malformed(f"Item {number} of your reply: {refusal}")


def _item(item: Any, seat: str, seats: Sequence[str]) -> Item:
    if not isinstance(item, dict):
        raise Refused(
            'an item is an envelope {"type", "recipient", "content"}, {"delta": {…}}, {"roll": {…}}, {"open": "…"}, '
            '{"facts": "…"}, {"check": "…", "who": "…"} or {"attitude": "…", "change": 1}.'
        )
    if "open" in item:
        opened = _form(OpenForm, item)
        return OpenDocument(readable(opened.open).strip(), opened.heading and readable(opened.heading))
    if "facts" in item:
        asked = _form(FactsForm, item)
        return FactsRequest(readable(asked.facts).strip(), asked.topic and readable(asked.topic))
    if "check" in item:
        check = _form(CheckForm, item)
        return CheckRequest(readable(check.check).strip(), readable(check.who), check.fact and readable(check.fact))
    if "attitude" in item:
        attitude = _form(AttitudeForm, item)
        return AttitudeChange(readable(attitude.attitude).strip(), attitude.change)
    if "delta" in item:
        return _delta(_only(item, "delta"))
    if "roll" in item:
        return _roll(_only(item, "roll"))
    stated = [name for name in _SENDERS if name in item]
    if stated:
        raise Refused(f"an envelope does not state its sender, which is the seat that sends it; leave out {stated[0]}.")
    envelope = _form(EnvelopeForm, item)
    if envelope.type == "broadcast":
        if envelope.recipient is not None:
            raise Refused("a broadcast goes to all seats; leave out recipient, or send it as a message.")
        return Send("broadcast", None, readable(envelope.content), placed(envelope.place, envelope.time))
    if envelope.recipient is None:
        raise Refused("a message goes to one seat; name it as recipient.")
    to = _seat(envelope.recipient, seat, seats)
    return Send("message", to, readable(envelope.content), placed(envelope.place, envelope.time))


def placed(name: str | None, time: str | None) -> Place | None:
    """Where and when, each on one line; None where neither says anything (T-168)."""
    given = Place(*(" ".join(readable(text or "").split()) for text in (name, time)))
    return given if given.name or given.time else None


def _only(item: Mapping[str, Any], name: str) -> Any:
    others = [other for other in item if other != name]
    if others:
        raise Refused(f"an item with {name} can have no other keys; leave out {_key(others[0])}.")
    return item[name]


def _delta(data: Any) -> Item:
    if isinstance(data, dict) and ("character" in data or "resource" in data):
        resource = _form(ResourceDeltaForm, data)
        character = as_typed(resource.character)
        check_name(character)
        change = resource.change
        if isinstance(change, str):
            change = int(change) if _SIGNED.fullmatch(change.strip()) else readable(change)
        return ResourceDelta(character, readable(resource.resource), change)
    text = _form(TextDeltaForm, data)
    if text.operation != "remove" and blank(text.text):
        raise Refused(f"text is empty; a delta with {text.operation} needs a text.")
    heading = None if text.heading is None else readable(text.heading)
    return TextDelta(readable(text.document), heading, text.operation, in_lines(text.text))


def _roll(data: Any) -> Item:
    roll = _form(RollForm, data)
    who = as_typed(roll.who)
    check_name(who)
    return RollRequest(who, readable(roll.check), expression(roll.expression).text, roll.dc)


def _form(form: type[Any], data: Any) -> Any:
    try:
        return form.model_validate(data)
    except ValidationError as error:
        problems = [f"{_path(each['loc'])} {_problem(each['type'], each['msg'])}" for each in error.errors()]
        raise Refused("; ".join(dict.fromkeys(problems[:8])) + ".") from None


def _path(loc: tuple[int | str, ...]) -> str:
    return _key(str(loc[0])) if loc else "it"


def _key(name: str) -> str:
    return "what is given twice" if name == _TWICE else shown(name)


def _problem(kind: str, message: str) -> str:
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "has no place here"
        case _:
            return f"is wrong: {message[:1].lower()}{message[1:]}"


def _seat(name: str, sender: str, seats: Sequence[str]) -> str:
    """The recipient, which must be at the table (T-012); the person's own seat is nobody's addressee (T-009)."""
    name = as_typed(name)
    others = [other for other in seats if other not in (sender, "human")]
    if name not in others:
        raise Refused(f"{shown(name)} is not a seat that you can write to; write to one of: {', '.join(others)}.")
    return name


def _read_text(text: str, seat: str, edition: Edition, seats: Sequence[str]) -> Iterable[Item]:
    """The messages of a plain text, split at the lines that are exactly a live tag (T-143).

    Before the tag, and before the line that names a recipient, a line `@place PLACE; TIME` may stand (T-168).
    """
    parts: list[tuple[str | None, str | None, Place | None, list[str]]] = [(None, None, None, [])]
    for line in text.split("\n"):
        tag = _tag_of(line.rstrip(), edition)
        if tag:
            before = parts[-1][3]
            parts.append((tag, _named_before(before), _placed_before(before), []))
        parts[-1][3].append(line)
    for number, (tag, named, place, lines) in enumerate(parts):
        content = "\n".join(lines).strip("\n")
        if blank(content):
            continue
        try:
            yield replace(_directed(tag, named, content, seat, edition, seats), place=place)
        except Refused as refusal:
            yield Malformed(f"The message [{tag}], number {number} in your reply: {refusal}")


def _tag_of(line: str, edition: Edition) -> str | None:
    match = _TAG_LINE.fullmatch(line)
    if match is None:
        return None
    tag = match[1] or "AWAIT_AI_PLAYERS"
    return tag if edition.live(tag) else None


def _named_before(lines: list[str]) -> str | None:
    """Take the line `@seat-name` from the end of what comes before a tag, blank lines aside."""
    at = len(lines)
    while at and not lines[at - 1].strip():
        at -= 1
    named = _NAMED.fullmatch(lines[at - 1]) if at else None
    if named is None:
        return None
    del lines[at - 1 :]
    return named[1]


def _placed_before(lines: list[str]) -> Place | None:
    """Take the line `@place PLACE; TIME` from the end of what comes before a tag, blank lines aside (T-168)."""
    at = len(lines)
    while at and not lines[at - 1].strip():
        at -= 1
    found = _PLACED.fullmatch(lines[at - 1].strip()) if at else None
    if found is None:
        return None
    del lines[at - 1 :]
    return placed(found[1], found[2])


def _directed(
    tag: str | None, named: str | None, content: str, seat: str, edition: Edition, seats: Sequence[str]
) -> Send:
    kind = edition.live(tag)
    if named:
        return Send("message", _seat(named, seat, seats), content)
    if kind is None:
        return Send("message", "team-lead" if seat == "gm" else "gm", content)
    if kind.route.broadcast:
        return Send("broadcast", None, content)
    recipient = one_recipient(kind.route)
    if recipient:
        return Send("message", recipient, content)
    addressed = _addressed(content, edition)
    if addressed:
        return Send("message", _seat(addressed, seat, seats), content)
    raise Refused("its recipient is not named; write it as '@seat-name' on the line before the tag.")


def _addressed(content: str, edition: Edition) -> str | None:
    """Whom the message itself says that it is to, in a field `to` (T-146)."""
    try:
        return parse(content, edition).text("to") or None
    except Refused:
        return None
