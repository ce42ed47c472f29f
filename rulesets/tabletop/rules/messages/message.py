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

from sottovoce import Refused, readable
from sottovoce.rulesets.tabletop.rules.messages.editions import DEPRECATIONS, Edition
from sottovoce.rulesets.tabletop.rules.messages.fields import Taken, Value
from sottovoce.rulesets.tabletop.rules.messages.header import read_fields, write_field
from sottovoce.rulesets.tabletop.rules.messages.tag import Tag
from sottovoce.rulesets.tabletop.rules.messages.tasks import AwaitAiPlayers
from sottovoce.rulesets.tabletop.rules.texts import blank, body_held, in_lines, sections, shown

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
    kind = edition.tags.get(tag) if tag else None
    if kind is None:
        return Message(None, body=readable(text))
    if first != f"[{tag}]":
        raise Refused(f"The first line reads {shown(first)}; write [{tag}] alone on it, in capitals.")
    header, body = _split(kind, rest)
    return _checked(kind, read_fields(header, at + 2, kind.checker.fields), body)


def compose(tag: str, fields: Mapping[str, Value], body: str = "", *, edition: Edition) -> Message:
    """A message put together by the game, held as `parse` would hold it; Refused where `parse` would refuse it."""
    kind = _live(tag, edition)
    message = _checked(kind, fields, body)
    if kind.form not in ("none", "prose"):
        for name in message.undefined:
            if "" in map(str.strip, _lines(message.fields.get(name, ()))):
                raise Refused(f"{name} has a blank line, where the header of {tag} would end; leave the line out.")
    return message


def serialise(message: Message, edition: Edition) -> str:
    """The message as text (T-031, T-033): tag, fields in the order of their definition, undefined ones, body."""
    if message.tag is None:
        return message.body
    if message.tag == AwaitAiPlayers.tag:
        return f"[{message.tag}: {', '.join(message.names('names'))}]"
    lines = [f"[{message.tag}]"]
    defined = [each.name for each in _live(message.tag, edition).fields]
    for name in (*defined, *(name for name in message.fields if name not in defined)):
        if name in message.fields:
            lines += write_field(name, message.fields[name], defined=name in defined)
    if message.body:
        lines += ["", message.body]
    return "\n".join(lines)


def _live(tag: str, edition: Edition) -> type[Tag]:
    if tag not in edition.tags:
        raise Refused(f"The edition {edition.name} has no tag {tag}.")
    return edition.tags[tag]


def _split(kind: type[Tag], lines: Sequence[str]) -> tuple[Sequence[str], str]:
    """The lines of the header, and the body."""
    if kind.form == "none":
        return lines, ""
    if kind.form == "prose":
        return (), "\n".join(lines)
    end = next(
        (at for at, line in enumerate(lines) if not line.strip() or line.startswith("## ")),
        len(lines),
    )
    return lines[:end], "\n".join(lines[end:])


def _checked(kind: type[Tag], raw: Mapping[str, Value], body: str) -> Message:
    taken = kind.checker.take(raw)
    body = body_held(body)
    if kind.form == "none" and body:
        taken.wrong.append(f"{kind.tag} has no body")
    elif kind.form == "sections":
        _check_sections(kind, body, taken)
    elif kind.form != "none" and not body:
        taken.missing.append("its text" if kind.form == "prose" else "a text below the fields and a blank line")
    if not taken.missing and kind.amiss is not Tag.amiss:
        # What could not be read is refused already: what else is wrong can still be said.
        taken.wrong += kind({**kind.nothing, **taken.values}, body).amiss()
    taken.finish(kind.tag)
    return Message(kind.tag, MappingProxyType(taken.values), body, tuple(taken.undefined))


def _check_sections(kind: type[Tag], body: str, taken: Taken) -> None:
    held = sections(body)
    lacking = [heading for heading in kind.sections if not held.get(heading)]
    taken.missing += [f"the section '## {heading}'" for heading in lacking]
    headings = Counter(line[3:].strip() for line in body.split("\n") if line.startswith("## "))
    taken.wrong += [f"the section '## {name}' is there more than once" for name in kind.sections if headings[name] > 1]
    there = [heading for heading in held if heading in kind.sections]
    if not lacking and there != list(kind.sections):
        taken.wrong.append(f"the sections come in the order {', '.join(kind.sections)}")


def _signal(first: str, rest: Sequence[str]) -> Message:
    match = _SIGNAL.fullmatch(first)
    if match is None:
        raise Refused(f"The first line reads {shown(first)}; write the signal alone on it, such as {_SIGNAL_FORM}.")
    if any(line.strip() for line in rest):
        raise Refused(f"The signal {AwaitAiPlayers.tag} has nothing after it; send other text as a separate message.")
    names = tuple(name.strip() for name in match[1].split(","))
    return _checked(AwaitAiPlayers, {"names": names if any(names) else ()}, "")


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
