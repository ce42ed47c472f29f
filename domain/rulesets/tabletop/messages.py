"""Messages: from text to fields and body, and back.

    message = parse(text, edition_named("current"))      # Refused with one message that says all that is wrong
    serialise(message, edition)                          # parses to an equal message (T-032)
    compose("PLAYER_TO_GM", {"type": "ACTION", "character": "tilda-brannock"}, "She waits.", edition)

Who may send what, when, and who sees it is not decided here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from domain.errors import Refused
from domain.reading import readable
from domain.rulesets.tabletop.editions import DEPRECATIONS, SIGNAL, Edition, TagRule
from domain.rulesets.tabletop.fields import Taking, Value
from domain.rulesets.tabletop.header import read_fields, write_field
from domain.rulesets.tabletop.phrases import asks_for_action, is_out_of_character, options, veto_reason
from domain.rulesets.tabletop.texts import blank, body_held, in_lines, shown

_BRACKETED = re.compile(r"\[([A-Za-z_]+)\]")
_SIGNAL_BEGUN = re.compile(r"\[AWAIT_AI_PLAYERS(?![A-Z0-9_])", re.IGNORECASE)
_SIGNAL = re.compile(r"\[AWAIT_AI_PLAYERS:([^\[\]]*)\]")
_SIGNAL_FORM = "[AWAIT_AI_PLAYERS: corwin-voss, tilda-brannock]"
_NO_FIELDS: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it was read.

    `tag` is None for informal text, whose `body` is the whole text verbatim. `fields` holds the values by name, in the
    order of their definition and then the undefined ones, which `undefined` names; those inside the entries of a list
    are named like `options[1].mood`. `body` is the text after the header, or the prose.
    """

    tag: str | None
    fields: Mapping[str, Value] = field(default_factory=lambda: _NO_FIELDS, hash=False)
    body: str = ""
    undefined: tuple[str, ...] = ()

    def text(self, name: str) -> str:
        """The field of that name as text; empty where it is absent."""
        return str(self.fields.get(name, ""))

    def names(self, name: str) -> tuple[str, ...]:
        """The texts of a list field; none where it is absent."""
        value = self.fields.get(name, ())
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, tuple) else ()

    def entries(self, name: str) -> tuple[Mapping[str, str], ...]:
        """The entries of a list field; none where it is absent."""
        value = self.fields.get(name, ())
        return tuple(item for item in value if not isinstance(item, str)) if isinstance(value, tuple) else ()

    def to_json(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return {name: _to_json(value) for name, value in self.fields.items()}


def parse(text: str, edition: Edition) -> Message:
    """The message that the text is (T-015 to T-030), or Refused."""
    if blank(text):
        raise Refused("Your message is empty; write something.")
    lines = in_lines(text).split("\n")
    at = next(number for number, line in enumerate(lines) if line.strip())
    first, rest = lines[at].strip(), lines[at + 1 :]
    opening = _BRACKETED.match(first)
    tag = opening[1].upper() if opening else None
    if _SIGNAL_BEGUN.match(first):
        return _signal(first, rest)
    if tag and tag in edition.deprecated:
        raise Refused(f"[{tag}] is no longer sent in the edition {edition.name}; {DEPRECATIONS[tag].advice}.")
    rule = edition.tags.get(tag) if tag else None
    if rule is None:
        return Message(None, body=readable(text))
    if first != f"[{tag}]":
        raise Refused(f"The first line reads {shown(first)}; write [{tag}] alone on it, in capitals.")
    header, body = _split(rule, rest)
    raw = read_fields(header, at + 2, rule.fields)
    return _checked(rule, edition, raw, body)


def compose(tag: str, fields: Mapping[str, Value], body: str = "", *, edition: Edition) -> Message:
    """A message put together by the game, held as `parse` would hold it; Refused where `parse` would refuse it."""
    rule = _rule(tag, edition)
    message = _checked(rule, edition, fields, body)
    if rule.body not in ("none", "prose"):
        for name in message.undefined:
            if "" in map(str.strip, _lines(message.fields.get(name, ()))):
                raise Refused(f"{name} has a blank line, where the header of {tag} would end; leave the line out.")
    return message


def serialise(message: Message, edition: Edition) -> str:
    """The message as text (T-031, T-033): tag, fields in the order of their definition, undefined ones, body."""
    if message.tag is None:
        return message.body
    if message.tag == SIGNAL.tag:
        return f"[{SIGNAL.tag}: {', '.join(message.names('names'))}]"
    rule = _rule(message.tag, edition)
    lines = [f"[{rule.tag}]"]
    defined = [each.name for each in rule.fields]
    for name in (*defined, *(name for name in message.fields if name not in defined)):
        if name in message.fields:
            lines += write_field(name, message.fields[name], defined=name in defined)
    if message.body:
        lines += ["", message.body]
    return "\n".join(lines)


def sections(body: str) -> dict[str, str]:
    """The texts below the body's `## ` headings, by heading, in order. Text before the first is in none of them.

    The texts of a heading that is given more than once are put together.
    """
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in body.split("\n"):
        if line.startswith("## "):
            lines = found.setdefault(line[3:].strip(), [])
        elif lines is not None:
            lines.append(line)
    return {heading: body_held("\n".join(lines)) for heading, lines in found.items()}


def _rule(tag: str, edition: Edition) -> TagRule:
    if tag not in edition.tags:
        raise Refused(f"The edition {edition.name} has no tag {tag}.")
    return edition.tags[tag]


def _split(rule: TagRule, lines: Sequence[str]) -> tuple[Sequence[str], str]:
    """The lines of the header, and the body."""
    if rule.body == "none":
        return lines, ""
    if rule.body == "prose":
        return (), "\n".join(lines)
    end = next(
        (at for at, line in enumerate(lines) if not line.strip() or line.startswith("## ")),
        len(lines),
    )
    return lines[:end], "\n".join(lines[end:])


def _checked(rule: TagRule, edition: Edition, raw: Mapping[str, Value], body: str) -> Message:
    taking = Taking()
    taken = taking.take(rule.fields, raw)
    body = body_held(body)
    if rule.body == "none" and body:
        taking.wrong.append(f"{rule.tag} has no body")
    elif rule.body == "sections":
        _check_sections(rule, body, taking)
    elif rule.body != "none" and not body:
        taking.missing.append("its text" if rule.body == "prose" else "a text below the fields and a blank line")
    message = Message(rule.tag, MappingProxyType(taken), body, tuple(taking.undefined))
    if not taking.missing:
        taking.wrong += _out_of_place(message, edition)
    taking.finish(rule.tag)
    return message


def _check_sections(rule: TagRule, body: str, taking: Taking) -> None:
    held = sections(body)
    lacking = [heading for heading in rule.sections if not held.get(heading)]
    taking.missing += [f"the section '## {heading}'" for heading in lacking]
    headings = Counter(line[3:].strip() for line in body.split("\n") if line.startswith("## "))
    taking.wrong += [f"the section '## {name}' is there more than once" for name in rule.sections if headings[name] > 1]
    there = [heading for heading in held if heading in rule.sections]
    if not lacking and there != list(rule.sections):
        taking.wrong.append(f"the sections come in the order {', '.join(rule.sections)}")


def _out_of_place(message: Message, edition: Edition) -> Iterable[str]:
    """What is wrong with a message whose fields are each in order."""
    match message.tag:
        case "NARRATIVE" if not edition.action_prompts and asks_for_action(message.body):
            yield "a NARRATIVE does not ask what anybody does; ask each player with a [GM_TO_PLAYER] of their own"
        case "SESSION_COMMAND" if message.text("command") == "start":
            roster = (message.text("player_character"), *message.names("ai_characters"))
            yield from _twice(roster, "player_character and ai_characters name")
        case "AWAIT_PLAYERS":
            yield from _twice([entry.get("name", "") for entry in message.entries("characters")], "characters names")
        case "PLAYER_RESPONSES":
            entries = (*message.entries("responses"), *message.entries("vetoes"))
            yield from _twice([entry.get("character", "") for entry in entries], "responses and vetoes list")
            if any(veto_reason(entry.get("response", "")) is not None for entry in message.entries("responses")):
                yield "a response that opens with [VETO belongs in vetoes, with its reason"
        case "PLAYER_TO_PLAYER":
            if message.text("from") == message.text("to"):
                yield "a PLAYER_TO_PLAYER goes to another player than its sender"
            if is_out_of_character(message.body):
                yield "a PLAYER_TO_PLAYER is spoken in character; use the /chat command for other talk"
        case "RELAY_TO_HUMAN":
            try:
                options(sections(message.body).get("Suggested Options", ""))
            except Refused as refusal:
                yield str(refusal).rstrip(".")
        case _:
            return


def _twice(names: Iterable[str], whose: str) -> Iterable[str]:
    again = [name for name, count in Counter(names).items() if count > 1 and name]
    if again:
        yield f"{whose} {', '.join(again[:3])} twice; name each once"


def _signal(first: str, rest: Sequence[str]) -> Message:
    match = _SIGNAL.fullmatch(first)
    if match is None:
        raise Refused(f"The first line reads {shown(first)}; write the signal alone on it, such as {_SIGNAL_FORM}.")
    if any(line.strip() for line in rest):
        raise Refused(f"The signal {SIGNAL.tag} has nothing after it; send other text as a message of its own.")
    names = tuple(name.strip() for name in match[1].split(","))
    taking = Taking()
    taken = taking.take(SIGNAL.fields, {"names": names if any(names) else ()})
    taking.wrong += _twice(names, f"{SIGNAL.tag} names")
    taking.finish(SIGNAL.tag)
    return Message(SIGNAL.tag, MappingProxyType(taken))


def _lines(value: Value) -> Iterable[str]:
    """The lines of every text of several lines in the value."""
    for item in value if isinstance(value, tuple) else (value,):
        for text in item.values() if isinstance(item, Mapping) else (str(item),):
            if "\n" in text:
                yield from text.split("\n")


def _to_json(value: Value) -> Any:
    if isinstance(value, tuple):
        return [dict(item) if isinstance(item, Mapping) else item for item in value]
    return value
