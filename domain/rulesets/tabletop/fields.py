"""Fields: what each kind takes, and everything wrong with a message's fields in one refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from domain.errors import Refused
from domain.rulesets.tabletop.editions import FieldRule
from domain.rulesets.tabletop.rolls import check_notation
from domain.rulesets.tabletop.texts import blank, held, shown

Value = str | int | bool | tuple[str, ...] | tuple[Mapping[str, str], ...]

RESERVED_NAMES = ("gm", "team-lead", "narrator", "human", "all")
"""Words that name no character (T-012)."""
MOST_PROBLEMS = 40
"""A refusal names this many things wrong at most, so that its length stays in bounds."""
MOST_ITEMS = 200
"""Items that one list may have."""

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SCENE_NUMBER = re.compile(r"[0-9]{3,}")
_SCENE = re.compile(rf"{_SCENE_NUMBER.pattern} - {_SLUG.pattern}")
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")


def is_slug(text: str) -> bool:
    """Whether the text is lower-case words of a to z and digits joined by single hyphens (T-027)."""
    return _SLUG.fullmatch(text) is not None


def check_name(name: str) -> None:
    """Refuse what is no full character name, quoting it (T-011, T-012). Who is at the table is not looked at."""
    if not _SLUG.fullmatch(name):
        raise Refused(
            f"{shown(name)} is no character's name; write the full name in lower case with hyphens, "
            "such as 'tilda-brannock'."
        )
    if name in RESERVED_NAMES:
        raise Refused(f"{shown(name)} is a reserved word and names no character; write a character's full name.")


@dataclass
class Taking:
    """The fields of one message being taken, with everything found wrong on the way, so that it is said in one go."""

    missing: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    undefined: list[str] = field(default_factory=list)

    def take(self, rules: Sequence[FieldRule], raw: Mapping[str, Value], at: str = "") -> dict[str, Value]:
        """The values typed by their definitions, in the order of these, then the undefined ones (T-025 to T-030).

        `at` goes before the names of the fields of one entry of a list, such as `characters[2].`.
        """
        taken: dict[str, Value] = {}
        for name, value in raw.items():
            if isinstance(value, tuple) and len(value) > MOST_ITEMS:
                raise Refused(f"{at}{name} has more than {MOST_ITEMS} items; send fewer.")
        for rule in rules:
            value = raw.get(rule.name, "")
            if _empty(value) and not (value == () and rule.may_be_empty):
                if rule.required and (rule.when is None or raw.get(rule.when[0]) == rule.when[1]):
                    self.missing.append(f"{at}{rule.name}")
                continue
            try:
                taken[rule.name] = self._typed(rule, value, f"{at}{rule.name}")
            except Refused as refusal:
                self.wrong.append(str(refusal).rstrip("."))
        defined = {rule.name for rule in rules}
        for name, value in raw.items():
            if name not in defined:
                self.undefined.append(f"{at}{name}")
                taken[name] = _undefined(value)
        return taken

    def finish(self, tag: str) -> None:
        """Refuse with all that was found, in one message; accept if nothing was."""
        parts = []
        if self.missing:
            parts.append(f"{tag} lacks {_listing(self.missing, ', ')}; add what is missing")
        if self.wrong:
            parts.append(_listing(self.wrong, "; "))
        if parts:
            raise Refused("; ".join(parts) + ".")

    def _typed(self, rule: FieldRule, value: Value, at: str) -> Value:
        if rule.kind == "maps":
            if not isinstance(value, tuple) or not all(isinstance(entry, Mapping) for entry in value):
                raise Refused(f"{at} is a list of entries with {', '.join(part.name for part in rule.parts)}")
            entries: list[Mapping[str, str]] = []
            for number, entry in enumerate(value, 1):
                assert isinstance(entry, Mapping)
                taken = self.take(rule.parts, entry, f"{at}[{number}].")
                entries.append(MappingProxyType({name: str(text) for name, text in taken.items()}))
            return tuple(entries)
        if rule.kind in ("names", "texts"):
            return _items(rule, value, at)
        return _scalar(rule, value, at)


def _empty(value: Value) -> bool:
    return value == () or (isinstance(value, str) and blank(value))


def _listing(things: Sequence[str], separator: str) -> str:
    more = len(things) - MOST_PROBLEMS
    return separator.join(things[:MOST_PROBLEMS]) + (f"{separator}and {more} more" if more > 0 else "")


def _undefined(value: Value) -> Value:
    if not isinstance(value, tuple):
        return held(written_scalar(value))
    if any(isinstance(item, Mapping) for item in value):
        return tuple(_entry(item) for item in value if isinstance(item, Mapping))
    return tuple(held(item) for item in value if isinstance(item, str))


def _entry(entry: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({name: held(text) for name, text in entry.items()})


def written_scalar(value: str | int | bool) -> str:
    """A single value as text: booleans as `true` and `false`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _items(rule: FieldRule, value: Value, at: str) -> tuple[str, ...]:
    if not isinstance(value, tuple):
        raise Refused(f"{at} is a list; write each item as '- item' on a line of its own below '{rule.name}:'")
    items = []
    for number, item in enumerate(value, 1):
        if not isinstance(item, str):
            raise Refused(f"{at}[{number}] is a text, not an entry with fields")
        text = held(item)
        if not text:
            raise Refused(f"{at}[{number}] is empty; leave it out or fill it")
        if rule.kind == "names":
            _check_name_in(f"{at}[{number}]", text)
        items.append(text)
    return tuple(items)


def _scalar(rule: FieldRule, value: Value, at: str) -> Value:
    if isinstance(value, tuple):
        raise Refused(f"{at} is a text, not a list")
    text = held(written_scalar(value))
    if rule.values and text not in rule.values:
        raise Refused(f"{at} is one of {', '.join(rule.values)}, not {shown(text)}")
    match rule.kind:
        case "integer":
            if not _INTEGER.fullmatch(text):
                raise Refused(f"{at} is a whole number of at most nine digits, not {shown(text)}")
            return int(text)
        case "boolean":
            if text not in ("true", "false"):
                raise Refused(f"{at} is true or false, not {shown(text)}")
            return text == "true"
        case "name":
            _check_name_in(at, text)
        case "speaker" if text != "gm":
            _check_name_in(at, text)
        case "slug" if not _SLUG.fullmatch(text):
            raise Refused(f"{at} is lower-case words joined by hyphens, such as 'the-old-mill', not {shown(text)}")
        case "scene-number" if not _SCENE_NUMBER.fullmatch(text):
            raise Refused(f"{at} has at least three digits, such as 005, not {shown(text)}")
        case "scene" if not _SCENE.fullmatch(text):
            raise Refused(f"{at} is a scene's number and slug, such as '005 - the-old-mill', not {shown(text)}")
        case "roll":
            check_notation(text)
        case _:
            pass
    return text


def _check_name_in(at: str, name: str) -> None:
    try:
        check_name(name)
    except Refused as refusal:
        raise Refused(f"{at}: {refusal}") from None
