"""The grammar of headers: reads and writes lines of `key: value`.

A value is the text after the first colon, a `|` block of deeper lines, or a list of `- item` lines whose items are
texts or `key: value` lines. It looks like YAML and has its own rules: no comments, no escapes, no guessed types. Every
line is read a fixed number of times, so that the time grows linearly with the length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sottovoce import Refused
from sottovoce.rulesets.tabletop.rules.messages.fields import MOST_ITEMS, Field, Value, written_scalar
from sottovoce.rulesets.tabletop.rules.texts import SPACES, dedented, depth, shown

_KEY = re.compile(r"[ \t]*([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:")
_ENTRY = re.compile(rf"{_KEY.pattern}(?:[ \t]|$)")
_OTHER_BLOCKS = ("|-", "|+", ">", ">-", ">+")
_STEP = "  "


@dataclass
class _Line:
    """A key with what follows its colon, and the lines below that belong to it. `number` is its line's, from 1."""

    key: str
    inline: str
    indent: int
    number: int
    below: list[str] = field(default_factory=list)

    @property
    def first_below(self) -> str:
        return next((line for line in self.below if line.strip()), "")


def read_fields(lines: Sequence[str], first: int, defined: Mapping[str, Field]) -> dict[str, Value]:
    """The raw values of a header by name, in the order given; Refused with the line where it cannot be read.

    `first` is the number of the first line. Lists are read where the definition has one (T-025); a field that is not
    defined holds what it looks like.
    """
    return {each.key: _value(each, defined.get(each.key)) for each in _fields(lines, first)}


def write_field(name: str, value: Value, *, defined: bool) -> list[str]:
    """The lines that `read_fields` reads back as the value (T-033)."""
    if not isinstance(value, tuple):
        return _write_scalar(f"{name}:", written_scalar(value), 0, loose=not defined)
    if not value:
        return [f"{name}: []"]
    lines = [f"{name}:"]
    for item in value:
        if not isinstance(item, Mapping):
            lines += _write_scalar(f"{_STEP}-", item, 2, loose=not defined)
            continue
        lead = f"{_STEP}- "
        for key, text in item.items():
            lines += _write_scalar(f"{lead}{key}:", text, 4)
            lead = _STEP * 2
        if not item:
            lines.append(lead.rstrip())
    return lines


# reading


def _fields(lines: Sequence[str], first: int, *, nested: bool = False) -> list[_Line]:
    found: list[_Line] = []
    keys: set[str] = set()
    for number, line in enumerate(lines, first):
        last = found[-1] if found else None
        if not line.strip():
            if last:
                last.below.append(line)
            continue
        indent = depth(line)
        if last and (indent > last.indent or (indent == last.indent and not last.inline and _is_item(line))):
            last.below.append(line)
            continue
        match = _KEY.match(line)
        if match is None or (indent and not nested):
            raise Refused(
                f"Line {number} reads {shown(line)}, which is not a field; write 'key: value', "
                "and a value of several lines as an indented block below 'key: |'."
            )
        key = match[1]
        if key in keys:
            raise Refused(f"{key} is given twice, again in line {number}; give it once.")
        keys.add(key)
        found.append(_Line(key, line[match.end() :].strip(SPACES), indent, number))
    return found


def _value(each: _Line, defined: Field | None) -> Value:
    below = each.first_below
    looks_listed = each.inline == "[]" or (not each.inline and _is_item(below))
    if not (looks_listed if defined is None else defined.item):
        if not each.inline and _is_item(below):
            raise Refused(f"{each.key} is a text, not a list; write a text of several lines below '{each.key}: |'.")
        return _text(each.key, each.inline, each.below)
    if not below and each.inline in ("", "[]"):
        return () if each.inline else ""
    if each.inline:
        raise Refused(
            f"{each.key} is a list; write '{each.key}:' and below it each item as '- item' on a separate line, "
            f"or '{each.key}: []' for none."
        )
    return _items(each, defined)


def _text(key: str, inline: str, below: Sequence[str]) -> str:
    if inline == "|":
        return "\n".join(dedented(below))
    more = dedented(below)
    if more and inline in _OTHER_BLOCKS:
        raise Refused(f"{key} opens a block with {inline!r}; open it with '|'.")
    return _unquoted("\n".join([*([inline] if inline else ()), *more]))


def _unquoted(text: str) -> str:
    """The text without one pair of matching quotes around it (T-024)."""
    return text[1:-1] if _is_quoted(text) else text


def _is_quoted(text: str) -> bool:
    return len(text) >= 2 and text[0] in "\"'" and text[0] == text[-1]


def _is_item(line: str) -> bool:
    """Whether the line is an item of a list: a dash, alone or before a space."""
    return line.lstrip(SPACES)[:2] in ("-", "- ", "-\t")


def _items(each: _Line, defined: Field | None) -> Value:
    groups: list[tuple[int, list[str]]] = []
    indent: int | None = None
    for number, line in enumerate(each.below, each.number + 1):
        if not line.strip():
            if groups:
                groups[-1][1].append(line)
            continue
        if indent is None:
            indent = depth(line)
        if depth(line) == indent and _is_item(line):
            groups.append((number, [line]))
            if len(groups) > MOST_ITEMS:
                raise Refused(f"{each.key} has more than {MOST_ITEMS} items; send fewer.")
        elif depth(line) > indent and groups:
            groups[-1][1].append(line)
        else:
            raise Refused(
                f"Line {number} reads {shown(line)}, which is not an item of the list {each.key}; write '- item'."
            )
    looks_like_entries = bool(groups) and bool(_ENTRY.match(_after_dash(groups[0][1][0])))
    if looks_like_entries if defined is None else defined.parts:
        return tuple(_entry(number, lines) for number, lines in groups)
    return tuple(_text(each.key, _after_dash(lines[0]).strip(SPACES), lines[1:]) for _, lines in groups)


def _after_dash(line: str) -> str:
    return line.lstrip(SPACES)[1:]


def _entry(number: int, lines: Sequence[str]) -> Mapping[str, str]:
    """One entry of a list. Its first key stands where the dash has pushed it; later ones are less deep or as deep."""
    pushed = " " * (depth(lines[0]) + 1) + _after_dash(lines[0])
    entry: dict[str, str] = {}
    for each in _fields([pushed, *lines[1:]], number, nested=True):
        if not each.inline and _is_item(each.first_below):
            raise Refused(f"{each.key} is a text, not a list; write a text of several lines below '{each.key}: |'.")
        entry[each.key] = _text(each.key, each.inline, each.below)
    return entry


# writing


def _write_scalar(lead: str, text: str, indent: int, *, loose: bool = False) -> list[str]:
    """`lead` and the text: bare, in quotes, or as a block below. `loose`: its definition does not say what it is."""
    if "\n" in text:
        margin = " " * indent + _STEP
        return [f"{lead} |", *(f"{margin}{line}" if line else "" for line in text.split("\n"))]
    return [f"{lead} {text}" if _reads_bare(text, loose) else f'{lead} "{text}"']


def _reads_bare(text: str, loose: bool) -> bool:
    if loose and (text == "[]" or _ENTRY.match(text)):
        return False
    return bool(text) and text == text.strip(SPACES) and text != "|" and not _is_quoted(text)
